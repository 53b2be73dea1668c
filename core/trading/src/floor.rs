//! The floor's state (symbols, live orders, fee schedules, volumes, auctions), what decisions read of it, and the
//! buffers that they reuse.

use crate::volumes::Value;
use crate::{Breaks, Connections, Desks, FeeSchedule, Fees, Live, Stops, Volumes};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_auction::Auctions;
use buttonwood_book::{Fill, Order, Orders};
use buttonwood_model::{
    AccountId, AssetId, CurrencyId, Product, RatesId, Slot, Symbol, SymbolId, SymbolTable, Time,
};
use buttonwood_num::Money;
use buttonwood_rates::{FxPair, Rates};
use serde::{Deserialize, Serialize};

/// The floor's part of the state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// Every symbol.
    pub symbols: SymbolTable<Symbol>,
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
    /// The volumes of every account.
    pub volumes: Volumes,
    /// Broken trades.
    pub breaks: Breaks,
    /// Foreign exchange rates, at which some volumes are valued.
    pub rates: Rates,
    /// Connections that cancel on disconnect.
    pub connections: Connections,
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
        let symbol = self.symbols.get(order.symbol).expect("an order's symbol is listed");
        Live { symbol, floor: self, order }
    }

    /// Gives a new account its place in the tables.
    pub fn open_account(&mut self, account: AccountId) {
        self.orders.open_account(account);
        self.volumes.open_account(account);
    }

    /// Chooses how the trades of the symbol that was listed last are valued. `dollar` is the currency of volumes, if it is
    /// listed, and `pair` that of the symbol's quote currency, if it has rates.
    pub fn value_listed(&mut self, dollar: Option<CurrencyId>, pair: Option<FxPair>) {
        self.volumes.list(self.symbols.listed(), dollar, pair);
    }

    /// The rates of an order that the account places now; `symbol` is none for the rates of symbols without a promotion.
    #[inline]
    pub fn rates(
        &self,
        product: Product,
        symbol: Option<SymbolId>,
        account: AccountId,
    ) -> (RatesId, FeeSchedule) {
        self.fees.of(product, symbol, account, || self.volumes.total(account))
    }

    /// Adds a trade to the volume of its two accounts.
    #[inline]
    pub(crate) fn count_volume(
        &mut self,
        time: Time,
        symbol: SymbolId,
        notional: Money,
        accounts: [AccountId; 2],
    ) {
        self.volumes.count(time, accounts, self.dollars(time, symbol, notional));
    }

    /// The value of a trade of the symbol in volumes if it trades at `time`, which is now, in dollars (VOL-003).
    #[inline]
    pub fn dollars(&self, time: Time, symbol: SymbolId, notional: Money) -> Money {
        match self.volumes.value_of(symbol) {
            Value::Dollars => notional,
            value @ (Value::AtLastPriceOf(_) | Value::Unknown) => {
                self.converted(value, time, symbol, notional)
            }
        }
    }

    /// The value of an amount of the symbol's quote currency: at the last price of that currency in dollars, before its
    /// first trade at the newest rate, and without either zero.
    #[cold]
    fn converted(&self, value: Value, time: Time, symbol: SymbolId, amount: Money) -> Money {
        if let Value::AtLastPriceOf(priced) = value
            && let Some(last) = self.orders.last(priced)
        {
            let listed = self.symbols.get(priced).expect("a valued symbol is listed");
            return listed.grid.value(amount, last);
        }
        let pair = self.volumes.pair_of(symbol);
        pair.and_then(|pair| self.rates.at(pair, time)).map_or(Money::ZERO, |quote| {
            // A figure saturates.
            quote.rate.to_usd(amount).unwrap_or(Money::MAX)
        })
    }

    /// The reserves of the account's live orders, order by order (INV-LEDGER-5).
    pub fn reserved<D: Desks>(
        &self,
        desks: &D,
        account: AccountId,
    ) -> impl Iterator<Item = (AssetId, Money)> {
        self.orders.in_any_order(account).filter_map(|(slot, _)| desks.reserved(self.live(slot)))
    }
}

/// The state that a decision about orders reads.
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
    /// A symbol of the lists; none for a contract.
    pub fn listed(&self, id: SymbolId) -> Option<&'a Symbol> {
        self.floor.symbols.listed().get(id.index())
    }

    /// A symbol, listed or a contract.
    #[inline]
    pub fn symbol(&self, id: SymbolId) -> Option<&'a Symbol> {
        self.floor.symbols.get(id)
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
