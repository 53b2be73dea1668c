//! The rights that the sender of a command needs.

use crate::{Roles, Scopes};

/// The rights that a key or an access token needs to send a command. It stands with the command; the routes that send it read it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Right {
    /// A key needs one of these roles (AUTH-025).
    pub roles: Roles,
    /// An access token needs one of these scopes; without any, no token sends the command.
    pub scopes: Scopes,
}
