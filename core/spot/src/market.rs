//! What a decision about spot orders reads, and the buffers it reuses.

use crate::FeeSchedule;
use alloc::vec::Vec;
use buttonwood_book::{Fill, Orders};
use buttonwood_ledger::Ledger;
use buttonwood_model::{Slot, Symbol, SymbolId};

/// A view of the parts of the state that spot orders touch.
#[derive(Clone, Copy)]
pub struct Market<'a> {
    /// Every symbol.
    pub symbols: &'a [Symbol],
    /// Every live order.
    pub orders: &'a Orders,
    /// Every balance.
    pub ledger: &'a Ledger,
    /// Rates of orders placed now.
    pub fees: FeeSchedule,
    /// The next number of the counter that order and trade ids come from.
    pub next_id: u64,
}

impl<'a> Market<'a> {
    /// A listed symbol.
    pub fn symbol(&self, id: SymbolId) -> Option<&'a Symbol> {
        self.symbols.get(id.index())
    }
}

/// The buffers that decisions are planned in; one per writer, so that planning never allocates once warm.
#[derive(Debug, Default)]
pub struct Planner {
    pub(crate) fills: Vec<Fill>,
    /// Orders to be cancelled.
    pub(crate) slots: Vec<Slot>,
}
