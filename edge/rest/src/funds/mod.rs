//! Fund management endpoints.

pub(crate) mod account_transfer;
pub(crate) mod balances;
pub(crate) mod custody_fees;
mod field;
pub(crate) mod notional;
mod page;
pub(crate) mod transactions;
pub(crate) mod transfers;
