//! Fund management endpoints.

pub(crate) mod balances;
