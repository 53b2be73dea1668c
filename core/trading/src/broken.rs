//! Broken trades: an operator voids a trade, or marks it as reversed by hand (ORD-021 to ORD-023).
//! While a party has an open advance it is only marked: what the party returns would leave its group unmetered.
//!
//! The core remembers no trades. The command therefore carries the facts of the trade, and the market's figures as they are
//! without it; the operator's call reads both from the durable history. [`decide`] compares them with the state as far as the
//! state goes. The event carries them on, so no replay reads the history.

use crate::{Desks, Infrequent, Market, OrderState};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_model::{
    AccountId, AssetId, BytesRef, OrderId, Outbox, Side, Symbol, SymbolId, Time, TradeId,
};
use buttonwood_num::{Money, Price, Qty};
use serde::{Deserialize, Serialize};

/// The effect of a break on a trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BreakKind {
    /// The trade still counts and carries the mark: its reversal is booked separately (ORD-022).
    Manual,
    /// The trade is void (ORD-023).
    Full,
}

impl BreakKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Manual, Self::Full];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Full => "full",
        }
    }
}

/// A trade to be broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Break {
    /// The trade.
    pub trade: TradeId,
    /// The symbol that it traded.
    pub symbol: SymbolId,
    /// When it traded.
    pub time: Time,
    /// Its price.
    pub price: Price,
    /// Its quantity.
    pub qty: Qty,
    /// The side of the taker; none in an auction.
    pub taker: Option<Side>,
    /// The party that bought.
    pub buyer: Party,
    /// The party that sold.
    pub seller: Party,
    /// The market without the trade, for a full break. None for a manual one, which leaves the market as it is.
    pub figures: Option<Figures>,
    /// Whether it was made apart from the book, so that the book's newest trade does not bound its id. Such a trade is broken manually only.
    pub is_off_book: bool,
}

/// One party of a trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Party {
    /// Its account.
    pub account: AccountId,
    /// Its order.
    pub order: OrderId,
    /// The fee that it paid, in quote currency.
    pub fee: Money,
}

/// The figures of a symbol without the broken trade, and the moment for which they hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// The symbol's newest trade when the figures were computed, broken or not.
    pub newest: TradeId,
    /// How many trades of all symbols had been broken by then.
    pub breaks: u64,
    /// The price of the newest trade that remains; none if no trade does.
    pub last: Option<Price>,
    /// The price of the last remaining trade before the broken one.
    pub before: Option<Price>,
    /// When the first remaining trade after the broken one traded.
    pub after: Option<Time>,
    /// The value of the trade in the volumes of its accounts, in dollars (VOL-014).
    pub value: Money,
    /// The interval of the broken trade in every time frame, the shortest first.
    pub intervals: Vec<Interval>,
}

/// The trades that remain of one interval of a time frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// The length of the time frame, in minutes. The interval is the one in which the broken trade traded.
    pub minutes: u64,
    /// Their bar; none if no trade remains.
    pub bar: Option<Bar>,
}

/// Prices and volumes of the trades of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    /// The first price.
    pub open: Price,
    /// The highest price.
    pub high: Price,
    /// The lowest price.
    pub low: Price,
    /// The last price.
    pub close: Price,
    /// The volume in the base currency.
    pub base: Qty,
    /// The volume in the quote currency; it saturates.
    pub quote: Money,
}

impl Bar {
    /// Adds a trade to the trades before it in the interval.
    #[must_use]
    pub fn with(bar: Option<Self>, price: Price, qty: Qty, notional: Money) -> Self {
        match bar {
            None => Self { open: price, high: price, low: price, close: price, base: qty, quote: notional },
            Some(bar) => Self {
                open: bar.open,
                high: bar.high.max(price),
                low: bar.low.min(price),
                close: price,
                base: bar.base + qty,
                quote: bar.quote.capped_add(notional),
            },
        }
    }
}

impl Break {
    /// The kind of the break.
    pub fn kind(&self) -> BreakKind {
        if self.figures.is_some() { BreakKind::Full } else { BreakKind::Manual }
    }

    /// Price times quantity; none beyond the range of money.
    pub fn notional(&self, symbol: &Symbol) -> Option<Money> {
        symbol.grid.notional(self.price, self.qty)
    }

    /// The buyer and the seller, with their sides.
    pub fn parties(&self) -> [(Side, Party); 2] {
        [(Side::Buy, self.buyer), (Side::Sell, self.seller)]
    }
}

/// Why a break is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakError {
    /// There is no such trade.
    Unknown,
    /// It is broken already.
    Broken(BreakKind),
    /// The symbol has traded, or another trade was broken, since the figures were computed.
    Stale,
    /// Trades of this product, and trades apart from the book, are broken manually only (D-168).
    ManualOnly,
    /// The group of a party has open advances or debts of returned ones: what its account would give back may be its bank's (D-181).
    Bound,
    /// The account of a party is closed: what it would get back would be stuck.
    Closed,
    /// The account has not the money that it would give back.
    Short {
        /// The account.
        account: AccountId,
        /// The asset.
        asset: AssetId,
        /// The amount that it lacks.
        lacks: Money,
    },
}

/// Every broken trade, and what full breaks took from the orders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breaks {
    /// How each was broken, and the first trade that could be made after the break.
    trades: BTreeMap<(SymbolId, TradeId), (BreakKind, TradeId)>,
    orders: BTreeMap<OrderId, Voided>,
}

/// The amounts that full breaks took from an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Voided {
    /// The quantity.
    pub qty: Qty,
    /// Its notional, in quote currency.
    pub notional: Money,
}

impl Breaks {
    /// How many trades were broken.
    pub fn len(&self) -> usize {
        self.trades.len()
    }

    /// Whether no trade was ever broken.
    pub fn is_empty(&self) -> bool {
        self.trades.is_empty()
    }

    /// How a trade of the symbol was broken; none if it was not.
    pub fn of(&self, symbol: SymbolId, trade: TradeId) -> Option<BreakKind> {
        if self.trades.is_empty() { None } else { self.trades.get(&(symbol, trade)).map(|known| known.0) }
    }

    /// Whether a trade of the symbol was void already when a later one was made.
    pub fn was_void(&self, symbol: SymbolId, trade: TradeId, later: TradeId) -> bool {
        let known = self.trades.get(&(symbol, trade));
        known.is_some_and(|(kind, first)| *kind == BreakKind::Full && *first <= later)
    }

    /// The broken trades of a symbol, oldest first.
    pub fn of_symbol(&self, symbol: SymbolId) -> impl Iterator<Item = (TradeId, BreakKind)> {
        let all = (symbol, TradeId(0))..=(symbol, TradeId(u64::MAX));
        self.trades.range(all).map(|((_, trade), (kind, _))| (*trade, *kind))
    }

    /// Every broken trade, by symbol.
    pub fn all(&self) -> impl Iterator<Item = (SymbolId, TradeId, BreakKind)> {
        self.trades.iter().map(|((symbol, trade), (kind, _))| (*symbol, *trade, *kind))
    }

    /// The amounts that full breaks took from an order.
    pub fn voided(&self, order: OrderId) -> Voided {
        self.orders.get(&order).copied().unwrap_or_default()
    }

    /// The order without its voided trades (ORD-023). An order that was corrected before stays as it is.
    #[must_use]
    pub fn correct(&self, order: OrderState) -> OrderState {
        let Voided { qty, notional } = self.voided(order.id);
        if order.broken > Qty::ZERO || qty == Qty::ZERO {
            return order;
        }
        // A notional that saturated is no more than what the voided trades sum to.
        let left = (order.notional - notional).max(Money::ZERO);
        OrderState { broken: qty, notional: left, ..order }
    }

    fn kind_of(&self, trade: TradeId) -> Option<BreakKind> {
        self.trades.iter().find(|((_, broken), _)| *broken == trade).map(|(_, (kind, _))| *kind)
    }

    /// Records a break. `first` is the first trade that can be made after it.
    pub(crate) fn note(&mut self, broken: &Break, symbol: &Symbol, first: TradeId) {
        self.trades.insert((broken.symbol, broken.trade), (broken.kind(), first));
        if broken.kind() == BreakKind::Manual {
            return;
        }
        let notional = broken.notional(symbol).expect("the decision computed it");
        for (_, party) in broken.parties() {
            let voided = self.orders.entry(party.order).or_default();
            voided.qty += broken.qty;
            voided.notional = voided.notional.capped_add(notional);
        }
    }
}

/// Decides a break.
///
/// # Errors
/// [`BreakError`].
pub(crate) fn decide<D: Desks, E: From<BytesRef>>(
    market: Market<'_, D>,
    broken: &Break,
    out: &mut Outbox<E>,
) -> Result<(), BreakError> {
    let symbol = market.symbol(broken.symbol).ok_or(BreakError::Unknown)?;
    check_trade(market, broken, symbol)?;
    if broken.is_off_book && broken.figures.is_some() {
        return Err(BreakError::ManualOnly);
    }
    if let Some(figures) = &broken.figures {
        let floor = market.floor;
        let breaks = u64::try_from(floor.breaks.len()).unwrap_or(u64::MAX);
        if (figures.newest, figures.breaks) != (floor.orders.newest_trade(broken.symbol), breaks) {
            return Err(BreakError::Stale);
        }
        market.desks.can_void(symbol, broken)?;
    }
    out.push_named(&Infrequent::TradeBroken(broken.clone()));
    Ok(())
}

/// Compares the facts of the trade with the state, as far as the state knows the trade.
fn check_trade<D: Desks>(market: Market<'_, D>, broken: &Break, symbol: &Symbol) -> Result<(), BreakError> {
    let Market { floor, next_id, .. } = market;
    if let Some(kind) = floor.breaks.kind_of(broken.trade) {
        return Err(BreakError::Broken(kind));
    }
    let notional = broken.notional(symbol).ok_or(BreakError::Unknown)?;
    let is_issued = (1..next_id).contains(&broken.trade.0)
        && floor.orders.find(OrderId(broken.trade.0)).is_none()
        && (broken.is_off_book || broken.trade <= floor.orders.newest_trade(broken.symbol));
    let is_fee = |fee: Money| fee >= Money::ZERO && fee <= notional;
    let is_party = |(side, party): (Side, Party)| {
        is_fee(party.fee) && party.order.0 < broken.trade.0 && may_have_traded(market, broken, side, party)
    };
    let is_known = is_issued && broken.qty > Qty::ZERO && broken.parties().into_iter().all(is_party);
    if is_known { Ok(()) } else { Err(BreakError::Unknown) }
}

/// Whether the order of a party can have made the trade. The state knows only live orders.
fn may_have_traded<D: Desks>(market: Market<'_, D>, broken: &Break, side: Side, party: Party) -> bool {
    let Some(slot) = market.floor.orders.find(party.order) else { return true };
    let order = OrderState::live(market.floor, slot);
    (order.account, order.symbol, order.side) == (party.account, broken.symbol, side)
        && order.executed() >= broken.qty
}
