//! The sandbox's control calls: move time, show the ledger, open or credit an account, list a symbol, change its status or
//! schedule its auctions, reset a key's nonces, begin and end maintenance.
//!
//! JSON bodies, no signature, from this machine only: a loopback peer and a loopback `Host`, no proxy and no page of another
//! site. They exist in a sandbox directory alone (D-30).

pub(crate) mod accounts;
pub(crate) mod advance;
pub(crate) mod auctions;
pub(crate) mod caller;
pub(crate) mod clock;
pub(crate) mod control;
pub(crate) mod credit;
pub(crate) mod ledger;
pub(crate) mod listing;
pub(crate) mod maintenance;
pub(crate) mod nonces;
pub(crate) mod status;
