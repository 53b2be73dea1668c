//! What the rooms keep in an account.

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

    /// Whether anything is advanced to the account.
    fn has_advances(&self, account: AccountId) -> bool;

    /// Whether the account owes the house for a returned advance (D-167).
    fn owes(&self, account: AccountId) -> bool;

    /// What an amount that stays counts, in dollars.
    fn value_staying(&self, currency: CurrencyId, amount: Money) -> Money;

    /// What an advance that is not there any more counts, in dollars. None without a price.
    fn value_owed(&self, currency: CurrencyId, amount: Money) -> Option<Money>;
}
