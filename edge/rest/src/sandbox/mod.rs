//! The sandbox's control calls: move time, credit an account, list a symbol, change its status or schedule its auctions, let
//! a key's nonces begin again, go into maintenance.
//!
//! JSON bodies, no signature, from this machine only: a loopback peer and a loopback `Host`, no proxy and no page of another
//! site. They exist in a sandbox directory alone (D-30).

pub(crate) mod advance;
pub(crate) mod auctions;
pub(crate) mod caller;
pub(crate) mod clock;
pub(crate) mod control;
pub(crate) mod credit;
pub(crate) mod listing;
pub(crate) mod maintenance;
pub(crate) mod nonces;
pub(crate) mod status;
