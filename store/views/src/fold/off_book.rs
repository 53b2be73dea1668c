//! Orders that trade off the book, as rows of the history: market orders of the exchange's session, filled at once without a fee, and
//! nothing public (D-52).

use super::Sink;
use crate::history::{OrderRow, Part, Position, TradeRow};
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

/// An order that trades off the book and is filled at once.
pub(super) struct Order {
    account: AccountId,
    symbol: SymbolId,
    side: Side,
    id: OrderId,
    filled: Qty,
    notional: Money,
    /// The row of its newest trade.
    newest: Option<Position>,
}

impl Order {
    pub(super) fn new(account: AccountId, symbol: SymbolId, side: Side, id: OrderId) -> Self {
        Self { account, symbol, side, id, filled: Qty::ZERO, notional: Money::ZERO, newest: None }
    }

    /// Records a trade of the order.
    pub(super) fn trade(&mut self, stamp: Stamp, trade: Trade, grid: &Grid, sink: &mut impl Sink) {
        let base = grid.base(trade.qty).expect("a part of a position");
        let value = base.times(trade.price, Round::Cut).expect("the decision bounds it");
        self.filled += trade.qty;
        self.notional = self.notional.capped_add(value);
        let row = TradeRow {
            account: self.account,
            symbol: self.symbol,
            order: self.id,
            trade: trade.id,
            time: stamp.time,
            claim: Claim::Yes,
            side: self.side,
            part: Part::OffBook(trade.price),
            price: on_grid(grid, trade.price),
            qty: trade.qty,
            fee: Money::ZERO,
            client_id: None,
            of_order: self.newest,
            settled: None,
        };
        self.newest = Some(sink.trade(&row));
    }

    /// Records the order, after its last trade.
    pub(super) fn close(&self, stamp: Stamp, sink: &mut impl Sink) {
        let order = OrderState {
            id: self.id,
            account: self.account,
            session: SessionId::EXCHANGE,
            symbol: self.symbol,
            side: self.side,
            claim: Claim::Yes,
            kind: OrderKind::Market,
            option: None,
            price: Price::default(),
            original: self.filled,
            remaining: Qty::ZERO,
            notional: self.notional,
            broken: Qty::ZERO,
            placed: stamp.time,
            reason: None,
            client_id: None,
            stop: None,
        };
        sink.order(&OrderRow { order, closed: stamp.time, trades: self.newest });
    }
}

/// The last price of the grid at or below a price; zero for one below the first.
fn on_grid(grid: &Grid, price: Money) -> Price {
    let tick = grid.value(Money::ONE, Price::from_ticks(1));
    Price::from_ticks(u64::try_from(price.units() / tick.units()).unwrap_or(0))
}
