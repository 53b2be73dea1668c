//! Groups and their accounts.

pub(crate) mod account;
pub(crate) mod addresses;
pub(crate) mod approve;
pub(crate) mod close;
pub(crate) mod group;
pub(crate) mod risk;
