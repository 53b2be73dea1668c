//! Banks: links to bank accounts, money that they send, payments to them (BANK-001 to BANK-009, D-75).
//!
//! A link is verified by a wire from the bank account that it names. A wire is credited for good; an ACH credit is an advance that clears
//! after five days, unless the bank takes it back. One that does not fit into the advances of its group waits (D-181). A payment is held
//! until the bank has settled it.

pub(crate) mod advance;
mod change;
mod link;

pub use link::{Bank, BankKind, BankNumbers, Banks, NewBank};

use crate::{ALL, Eid, Funds, Made, Method, Sender, Short};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_access::AccountKind;
use buttonwood_ledger::LENDING;
use buttonwood_model::{
    AccountId, BytesRef, CurrencyId, DOLLAR, Due, GroupId, Outbox, Phase, Right, Role, Roles, Scope, Scopes,
    Time, commands, named,
};
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// How long an ACH credit is an advance (D-75).
pub const CLEARING: Time = Time(5 * 24 * 60 * 60 * Time::SECOND);

/// Decimals of money at banks.
const CENTS: u8 = 2;

/// Bank links of one account at most.
pub const LINKS_MAX: usize = 100;

/// A command of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Link a bank account.
    Link(Arc<NewBank>),
    /// A bank has sent money.
    Receive(Arc<Receipt>),
    /// Pay dollars to a verified bank.
    Pay(Payment),
    /// A bank has settled a payment or an advance, or has returned it.
    Settle(Settlement),
    /// Clear an advance whose time has come.
    Clear(Eid),
    /// Set the most open advances of a group, in dollars (D-181).
    SetAdvanceLimit(Money),
}

impl Command {
    /// The rights that a client needs to link a bank (AUTH-028, OAUTH-030).
    const LINK: Right =
        Right { roles: Roles::of(&[Role::FundManager]), scopes: Scopes::of(&[Scope::BanksCreate]) };
    /// The rights that a client needs to be paid at a bank (AUTH-028, OAUTH-032).
    const PAY: Right = Right { roles: Self::LINK.roles, scopes: Scopes::of(&[Scope::PaymentsCreate]) };
}

commands!(Command, "funds", {
    Link { 0: bank } = "link_bank" 1: client(Self::LINK) neither,
    Receive { 0: receipt } = "receive_from_bank" 1: exchange neither,
    Pay { 0: payment } = "pay_to_bank" 1: client(Self::PAY) neither,
    Settle { 0: settlement } = "settle_with_bank" 1: exchange neither,
    Clear { 0: eid } = "clear_advance" 1: exchange neither,
    SetAdvanceLimit { 0: limit } = "set_advance_limit" 1: exchange neither,
});

/// Money that a bank has sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The account that it is for.
    pub account: AccountId,
    /// The currency; state money.
    pub currency: CurrencyId,
    /// How much.
    pub amount: Money,
    /// Wire or ACH.
    pub method: Method,
    /// The number of the bank account that it comes from; empty if that is not known.
    pub number: String,
    /// The routing number or, of a Canadian bank, its SWIFT code; empty if that is not known.
    pub routing: String,
}

/// A payment of dollars to a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// The account that pays.
    pub account: AccountId,
    /// The number of the link to the bank.
    pub bank: u32,
    /// How much. [`ALL`] is all that may leave.
    pub amount: Money,
}

/// The final act of a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settlement {
    /// The row of the payment or of the advance.
    pub eid: Eid,
    /// Whether the money goes back where it came from.
    pub returned: bool,
}

/// An event of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A bank account was linked.
    Linked(NewBank),
    /// A link was verified.
    Verified(u32),
    /// Money came from a bank, the link of this number where it is known.
    Received(Receipt, Option<u32>),
    /// Dollars are held for a payment: the payment, the currency, the code that finds it again.
    Paid(Payment, CurrencyId, String),
    /// A bank settled a payment.
    Settled(Eid),
    /// A bank returned a payment.
    Returned(Eid),
    /// An advance is final.
    Cleared(Eid),
    /// An advance was taken back, with this much of it lent by the house.
    TakenBack(Eid, Money),
    /// A credit waits until it fits into the advances of its group, or has cleared.
    Queued(Receipt, Option<u32>),
    /// A credit that waited is an advance now.
    Advanced(Eid),
    /// The most open advances of a group were set, in dollars.
    LimitSet(Money),
    /// Groups with open advances gave up this much against the index, in dollars.
    GivenUp(Vec<(GroupId, Money)>),
}

named!(Event, "funds", {
    Linked { 0: bank } = "bank_linked" 1,
    Verified { 0: number } = "bank_verified" 1,
    Received { 0: receipt, 1: bank } = "bank_received" 1,
    Paid { 0: payment, 1: currency, 2: code } = "bank_paid" 1,
    Settled { 0: eid } = "bank_settled" 1,
    Returned { 0: eid } = "bank_returned" 1,
    Cleared { 0: eid } = "advance_cleared" 1,
    TakenBack { 0: eid, 1: lent } = "advance_taken_back" 1,
    Queued { 0: receipt, 1: bank } = "bank_credit_queued" 1,
    Advanced { 0: eid } = "bank_credit_advanced" 1,
    LimitSet { 0: limit } = "advance_limit_set" 1,
    GivenUp { 0: groups } = "given_up_against_advances" 1,
});

/// Why a command of this module is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// No such account, or one of another group.
    UnknownAccount,
    /// The account is closed.
    Closed,
    /// The account has as many links as it may have.
    TooManyLinks,
    /// State money does not go to accounts of this kind (facts F§9).
    WrongKind,
    /// No such currency, or one that banks do not send.
    UnknownCurrency,
    /// Neither a wire nor an ACH credit.
    BadMethod,
    /// An amount that is not positive, or that the ledger cannot count.
    BadAmount,
    /// The account has no such bank (BANK-008).
    UnknownBank,
    /// No wire has verified the bank yet (BANK-003).
    Unverified,
    /// Payments of the currency are halted in this direction.
    Halted,
    /// Too little may leave the account.
    Short(Short),
    /// No such payment and no such advance.
    UnknownRow,
    /// It was settled or returned before.
    SettledBefore,
    /// The advance is not due yet.
    NotDue,
    /// A limit below zero.
    BadLimit,
}

/// The next advance that clears.
pub(crate) fn next_due(funds: &Funds) -> Option<Due<Command>> {
    let (time, eid) = funds.banks.next_clearing()?;
    Some(Due::step(time, Phase::Transfers, Command::Clear(eid)))
}

/// Decides a command: appends its events, or refuses it.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Funds>,
    sender: Sender<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Made, Reject> {
    let mut happen = |event: Event| out.push_named(&crate::Infrequent::from(event));
    match command {
        Command::Link(bank) => {
            check_account(context, sender, bank.account)?;
            let own = context.room.banks.of_account(bank.account);
            if let Some(same) = { own }.find(|known| known.link == **bank) {
                return Ok(Made::Bank(same.number));
            }
            if context.room.banks.of_account(bank.account).count() >= LINKS_MAX {
                return Err(Reject::TooManyLinks);
            }
            happen(Event::Linked(NewBank::clone(bank)));
            Ok(Made::Bank(context.room.banks.next_number()))
        }
        Command::Receive(receipt) => decide_receipt(context, sender, receipt, happen),
        Command::Pay(payment) => decide_payment(context, sender, *payment, happen),
        Command::Settle(settlement) => decide_settlement(context, *settlement, happen),
        Command::Clear(eid) => {
            let is_due = context.room.banks.clears_at(*eid).is_some_and(|time| time <= context.time);
            if !is_due {
                return Err(Reject::NotDue);
            }
            let made = if context.room.is_queued(*eid) { *eid } else { context.room.next_eid() };
            advance::clear(context, *eid, happen);
            Ok(Made::Transfer(made))
        }
        Command::SetAdvanceLimit(limit) => {
            if limit.is_negative() {
                return Err(Reject::BadLimit);
            }
            advance::set_limit(context, *limit, happen);
            Ok(Made::Nothing)
        }
    }
}

/// The account must be in a group, open, and that of the sender.
fn check_account(context: &Context<'_, Funds>, sender: Sender<'_>, account: AccountId) -> Result<(), Reject> {
    let is_own = match sender {
        Sender::Exchange => true,
        Sender::Key(caller) => caller.account == Some(account),
    };
    if !is_own || context.account(account).is_none() {
        return Err(Reject::UnknownAccount);
    }
    if context.access.is_closed(account) { Err(Reject::Closed) } else { Ok(()) }
}

fn decide_receipt(
    context: &Context<'_, Funds>,
    sender: Sender<'_>,
    receipt: &Receipt,
    mut happen: impl FnMut(Event),
) -> Result<Made, Reject> {
    let Receipt { account, currency, amount, method, number, routing } = receipt;
    check_account(context, sender, *account)?;
    if !context.is_fiat(*currency) {
        return Err(Reject::UnknownCurrency);
    }
    if context.account(*account).is_none_or(|account| !holds_state_money(account.kind)) {
        return Err(Reject::WrongKind);
    }
    if !matches!(method, Method::Wire | Method::Ach) {
        return Err(Reject::BadMethod);
    }
    if context.room.halts.stops_credit(*currency) {
        return Err(Reject::Halted);
    }
    if *amount <= Money::ZERO || context.ledger.can_issue(*currency, *amount).is_err() {
        return Err(Reject::BadAmount);
    }
    let from = |bank: &&Bank| bank.link.is_at(number, routing);
    let known = context.room.banks.of_account(*account).find(from).map(|bank| bank.number);
    if *method == Method::Wire {
        let unverified = context.room.banks.of_account(*account).filter(|bank| !bank.is_verified);
        unverified.filter(from).for_each(|bank| happen(Event::Verified(bank.number)));
    }
    let receipt = receipt.clone();
    let waits = receipt.method == Method::Ach && !advance::fits(context, &receipt);
    happen(if waits { Event::Queued(receipt, known) } else { Event::Received(receipt, known) });
    Ok(Made::Transfer(context.room.next_eid()))
}

/// Whether accounts of a kind may get state money. A custody account holds none (facts F§9), and out of a derivatives account it could not
/// leave again.
fn holds_state_money(kind: AccountKind) -> bool {
    match kind {
        AccountKind::Exchange | AccountKind::Margin => true,
        AccountKind::Custody | AccountKind::Derivatives => false,
    }
}

fn decide_payment(
    context: &Context<'_, Funds>,
    sender: Sender<'_>,
    payment: Payment,
    mut happen: impl FnMut(Event),
) -> Result<Made, Reject> {
    let Payment { account, bank, amount } = payment;
    check_account(context, sender, account)?;
    let bank = context.room.banks.get(bank).filter(|bank| bank.link.account == account);
    if !bank.ok_or(Reject::UnknownBank)?.is_verified {
        return Err(Reject::Unverified);
    }
    let is_dollar = |currency: &buttonwood_model::Currency| currency.code == DOLLAR;
    let dollar = context.ledger.currencies().iter().position(is_dollar).map(CurrencyId::from_index);
    let dollar = dollar.ok_or(Reject::UnknownCurrency)?;
    if amount <= Money::ZERO {
        return Err(Reject::BadAmount);
    }
    if context.room.stops_withdrawal(dollar) {
        return Err(Reject::Halted);
    }
    let amount = if amount == ALL { all_cents(context, account, dollar)? } else { amount };
    context.leave().check(account, (dollar, amount), None).map_err(Reject::Short)?;
    let eid = context.room.next_eid();
    happen(Event::Paid(
        Payment { amount, ..payment },
        dollar,
        context.room.banks.free_code(context.seed, eid),
    ));
    Ok(Made::Transfer(eid))
}

/// All that may leave an account, as far as banks can pay it.
fn all_cents(context: &Context<'_, Funds>, account: AccountId, dollar: CurrencyId) -> Result<Money, Reject> {
    let all = context.leave().all(account, dollar, None).map_err(Reject::Short)?.cut_to(CENTS);
    if all > Money::ZERO { Ok(all) } else { Err(Reject::Short(Short::TooLittle)) }
}

/// A returned advance is taken from what is available. The house lends the rest, and the engine cancels the account's orders: what they
/// held repays the loan before any other command.
fn decide_settlement(
    context: &Context<'_, Funds>,
    settlement: Settlement,
    mut happen: impl FnMut(Event),
) -> Result<Made, Reject> {
    let Settlement { eid, returned } = settlement;
    if context.room.banks.is_waiting(eid) {
        happen(if returned { Event::Returned(eid) } else { Event::Settled(eid) });
        return Ok(Made::Transfer(eid));
    }
    if context.room.banks.clears_at(eid).is_some() {
        if !returned {
            advance::clear(context, eid, happen);
            return Ok(Made::Transfer(eid));
        }
        if context.room.is_queued(eid) {
            happen(Event::TakenBack(eid, Money::ZERO));
            return Ok(Made::Transfer(eid));
        }
        let row = &context.room.transfer(eid).ok_or(Reject::UnknownRow)?.row;
        let available = context.ledger.balance(row.account, row.currency).available;
        let lent = (row.amount - available).max(Money::ZERO);
        let lender = context.ledger.house(LENDING.name).ok_or(Reject::UnknownCurrency)?;
        context.ledger.can_give(lender, row.currency, lent).map_err(|_| Reject::BadAmount)?;
        advance::take_back(context, eid, lent, happen);
        return Ok(if lent > Money::ZERO { Made::Loan(row.account) } else { Made::Transfer(eid) });
    }
    let is_known = context.room.is_bank_payment(eid) || context.room.is_bank_advance(eid);
    Err(if is_known { Reject::SettledBefore } else { Reject::UnknownRow })
}

/// An operator approves a group that waits for it: appends what is advanced of the credits that wait.
pub fn start_approved<E: From<BytesRef>>(context: &Context<'_, Funds>, group: GroupId, out: &mut Outbox<E>) {
    advance::start_approved(context, group, |event| out.push_named(&crate::Infrequent::from(event)));
}

/// Applies an event.
pub(crate) fn evolve(books: &mut ContextMut<'_, Funds>, event: Event) {
    match event {
        Event::Linked(bank) => books.room.banks.link(bank, books.seed),
        Event::Verified(number) => books.room.banks.verify(number),
        Event::Received(receipt, bank) => change::receive(books, &receipt, bank),
        Event::Paid(payment, currency, code) => change::pay(books, payment, currency, code),
        Event::Settled(eid) => change::settle(books, eid),
        Event::Returned(eid) => change::give_back(books, eid),
        Event::Cleared(eid) => change::clear(books, eid),
        Event::TakenBack(eid, lent) => change::take_back(books, eid, lent),
        Event::Queued(receipt, bank) => change::queue(books, &receipt, bank),
        Event::Advanced(eid) => change::advance(books, eid),
        Event::LimitSet(limit) => books.advances.set_limit(limit),
        Event::GivenUp(groups) => {
            for (group, amount) in groups {
                books.advances.note_given_up(group, amount);
            }
        }
    }
}
