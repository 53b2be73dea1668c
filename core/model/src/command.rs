//! The facts of a command that hold before any room decides it: who sends it, and what it does to risk.

use crate::{Named, Right, Roles, Scopes};
use alloc::sync::Arc;

/// Who sends a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentBy {
    /// A client with this right.
    Client(Right),
    /// A client with this right, by an entry of a batch: the batch has used the nonce.
    Entry(Right),
    /// The exchange itself or an operator, once the exchange is open.
    Exchange,
    /// The same, also before the exchange is open.
    Anytime,
}

impl SentBy {
    /// A caller needs one of these roles (AUTH-025).
    #[inline]
    pub const fn roles(self) -> Roles {
        match self {
            Self::Client(right) | Self::Entry(right) => right.roles,
            Self::Exchange | Self::Anytime => Roles::NOBODY,
        }
    }

    /// A caller with an access token needs one of these scopes; without any, no token sends the command.
    pub const fn scopes(self) -> Scopes {
        match self {
            Self::Client(right) | Self::Entry(right) => right.scopes,
            Self::Exchange | Self::Anytime => Scopes::NONE,
        }
    }
}

/// The effect of a command on risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It starts something that may trade or convert: a halted exchange refuses it.
    Trades,
    /// It only reduces risk: the exchange accepts it on a nearly full disk.
    Reduces,
    /// Neither.
    Neither,
}

/// A command of a room. [`commands!`](crate::commands) implements it beside the names of the records, so that no command is without these
/// facts.
pub trait RoomCommand: Named {
    /// Who sends it.
    fn sent_by(&self) -> SentBy;

    /// Its effect on risk.
    fn effect(&self) -> Effect;
}

/// A shared command is the command.
impl<T: RoomCommand> RoomCommand for Arc<T> {
    fn sent_by(&self) -> SentBy {
        T::sent_by(self)
    }

    fn effect(&self) -> Effect {
        T::effect(self)
    }
}

/// Implements [`Named`] and [`RoomCommand`] for an enum of commands. A line is that of [`named!`](crate::named), then who sends the command and
/// its effect: `client(RIGHT)`, `entry(RIGHT)`, `exchange` or `anytime`, and `trades`, `reduces`, `neither` or `depends(EXPRESSION)`, which may read
/// the command's fields. None has a default.
#[macro_export]
macro_rules! commands {
    ($type:ty, $room:literal, { $(
        $variant:ident { $($place:tt : $field:ident),* } = $name:literal $version:literal:
            $sender:ident $(($right:expr))? $effect:ident $(($of:expr))?
    ),+ $(,)? }) => {
        $crate::named!($type, $room, { $($variant { $($place: $field),* } = $name $version),+ });

        impl $crate::RoomCommand for $type {
            #[inline]
            fn sent_by(&self) -> $crate::SentBy {
                match self { $(Self::$variant { .. } => $crate::sender_column!($sender $(($right))?)),+ }
            }

            #[inline]
            #[allow(unused_variables, reason = "most effects read no field")]
            fn effect(&self) -> $crate::Effect {
                match self { $(Self::$variant { $($place: $field),* } => $crate::effect_column!($effect $(($of))?)),+ }
            }
        }
    };
}

/// The sender that a line of [`commands!`](crate::commands) names.
#[doc(hidden)]
#[macro_export]
macro_rules! sender_column {
    (client($right:expr)) => {
        const { $crate::SentBy::Client($right) }
    };
    (entry($right:expr)) => {
        const { $crate::SentBy::Entry($right) }
    };
    (exchange) => {
        $crate::SentBy::Exchange
    };
    (anytime) => {
        $crate::SentBy::Anytime
    };
}

/// The effect that a line of [`commands!`](crate::commands) names.
#[doc(hidden)]
#[macro_export]
macro_rules! effect_column {
    (trades) => {
        $crate::Effect::Trades
    };
    (reduces) => {
        $crate::Effect::Reduces
    };
    (neither) => {
        $crate::Effect::Neither
    };
    (depends($of:expr)) => {
        $of
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Role, Scope};

    enum Command {
        Place(u64),
        Cancel(u64),
        Keep(bool),
        Open,
        Tick,
    }

    const RIGHT: Right =
        Right { roles: Roles::of(&[Role::Trader]), scopes: Scopes::of(&[Scope::OrdersCreate]) };

    commands!(Command, "test", {
        Place { 0: order } = "place" 1: client(RIGHT) trades,
        Cancel { 0: order } = "cancel" 1: entry(RIGHT) reduces,
        Keep { 0: reduces } = "keep" 1: exchange depends(if *reduces { Effect::Reduces } else { Effect::Neither }),
        Open {} = "open" 1: anytime neither,
        Tick {} = "tick" 1: exchange neither,
    });

    /// Each command has the facts of its own line.
    #[test]
    fn a_line_has_the_facts_of_its_command() {
        let facts = |command: Command| (command.sent_by(), command.effect());
        assert_eq!(facts(Command::Place(1)), (SentBy::Client(RIGHT), Effect::Trades));
        assert_eq!(facts(Command::Cancel(1)), (SentBy::Entry(RIGHT), Effect::Reduces));
        assert_eq!(facts(Command::Keep(true)), (SentBy::Exchange, Effect::Reduces));
        assert_eq!(facts(Command::Keep(false)), (SentBy::Exchange, Effect::Neither));
        assert_eq!(facts(Command::Open), (SentBy::Anytime, Effect::Neither));
        assert_eq!(facts(Command::Tick).0.roles(), Roles::NOBODY);
        assert_eq!(
            (Command::Tick.sent_by().scopes(), Command::Place(1).sent_by().scopes()),
            (Scopes::NONE, RIGHT.scopes)
        );
        assert_eq!(Command::Cancel(1).sent_by().roles(), RIGHT.roles);
    }
}
