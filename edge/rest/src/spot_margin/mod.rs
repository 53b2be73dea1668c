//! Spot margin: what an account that borrows has, owes and pays.

pub(crate) mod account;
pub(crate) mod preview;
pub(crate) mod rates;
mod summary;
