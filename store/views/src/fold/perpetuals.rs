//! Perpetuals: trades off the book and funding, as rows of the history.
//!
//! A trade off the book is an order and a trade of both accounts, and nothing public: no tape, candle or volume (D-52).

use super::{Fold, Sink};
use crate::history::{FundingRow, OrderRow, Part, Position, TradeRow};
use buttonwood_engine::OrderState;
use buttonwood_engine::perp::Infrequent;
use buttonwood_engine::perp::off_book::{OffBook, Taken};
use buttonwood_model::{AccountId, OrderId, OrderKind, SessionId, Side, Stamp};
use buttonwood_num::{Grid, Money, Price, Qty, Round};

impl Fold {
    /// Records the rows of an event, before it is applied.
    pub(super) fn record_perpetual(&self, stamp: Stamp, event: &Infrequent, sink: &mut impl Sink) {
        match event {
            Infrequent::OffBookTaken(taken) => self.record_off_book(stamp, taken, sink),
            Infrequent::FundingCut(cut) => {
                for (symbol, amount) in &cut.amounts {
                    sink.funding(&FundingRow {
                        account: None,
                        symbol: *symbol,
                        hour: cut.hour,
                        amount: *amount,
                    });
                }
            }
            Infrequent::FundingPaid(paid) => {
                for payment in &paid.payments {
                    let (account, symbol, amount) = (Some(payment.account), payment.symbol, payment.amount);
                    sink.funding(&FundingRow { account, symbol, hour: paid.hour, amount });
                }
            }
            Infrequent::IndexPinned(..)
            | Infrequent::FeedPriced(_)
            | Infrequent::MarksTaken(..)
            | Infrequent::RiskSet(..)
            | Infrequent::Resumed(_)
            | Infrequent::RoundBegun(_)
            | Infrequent::LiquidationEnded(_) => {}
        }
    }

    /// Records the trades off the book of one round, and the orders that they complete.
    fn record_off_book(&self, stamp: Stamp, taken: &Taken, sink: &mut impl Sink) {
        let symbol = self.state.symbol(taken.symbol).expect("a contract is listed");
        let mut own = Order::new(taken.account, taken.side, taken.order);
        for trade in &taken.trades {
            let mut other = Order::new(trade.account, taken.side.opposite(), trade.order);
            for order in [&mut own, &mut other] {
                order.trade(stamp, taken, (trade, &symbol.grid), sink);
            }
            other.close(stamp, taken, sink);
        }
        if !taken.trades.is_empty() {
            own.close(stamp, taken, sink);
        }
    }
}

/// An order that trades off the book and is filled at once.
struct Order {
    account: AccountId,
    side: Side,
    id: OrderId,
    filled: Qty,
    notional: Money,
    /// The row of its newest trade.
    newest: Option<Position>,
}

impl Order {
    fn new(account: AccountId, side: Side, id: OrderId) -> Self {
        Self { account, side, id, filled: Qty::ZERO, notional: Money::ZERO, newest: None }
    }

    fn trade(&mut self, stamp: Stamp, taken: &Taken, (trade, grid): (&OffBook, &Grid), sink: &mut impl Sink) {
        let base = grid.base(trade.qty).expect("a part of a position");
        let value = base.times(trade.price, Round::Cut).expect("the decision bounds it");
        self.filled += trade.qty;
        self.notional = self.notional.capped_add(value);
        let row = TradeRow {
            account: self.account,
            symbol: taken.symbol,
            order: self.id,
            trade: trade.trade,
            time: stamp.time,
            side: self.side,
            part: Part::OffBook(trade.price),
            price: on_grid(grid, trade.price),
            qty: trade.qty,
            fee: Money::ZERO,
            client_id: None,
            of_order: self.newest,
        };
        self.newest = Some(sink.trade(&row));
    }

    fn close(&self, stamp: Stamp, taken: &Taken, sink: &mut impl Sink) {
        let order = OrderState {
            id: self.id,
            account: self.account,
            session: SessionId::EXCHANGE,
            symbol: taken.symbol,
            side: self.side,
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
