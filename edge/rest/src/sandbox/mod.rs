//! The sandbox's control calls. Those that change the exchange's state are commands of `operate`, and most are only a line of the route
//! table. Here are those that do something besides, and what is the sandbox's own: its clock, its chains, maintenance, what a key's
//! calls were, what the exchange has inside.
//!
//! JSON bodies, no signature, from this machine only: a loopback peer and a loopback `Host`, no proxy and no page of another
//! site. They exist in a sandbox directory alone (D-30).

pub(crate) mod advance;
pub(crate) mod banks;
pub(crate) mod caller;
pub(crate) mod chains;
pub(crate) mod clearing;
pub(crate) mod clock;
pub(crate) mod control;
pub(crate) mod credit;
pub(crate) mod deposits;
mod due;
pub(crate) mod hints;
pub(crate) mod history;
pub(crate) mod ledger;
pub(crate) mod listing;
pub(crate) mod maintenance;
pub(crate) mod people;
pub(crate) mod perpetuals;
pub(crate) mod requests;
pub(crate) mod socket_calls;
pub(crate) mod streams;
