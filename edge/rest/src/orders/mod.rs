//! Order endpoints.

pub(crate) mod active;
pub(crate) mod cancel;
pub(crate) mod cancel_all;
pub(crate) mod cancel_session;
pub(crate) mod new;
pub(crate) mod past_trades;
pub(crate) mod status;
