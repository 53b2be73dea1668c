//! The live views, which answer every query.

use crate::fold::{Fold, Sink};
use crate::history::{
    ConversionRow, Fault, FundingRow, History, Index, OrderEventRow, OrderRow, Position, PredictionRow,
    Query, Row, RowKind, SettledPosition,
};
use crate::order_event::{AccountEvent, OrderChange, RefusedEvent};
use crate::told::{AuctionTold, Happening, Level, Moved, PositionPaid, Removed, Telling, Told};
use crate::{AuctionResults, Candles, Depth, Tape, TradeVolumes};
use buttonwood_disk::Folder;
use buttonwood_engine::perp::funding::HourAmount;
use buttonwood_engine::{Breaks, Event, OrderRef, OrderState, State};
use buttonwood_model::{AccountId, OrderId, Seq, Side, Slot, Stamp, SymbolId, SymbolTable, Time};
use buttonwood_num::{Money, Price, Qty};

/// All read models, as of one command.
#[derive(Debug)]
pub struct Views {
    fold: Fold,
    kept: Kept,
}

/// The rows and levels of a live fold.
#[derive(Debug)]
struct Kept {
    history: History,
    depth: Depth,
    told: Telling,
    /// The last command that changed the levels of each symbol, of those that did since the start.
    changed: SymbolTable<Seq>,
    /// The last command before the start.
    opened: Seq,
}

impl Kept {
    fn note_changed(&mut self, symbol: SymbolId) {
        if let Some(changed) = self.changed.grown(symbol) {
            *changed = self.told.stamp().seq;
        }
    }
}

impl Sink for Kept {
    fn row<R: RowKind>(&mut self, row: &R) -> Position {
        let of_any: Row = (*row).into();
        if let Row::Public(trade) = of_any {
            self.told.note(|| Happening::Trade(trade));
        }
        if let Row::Funding(FundingRow { account: None, symbol, hour, amount }) = of_any {
            self.told.note(|| Happening::Funding(symbol, HourAmount { hour, amount }));
        }
        if let Row::Prediction(PredictionRow::Settled(position)) = of_any {
            let SettledPosition { account, contract, claim, payout, .. } = position;
            self.told.note(|| Happening::Paid(PositionPaid { account, contract, claim, payout }));
        }
        self.history.push(row)
    }

    fn auction(&mut self, symbol: SymbolId, told: AuctionTold) {
        self.told.note(|| Happening::Auction(symbol, told));
    }

    fn contracts(&mut self) {
        self.told.note(|| Happening::Contracts);
    }

    fn touched(&mut self, account: AccountId) {
        self.told.note(|| Happening::Account(account));
    }

    fn marked(&mut self, symbol: SymbolId, mark: Money) {
        self.told.note(|| Happening::Mark(symbol, mark));
    }

    fn order_event(&mut self, change: &OrderChange) {
        self.history.push(&OrderEventRow::from(change));
        self.told.each(|| change.events().map(|event| Happening::Order(AccountEvent::Order(event))));
    }

    fn refused_order(&mut self, event: &RefusedEvent) {
        self.history.push(&OrderEventRow::from(event));
        self.told.note(|| Happening::Order(AccountEvent::Refused(*event)));
    }

    fn rested(&mut self, symbol: SymbolId, side: Side, price: Price, qty: Qty) {
        let now = self.depth.add(symbol, side, price, qty);
        self.note_changed(symbol);
        self.told.note(|| Happening::Level(Level { symbol, side, price, now, by: qty, why: Moved::Placed }));
    }

    fn reduced(&mut self, symbol: SymbolId, side: Side, price: Price, qty: Qty, why: Removed) {
        let now = self.depth.remove(symbol, side, price, qty);
        self.note_changed(symbol);
        let why = match why {
            Removed::Traded => Moved::Traded,
            Removed::Cancelled => Moved::Cancelled,
        };
        self.told.note(|| Happening::Level(Level { symbol, side, price, now, by: qty, why }));
    }
}

/// An order that a query found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The current state of the order.
    pub order: OrderState,
    /// Its newest trade.
    pub trades: Option<Position>,
}

/// The record that an id finds: an order of a book, or a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// An order.
    Order(Found),
    /// A wrap, or an instant order that was executed.
    Conversion(ConversionRow),
}

impl From<OrderRow> for Found {
    fn from(row: OrderRow) -> Self {
        Self { order: row.order, trades: row.trades }
    }
}

impl Found {
    /// The order without its voided trades. Rows of the history never change, so the answer corrects them (ORD-023).
    #[must_use]
    pub fn corrected(self, breaks: &Breaks) -> Self {
        Self { order: breaks.correct(self.order), ..self }
    }

    /// The order that was placed last, of an account's live order and the closed ones that a query finds (ORD-068).
    ///
    /// # Errors
    /// [`Fault`] of the history.
    pub fn last_placed(
        live: Option<Self>,
        history: Query<'_>,
        account: AccountId,
        order: &OrderRef,
    ) -> Result<Option<Self>, Fault> {
        if live.is_some() && matches!(order, OrderRef::Id(_)) {
            return Ok(live);
        }
        let placed_from = live.map_or(Time(0), |live| live.order.placed);
        let closed = Self::closed(Time(u64::MAX), placed_from, history, account, order)?;
        Ok(match (live, closed) {
            (Some(live), Some(closed)) if closed.order.id > live.order.id => Some(closed),
            (Some(live), _) => Some(live),
            (None, closed) => closed,
        })
    }

    /// The order or the conversion that was placed last, of an account's live order and what a query finds (D-170). A conversion is a
    /// closed market order; its trade is in its row, and not found by a position.
    ///
    /// # Errors
    /// [`Fault`] of the history.
    pub fn last_placed_or_converted(
        live: Option<Self>,
        history: Query<'_>,
        account: AccountId,
        order: &OrderRef,
    ) -> Result<Option<Known>, Fault> {
        let placed = Self::last_placed(live, history, account, order)?;
        let converted = match order {
            OrderRef::Id(id) if placed.is_none() => history.conversion(account, *id)?,
            OrderRef::Id(_) => None,
            OrderRef::ClientId(client_id) => history.conversion_by_client_id(account, client_id)?,
        };
        Ok(match (placed, converted) {
            (Some(placed), Some(row)) if placed.order.id > row.order => Some(Known::Order(placed)),
            (_, Some(row)) => Some(Known::Conversion(row)),
            (placed, None) => placed.map(Known::Order),
        })
    }

    /// An order of the account that was closed by `by`; an order placed later under the same client id does not hide
    /// it.
    ///
    /// # Errors
    /// [`Fault`] of the history.
    pub fn closed_by(
        by: Time,
        history: Query<'_>,
        account: AccountId,
        order: &OrderRef,
    ) -> Result<Option<Self>, Fault> {
        Self::closed(by, Time(0), history, account, order)
    }

    /// The same, or a conversion that was executed by then.
    ///
    /// # Errors
    /// [`Fault`] of the history.
    pub fn closed_or_converted_by(
        by: Time,
        history: Query<'_>,
        account: AccountId,
        order: &OrderRef,
    ) -> Result<Option<Self>, Fault> {
        let closed = Self::closed_by(by, history, account, order)?;
        let converted = match order {
            OrderRef::Id(id) => history.conversion(account, *id)?,
            OrderRef::ClientId(client_id) => history.conversion_by_client_id(account, client_id)?,
        };
        let newest = closed.map(|closed| closed.order.id);
        let converted =
            converted.filter(|row| row.time <= by && newest.is_none_or(|newest| newest < row.order));
        Ok(converted.map(|row| Self { order: row.as_order(), trades: None }).or(closed))
    }

    fn closed(
        by: Time,
        placed_from: Time,
        history: Query<'_>,
        account: AccountId,
        order: &OrderRef,
    ) -> Result<Option<Self>, Fault> {
        let row = match order {
            OrderRef::Id(id) => history.order(account, *id)?.filter(|row| row.closed <= by),
            OrderRef::ClientId(client_id) => {
                history.order_by_client_id(account, client_id, by, placed_from)?
            }
        };
        Ok(row.map(Found::from))
    }
}

impl Views {
    /// Views that continue from a fold: the files of `dir` are cut to the lengths in its index.
    ///
    /// # Errors
    /// [`Fault`] if the history files are shorter than the index says, or on an error of the disk.
    pub fn open(dir: impl Into<Folder>, fold: Fold, index: Index) -> Result<Self, Fault> {
        let (depth, opened) = (depth_of(fold.state()), fold.state().stamp().seq);
        let (history, told) = (History::open(dir, index)?, Telling::default());
        let changed = SymbolTable::default();
        Ok(Self { fold, kept: Kept { history, depth, told, changed, opened } })
    }

    /// Applies one command's events.
    pub fn apply(&mut self, stamp: Stamp, events: &[Event], texts: &[u8]) {
        self.kept.told.begin(stamp);
        self.fold.apply(stamp, events, texts, &mut self.kept);
    }

    /// Begins or stops to collect what happens, for the streams.
    pub fn tell(&mut self, is_told: bool) {
        self.kept.told.switch(is_told);
    }

    /// Takes what happened since the last call; none where nothing is collected.
    pub fn take_told(&mut self) -> Option<Told> {
        self.kept.told.take()
    }

    /// Writes the appended rows of history to their files, usually those of many batches at once.
    ///
    /// # Errors
    /// [`Fault::Io`] on an error of the disk.
    pub fn flush(&mut self) -> Result<(), Fault> {
        self.kept.history.flush()
    }

    /// The replica of the state.
    pub fn state(&self) -> &State {
        self.fold.state()
    }

    /// The fold of the views.
    pub fn fold(&self) -> &Fold {
        &self.fold
    }

    /// The fold, to prepare it for a snapshot.
    pub fn fold_mut(&mut self) -> &mut Fold {
        &mut self.fold
    }

    /// Prices and volumes of the past day.
    pub fn tape(&self) -> &Tape {
        self.fold.tape()
    }

    /// Prices and volume by interval.
    pub fn candles(&self) -> &Candles {
        self.fold.candles()
    }

    /// The volumes of each account, by day.
    pub fn trade_volumes(&self) -> &TradeVolumes {
        self.fold.trade_volumes()
    }

    /// Results of auctions.
    pub fn auctions(&self) -> &AuctionResults {
        self.fold.auctions()
    }

    /// Visible levels.
    pub fn depth(&self) -> &Depth {
        &self.kept.depth
    }

    /// The last command that changed a symbol's visible levels, or the last one before the start if none did since (D-151).
    pub fn levels_changed(&self, symbol: SymbolId) -> Seq {
        self.kept.changed.get(symbol).copied().unwrap_or_default().max(self.kept.opened)
    }

    /// Closed orders and trades.
    pub fn history(&self) -> &History {
        &self.kept.history
    }

    /// A live order of the account.
    pub fn find_live(&self, account: AccountId, order: &OrderRef) -> Option<Found> {
        let orders = self.state().orders();
        let slot = match order {
            OrderRef::Id(id) => orders.find(*id).filter(|slot| orders.get(*slot).account == account)?,
            OrderRef::ClientId(client_id) => orders.find_client_id(account, client_id)?,
        };
        Some(self.live(slot))
    }

    /// A live order as if no trade had been broken, for [`Query::order_events_after`].
    pub fn live_with_broken(&self, order: OrderId) -> Option<OrderState> {
        let slot = self.state().orders().find(order)?;
        Some(OrderState::with_broken(self.state().floor(), slot))
    }

    /// The live order in a slot.
    pub fn live(&self, slot: Slot) -> Found {
        Found { order: OrderState::live(self.state().floor(), slot), trades: self.fold.trades_of(slot) }
    }
}

/// The levels of every resting order, on listed symbols and on contracts.
fn depth_of(state: &State) -> Depth {
    let mut depth = Depth::new();
    for (symbol, _) in state.floor().symbols.iter() {
        let book = state.orders().book(symbol);
        for side in [Side::Buy, Side::Sell] {
            for price in book.side(side).prices() {
                for slot in state.orders().queue(symbol, side, price) {
                    depth.add(symbol, side, price, state.orders().get(slot).remaining);
                }
            }
        }
    }
    depth
}
