//! Money in and out of accounts.

mod adjustment;
pub(crate) mod credit;
pub(crate) mod debit;
pub(crate) mod fee_override;
pub(crate) mod house;
pub(crate) mod limits;
pub(crate) mod remedy;
