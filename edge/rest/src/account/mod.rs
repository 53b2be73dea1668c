//! Account administration, and keeping a session alive.

pub(crate) mod heartbeat;
pub(crate) mod roles;
