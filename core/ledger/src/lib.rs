//! The ledger: accounts, holds and balanced entries. Nowhere else does money change owner.
//!
//! Every movement takes from one balance what it gives to another, so the sum over all accounts of a currency is
//! zero after every command (INV-LEDGER-1, INV-LEDGER-2): money enters from the house's source account, whose
//! balance is the negative of what is out. Only house accounts that were opened so go below zero (INV-LEDGER-3).
//!
//! Not here: who may move what, and why (`spot` and its siblings), which account belongs to whom (`access`).
#![no_std]
extern crate alloc;

mod balance;
mod command;
mod house;
mod ledger;
mod trade;

pub use balance::{Balance, Bucket, Posting};
pub use command::{Command, Credit, Infrequent, Reject, decide, evolve};
pub use house::{FEES, HOUSES, House, HouseAccount, ROUNDING, SOURCE};
pub use ledger::{BrokenLaw, Entry, Ledger, LedgerError};
pub use trade::{Crossing, Maker, Taker, Trade};
