//! Fund management endpoints.

pub(crate) mod account_transfer;
pub(crate) mod addresses;
pub(crate) mod approved;
pub(crate) mod balances;
pub(crate) mod custody_fees;
pub(crate) mod field;
pub(crate) mod issue;
pub(crate) mod networks;
pub(crate) mod notional;
mod page;
pub(crate) mod transactions;
pub(crate) mod transfers;
pub(crate) mod withdraw;
