//! The ledger: accounts, holds and balanced entries. Money changes owner only here.
//!
//! Every movement takes from one balance what it gives to another, so the sum over all accounts is zero in each asset
//! after every command (INV-LEDGER-1, INV-LEDGER-2). Money enters from the source account, whose balance is minus the
//! amount given out. Only house accounts opened with that right go below zero (INV-LEDGER-3).
//!
//! Not here: who may move what and why (`spot` and its siblings), which group an account belongs to (`access`).
#![no_std]
extern crate alloc;

mod balance;
mod command;
mod house;
mod ledger;
mod reason;
mod trade;

pub use balance::{Balance, Bucket, Posting};
pub use command::{Adjustment, Command, Credit, Infrequent, Reject, decide, evolve};
pub use house::{
    CLEARING, FEES, HOUSES, House, HouseAccount, INSTANT, INSURANCE, ISSUER, LENDING, PROMO, ROUNDING,
    SOURCE, STAKING_POOL, STAKING_REWARDS, UNCLAIMED,
};
pub use ledger::{BrokenLaw, Entry, Ledger, LedgerError};
pub use reason::{About, Cause, FeePart, Moved, Reason};
pub use trade::{Crossing, Maker, Taker, Trade};
