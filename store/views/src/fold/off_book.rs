//! Orders that trade off the book, as rows of the history: market orders of the exchange's session, filled at once without a fee, and
//! nothing public (D-52).

use super::Sink;
use super::order_events::Places;
use crate::OrderFill;
use crate::history::{OrderRow, Part, Position, TradeRow};
use crate::order_event::Step;
use buttonwood_engine::OrderState;
use buttonwood_model::{AccountId, Claim, OrderId, OrderKind, SessionId, Side, Stamp, SymbolId, TradeId};
use buttonwood_num::{Grid, Money, Price, Qty, Round};

/// A trade off the book.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trade {
    pub(super) id: TradeId,
    /// Not always a price of the grid.
    pub(super) price: Money,
    pub(super) qty: Qty,
}

/// Where the rows of a command go.
pub(super) struct Out<'a, S> {
    pub(super) stamp: Stamp,
    pub(super) places: &'a mut Places,
    pub(super) sink: &'a mut S,
}

/// An order that trades off the book and is filled at once.
pub(super) struct Order {
    state: OrderState,
    /// The row of its newest trade.
    newest: Option<Position>,
}

impl Order {
    /// An order that enters, for the quantity that it will trade.
    pub(super) fn enter(
        (account, side, id): (AccountId, Side, OrderId),
        symbol: SymbolId,
        qty: Qty,
        out: &mut Out<'_, impl Sink>,
    ) -> Self {
        let state = OrderState {
            id,
            account,
            session: SessionId::EXCHANGE,
            symbol,
            side,
            claim: Claim::Yes,
            kind: OrderKind::Market,
            option: None,
            price: Price::default(),
            original: qty,
            remaining: qty,
            notional: Money::ZERO,
            broken: Qty::ZERO,
            placed: out.stamp.time,
            reason: None,
            client_id: None,
            stop: None,
        };
        out.places.put(out.stamp, (Step::Accepted, false), &state, [None; 2], out.sink);
        Self { state, newest: None }
    }

    /// Records a trade of the order.
    pub(super) fn trade(&mut self, trade: Trade, grid: &Grid, out: &mut Out<'_, impl Sink>) {
        let base = grid.base(trade.qty).expect("a part of a position");
        let value = base.times(trade.price, Round::Cut).expect("the decision bounds it");
        self.state.remaining -= trade.qty;
        self.state.notional = self.state.notional.capped_add(value);
        let row = TradeRow {
            account: self.state.account,
            symbol: self.state.symbol,
            order: self.state.id,
            trade: trade.id,
            time: out.stamp.time,
            claim: Claim::Yes,
            side: self.state.side,
            part: Part::OffBook(trade.price),
            price: on_grid(grid, trade.price),
            qty: trade.qty,
            fee: Money::ZERO,
            client_id: None,
            of_order: self.newest,
            settled: None,
            counted: None,
        };
        self.newest = Some(out.sink.row(&row));
        let step = (Step::Filled(OrderFill::from(&row)), false);
        out.places.put(out.stamp, step, &self.state, [self.newest, None], out.sink);
    }

    /// Records the order, after its last trade.
    pub(super) fn close(self, out: &mut Out<'_, impl Sink>) {
        let row = OrderRow { order: self.state, closed: out.stamp.time, trades: self.newest };
        let closed = Some(out.sink.row(&row));
        out.places.put(out.stamp, (Step::Closed, false), &self.state, [None, closed], out.sink);
    }
}

/// The last price of the grid at or below a price; zero for one below the first.
fn on_grid(grid: &Grid, price: Money) -> Price {
    let tick = grid.value(Money::ONE, Price::from_ticks(1));
    Price::from_ticks(u64::try_from(price.units() / tick.units()).unwrap_or(0))
}
