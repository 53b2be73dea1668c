//! What trades cost.

pub(crate) mod promote;
mod rates;
pub(crate) mod schedule;
pub(crate) mod set;
