//! The senders and results of this room's commands, and what its events change.

use crate::{Eid, Funds};
use buttonwood_access::{Access, Caller};
use buttonwood_leave::Advances;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, CurrencyId, DOLLAR, GroupId, Time};

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

impl Books<'_> {
    /// The group of an account whose advances in the currency are counted: those in dollars.
    pub(crate) fn group_of_advance(&self, account: AccountId, currency: CurrencyId) -> Option<GroupId> {
        let is_dollar = self.ledger.currencies().get(currency.index()).is_some_and(|it| it.code == DOLLAR);
        self.access.account(account).filter(|_| is_dollar)?.group
    }
}
