//! Account administration, and keeping a session alive.

pub(crate) mod create;
pub(crate) mod detail;
pub(crate) mod heartbeat;
pub(crate) mod list;
pub(crate) mod rename;
pub(crate) mod revoke_by_token;
pub(crate) mod roles;

use buttonwood_call::Face;

/// The endpoints.
pub(crate) const FACE: Face = Face {
    routes: &[
        roles::ROUTE,
        heartbeat::ROUTE,
        detail::ROUTE,
        create::ROUTE,
        rename::ROUTE,
        list::ROUTE,
        revoke_by_token::ROUTE,
    ],
    ..Face::NONE
};
