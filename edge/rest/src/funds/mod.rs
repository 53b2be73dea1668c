//! Fund management endpoints.

pub(crate) mod balances;
pub(crate) mod notional;
