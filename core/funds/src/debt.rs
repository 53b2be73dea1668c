//! Debts: what the house lent to accounts that had spent an advance which was then returned (D-167).
//!
//! A debt is repaid from whatever the account gets in the currency, before any other command. Until then the account neither
//! trades nor withdraws: `access` notes it in the account's keys.

use crate::bank::advance;
use crate::{Funds, Made, Sender};
use buttonwood_leave::DOLLARS;
use buttonwood_ledger::{Cause, LENDING, Ledger};
use buttonwood_model::{AccountId, BytesRef, CurrencyId, Due, Outbox, Phase, Time, commands, named};
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};

/// A command of this module; none is a key's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Repay what an account owes in a currency, as far as it is available.
    Repay(AccountId, CurrencyId),
}

commands!(Command, "funds", { Repay { 0: account, 1: currency } = "repay_debt" 1: exchange neither });

/// An event of this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An account repaid this much.
    Repaid(AccountId, CurrencyId, Money),
}

named!(Event, "funds", { Repaid { 0: account, 1: currency, 2: amount } = "debt_repaid" 1 });

/// Why a command of this module is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The account owes nothing in the currency, or has nothing.
    NotDue,
}

/// The debt that can be repaid now, if any.
pub(crate) fn next_due(funds: &Funds, ledger: &Ledger) -> Option<Due<Command>> {
    funds.debts.payable(ledger).map(|(account, currency)| {
        Due::follow_up(Time(0), Phase::Transfers, Command::Repay(account, currency))
    })
}

/// Whether a debt can be repaid now. Nearly always there is none, and this reads one number. The ledger watches the
/// balances of those who owe, so many debts cost no walk.
#[inline]
pub(crate) fn is_due(funds: &Funds, ledger: &Ledger) -> bool {
    !funds.debts.is_empty() && next_due(funds, ledger).is_some()
}

/// Decides a command: appends its event, or refuses it.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Funds>,
    _sender: Sender<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Made, Reject> {
    let Command::Repay(account, currency) = *command;
    let amount = context.room.debts.repayable(context.ledger, account, currency).ok_or(Reject::NotDue)?;
    out.push_named(&crate::Infrequent::from(Event::Repaid(account, currency, amount)));
    advance::start_repaid(context, (account, currency, amount), |event| {
        out.push_named(&crate::Infrequent::from(event));
    });
    Ok(Made::Nothing)
}

/// Applies an event.
pub(crate) fn evolve(books: &mut ContextMut<'_, Funds>, event: Event) {
    let Event::Repaid(account, currency, amount) = event;
    let lender = lender(books.ledger);
    books.room.debts.repay(books.ledger, lender, (account, currency), amount, Cause::Repayment);
    if !books.room.owes(account) {
        books.access.set_in_debt(account, false);
    }
    note(books, account);
}

/// Notes what an account owes now, dollars at 1; other currencies are not advanced (D-181).
fn note(books: &mut ContextMut<'_, Funds>, account: AccountId) {
    let Some(group) = books.access.account(account).and_then(|account| account.group) else { return };
    let codes = books.ledger.currencies();
    let is_dollar = |currency: &CurrencyId| {
        codes.get(currency.index()).is_some_and(|currency| DOLLARS.contains(&currency.code.as_str()))
    };
    let owed = books.room.debts_of(account).filter(|(currency, _)| is_dollar(currency));
    let owed = owed.fold(Money::ZERO, |sum, (_, owed)| sum.capped_add(owed));
    books.advances.note_debt(group, account, owed);
}

/// Lends an account what it lacks: the caller takes it from the account at once.
pub(crate) fn lend(
    books: &mut ContextMut<'_, Funds>,
    account: AccountId,
    currency: CurrencyId,
    amount: Money,
) {
    if amount == Money::ZERO {
        return;
    }
    let lender = lender(books.ledger);
    books.room.debts.lend(books.ledger, lender, (account, currency), amount);
    books.access.set_in_debt(account, true);
    note(books, account);
}

fn lender(ledger: &Ledger) -> AccountId {
    ledger.house(LENDING.name).expect("every start opens the house accounts that are missing")
}

impl Funds {
    /// The account whose debt an event is about to change.
    pub fn debtor_of(&self, event: &crate::Infrequent) -> Option<AccountId> {
        if let crate::Infrequent::Debt(Event::Repaid(account, ..)) = event {
            return Some(*account);
        }
        let crate::Infrequent::Bank(crate::bank::Event::TakenBack(eid, _)) = event else { return None };
        self.transfer(*eid).map(|transfer| transfer.row.account)
    }

    /// The debts of accounts to the house.
    pub fn debts(&self) -> &buttonwood_risk::Loans {
        &self.debts
    }

    /// The debt of the account to the house in a currency.
    pub fn owed(&self, account: AccountId, currency: CurrencyId) -> Money {
        self.debts.owed(account, currency)
    }

    /// The debts of the account to the house, by currency.
    pub fn debts_of(&self, account: AccountId) -> impl Iterator<Item = (CurrencyId, Money)> {
        self.debts.of(account)
    }

    /// Whether the account owes the house anything.
    pub fn owes(&self, account: AccountId) -> bool {
        self.debts.owes(account)
    }
}
