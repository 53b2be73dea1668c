//! The house's own accounts: opened by name, through an event.

use alloc::string::String;
use buttonwood_model::AccountId;
use serde::{Deserialize, Serialize};

/// A house account that a room needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct House {
    /// Its name, unique.
    pub name: &'static str,
    /// Whether its balances may go below zero.
    pub may_be_negative: bool,
}

/// Where money enters from and leaves to; its balance is the negative of what is out.
pub const SOURCE: House = House { name: "source", may_be_negative: true };
/// Where fees go.
pub const FEES: House = House { name: "fees", may_be_negative: false };
/// Where residues of roundings go, so that all dust has an owner. It stays empty as long as fees alone are rounded, since a
/// rounded fee is paid as it is.
pub const ROUNDING: House = House { name: "rounding", may_be_negative: false };

/// The house accounts of this room, in the order in which a new exchange opens them.
pub const HOUSES: [House; 3] = [SOURCE, FEES, ROUNDING];

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

/// The house accounts that movements name, for which no list is searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    pub(crate) source: AccountId,
    pub(crate) fees: AccountId,
}

impl Default for Named {
    /// No account has this number, so to move money before the house is open is a panic.
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
