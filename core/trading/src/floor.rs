//! The floor's state (symbols, live orders, fee schedules, auctions), what decisions read of it, and the
//! buffers that they reuse.

use crate::{Desks, Fees, Live, Stops};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_auction::Auctions;
use buttonwood_book::{Fill, Order, Orders};
use buttonwood_model::{AccountId, AssetId, Slot, Symbol, SymbolId, Time};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// The floor's part of the state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// Every symbol.
    pub symbols: Vec<Symbol>,
    /// Every live order.
    pub orders: Orders,
    /// Fee schedules.
    pub fees: Fees,
    /// The slot of the order that entered last.
    pub taking: Slot,
    /// The auctions of the symbols that have or had any.
    pub auctions: BTreeMap<SymbolId, Auctions>,
    /// How many symbols have an auction that is being settled.
    pub settling: u32,
    /// Live orders with a stop price.
    pub stops: Stops,
}

impl Floor {
    /// A live order as its desk sees it.
    ///
    /// # Panics
    /// When its symbol is not listed; only orders on listed symbols enter.
    #[inline]
    pub fn live(&self, slot: Slot) -> Live<'_> {
        self.seen(self.orders.get(slot))
    }

    #[inline]
    pub(crate) fn seen<'a>(&'a self, order: &'a Order) -> Live<'a> {
        let symbol = self.symbols.get(order.symbol.index()).expect("an order's symbol is listed");
        Live { symbol, fees: &self.fees, order }
    }

    /// What the account's live orders reserve, order by order (INV-LEDGER-5).
    pub fn reserved<D: Desks>(
        &self,
        desks: &D,
        account: AccountId,
    ) -> impl Iterator<Item = (AssetId, Money)> {
        self.orders.in_any_order(account).filter_map(|(slot, _)| desks.reserved(self.live(slot)))
    }
}

/// What a decision about orders reads.
#[derive(Debug)]
pub struct Market<'a, D> {
    /// Symbols and orders.
    pub floor: &'a Floor,
    /// The desks.
    pub desks: &'a D,
    /// The next value of the counter for order and trade ids.
    pub next_id: u64,
    /// The time of the command.
    pub time: Time,
}

impl<D> Clone for Market<'_, D> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for Market<'_, D> {}

impl<'a, D> Market<'a, D> {
    /// A listed symbol.
    #[inline]
    pub fn symbol(&self, id: SymbolId) -> Option<&'a Symbol> {
        self.floor.symbols.get(id.index())
    }
}

/// Buffers for planning, one set for each writer; reused, so that planning does not allocate once they have
/// grown.
#[derive(Debug, Default)]
pub struct Planner<P> {
    pub(crate) fills: Vec<Fill>,
    /// Orders to be cancelled.
    pub(crate) slots: Vec<Slot>,
    /// The desks' notes on the plan.
    pub(crate) plan: P,
}
