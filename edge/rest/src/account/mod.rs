//! Account administration, and keeping a session alive.

pub(crate) mod create;
pub(crate) mod detail;
pub(crate) mod heartbeat;
pub(crate) mod list;
pub(crate) mod rename;
pub(crate) mod revoke_by_token;
pub(crate) mod roles;
