//! What a decision about spot orders reads, and the buffers it reuses.

use crate::FeeSchedule;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_auction::Auctions;
use buttonwood_book::{Fill, Orders};
use buttonwood_ledger::Ledger;
use buttonwood_model::{Slot, Symbol, SymbolId, Time};
use serde::{Deserialize, Serialize};

/// The parts of the state that spot orders touch and change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pit {
    /// Every symbol.
    pub symbols: Vec<Symbol>,
    /// Every live order.
    pub orders: Orders,
    /// Every balance.
    pub ledger: Ledger,
    /// Where the order that entered last lies.
    pub taking: Slot,
    /// The auctions of those symbols that have any, or have had.
    pub auctions: BTreeMap<SymbolId, Auctions>,
    /// How many of these have an auction that has found its price and is not settled yet.
    pub settling: u32,
}

/// What decisions about spot orders read.
#[derive(Clone, Copy)]
pub struct Market<'a> {
    /// Symbols, orders, balances.
    pub pit: &'a Pit,
    /// Rates of orders placed now.
    pub fees: FeeSchedule,
    /// The next number of the counter that order and trade ids come from.
    pub next_id: u64,
    /// When the command stands.
    pub time: Time,
}

impl<'a> Market<'a> {
    /// A listed symbol.
    #[inline]
    pub fn symbol(&self, id: SymbolId) -> Option<&'a Symbol> {
        self.pit.symbols.get(id.index())
    }
}

/// The buffers that decisions are planned in; one per writer, so that planning never allocates once warm.
#[derive(Debug, Default)]
pub struct Planner {
    pub(crate) fills: Vec<Fill>,
    /// Orders to be cancelled.
    pub(crate) slots: Vec<Slot>,
}
