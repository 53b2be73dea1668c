//! The house accounts of this room.

use crate::UNCLAIMED;
use buttonwood_ledger::House;

/// The lender of what an account lacks when an advance is taken back (D-167). What it lent is owed to it, so its balances may be negative.
pub const LENDING: House = House { name: "lending", may_be_negative: true };

/// The house accounts of this room, in the order in which a new exchange opens them.
pub const HOUSES: [House; 2] = [UNCLAIMED, LENDING];
