//! The fees of trades.

pub(crate) mod promote;
pub(crate) mod rates;
pub(crate) mod schedule;
pub(crate) mod set;
