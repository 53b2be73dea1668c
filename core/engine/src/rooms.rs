//! The list of rooms: one line a room. The command, the event and the refusal of the exchange are composed of it.
//!
//! Each room has a file in this folder, which says how the engine decides its commands and applies its events.

mod access;
mod clearing;
mod convert;
mod founding;
mod funds;
mod identity;
mod ledger;
mod operation;
mod perp;
mod prediction;
mod rates;
mod spot_margin;
mod staking;
mod trading;

pub(crate) use prediction::check_place;

use crate::decide::{Decide, Evolve};
use crate::{
    Act, ApprovalError, Audit, ClearingAnswer, ConvertAnswer, Event, Founded, Founding, Note, Operated,
    Operation, Operations, RoomAnswer, StakingAnswer, State, TradingAnswer, TradingReject, Workspace,
};
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_access::Caller;
use buttonwood_clearing::Clearing;
use buttonwood_convert::Conversions;
use buttonwood_funds::{Funds, Made};
use buttonwood_identity::Identity;
use buttonwood_ledger::BrokenLaw;
use buttonwood_model::{
    AccountId, AssetId, BytesRef, CurrencyId, Due, Effect, Named, NamedError, NamedRecord, Outbox, Roles,
    RoomCommand, Scopes, SentBy, Stamp, SymbolId, Time, put_named, take_named,
};
use buttonwood_num::Money;
use buttonwood_perp::Perps;
use buttonwood_prediction::Predictions;
use buttonwood_room::{Changes, Room};
use buttonwood_spot_margin::SpotMargin;
use buttonwood_staking::Staking;
use buttonwood_trading::Decided;
use core::borrow::Borrow as _;

/// Composes the rooms. A line has the room's name, the words for it, the type of its answers where its commands have any and the type in which
/// an outcome keeps them, the types of its commands and of its infrequent events, the type of its refusals where it has its own, and the place of
/// its state where that is a [`Room`].
macro_rules! rooms {
    ($($room:ident, $words:literal $(, answers $answer:ty as $kept:ty)?: $command:ty, $event:ty $(, $reject:ty)?
        $(=> $($state:ident).+ : $type:ty)?;)+) => {
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

        /// The outcome of a command: the answer of the room that decided it. `decide` only refers to an order; [`Outcome::with_order`] has it in full.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Outcome<O = Decided> {
            /// The answer of the trading floor.
            Trading(TradingAnswer<O>),
            $($(
                #[doc = concat!("The answer of ", $words, ".")]
                $room($kept),
            )?)+
            /// Done; cancelled orders are in the command's events.
            Done,
            /// Refused; nothing changed except the nonce and, for an order that a rule refuses, the counter of ids.
            Rejected(Reject),
        }

        impl<O> Outcome<O> {
            /// The same with its order in another form.
            pub(crate) fn map_order<P>(self, form: impl FnOnce(O) -> P) -> Outcome<P> {
                match self {
                    Self::Trading(answer) => Outcome::Trading(answer.map(form)),
                    $($( Self::$room(kept) => { let kept: $kept = kept; Outcome::$room(kept) } )?)+
                    Self::Done => Outcome::Done,
                    Self::Rejected(reject) => Outcome::Rejected(reject),
                }
            }
        }

        $($(
            impl<O> RoomAnswer<O> for $answer {
                fn of(outcome: &Outcome<O>) -> Option<&Self> {
                    if let Outcome::$room(kept) = outcome { Some(kept.borrow()) } else { None }
                }
            }
        )?)+

        /// A broken law.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Broken {
            /// A law of the ledger.
            Balances(BrokenLaw),
            /// The best bid of the symbol is at or above its best ask.
            Crossed(SymbolId),
            /// The account's hold of the asset is not what its orders need.
            Hold(AccountId, AssetId),
            /// The lending account has not lent exactly what accounts owe in the currency.
            Lending(CurrencyId),
            $($(
                #[doc = concat!("A law of ", $words, ".")]
                $room(<$type as Room>::BrokenLaw),
            )?)+
        }

        /// The questions that the engine asks of every room. The floor is asked apart.
        impl State {
            /// The next due command that is not skipped.
            pub(crate) fn next_due_of_rooms(&self, skips: bool) -> Option<Due<Body>> {
                let time = self.stamp.time;
                let mut first: Option<Due<Body>> = None;
                $($(
                    let room = &self.$($state).+;
                    for due in Room::next_due(room, &self.context(room, time)) {
                        let is_first = first.as_ref().is_none_or(|first| due.key() < first.key());
                        if is_first && !(skips && due.may_skip) {
                            first = Some(due.map(Body::$room));
                        }
                    }
                )?)+
                first
            }

            /// Whether a follow-up of a room is due.
            #[inline]
            pub(crate) fn has_follow_up_of_rooms(&self) -> bool {
                false $($( || Room::has_follow_up(&self.$($state).+, self.ledger()) )?)+
            }

            /// Adds the single reserves of an account in all rooms.
            pub(crate) fn reserved_by_rooms(&self, account: AccountId, mut each: impl FnMut(AssetId, Money)) {
                $($(
                    Room::reserved(&self.$($state).+, account).for_each(|(asset, amount)| each(asset, amount));
                )?)+
            }

            /// The parts of all rooms in a fingerprint.
            pub(crate) fn fingerprint_of_rooms(&self) -> u64 {
                0 $($( ^ Room::fingerprint(&self.$($state).+) )?)+
            }

            /// The first room in which an account must settle something before it is closed.
            pub(crate) fn user_of(&self, account: AccountId) -> Option<&'static str> {
                None $($( .or_else(|| Room::is_used_by(&self.$($state).+, account).then_some(stringify!($room))) )?)+
            }

            /// The first broken law of a room.
            pub(crate) fn broken_law_of_rooms(&self) -> Option<Broken> {
                let time = self.stamp.time;
                $($(
                    let room = &self.$($state).+;
                    if let Some(law) = Room::broken_law(room, &self.context(room, time)) {
                        return Some(Broken::$room(law));
                    }
                )?)+
                None
            }

            /// The commands that a start runs before any other, since the exchange did not run until `now`.
            pub fn at_start(&self, now: Time) -> Vec<Body> {
                let mut bodies = Vec::new();
                $($(
                    let room = &self.$($state).+;
                    bodies.extend(Room::at_start(room, &self.context(room, now)).map(Body::$room));
                )?)+
                bodies
            }

            /// Whether a room has something to do at the end of a command even without a change.
            #[inline]
            pub(crate) fn is_a_room_awake(&self) -> bool {
                false $($( | Room::is_awake(&self.$($state).+) )?)+
            }

            /// Lets every room end a command.
            pub(crate) fn finish_rooms(&mut self) {
                $($( Room::finish(&mut self.$($state).+, &mut self.desks.ledger); )?)+
            }

            /// Whether a room waits for accounts from which more may leave.
            pub(crate) fn awaits_a_room(&self) -> bool {
                false $($( || Room::awaits(&self.$($state).+) )?)+
            }

            /// Passes every room what a command has changed; then each finds what that makes due.
            pub(crate) fn pass_to_each_room(&mut self, changes: &Changes) {
                let time = self.stamp.time;
                $($( Room::changed(&mut self.$($state).+, changes, &self.desks.ledger, time); )?)+
                $($(
                    let room = &self.$($state).+;
                    if let Some(found) = Room::find(room, &self.context(room, time)) {
                        Room::note_found(&mut self.$($state).+, &mut self.desks.ledger, time, found);
                    }
                )?)+
            }

            /// Rebuilds what rooms derive, after a snapshot was read.
            pub(crate) fn restore_rooms(&mut self) {
                $($( Room::restore(&mut self.$($state).+, &mut self.desks.ledger); )?)+
            }

            /// Notes the symbols in every room, and the currencies of which the rooms read an index.
            pub(crate) fn note_symbols(&mut self) {
                let symbols = self.floor.symbols.listed();
                $($( Room::note_symbols(&mut self.$($state).+, symbols, &self.desks.ledger); )?)+
                let mut indexed = BTreeSet::new();
                $($( indexed.extend(Room::indexed(&self.$($state).+, symbols)); )?)+
                self.desks.indices.note_sources(indexed, symbols, self.desks.ledger.dollar());
            }
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
            /// Who sends the command.
            #[inline]
            pub fn sent_by(&self) -> SentBy {
                match self { $(Self::$room(command) => command.sent_by()),+ }
            }

            /// The command's effect on risk.
            #[inline]
            pub fn effect(&self) -> Effect {
                match self { $(Self::$room(command) => command.effect()),+ }
            }

            /// Decides the command of a key that was let in and has one of its roles.
            #[inline(never)]
            pub(crate) fn by_key(
                &self,
                state: &State,
                now: Time,
                caller: &Caller,
                work: &mut Workspace,
            ) -> Outcome {
                match self { $(Self::$room(command) => command.by_key(state, now, caller, work)),+ }
            }

            /// Decides the command of the exchange itself or of an operator.
            pub(crate) fn by_exchange(
                &self,
                state: &State,
                now: Time,
                note: Option<&Note>,
                work: &mut Workspace,
            ) -> Result<Made, Reject> {
                match self { $(Self::$room(command) => command.by_exchange(state, now, note, work)),+ }
            }

            /// Its full name: room and command.
            pub fn name(&self) -> String {
                match self { $(Self::$room(command) => format!("{}.{}", <$command>::ROOM, command.label().0)),+ }
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
            /// Applies the event.
            pub(crate) fn apply(self, state: &mut State, stamp: Stamp) {
                match self { $(Self::$room(event) => event.apply(state, stamp)),+ }
            }

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

/// Rules that follow from the sender of a command, and from its effect on risk.
impl Body {
    /// A caller needs one of these roles (AUTH-025).
    #[inline]
    pub fn roles(&self) -> Roles {
        self.sent_by().roles()
    }

    /// A caller with an access token needs one of these scopes; without any, no token may send the command.
    pub fn scopes(&self) -> Scopes {
        self.sent_by().scopes()
    }

    /// Whether the command only reduces risk, and is accepted on a nearly full disk.
    pub fn is_reducing(&self) -> bool {
        self.effect() == Effect::Reduces
    }

    /// Whether a key's command starts something that may trade or convert: a halted exchange refuses it.
    #[inline]
    pub fn may_trade(&self) -> bool {
        self.effect() == Effect::Trades
    }

    /// Whether a key may send the command under a nonce that it has used: an entry of a batch.
    pub(crate) fn shares_nonce(&self) -> bool {
        matches!(self.sent_by(), SentBy::Entry(_))
    }

    /// Whether the exchange must have been opened.
    pub(crate) fn needs_opening(&self) -> bool {
        self.sent_by() != SentBy::Anytime
    }
}

rooms! {
    Trading, "the trading floor": buttonwood_trading::Command, buttonwood_trading::Infrequent, TradingReject;
    Access, "the directory of groups, accounts and sessions": buttonwood_access::Command, buttonwood_access::Infrequent, buttonwood_access::Reject;
    Identity, "people and apps": buttonwood_identity::Command, buttonwood_identity::Infrequent, buttonwood_identity::Reject => identity: Identity;
    Ledger, "the ledger": buttonwood_ledger::Command, buttonwood_ledger::Infrequent, buttonwood_ledger::Reject;
    Rates, "the foreign exchange rates": buttonwood_rates::Command, buttonwood_rates::Infrequent, buttonwood_rates::Reject;
    Convert, "the conversions", answers ConvertAnswer as Box<ConvertAnswer>: buttonwood_convert::Command, buttonwood_convert::Infrequent, buttonwood_convert::Reject => conversions: Conversions;
    Clearing, "OTC clearing", answers ClearingAnswer as ClearingAnswer: buttonwood_clearing::Command, buttonwood_clearing::Infrequent, buttonwood_clearing::Reject => clearing: Clearing;
    Perp, "perpetuals": buttonwood_perp::Command, buttonwood_perp::Infrequent, buttonwood_perp::Reject => desks.perps: Perps;
    SpotMargin, "spot margin": buttonwood_spot_margin::Command, buttonwood_spot_margin::Infrequent, buttonwood_spot_margin::Reject
        => desks.spot_margin: SpotMargin;
    Funds, "money that enters and leaves", answers Made as Made: buttonwood_funds::Command, buttonwood_funds::Infrequent, buttonwood_funds::Reject => funds: Funds;
    Staking, "staking", answers StakingAnswer as Box<StakingAnswer>: buttonwood_staking::Command, buttonwood_staking::Infrequent, buttonwood_staking::Reject => staking: Staking;
    Prediction, "the prediction markets": buttonwood_prediction::Command, buttonwood_prediction::Infrequent, buttonwood_prediction::Reject
        => desks.predictions: Predictions;
    Founding, "the opening and the clock": Founding, Founded;
    Act, "an operator's act, which holds the command that it does": Arc<Act>, Audit;
    Operation, "operators' commands about the whole exchange": Operation, Operated, ApprovalError
        => operations: Operations;
}
