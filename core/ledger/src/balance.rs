//! The balance of one account in one asset.

use buttonwood_model::{AccountId, AssetId};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// Which part of a balance an entry touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bucket {
    /// Free to spend.
    Available,
    /// Reserved by live orders (ORD-048).
    Held,
}

/// The balance of an account in an asset; `amount` on the wire is the sum of both parts (INV-LEDGER-4).
///
/// Aligned to its size, so that a movement touches one cache line of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(align(32))]
pub struct Balance {
    /// Free to spend.
    pub available: Money,
    /// Reserved by live orders.
    pub held: Money,
}

impl Balance {
    /// Available and held together.
    pub fn total(self) -> Money {
        self.available + self.held
    }
}

/// One line of an entry: the amount added to a bucket of an account's balance; negative if it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// The account.
    pub account: AccountId,
    /// The asset.
    pub asset: AssetId,
    /// The part of the balance.
    pub bucket: Bucket,
    /// The amount added.
    pub amount: Money,
}

/// The account and the asset of a balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owner {
    pub(crate) account: AccountId,
    pub(crate) asset: AssetId,
}
