//! The money that the rooms keep in an account.

use crate::Worth;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;
use core::fmt::Debug;

/// The holds of open transfers on a balance, and their advances to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    /// Their holds on it.
    pub held: Money,
    /// The advanced amount: it can trade, and cannot leave yet.
    pub advanced: Money,
}

/// The money that the rooms above keep in an account.
pub trait Rooms: Debug {
    /// The most of a currency that the account's product lets go, for positions or loans; none if nothing but its balance bounds that.
    fn most(&self, account: AccountId, currency: CurrencyId) -> Option<Money>;

    /// The holds of open transfers on a balance, and their advances to it.
    fn bound(&self, account: AccountId, currency: CurrencyId) -> Bound;

    /// The debts of the account for returned advances, by currency (D-167).
    fn debts(&self, account: AccountId) -> Vec<(CurrencyId, Money)>;

    /// All accounts of the account's group, itself included, if one of them has an advance or a debt of a returned one; otherwise none.
    fn group_in_advance(&self, account: AccountId) -> Vec<AccountId>;

    /// The account's loans and the money that its positions bind, in dollars.
    fn liabilities(&self, account: AccountId) -> Money;

    /// The worth of a currency to the account's group.
    fn worth(&self, account: AccountId, currency: CurrencyId) -> Worth;

    /// Counts rows that a command has read.
    fn note_looks(&self, _rows: usize) {}
}
