//! The sandbox's control calls: move time, show the ledger, open or close an account, set the terms of a group, list a symbol, change its
//! status or schedule its auctions, set the terms of instant orders, reset a key's nonces, explain its refused calls, begin and end
//! maintenance. Calls that `buttonwood admin` has too are in `operate`: credit an account, break a trade, set fee rates, tiers and
//! promotions, add an exchange rate.
//!
//! JSON bodies, no signature, from this machine only: a loopback peer and a loopback `Host`, no proxy and no page of another
//! site. They exist in a sandbox directory alone (D-30).

pub(crate) mod accounts;
pub(crate) mod advance;
pub(crate) mod approvals;
pub(crate) mod auctions;
pub(crate) mod banks;
pub(crate) mod caller;
pub(crate) mod chains;
pub(crate) mod clock;
pub(crate) mod control;
pub(crate) mod credit;
pub(crate) mod deposits;
pub(crate) mod fee_override;
pub(crate) mod groups;
pub(crate) mod hints;
pub(crate) mod history;
pub(crate) mod index;
pub(crate) mod insurance;
pub(crate) mod ledger;
pub(crate) mod listing;
pub(crate) mod maintenance;
pub(crate) mod nonces;
pub(crate) mod perpetuals;
pub(crate) mod requests;
pub(crate) mod risk;
pub(crate) mod status;
