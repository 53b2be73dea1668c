//! The house accounts on the other side of conversions.

use buttonwood_ledger::{House, INSTANT};

/// The issuer of wrapped currencies. It owes what it issued, so its balances may be negative.
pub const ISSUER: House = House { name: "issuer", may_be_negative: true };

/// The house accounts of this room, in the order in which a new exchange opens them.
pub const HOUSES: [House; 2] = [ISSUER, INSTANT];
