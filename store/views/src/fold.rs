//! From the engine's events to the read models.
//!
//! A [`Fold`] holds a replica of the state, evolved by the same function as the writer's, and the tape. Each event
//! also yields rows of history and changes of depth, which go to a [`Sink`]. The live views keep them; the background
//! fold that makes snapshots only computes their positions.

mod clearing;
mod off_book;
mod perpetuals;
mod predictions;
mod spot_margin;
mod staking;
mod statement;

use crate::history::{
    ClearingRow, ConversionRow, EntryRow, FundingRow, Index, OrderRow, Part, Position, PredictionRow,
    PublicTrade, StakingRow, TradeRow,
};
use crate::reserves::Cut;
use crate::{AuctionResult, AuctionResults, Candles, Tape, TradeVolumes};
use buttonwood_engine::{
    AccessEvent, Break, BreakKind, Event, FundsInfrequent, Infrequent, Moved, OrderState, State,
    TradingEvent, TradingInfrequent, evolve, funds::reserves::Event as ReservesEvent,
};
use buttonwood_model::{BytesRef, CancelReason, Side, Slot, Stamp, SymbolId, Time, TradeId};
use buttonwood_num::{Money, Price, Qty};
use serde::{Deserialize, Serialize};
use statement::Share;
use std::sync::Arc;

/// Where a fold's rows and changes of depth go.
pub trait Sink {
    /// Stores a trade of an account; returns its position.
    fn trade(&mut self, row: &TradeRow) -> Position;
    /// Stores a closed order.
    fn order(&mut self, row: &OrderRow);
    /// Stores a public trade.
    fn public(&mut self, row: &PublicTrade);
    /// Stores an amount of funding, or a payment.
    fn funding(&mut self, row: &FundingRow);
    /// Stores a change of a balance that is no trade on a book of spot.
    fn entry(&mut self, row: &EntryRow);
    /// Stores a wrap or an instant order.
    fn conversion(&mut self, row: &ConversionRow);
    /// Stores a closed clearing order.
    fn clearing(&mut self, row: &ClearingRow);
    /// Stores a transaction of staking, or a redemption that is paid whole.
    fn staking(&mut self, row: &StakingRow);
    /// Stores a closed order of a contract, or a position that ended.
    fn prediction(&mut self, row: &PredictionRow);
    /// Adds a visible quantity at a price.
    fn rested(&mut self, symbol: SymbolId, side: Side, price: Price, qty: Qty);
    /// Removes a visible quantity at a price.
    fn reduced(&mut self, symbol: SymbolId, side: Side, price: Price, qty: Qty);
}

/// The background fold's sink: it only counts where rows would lie.
#[derive(Debug)]
pub struct Counted {
    /// Links and lengths of the rows so far.
    pub index: Index,
    scratch: Vec<u8>,
}

impl Counted {
    /// Continues from an index.
    pub fn new(index: Index) -> Self {
        Self { index, scratch: Vec::new() }
    }
}

impl Sink for Counted {
    fn trade(&mut self, row: &TradeRow) -> Position {
        self.scratch.clear();
        self.index.push_trade(row, &mut self.scratch)
    }

    fn order(&mut self, row: &OrderRow) {
        self.scratch.clear();
        self.index.push_order(row, &mut self.scratch);
    }

    fn public(&mut self, row: &PublicTrade) {
        self.scratch.clear();
        self.index.push_public(row, &mut self.scratch);
    }

    fn funding(&mut self, row: &FundingRow) {
        self.scratch.clear();
        self.index.push_funding(row, &mut self.scratch);
    }

    fn entry(&mut self, row: &EntryRow) {
        self.scratch.clear();
        self.index.push_entry(row, &mut self.scratch);
    }

    fn conversion(&mut self, row: &ConversionRow) {
        self.scratch.clear();
        self.index.push_conversion(row, &mut self.scratch);
    }

    fn clearing(&mut self, row: &ClearingRow) {
        self.scratch.clear();
        self.index.push_clearing(row, &mut self.scratch);
    }

    fn staking(&mut self, row: &StakingRow) {
        self.scratch.clear();
        self.index.push_staking(row, &mut self.scratch);
    }

    fn prediction(&mut self, row: &PredictionRow) {
        self.scratch.clear();
        self.index.push_prediction(row, &mut self.scratch);
    }

    fn rested(&mut self, _symbol: SymbolId, _side: Side, _price: Price, _qty: Qty) {}

    fn reduced(&mut self, _symbol: SymbolId, _side: Side, _price: Price, _qty: Qty) {}
}

/// State, tape, candles and the link from live orders to their trades, as of the last applied command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fold {
    state: State,
    tape: Tape,
    candles: Candles,
    auctions: AuctionResults,
    volumes: TradeVolumes,
    /// The newest trade row of the live order in each slot.
    trades: Vec<Option<Position>>,
    /// The balances of accounts at the last cut of the proof of reserves.
    cut: Option<Arc<Cut>>,
    /// Empty between commands.
    #[serde(skip)]
    ahead: statement::Ahead,
    /// The changes of the last event, kept for its room.
    #[serde(skip)]
    moves: Vec<Moved>,
}

impl Default for Fold {
    fn default() -> Self {
        Self {
            state: State::new(),
            tape: Tape::new(),
            candles: Candles::default(),
            auctions: AuctionResults::default(),
            volumes: TradeVolumes::default(),
            trades: Vec::new(),
            cut: None,
            ahead: statement::Ahead::default(),
            moves: Vec::new(),
        }
    }
}

impl Fold {
    /// The replica of the state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the state and drops the rest.
    pub fn into_state(self) -> State {
        self.state
    }

    /// Prices and volumes of the past day.
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// Prices and volume by interval.
    pub fn candles(&self) -> &Candles {
        &self.candles
    }

    /// The volumes of each account, by day.
    pub fn trade_volumes(&self) -> &TradeVolumes {
        &self.volumes
    }

    /// Results of auctions.
    pub fn auctions(&self) -> &AuctionResults {
        &self.auctions
    }

    /// The balances of accounts at the last cut of the proof of reserves.
    pub fn cut(&self) -> Option<&Arc<Cut>> {
        self.cut.as_ref()
    }

    /// The newest trade row of a live order.
    pub fn trades_of(&self, slot: Slot) -> Option<Position> {
        self.trades.get(slot.index()).copied().flatten()
    }

    /// Rebuilds the derived parts after the fold was read from a snapshot.
    pub fn restore(&mut self) {
        self.state.restore();
    }

    /// Stores the derived parts that a snapshot needs, before the fold is written to one.
    pub fn prepare_to_store(&mut self) {
        self.state.prepare_to_store();
    }

    /// Applies one command's events.
    pub fn apply(&mut self, stamp: Stamp, events: &[Event], texts: &[u8], sink: &mut impl Sink) {
        // A copy of a state does not record.
        self.state.record_moves();
        for event in events {
            if let Event::Infrequent(kept) = event {
                self.record_infrequent(stamp, *kept, texts, sink);
            }
            self.record(stamp, event, sink);
            let parties = self.parties(event);
            evolve(&mut self.state, stamp, event, texts);
            self.note_entry(event, sink);
            self.record_moves(stamp, event, parties, sink);
        }
        self.state.advance(stamp);
        // Netting has no event of its own.
        self.record_entries(stamp, [None; 2], sink);
    }

    /// Records what must be read from the state before the event is applied, while its orders still exist.
    fn record(&mut self, stamp: Stamp, event: &Event, sink: &mut impl Sink) {
        let Event::Trading(event) = event else { return };
        match *event {
            TradingEvent::Filled { maker, trade, qty, maker_fee, taker_fee } => {
                self.record_fill(stamp, &Fill { maker, trade, qty, maker_fee, taker_fee }, sink);
            }
            TradingEvent::Completed => self.close(stamp, self.state.taking(), None, sink),
            TradingEvent::Cancelled { slot, reason, .. } => {
                let order = self.state.orders().get(slot);
                if order.is_resting() {
                    sink.reduced(order.symbol, order.side(), order.price, order.remaining);
                }
                self.close(stamp, slot, Some(reason), sink);
            }
            TradingEvent::Crossed { buy, sell, trade, price, qty, fees } => {
                self.record_crossing(stamp, &Crossing { slots: [buy, sell], trade, price, qty, fees }, sink);
            }
            TradingEvent::Rested { .. }
            | TradingEvent::Placed(_)
            | TradingEvent::Booked { .. }
            | TradingEvent::Suspended { .. }
            | TradingEvent::Triggered { .. }
            | TradingEvent::CancelRejected { .. } => {}
        }
    }

    /// Records results and indicative results of auctions, funding and trades off the book, and corrects the market's figures after a
    /// full break.
    fn record_infrequent(&mut self, stamp: Stamp, kept: BytesRef, texts: &[u8], sink: &mut impl Sink) {
        let event = Infrequent::read(kept, texts).expect("what was kept can be read");
        if let Infrequent::Perp(event) = &event {
            return self.record_perpetual(stamp, event, sink);
        }
        if let Infrequent::SpotMargin(event) = &event {
            return self.record_spot_margin(stamp, event, sink);
        }
        if let Infrequent::Clearing(event) = &event {
            return Self::record_clearing(stamp, event, sink);
        }
        if let Infrequent::Convert(event) = &event {
            return self.record_conversion(stamp, event, sink);
        }
        if let Infrequent::Staking(event) = &event {
            return self.record_staking(stamp, event, sink);
        }
        if let Infrequent::Prediction(event) = &event {
            return self.record_prediction(stamp, event, sink);
        }
        if let Infrequent::Funds(FundsInfrequent::Reserves(ReservesEvent::Cut(time))) = event {
            self.cut = Some(Arc::new(Cut::of(&self.state, time)));
            return;
        }
        if let Infrequent::Trading(event) = event {
            self.record_floor(stamp, event);
        }
    }

    /// Records results of auctions, and corrects the market's figures after a full break.
    fn record_floor(&mut self, stamp: Stamp, event: TradingInfrequent) {
        let (symbol, finding, is_indicative) = match event {
            TradingInfrequent::AuctionIndicated(symbol, finding) => (symbol, finding, true),
            TradingInfrequent::AuctionEnded(symbol, finding) => (symbol, finding, false),
            TradingInfrequent::TradeBroken(broken) => return self.correct(&broken),
            TradingInfrequent::SymbolStatusChanged(..)
            | TradingInfrequent::SymbolListed(_)
            | TradingInfrequent::ContractListed(_)
            | TradingInfrequent::AuctionsScheduled(..)
            | TradingInfrequent::AuctionCut(..)
            | TradingInfrequent::FeesChanged(_)
            | TradingInfrequent::FeeTiersChanged(_)
            | TradingInfrequent::PromotionChanged(_)
            | TradingInfrequent::DayClosed(_) => return,
        };
        let number = self.state.auctions(symbol).expect("the symbol has auctions").number();
        self.auctions.push(symbol, AuctionResult { number, stamp, is_indicative, finding });
    }

    /// Corrects the figures that counted a trade, if it is void now.
    fn correct(&mut self, broken: &Break) {
        self.tape.correct(broken);
        self.candles.correct(broken);
        if broken.kind() == BreakKind::Full {
            self.volumes.correct(broken, self.notional(broken.symbol, broken.price, broken.qty));
        }
    }

    /// Records what is known only after the event is applied.
    fn note_entry(&mut self, event: &Event, sink: &mut impl Sink) {
        let slot = self.state.taking();
        match event {
            Event::Trading(TradingEvent::Rested { .. }) => {
                self.link(slot, None);
                self.note_rest(slot, sink);
            }
            Event::Trading(TradingEvent::Placed(_)) => self.link(slot, None),
            Event::Trading(TradingEvent::Booked { .. }) => self.note_rest(slot, sink),
            Event::Trading(
                TradingEvent::Filled { .. }
                | TradingEvent::Crossed { .. }
                | TradingEvent::Suspended { .. }
                | TradingEvent::Triggered { .. }
                | TradingEvent::Completed
                | TradingEvent::Cancelled { .. }
                | TradingEvent::CancelRejected { .. },
            )
            | Event::Access(AccessEvent::NonceUsed(..))
            | Event::Infrequent(_) => {}
        }
    }

    fn note_rest(&self, slot: Slot, sink: &mut impl Sink) {
        let order = self.state.orders().get(slot);
        if order.is_auction_only() {
            return;
        }
        sink.rested(order.symbol, order.side(), order.price, order.remaining);
    }

    fn link(&mut self, slot: Slot, newest: Option<Position>) {
        if self.trades.len() <= slot.index() {
            self.trades.resize(slot.index() + 1, None);
        }
        if let Some(link) = self.trades.get_mut(slot.index()) {
            *link = newest;
        }
    }

    fn record_fill(&mut self, stamp: Stamp, fill: &Fill, sink: &mut impl Sink) {
        let taking = self.state.taking();
        let maker = *self.state.orders().get(fill.maker);
        let (symbol, price, qty) = (maker.symbol, maker.price, fill.qty);
        let notional = self.notional(symbol, price, qty);
        let trade = Traded { trade: fill.trade, time: stamp.time, price, qty, notional };
        let parts = [(fill.maker, fill.maker_fee, Part::Maker), (taking, fill.taker_fee, Part::Taker)];
        for (slot, fee, part) in parts {
            self.record_part(slot, &trade, fee, part, sink);
        }
        sink.public(&trade.public(symbol, Some(maker.side().opposite())));
        sink.reduced(symbol, maker.side(), price, qty);
        self.tape.trade(symbol, stamp.time, price, qty, notional);
        self.candles.trade(symbol, stamp.time, price, qty);
        self.close_filled(stamp, fill.maker, qty, notional, sink);
    }

    fn record_crossing(&mut self, stamp: Stamp, crossing: &Crossing, sink: &mut impl Sink) {
        let Crossing { slots, trade, price, qty, fees } = *crossing;
        let symbol = self.state.orders().get(slots[0]).symbol;
        let notional = self.notional(symbol, price, qty);
        let trade = Traded { trade, time: stamp.time, price, qty, notional };
        sink.public(&trade.public(symbol, None));
        self.tape.trade(symbol, stamp.time, price, qty, notional);
        self.candles.trade(symbol, stamp.time, price, qty);
        for (slot, fee) in slots.into_iter().zip(fees) {
            self.record_part(slot, &trade, fee, Part::Auction, sink);
            let order = self.state.orders().get(slot);
            if !order.is_auction_only() {
                sink.reduced(symbol, order.side(), order.price, qty);
            }
            self.close_filled(stamp, slot, qty, notional, sink);
        }
    }

    /// Records an order's part in a trade.
    fn record_part(&mut self, slot: Slot, trade: &Traded, fee: Money, part: Part, sink: &mut impl Sink) {
        let order = *self.state.orders().get(slot);
        let (sort, traded) = ((order.side(), part), (trade.qty, trade.notional));
        let share = Share {
            account: order.account,
            side: order.side(),
            qty: trade.qty,
            notional: trade.notional,
            fee,
            is_taker: part == Part::Taker,
        };
        let settled = self.settled(order.symbol, &share);
        let (claim, side, price) = self.own_view(order.symbol, order.class(), trade.price);
        // Trades of contracts count in no volume of an account.
        if !order.symbol.is_contract() {
            self.volumes.record(order.account, order.symbol, trade.time, sort, traded);
        }
        let position = sink.trade(&TradeRow {
            account: order.account,
            symbol: order.symbol,
            order: order.id,
            trade: trade.trade,
            time: trade.time,
            claim,
            side,
            part,
            price,
            qty: trade.qty,
            fee,
            client_id: self.state.orders().client_id(slot),
            of_order: self.trades_of(slot),
            settled,
        });
        self.link(slot, Some(position));
    }

    /// Records that a resting order is closed, if a trade of `qty` is its last.
    fn close_filled(&self, stamp: Stamp, slot: Slot, qty: Qty, notional: Money, sink: &mut impl Sink) {
        if self.state.orders().get(slot).remaining == qty {
            let mut state = OrderState::with_broken(self.state.floor(), slot);
            state.remaining = Qty::ZERO;
            state.notional = state.notional.capped_add(notional);
            self.put_closed(stamp, slot, state, sink);
        }
    }

    /// Stores an order as it ended: one of a contract has a file of its own.
    fn put_closed(&self, stamp: Stamp, slot: Slot, order: OrderState, sink: &mut impl Sink) {
        if order.symbol.is_contract() {
            self.put_contract_order(stamp, &order, sink);
        } else {
            sink.order(&OrderRow { order, closed: stamp.time, trades: self.trades_of(slot) });
        }
    }

    fn notional(&self, symbol: SymbolId, price: Price, qty: Qty) -> Money {
        let symbol = self.state.symbol(symbol).expect("an order's symbol is listed");
        symbol.grid.notional(price, qty).expect("a fill is no larger than its resting order")
    }

    fn close(&self, stamp: Stamp, slot: Slot, reason: Option<CancelReason>, sink: &mut impl Sink) {
        let order = OrderState { reason, ..OrderState::with_broken(self.state.floor(), slot) };
        self.put_closed(stamp, slot, order, sink);
    }
}

/// The data that both parts of a trade share.
struct Traded {
    trade: TradeId,
    time: Time,
    price: Price,
    qty: Qty,
    notional: Money,
}

impl Traded {
    fn public(&self, symbol: SymbolId, taker: Option<Side>) -> PublicTrade {
        let Self { trade, time, price, qty, .. } = *self;
        PublicTrade { symbol, trade, time, price, qty, taker }
    }
}

struct Crossing {
    slots: [Slot; 2],
    trade: TradeId,
    price: Price,
    qty: Qty,
    fees: [Money; 2],
}

struct Fill {
    maker: Slot,
    trade: TradeId,
    qty: Qty,
    maker_fee: Money,
    taker_fee: Money,
}

#[cfg(test)]
mod tests;
