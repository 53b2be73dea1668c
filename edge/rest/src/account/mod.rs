//! Account administration, and keeping a session alive.

pub(crate) mod heartbeat;
pub(crate) mod names;
pub(crate) mod rename;
pub(crate) mod roles;
