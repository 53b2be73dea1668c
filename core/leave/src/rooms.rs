//! What the rooms keep in an account.

use crate::Worth;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;
use core::fmt::Debug;

/// What open transfers hold of a balance, and what they advance to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    /// What they hold of it.
    pub held: Money,
    /// What was advanced: it can trade, and cannot leave yet.
    pub advanced: Money,
}

/// What the rooms above keep in an account.
pub trait Rooms: Debug {
    /// The most of a currency that the account's product lets go, for positions or loans; none if nothing but its balance bounds that.
    fn most(&self, account: AccountId, currency: CurrencyId) -> Option<Money>;

    /// What open transfers hold of a balance and advance to it.
    fn bound(&self, account: AccountId, currency: CurrencyId) -> Bound;

    /// What the account owes for returned advances, by currency (D-167).
    fn debts(&self, account: AccountId) -> Vec<(CurrencyId, Money)>;

    /// All accounts of the account's group, itself included, if one of them has an advance or a debt of a returned one; otherwise none.
    fn group_in_advance(&self, account: AccountId) -> Vec<AccountId>;

    /// What the account has borrowed and what its positions bind, in dollars.
    fn liabilities(&self, account: AccountId) -> Money;

    /// What a currency counts for the account's group.
    fn worth(&self, account: AccountId, currency: CurrencyId) -> Worth;
}
