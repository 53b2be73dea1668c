//! The fees of trades.

pub(crate) mod promote;
pub mod rates;
pub(crate) mod schedule;
pub(crate) mod set;
