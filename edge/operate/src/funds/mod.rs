//! Money in and out of accounts.

mod adjustment;
pub(crate) mod credit;
pub(crate) mod debit;
pub(crate) mod house;
