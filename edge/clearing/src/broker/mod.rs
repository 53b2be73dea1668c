//! Orders that a broker enters for two others (CLR-022 to CLR-027).

pub(crate) mod list;
pub(crate) mod new;
