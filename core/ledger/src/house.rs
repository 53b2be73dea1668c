//! The exchange's own accounts, opened by name through an event.

use alloc::string::String;
use buttonwood_model::AccountId;
use serde::{Deserialize, Serialize};

/// A house account that rooms need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct House {
    /// Its name, unique.
    pub name: &'static str,
    /// Whether its balances may go below zero.
    pub may_be_negative: bool,
}

/// The account that money comes from and returns to; its balance is minus the amount given out.
pub const SOURCE: House = House { name: "source", may_be_negative: true };
/// The account that fees go to.
pub const FEES: House = House { name: "fees", may_be_negative: false };
/// The account for residues of roundings, so that they have an owner. It stays empty while only fees are rounded,
/// since a rounded fee is paid as it is.
pub const ROUNDING: House = House { name: "rounding", may_be_negative: false };

/// The insurance fund: it takes the positions of liquidated accounts that the book does not take.
pub const INSURANCE: House = House { name: "insurance", may_be_negative: false };
/// The other side of every realised profit and loss: minus the cost of all open positions.
pub const CLEARING: House = House { name: "clearing", may_be_negative: true };

/// The other side of instant orders, in the room of conversions. It gives only what it was given from `source`; balances below zero
/// remain from builds that let it give more, and are no assets of the house (D-180).
pub const INSTANT: House = House { name: "instant", may_be_negative: true };

/// The issuer of wrapped currencies. It owes what it issued.
pub const ISSUER: House = House { name: "issuer", may_be_negative: true };

/// The account for payments that fit no account (D-73).
pub const UNCLAIMED: House = House { name: "unclaimed", may_be_negative: false };

/// The lender of all products (D-46, D-167). What it lent is owed to it.
pub const LENDING: House = House { name: "lending", may_be_negative: true };

/// The holder of all that is staked, and of redemptions until they are paid (INV-STK-1).
pub const STAKING_POOL: House = House { name: "staking_pool", may_be_negative: false };

/// The payer of staking's interest, which the operator funds (D-95).
pub const STAKING_REWARDS: House = House { name: "staking_rewards", may_be_negative: false };

/// The payer of the liquidity rewards of the prediction markets, which the operator funds (D-120).
pub const PROMO: House = House { name: "promo", may_be_negative: false };

/// All house accounts, in the order in which a new exchange opens them. A start of an older directory opens those that it lacks.
pub const HOUSES: [House; 12] = [
    SOURCE,
    FEES,
    ROUNDING,
    INSURANCE,
    CLEARING,
    ISSUER,
    INSTANT,
    UNCLAIMED,
    LENDING,
    STAKING_POOL,
    STAKING_REWARDS,
    PROMO,
];

/// A house account that is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HouseAccount {
    /// Its name.
    pub name: String,
    /// Its account.
    pub account: AccountId,
    /// Whether its balances may go below zero.
    pub may_be_negative: bool,
}

/// The house accounts that movements use, so that no list is searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    pub(crate) source: AccountId,
    pub(crate) fees: AccountId,
}

impl Default for Named {
    /// No account has this number, so moving money before the house accounts are open panics.
    fn default() -> Self {
        Self { source: AccountId(u32::MAX), fees: AccountId(u32::MAX) }
    }
}

impl Named {
    pub(crate) fn note(&mut self, house: &HouseAccount) {
        if house.name == SOURCE.name {
            self.source = house.account;
        } else if house.name == FEES.name {
            self.fees = house.account;
        }
    }
}
