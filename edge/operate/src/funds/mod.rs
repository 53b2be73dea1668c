//! Money in and out of accounts.

pub(crate) mod credit;
