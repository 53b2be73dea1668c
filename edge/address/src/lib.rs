//! Addresses of the 13 chains with deposit addresses: validated, spelled canonically, and derived from one seed.
//!
//! [`Params::parse`] decides whether a text is an address of a network (clauses ADDR-003, ADDR-009; decision D-71);
//! [`derive()`] makes deposit and wallet addresses with their private keys. [`Params`] chooses between the main chain and
//! the chain of a test node. Primitives (hashes, curves, bech32, base58) come from crates; the framing is here.
//!
//! Not here: which addresses were issued or approved (the core), where the seed is kept (`store/vault`), signing.

mod account;
mod address;
mod base58;
mod cash;
mod derive;
mod error;
mod evm;
mod filecoin;
mod hash;
mod hd;
mod memo;
mod network;
mod params;
mod seed;
mod segwit;

#[cfg(test)]
mod tests;

pub use address::{Address, Kind};
pub use derive::{Branch, Curve, DeriveError, Derived, Key, derive};
pub use error::AddressError;
pub use memo::{MEMO_BYTES_MAX, MemoError, check_memo};
pub use network::Network;
pub use params::{Chain, Params};
pub use seed::{Seed, SeedError};
