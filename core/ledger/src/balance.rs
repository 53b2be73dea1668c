//! What one account has of one asset.

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

/// What an account has of an asset; `amount` on the wire is the sum of the two (INV-LEDGER-4).
///
/// Aligned to its size: a movement touches one cache line of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(align(32))]
pub struct Balance {
    /// Free to spend.
    pub available: Money,
    /// Reserved by live orders.
    pub held: Money,
}

impl Balance {
    /// Free and held together.
    pub fn total(self) -> Money {
        self.available + self.held
    }
}

/// One line of an entry: what it adds to a bucket of an account's balance, or takes from it when negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// Whose balance.
    pub account: AccountId,
    /// Of which asset.
    pub asset: AssetId,
    /// Which part of it.
    pub bucket: Bucket,
    /// How much is added.
    pub amount: Money,
}

/// Whose balance it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owner {
    pub(crate) account: AccountId,
    pub(crate) asset: AssetId,
}
