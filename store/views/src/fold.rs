//! From the engine's events to the read models.
//!
//! A [`Fold`] holds a replica of the state, evolved by the same function as the writer's, and the tape. Each event
//! also yields rows of history and changes of depth, which go to a [`Sink`]. The live views keep them; the background
//! fold that makes snapshots only computes their positions.
//!
//! A room whose infrequent events give the rows of a kind is in the line of the kind, and its events are [`Recorded`]. Events that give
//! nothing but rows are recorded next to the row, in `history/NAME/fold.rs`.

mod off_book;
mod order_events;
mod perpetuals;
mod predictions;
mod spot_margin;
mod statement;
mod trades;

use crate::history::{self, Index, OrderEventRow, Position, RowKind};
use crate::order_event::{OrderChange, RefusedEvent, Step};
use crate::reserves::Cut;
use crate::told::{AuctionTold, Removed};
use crate::{AuctionResult, AuctionResults, Candles, Tape, TradeVolumes};
use buttonwood_engine::{
    AccessEvent, Auctions, Break, BreakKind, Event, FundsInfrequent, Infrequent, Moved, State, TradingEvent,
    TradingInfrequent, evolve, funds::reserves::Event as ReservesEvent,
};
use buttonwood_model::{AccountId, BytesRef, OrderKind, Side, Slot, Stamp, SymbolId};
use buttonwood_num::{Money, Price, Qty};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use trades::{Crossing, Fill};

/// Where a fold's rows and changes of depth go.
pub trait Sink {
    /// Stores a row; returns its position.
    fn row<R: RowKind>(&mut self, row: &R) -> Position;
    /// Stores an event of an order, or two, after the rows that it refers to.
    fn order_event(&mut self, change: &OrderChange) {
        self.row(&OrderEventRow::from(change));
    }
    /// Stores the event of an order that a rule refused.
    fn refused_order(&mut self, event: &RefusedEvent) {
        self.row(&OrderEventRow::from(event));
    }
    /// Adds a visible quantity at a price. Only the live views keep levels.
    fn rested(&mut self, _symbol: SymbolId, _side: Side, _price: Price, _qty: Qty) {}
    /// Removes a visible quantity at a price, for this reason.
    fn reduced(&mut self, _symbol: SymbolId, _side: Side, _price: Price, _qty: Qty, _why: Removed) {}
    /// Notes that balances or positions of an account changed. Only the live views tell of it.
    fn touched(&mut self, _account: AccountId) {}
    /// Notes an auction that takes orders now, or a result of one. Only the live views tell of it.
    fn auction(&mut self, _symbol: SymbolId, _told: AuctionTold) {}
    /// Notes that the status of contracts may have changed. Only the live views tell of it.
    fn contracts(&mut self) {}
    /// Notes a new mark price. Only the live views tell of it.
    fn marked(&mut self, _symbol: SymbolId, _mark: Money) {}
}

/// An infrequent event of a room that gives rows of history.
pub(crate) trait Recorded {
    /// Records the event, before it is applied.
    fn record(&self, fold: &mut Fold, stamp: Stamp, sink: &mut impl Sink);
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
    fn row<R: RowKind>(&mut self, row: &R) -> Position {
        self.scratch.clear();
        self.index.push(row, &mut self.scratch)
    }
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
    #[serde(skip)]
    places: order_events::Places,
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
            places: order_events::Places::default(),
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
            self.note_entry(stamp, event, sink);
            self.record_moves(stamp, event, parties, sink);
        }
        self.state.advance(stamp);
        // Netting has no event of its own.
        self.record_entries(stamp, [None; 2], sink);
        self.places.end();
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
                    sink.reduced(
                        order.symbol,
                        order.side(),
                        order.price,
                        order.remaining,
                        Removed::Cancelled,
                    );
                }
                self.close(stamp, slot, Some(reason), sink);
            }
            TradingEvent::Crossed { buy, sell, trade, price, qty, fees } => {
                self.record_crossing(stamp, &Crossing { slots: [buy, sell], trade, price, qty, fees }, sink);
            }
            TradingEvent::CancelRejected { slot, .. } => {
                self.note_live(stamp, slot, (Step::CancelRejected, false), sink);
            }
            TradingEvent::Rested { .. }
            | TradingEvent::Placed(_)
            | TradingEvent::Booked { .. }
            | TradingEvent::Suspended { .. }
            | TradingEvent::Triggered { .. } => {}
        }
    }

    /// Records the rows of an infrequent event, results of auctions and cuts of the proof of reserves, and corrects the market's figures
    /// after a full break.
    fn record_infrequent(&mut self, stamp: Stamp, kept: BytesRef, texts: &[u8], sink: &mut impl Sink) {
        let event = Infrequent::read(kept, texts).expect("what was kept can be read");
        history::record_room_event(self, stamp, &event, sink);
        // A holding that is taken over gives orders and trades, and no rows of a kind of its own.
        if let Infrequent::SpotMargin(event) = &event {
            return self.record_spot_margin(stamp, event, sink);
        }
        if let Infrequent::Funds(FundsInfrequent::Reserves(ReservesEvent::Cut(time))) = event {
            self.cut = Some(Arc::new(Cut::of(&self.state, time)));
            return;
        }
        if let Infrequent::Trading(event) = event {
            self.record_floor(stamp, event, sink);
        }
    }

    /// Records results of auctions, and corrects the market's figures after a full break.
    fn record_floor(&mut self, stamp: Stamp, event: TradingInfrequent, sink: &mut impl Sink) {
        let (symbol, finding, is_indicative) = match event {
            TradingInfrequent::AuctionIndicated(symbol, finding) => (symbol, finding, true),
            TradingInfrequent::AuctionEnded(symbol, finding) => (symbol, finding, false),
            TradingInfrequent::AuctionOpened(symbol, _) => {
                if let Some(schedule) = self.state.auctions(symbol).and_then(Auctions::schedule) {
                    sink.auction(symbol, AuctionTold::Open(*schedule));
                }
                return;
            }
            TradingInfrequent::OrderRefused(order) => return self.places.put_refused(stamp, &order, sink),
            TradingInfrequent::OrderSpends(_, amount) => return self.places.note_spend(amount),
            TradingInfrequent::TradeBroken(broken) => return self.correct(&broken),
            TradingInfrequent::SymbolStatusChanged(..)
            | TradingInfrequent::SymbolListed(_)
            | TradingInfrequent::ContractListed(_)
            | TradingInfrequent::AuctionsScheduled(..)
            | TradingInfrequent::ConnectionOpened(..)
            | TradingInfrequent::OrderTied(..)
            | TradingInfrequent::ConnectionClosed(_)
            | TradingInfrequent::ReferencesTaken(_)
            | TradingInfrequent::AuctionCut(..)
            | TradingInfrequent::FeesChanged(_)
            | TradingInfrequent::FeeTiersChanged(_)
            | TradingInfrequent::PromotionChanged(_)
            | TradingInfrequent::DayClosed(_) => return,
        };
        let number = self.state.auctions(symbol).expect("the symbol has auctions").number();
        let result = AuctionResult { number, stamp, is_indicative, finding };
        sink.auction(symbol, AuctionTold::Result(result));
        self.auctions.push(symbol, result);
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
    fn note_entry(&mut self, stamp: Stamp, event: &Event, sink: &mut impl Sink) {
        let slot = self.state.taking();
        match event {
            Event::Trading(TradingEvent::Rested { .. }) => {
                self.link(slot, None);
                self.note_rest(slot, sink);
                self.note_live(stamp, slot, (Step::Accepted, true), sink);
            }
            Event::Trading(TradingEvent::Placed(order)) => {
                self.link(slot, None);
                // The next event is that it waits, which sets its stop price.
                if order.kind != OrderKind::StopLimit {
                    self.note_live(stamp, slot, (Step::Accepted, false), sink);
                }
            }
            Event::Trading(TradingEvent::Booked { .. }) => {
                self.note_rest(slot, sink);
                self.note_booked(stamp, slot, sink);
            }
            Event::Trading(TradingEvent::Suspended { .. }) => {
                self.note_live(stamp, slot, (Step::Accepted, true), sink);
            }
            Event::Trading(
                TradingEvent::Filled { .. }
                | TradingEvent::Crossed { .. }
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
}

#[cfg(test)]
mod tests;
