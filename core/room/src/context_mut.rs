//! The states that an event changes.

use buttonwood_access::Access;
use buttonwood_index::Indices;
use buttonwood_leave::Advances;
use buttonwood_ledger::Ledger;
use buttonwood_model::{Symbol, Time};

/// All that an event of a room may change: the room's own state `R`, and the state of the rooms below that it moves money or settings in.
#[derive(Debug)]
pub struct ContextMut<'a, R> {
    /// The state of the room.
    pub room: &'a mut R,
    /// Every balance.
    pub ledger: &'a mut Ledger,
    /// Groups, accounts and keys.
    pub access: &'a mut Access,
    /// The open advances of each group.
    pub advances: &'a mut Advances,
    /// Pins and feeds.
    pub indices: &'a mut Indices,
    /// Every symbol.
    pub symbols: &'a [Symbol],
    /// The seed from which ids and codes follow.
    pub seed: u64,
    /// The id that the next order or trade gets.
    pub next_id: u64,
    /// The time of the command.
    pub time: Time,
}
