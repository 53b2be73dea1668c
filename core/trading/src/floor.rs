//! The floor's state (symbols, live orders, fee schedules, volumes, auctions), what decisions read of it, and the
//! buffers that they reuse.

use crate::volumes::Value;
use crate::{Breaks, Connections, Desks, FeeSchedule, Fees, Live, Stops, Volumes};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use buttonwood_auction::Auctions;
use buttonwood_book::{Fill, Order, Orders};
use buttonwood_model::{
    AccountId, AssetId, CurrencyId, GroupId, Product, RatesId, Slot, Symbol, SymbolId, SymbolTable, Time,
};
use buttonwood_num::{Money, Round};
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
    /// Closed symbols that still have orders, whose cancels go on; derived.
    #[serde(skip)]
    pub(crate) closing: BTreeSet<SymbolId>,
    /// Symbols without auctions for which orders still wait, likewise.
    #[serde(skip)]
    pub(crate) ending: BTreeSet<SymbolId>,
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
    /// listed, `pair` that of the symbol's quote currency, if it has rates, and `is_wrapped` whether that is a wrapped dollar.
    pub fn value_listed(&mut self, dollar: Option<CurrencyId>, pair: Option<FxPair>, is_wrapped: bool) {
        self.volumes.list(self.symbols.listed(), dollar, (pair, is_wrapped));
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
    pub(crate) fn count_volume<D: Desks>(
        &mut self,
        desks: &D,
        time: Time,
        (symbol, notional): (SymbolId, Money),
        accounts: [AccountId; 2],
    ) {
        let value = self.counted(time, symbol, notional, || accounts.map(|account| desks.group(account)));
        self.volumes.count(time, accounts, value);
    }

    /// The value of a trade of the symbol in volumes if it trades at `time`, which is now, in dollars (VOL-003). `groups` returns
    /// those of its accounts.
    #[inline]
    pub fn counted(
        &self,
        time: Time,
        symbol: SymbolId,
        notional: Money,
        groups: impl FnOnce() -> [Option<GroupId>; 2],
    ) -> Money {
        match self.volumes.value_of(symbol) {
            Value::Dollars => notional,
            Value::AtLastPriceOf(_) | Value::Unknown if self.volumes.references.are_used() => {
                self.by_reference(time, symbol, notional, groups())
            }
            value @ (Value::AtLastPriceOf(_) | Value::Unknown) => {
                self.converted(value, time, symbol, notional)
            }
        }
    }

    /// The value of an amount of the symbol's quote currency by references: at the lower one of both groups, without one of them at the
    /// newest rate, and without a rate zero. A wrapped dollar is a dollar.
    #[cold]
    fn by_reference(
        &self,
        time: Time,
        symbol: SymbolId,
        amount: Money,
        groups: [Option<GroupId>; 2],
    ) -> Money {
        if self.volumes.is_wrapped(symbol) {
            return amount;
        }
        // Trades of contracts count in no volume.
        let Some(listed) = self.symbols.listed().get(symbol.index()) else { return Money::ZERO };
        match groups.map(|group| self.volumes.references.price(group, listed.quote)) {
            // A figure saturates.
            [Some(one), Some(other)] => amount.times(one.min(other), Round::Down).unwrap_or(Money::MAX),
            _ => self.at_rate(time, symbol, amount),
        }
    }

    /// The dollars that an amount of the symbol's quote currency is worth now: at the last price of that currency in dollars, before its
    /// first trade at the newest rate, and without either zero. Volumes counted so before they went by references.
    #[inline]
    pub fn dollars(&self, time: Time, symbol: SymbolId, notional: Money) -> Money {
        match self.volumes.value_of(symbol) {
            Value::Dollars => notional,
            value @ (Value::AtLastPriceOf(_) | Value::Unknown) => {
                self.converted(value, time, symbol, notional)
            }
        }
    }

    #[cold]
    fn converted(&self, value: Value, time: Time, symbol: SymbolId, amount: Money) -> Money {
        if let Value::AtLastPriceOf(priced) = value
            && let Some(last) = self.orders.last(priced)
        {
            let listed = self.symbols.get(priced).expect("a valued symbol is listed");
            return listed.grid.value(amount, last);
        }
        self.at_rate(time, symbol, amount)
    }

    /// The value of an amount of the symbol's quote currency at its newest rate; zero without one.
    fn at_rate(&self, time: Time, symbol: SymbolId, amount: Money) -> Money {
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
