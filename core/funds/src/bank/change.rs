//! The movements of banks: the balances, and the rows that explain them.

use super::{CLEARING, Payment, Receipt};
use crate::{Change, Eid, Funds, Kind, Method, NewTransfer, Reference, Status, Way, debt};
use alloc::string::String;
use buttonwood_ledger::{About, Bucket, Cause, Posting, Reason, SOURCE};
use buttonwood_model::{AccountId, CurrencyId, DOLLAR, GroupId, Time};
use buttonwood_num::Money;
use buttonwood_room::ContextMut;

/// Why a transfer moves money.
fn because(cause: Cause, eid: Eid) -> Reason {
    cause.about(About::Transfer(eid.0))
}

/// Credits what a bank has sent.
pub(super) fn receive(books: &mut ContextMut<'_, Funds>, receipt: &Receipt, bank: Option<u32>) {
    let Receipt { account, currency, amount, method, .. } = *receipt;
    let is_advance = method == Method::Ach;
    let eid = books.room.next_eid();
    books.ledger.issue(because(Cause::Deposit, eid), account, currency, amount);
    let status = if is_advance { Status::Advanced } else { Status::Complete };
    books.room.add(books.time, deposit(account, currency, amount, status, method, bank));
    if is_advance {
        books.room.banks.will_clear(eid, Time(books.time.0.saturating_add(CLEARING.0)));
        count_advance(books, account, currency, amount);
    }
}

/// Notes a credit that waits.
pub(super) fn queue(books: &mut ContextMut<'_, Funds>, receipt: &Receipt, bank: Option<u32>) {
    let Receipt { account, currency, amount, method, .. } = *receipt;
    let eid = books.room.next_eid();
    books.room.add(books.time, deposit(account, currency, amount, Status::Pending, method, bank));
    books.room.banks.will_clear(eid, Time(books.time.0.saturating_add(CLEARING.0)));
}

/// A credit that waited is an advance now. It clears when it would have cleared anyway.
pub(super) fn advance(books: &mut ContextMut<'_, Funds>, eid: Eid) {
    let row = books.room.change(&Change { eid, status: Status::Advanced, held: Money::ZERO });
    let (account, currency, amount) = (row.account, row.currency, row.amount);
    books.ledger.issue(because(Cause::Deposit, eid), account, currency, amount);
    count_advance(books, account, currency, amount);
}

fn count_advance(books: &mut ContextMut<'_, Funds>, account: AccountId, currency: CurrencyId, amount: Money) {
    if let Some(group) = group_of_advance(books, account, currency) {
        books.advances.add(group, account, amount);
    }
}

fn end_advance(books: &mut ContextMut<'_, Funds>, eid: Eid) {
    let NewTransfer { account, currency, amount, .. } = *row(books, eid);
    if let Some(group) = group_of_advance(books, account, currency) {
        books.advances.end(group, account, amount);
    }
}

/// Holds what is paid to a bank.
pub(super) fn pay(books: &mut ContextMut<'_, Funds>, payment: Payment, currency: CurrencyId, code: String) {
    let Payment { account, bank, amount } = payment;
    books.ledger.hold(account, currency, amount);
    books.room.banks.wait(books.room.next_eid(), code.clone());
    let row = NewTransfer {
        kind: Kind::Withdrawal,
        held: amount,
        reference: Reference::Code(code),
        ..deposit(account, currency, amount, Status::Pending, Method::Sen, Some(bank))
    };
    books.room.add(books.time, row);
}

/// A payment left for good.
pub(super) fn settle(books: &mut ContextMut<'_, Funds>, eid: Eid) {
    let source =
        books.ledger.house(SOURCE.name).expect("every start opens the house accounts that are missing");
    end_payment(books, eid, Status::Complete, source);
}

/// A payment came back.
pub(super) fn give_back(books: &mut ContextMut<'_, Funds>, eid: Eid) {
    let payer = row(books, eid).account;
    end_payment(books, eid, Status::Returned, payer);
}

/// The held amount goes to the account `target`.
fn end_payment(books: &mut ContextMut<'_, Funds>, eid: Eid, status: Status, target: AccountId) {
    let NewTransfer { account, currency, held, .. } = *row(books, eid);
    let posting = |account, bucket, amount| Posting { account, asset: currency.into(), bucket, amount };
    let out = posting(account, Bucket::Held, -held);
    let entry = [out, posting(target, Bucket::Available, held)];
    books.ledger.post(because(Cause::Withdrawal, eid), &entry);
    books.room.banks.stop_waiting(eid);
    books.room.change(&Change { eid, status, held: Money::ZERO });
}

/// An advance is final: a second row says so, and no money moves. A credit that waited is credited.
pub(super) fn clear(books: &mut ContextMut<'_, Funds>, eid: Eid) {
    books.room.banks.stop_clearing(eid);
    if row(books, eid).status == Status::Pending {
        let row = books.room.change(&Change { eid, status: Status::Complete, held: Money::ZERO });
        let (account, currency, amount) = (row.account, row.currency, row.amount);
        books.ledger.issue(because(Cause::Deposit, eid), account, currency, amount);
        return;
    }
    end_advance(books, eid);
    let advance = books.room.change(&Change { eid, status: Status::Cleared, held: Money::ZERO });
    let row = NewTransfer { status: Status::Complete, advance: Some(eid), ..advance.clone() };
    books.room.add(books.time, row);
}

/// An advance goes back to its bank; a credit that waited has moved no money.
pub(super) fn take_back(books: &mut ContextMut<'_, Funds>, eid: Eid, lent: Money) {
    books.room.banks.stop_clearing(eid);
    let has_waited = row(books, eid).status == Status::Pending;
    let row = books.room.change(&Change { eid, status: Status::Returned, held: Money::ZERO });
    if has_waited {
        return;
    }
    let (account, currency, amount) = (row.account, row.currency, row.amount);
    // The debt first: it stands in the place of the advance.
    debt::lend(books, account, currency, lent);
    end_advance(books, eid);
    books.ledger.issue(because(Cause::Deposit, eid), account, currency, -amount);
}

fn deposit(
    account: AccountId,
    currency: CurrencyId,
    amount: Money,
    status: Status,
    method: Method,
    bank: Option<u32>,
) -> NewTransfer {
    NewTransfer {
        account,
        kind: Kind::Deposit,
        status,
        currency,
        amount,
        fee: Money::ZERO,
        held: Money::ZERO,
        way: Way::Bank(method, bank),
        reference: Reference::None,
        advance: None,
        client_id: String::new(),
    }
}

fn row<'a>(books: &'a ContextMut<'_, Funds>, eid: Eid) -> &'a NewTransfer {
    &books.room.transfer(eid).expect("the decision found the row").row
}

/// The group of an account whose advances in the currency are counted: those in dollars.
fn group_of_advance(
    books: &ContextMut<'_, Funds>,
    account: AccountId,
    currency: CurrencyId,
) -> Option<GroupId> {
    let is_dollar = books.ledger.currencies().get(currency.index()).is_some_and(|it| it.code == DOLLAR);
    books.access.account(account).filter(|_| is_dollar)?.group
}
