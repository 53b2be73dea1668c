//! Fund management endpoints.

pub(crate) mod account_transfer;
pub(crate) mod add_bank;
pub(crate) mod addresses;
pub(crate) mod approved;
pub(crate) mod balances;
pub(crate) mod custody_fees;
pub(crate) mod field;
pub(crate) mod issue;
pub(crate) mod networks;
pub(crate) mod notional;
mod page;
pub(crate) mod payment_methods;
pub(crate) mod reserves;
pub(crate) mod sen_withdraw;
pub(crate) mod statement;
pub(crate) mod transactions;
pub(crate) mod transfers;
pub(crate) mod withdraw;

pub(crate) use field::{ALL_WORD, check_simulated, client_id, owed, short};
