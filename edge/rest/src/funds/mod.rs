//! Fund management endpoints.

pub(crate) mod account_transfer;
pub(crate) mod balances;
mod field;
pub(crate) mod notional;
