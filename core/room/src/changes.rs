//! Changes by the events of a command that other rooms than their own must know.

use alloc::vec::Vec;
use buttonwood_access::AccountKind;
use buttonwood_model::{AccountId, AssetId};
use buttonwood_num::Money;

/// Money that the house's source gave to an account, or took back from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    /// The account, a client's or the house's.
    pub account: AccountId,
    /// The asset.
    pub asset: AssetId,
    /// How much; below zero if it was taken back.
    pub amount: Money,
    /// The amount that the account had available before.
    pub before: Money,
}

/// A change of what an account owes for returned advances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Debt {
    /// The account.
    pub account: AccountId,
    /// Its kind.
    pub kind: AccountKind,
    /// The amount that it owes now, in dollars.
    pub dollars: Money,
    /// Whether it owes more of some currency than before.
    pub is_more: bool,
    /// Whether it has margin or derivatives, owes more dollars than before, and indices are known: then it may be below maintenance.
    pub is_weaker: bool,
}

/// The changes of a command. The engine collects them while it applies the events, and passes them to every room once.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Balances of which more became available.
    pub rises: Vec<(AccountId, AssetId)>,
    /// Accounts from which more may leave, with all of their groups while a room awaits them: an advance or a debt has ended, or money came.
    pub freed: Vec<AccountId>,
    /// Money from the house's source.
    pub given: Vec<Given>,
    /// Changes of what accounts owe.
    pub debts: Vec<Debt>,
    /// Accounts that were closed.
    pub closed: Vec<AccountId>,
    /// Whether trading was halted, or resumed; none if neither.
    pub halted: Option<bool>,
    /// Whether indices and marks were taken.
    pub prices: bool,
}

impl Changes {
    /// Whether there is anything to pass on.
    pub fn is_empty(&self) -> bool {
        let Self { rises, freed, given, debts, closed, halted, prices } = self;
        rises.is_empty()
            && freed.is_empty()
            && given.is_empty()
            && debts.is_empty()
            && closed.is_empty()
            && halted.is_none()
            && !prices
    }
}
