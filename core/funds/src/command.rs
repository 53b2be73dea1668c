//! The commands, events and refusals of all modules of the room.
//!
//! A module is named once, in [`modules`] below.

use crate::{
    Funds, Made, Sender, address, approval, bank, custody, debt, deposit, halt, internal, limit, network,
    reserves, withdrawal,
};
use buttonwood_model::{BytesRef, Effect, Named, NamedError, Outbox, RoomCommand, SentBy};
use buttonwood_room::{Context, ContextMut};

/// Composes the modules. Each has a `Command`, an `Event` and a `Reject`, and the functions `decide` and `evolve`.
macro_rules! modules {
    ($($(#[$doc:meta])* $variant:ident : $module:ident),+ $(,)?) => {
        /// A command of this room.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Command {
            $($(#[$doc])* $variant($module::Command)),+
        }

        /// An event of this room; none is frequent.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Infrequent {
            $($(#[$doc])* $variant($module::Event)),+
        }

        /// Why a command of this room is refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Reject {
            $($(#[$doc])* $variant($module::Reject)),+
        }

        $(
            impl From<$module::Command> for Command {
                fn from(command: $module::Command) -> Self {
                    Self::$variant(command)
                }
            }

            impl From<$module::Event> for Infrequent {
                fn from(event: $module::Event) -> Self {
                    Self::$variant(event)
                }
            }

            impl From<$module::Reject> for Reject {
                fn from(reject: $module::Reject) -> Self {
                    Self::$variant(reject)
                }
            }
        )+

        /// A record has the name that its module gives it.
        impl Named for Command {
            const ROOM: &'static str = ROOM;

            fn label(&self) -> (&'static str, u8) {
                match self { $(Self::$variant(command) => command.label()),+ }
            }

            fn put_body(&self, out: &mut alloc::vec::Vec<u8>) {
                match self { $(Self::$variant(command) => command.put_body(out)),+ }
            }

            fn read_body(name: &str, version: u8, body: &[u8]) -> Result<Self, NamedError> {
                $(
                    match $module::Command::read_body(name, version, body) {
                        Err(NamedError::Unknown(_)) => {}
                        read => return read.map(Self::$variant),
                    }
                )+
                Err(NamedError::Unknown([ROOM, ".", name].concat()))
            }
        }

        /// A record has the name that its module gives it.
        impl Named for Infrequent {
            const ROOM: &'static str = ROOM;

            fn label(&self) -> (&'static str, u8) {
                match self { $(Self::$variant(event) => event.label()),+ }
            }

            fn put_body(&self, out: &mut alloc::vec::Vec<u8>) {
                match self { $(Self::$variant(event) => event.put_body(out)),+ }
            }

            fn read_body(name: &str, version: u8, body: &[u8]) -> Result<Self, NamedError> {
                $(
                    match $module::Event::read_body(name, version, body) {
                        Err(NamedError::Unknown(_)) => {}
                        read => return read.map(Self::$variant),
                    }
                )+
                Err(NamedError::Unknown([ROOM, ".", name].concat()))
            }
        }

        impl RoomCommand for Command {
            fn sent_by(&self) -> SentBy {
                match self { $(Self::$variant(command) => command.sent_by()),+ }
            }

            fn effect(&self) -> Effect {
                match self { $(Self::$variant(command) => command.effect()),+ }
            }
        }

        /// Decides a command: appends its events, or refuses it.
        ///
        /// # Errors
        /// [`Reject`]; the caller must undo what was written.
        pub fn decide<E: From<BytesRef>>(
            context: &Context<'_, Funds>,
            sender: Sender<'_>,
            command: &Command,
            out: &mut Outbox<E>,
        ) -> Result<Made, Reject> {
            match command {
                $(Command::$variant(command) => {
                    $module::decide(context, sender, command, out).map_err(Reject::$variant)
                })+
            }
        }

        /// Applies an event.
        ///
        /// # Panics
        /// When the event does not follow from the state.
        pub fn evolve(books: &mut ContextMut<'_, Funds>, event: Infrequent) {
            match event {
                $(Infrequent::$variant(event) => $module::evolve(books, event)),+
            }
        }
    };
}

/// The room in the names of records.
const ROOM: &str = "funds";

modules! {
    /// Of transfers between accounts of a group.
    Internal: internal,
    /// Of the tables of networks and assets.
    Network: network,
    /// Of deposit addresses.
    Address: address,
    /// Of approved addresses.
    Approval: approval,
    /// Of moves to and from custody, and of its fees.
    Custody: custody,
    /// Of withdrawals to the chains.
    Withdrawal: withdrawal,
    /// Of deposits from the chains.
    Deposit: deposit,
    /// Of halts of withdrawals and of assets.
    Halt: halt,
    /// Of banks: links, wires, payments.
    Bank: bank,
    /// Of debts for returned advances.
    Debt: debt,
    /// Of the proof of reserves.
    Reserves: reserves,
    /// Of the limits of lists.
    Limit: limit,
}
