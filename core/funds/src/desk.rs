//! What decisions of this room read, and what its events change.

use crate::{Eid, Funds};
use buttonwood_access::{Access, Account, Caller};
use buttonwood_leave::{Advances, Leave};
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, Currency, CurrencyId, CurrencyKind, GroupId, Time};

/// What a decision of this room reads.
#[derive(Clone, Copy, Debug)]
pub struct Desk<'a> {
    /// The state of the room.
    pub funds: &'a Funds,
    /// Every balance.
    pub ledger: &'a Ledger,
    /// Groups, accounts and keys.
    pub access: &'a Access,
    /// What may leave accounts.
    pub leave: Leave<'a>,
    /// The open advances of each group.
    pub advances: &'a Advances,
    /// The seed that ids follow from.
    pub seed: u64,
    /// The time of the command.
    pub time: Time,
}

/// What an event of this room changes.
#[derive(Debug)]
pub struct Books<'a> {
    /// The state of the room.
    pub funds: &'a mut Funds,
    /// Every balance.
    pub ledger: &'a mut Ledger,
    /// The open advances of each group.
    pub advances: &'a mut Advances,
    /// Groups, accounts and keys.
    pub access: &'a mut Access,
    /// The seed that ids follow from.
    pub seed: u64,
    /// The time of the command.
    pub time: Time,
}

/// Who sends a command.
#[derive(Clone, Copy, Debug)]
pub enum Sender<'a> {
    /// A key, which has one of the command's roles.
    Key(&'a Caller),
    /// The exchange itself, or an operator.
    Exchange,
}

/// What a command made or found: the caller looks it up in the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// A row of the list of transfers, new or (by its client id) that of an earlier call.
    Transfer(Eid),
    /// What has this number in its module.
    Number(u32),
    /// A loan to an account that lacked what was taken back: the engine cancels the account's orders, so that it can be repaid.
    Loan(AccountId),
    /// Nothing with an id.
    Nothing,
}

/// The currency of advances, and of payments to banks (BANK-007).
pub(crate) const DOLLAR: &str = "USD";

impl Books<'_> {
    /// The group of an account whose advances in the currency are counted: those in dollars.
    pub(crate) fn group_of_advance(&self, account: AccountId, currency: CurrencyId) -> Option<GroupId> {
        let is_dollar = self.ledger.currencies().get(currency.index()).is_some_and(|it| it.code == DOLLAR);
        self.access.account(account).filter(|_| is_dollar)?.group
    }
}

impl<'a> Desk<'a> {
    /// Whether withdrawals of the currency are halted, by an operator or because assets do not cover what customers have.
    pub(crate) fn stops_withdrawal(&self, currency: CurrencyId) -> bool {
        self.funds.halts.stops_withdrawal(currency) || self.funds.reserves.stops_withdrawal(currency)
    }

    /// An account that is in a group.
    pub fn account(&self, account: AccountId) -> Option<&'a Account> {
        self.access.account(account).filter(|account| account.group.is_some())
    }

    /// A currency.
    pub fn currency(&self, currency: CurrencyId) -> Option<&'a Currency> {
        self.ledger.currencies().get(currency.index())
    }

    /// Whether the currency is state money.
    pub fn is_fiat(&self, currency: CurrencyId) -> bool {
        self.currency(currency).is_some_and(|currency| currency.kind == CurrencyKind::Fiat)
    }
}
