//! What every room answers for itself.

use crate::{Changes, Context};
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, AssetId, CurrencyId, Due, Symbol, Time};
use buttonwood_num::Money;
use core::fmt::Debug;
use core::iter;

/// The state of a room. The engine asks every room of its list the same questions; most rooms leave most of them to the defaults.
pub trait Room: Sized {
    /// The room's commands.
    type Command;
    /// A law of the room that is broken; [`Infallible`](core::convert::Infallible) for a room without laws.
    type BrokenLaw: Copy + Debug + PartialEq;
    /// The result of [`Room::find`]; nothing for a room that finds nothing.
    type Found;

    /// The commands that are due next, at most one of each kind. The engine runs the first of all rooms' by [`Due::key`].
    fn next_due(&self, _context: &Context<'_, Self>) -> impl Iterator<Item = Due<Self::Command>> {
        iter::empty()
    }

    /// Whether one of them is a follow-up, before which no other command may run. Asked after every command.
    fn has_follow_up(&self, _ledger: &Ledger) -> bool {
        false
    }

    /// The single reserves of an account, which the holds of its balances sum up (INV-LEDGER-5). Those of orders are the floor's.
    fn reserved(&self, _account: AccountId) -> impl Iterator<Item = (AssetId, Money)> {
        iter::empty()
    }

    /// Whether an account must settle something in the room before it is closed.
    fn is_used_by(&self, _account: AccountId) -> bool {
        false
    }

    /// The first broken law. Recomputes every sum from its single parts.
    fn broken_law(&self, _context: &Context<'_, Self>) -> Option<Self::BrokenLaw> {
        None
    }

    /// The parts of the room's tables on which money depends in the fingerprint of every batch, by
    /// [`Fingerprint::part`](buttonwood_model::Fingerprint::part); zero while they are empty.
    fn fingerprint(&self) -> u64 {
        0
    }

    /// A command that a start runs before any other, since the exchange did not run until the context's time.
    fn at_start(&self, _context: &Context<'_, Self>) -> Option<Self::Command> {
        None
    }

    /// Whether the room has something to do at the end of a command even without a change. Asked after every command.
    fn is_awake(&self) -> bool {
        false
    }

    /// Ends a command that was applied, before its changes are passed on; only if something has changed or a room is awake.
    fn finish(&mut self, _ledger: &mut Ledger) {}

    /// Whether the room waits for accounts from which more may leave ([`Changes::freed`]).
    fn awaits(&self) -> bool {
        false
    }

    /// Takes what the events of the command at this time have changed elsewhere. Called once a command, in the order of the list of rooms, if
    /// something has changed or a room is awake; the changes may be empty then.
    fn changed(&mut self, _changes: &Changes, _ledger: &Ledger, _time: Time) {}

    /// Finds what the changes make due, once every room knows them.
    fn find(&self, _context: &Context<'_, Self>) -> Option<Self::Found> {
        None
    }

    /// Notes what [`Room::find`] has found.
    fn note_found(&mut self, _ledger: &mut Ledger, _time: Time, _found: Self::Found) {}

    /// Rebuilds what is derived, after a snapshot was read.
    fn restore(&mut self, _ledger: &mut Ledger) {}

    /// The currencies of which the room reads the index.
    fn indexed(&self, _symbols: &[Symbol]) -> impl Iterator<Item = CurrencyId> {
        iter::empty()
    }

    /// Notes the symbols, after one was listed or a snapshot was read.
    fn note_symbols(&mut self, _symbols: &[Symbol], _ledger: &Ledger) {}
}
