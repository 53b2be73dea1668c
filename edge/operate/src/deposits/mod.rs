//! Payments from the chains that fit no account.

pub(crate) mod assign;
pub(crate) mod unclaimed;
