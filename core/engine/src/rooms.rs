//! The list of rooms: one line a room. The command, the event and the refusal of the exchange are composed of it.

use crate::{Act, ApprovalError, Audit, Event, Founded, Founding, Operated, Operation, TradingReject};
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_access as access;
use buttonwood_convert as convert;
use buttonwood_funds as funds;
use buttonwood_ledger as ledger;
use buttonwood_model::{
    BytesRef, Named, NamedError, NamedRecord, Outbox, Roles, RoomCommand, put_named, take_named,
};
use buttonwood_perp as perp;
use buttonwood_rates as rates;
use buttonwood_spot_margin as spot_margin;
use buttonwood_trading as trading;

/// Composes the rooms. A line has the room's name, the words for it, the types of its commands and of its infrequent events, and the type
/// of its refusals where it has its own.
macro_rules! rooms {
    ($($room:ident, $words:literal: $command:ty, $event:ty $(, $reject:ty)?;)+) => {
        /// The content of a command, by the room that decides it.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Body {
            $(
                #[doc = concat!("Of ", $words, ".")]
                $room($command),
            )+
        }

        /// An event that is not on the path of an order, by its room.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Infrequent {
            $(
                #[doc = concat!("Of ", $words, ".")]
                $room($event),
            )+
        }

        /// Why a command was refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Reject {
            $($(
                #[doc = concat!("By the room of ", $words, ".")]
                $room($reject),
            )?)+
            /// The disk is nearly full, and the exchange accepts only commands that reduce risk.
            NoRoom,
            /// No key may send the command, or it needs an account and names none that exists.
            Unknown,
            /// The exchange was opened already, or was not opened yet.
            NotNow,
            /// The exchange is halted, and takes nothing that may trade.
            Halted,
            /// `decide` panicked; the state is unchanged.
            System,
        }

        $(
            impl From<$command> for Body {
                #[inline]
                fn from(command: $command) -> Self {
                    Self::$room(command)
                }
            }

            impl From<$event> for Infrequent {
                fn from(event: $event) -> Self {
                    Self::$room(event)
                }
            }

            $(
                impl From<$reject> for Reject {
                    fn from(reject: $reject) -> Self {
                        Self::$room(reject)
                    }
                }
            )?
        )+

        impl Body {
            /// A caller needs one of these roles (AUTH-025).
            #[inline]
            pub fn roles(&self) -> Roles {
                match self { $(Self::$room(command) => command.roles()),+ }
            }

            /// Whether the command only reduces risk, and is accepted on a nearly full disk.
            pub fn is_reducing(&self) -> bool {
                match self { $(Self::$room(command) => command.is_reducing()),+ }
            }

            /// Whether a key's command starts something that may trade or convert: a halted exchange refuses it.
            #[inline]
            pub fn may_trade(&self) -> bool {
                match self { $(Self::$room(command) => command.may_trade()),+ }
            }

            /// Whether the exchange must have been opened.
            pub(crate) fn needs_opening(&self) -> bool {
                match self { $(Self::$room(command) => command.needs_opening()),+ }
            }

            /// Appends its named record.
            pub(crate) fn put(&self, out: &mut Vec<u8>) {
                match self { $(Self::$room(command) => put_named(command, out)),+ }
            }

            /// Decodes a named record.
            pub(crate) fn read(record: NamedRecord<'_>) -> Result<Self, NamedError> {
                $(
                    if record.room == <$command>::ROOM {
                        return record.read().map(Self::$room);
                    }
                )+
                Err(record.unknown())
            }
        }

        impl Infrequent {
            /// Appends the event to an outbox.
            pub fn push(&self, out: &mut Outbox<Event>) {
                match self { $(Self::$room(event) => out.push_named(event)),+ }
            }

            /// Reads the event back from the texts of its command.
            ///
            /// # Errors
            /// [`NamedError`] when the bytes are not a record that this build knows.
            pub fn read(kept: BytesRef, texts: &[u8]) -> Result<Self, NamedError> {
                let mut bytes = kept.of(texts).ok_or(NamedError::Cut)?;
                let record = take_named(&mut bytes)?;
                if !bytes.is_empty() {
                    return Err(NamedError::Malformed(record.full_name()));
                }
                $(
                    if record.room == <$event>::ROOM {
                        return record.read().map(Self::$room);
                    }
                )+
                Err(record.unknown())
            }
        }
    };
}

rooms! {
    Trading, "the trading floor": trading::Command, trading::Infrequent, TradingReject;
    Access, "the directory of groups, accounts and sessions": access::Command, access::Infrequent, access::Reject;
    Ledger, "the ledger": ledger::Command, ledger::Infrequent, ledger::Reject;
    Rates, "the foreign exchange rates": rates::Command, rates::Infrequent, rates::Reject;
    Convert, "the conversions": convert::Command, convert::Infrequent, convert::Reject;
    Funds, "money that enters and leaves": funds::Command, funds::Infrequent, funds::Reject;
    Perp, "perpetuals": perp::Command, perp::Infrequent, perp::Reject;
    SpotMargin, "spot margin": spot_margin::Command, spot_margin::Infrequent, spot_margin::Reject;
    Founding, "the opening and the clock": Founding, Founded;
    Act, "an operator's act, which holds the command that it does": Arc<Act>, Audit;
    Operation, "operators' commands about the whole exchange": Operation, Operated, ApprovalError;
}
