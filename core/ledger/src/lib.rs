//! The ledger: accounts, holds and balanced entries. Nowhere else does money change owner.
//!
//! Every movement takes from one balance what it gives to another, so the sum over all accounts of a currency is
//! zero after every command (INV-LEDGER-1, INV-LEDGER-2): money enters from the house's source account, whose
//! balance is the negative of what is out. No other account goes below zero (INV-LEDGER-3).
//!
//! Not here: who may move what, and why (`spot`), which account belongs to whom (`access`).
#![no_std]
extern crate alloc;

mod balance;
mod house;
mod ledger;
mod trade;

pub use balance::{Balance, Bucket, Posting};
pub use house::House;
pub use ledger::{BrokenLaw, Entry, Ledger, LedgerError};
pub use trade::{Crossing, Maker, Taker, Trade};
