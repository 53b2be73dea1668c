//! The facts of a command that hold before any room decides it.

use crate::{Named, Roles, Scopes};
use alloc::sync::Arc;

/// A command of a room. The engine asks these facts of every command, and each has a default, so that a room names only what differs.
pub trait RoomCommand: Named {
    /// A caller needs one of these roles (AUTH-025). By default no key may send the command.
    fn roles(&self) -> Roles {
        Roles::NOBODY
    }

    /// A caller with an access token needs one of these scopes; by default no token may send the command.
    fn scopes(&self) -> Scopes {
        Scopes::NONE
    }

    /// Whether the command only reduces risk, and is accepted on a nearly full disk.
    fn is_reducing(&self) -> bool {
        false
    }

    /// Whether a key's command starts something that may trade or convert: a halted exchange refuses it.
    fn may_trade(&self) -> bool {
        false
    }

    /// Whether a key may send the command under a nonce that it has used: an entry of a batch, whose nonce an earlier command has used.
    fn shares_nonce(&self) -> bool {
        false
    }

    /// Whether the exchange must have been opened.
    fn needs_opening(&self) -> bool {
        true
    }
}

/// A shared command is the command.
impl<T: RoomCommand> RoomCommand for Arc<T> {
    fn roles(&self) -> Roles {
        T::roles(self)
    }

    fn scopes(&self) -> Scopes {
        T::scopes(self)
    }

    fn is_reducing(&self) -> bool {
        T::is_reducing(self)
    }

    fn may_trade(&self) -> bool {
        T::may_trade(self)
    }

    fn shares_nonce(&self) -> bool {
        T::shares_nonce(self)
    }

    fn needs_opening(&self) -> bool {
        T::needs_opening(self)
    }
}
