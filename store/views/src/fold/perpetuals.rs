//! Perpetuals: trades off the book and funding, as rows of the history.
//!
//! A trade off the book is an order and a trade of both accounts, and nothing public: no tape, candle or volume (D-52).

use super::off_book::{Order, Out, Trade};
use super::{Fold, Recorded, Sink};
use crate::history::FundingRow;
use buttonwood_engine::perp::Infrequent;
use buttonwood_engine::perp::off_book::Taken;
use buttonwood_model::Stamp;

impl Recorded for Infrequent {
    fn record(&self, fold: &mut Fold, stamp: Stamp, sink: &mut impl Sink) {
        match self {
            Self::OffBookTaken(taken) => fold.record_off_book(stamp, taken, sink),
            Self::FundingCut(cut) => {
                for (symbol, amount) in &cut.amounts {
                    sink.row(&FundingRow { account: None, symbol: *symbol, hour: cut.hour, amount: *amount });
                }
            }
            Self::FundingPaid(paid) => {
                for payment in &paid.payments {
                    let (account, symbol, amount) = (Some(payment.account), payment.symbol, payment.amount);
                    sink.row(&FundingRow { account, symbol, hour: paid.hour, amount });
                }
            }
            Self::MarksTaken(marks, ..) => {
                for marked in marks {
                    sink.marked(marked.symbol, marked.contract.mark);
                }
            }
            Self::IndexPinned(..)
            | Self::FeedPriced(_)
            | Self::RiskSet(..)
            | Self::Resumed(_)
            | Self::RoundBegun(_)
            | Self::LiquidationEnded(_)
            | Self::FundOffers(_)
            | Self::FundOffered(_)
            | Self::FundFlattened(_)
            | Self::FundingSet(_)
            | Self::CollateralSet(_) => {}
        }
    }
}

impl Fold {
    /// Records the trades off the book of one round, and the orders that they complete.
    fn record_off_book(&mut self, stamp: Stamp, taken: &Taken, sink: &mut impl Sink) {
        if taken.trades.is_empty() {
            return;
        }
        let Self { state, places, .. } = self;
        let grid = &state.symbol(taken.symbol).expect("a contract is listed").grid;
        let mut out = Out { stamp, places, sink };
        let all = taken.trades.iter().map(|trade| trade.qty).sum();
        let mut own = Order::enter((taken.account, taken.side, taken.order), taken.symbol, all, &mut out);
        for trade in &taken.trades {
            let placed = (trade.account, taken.side.opposite(), trade.order);
            let mut other = Order::enter(placed, taken.symbol, trade.qty, &mut out);
            let traded = Trade { id: trade.trade, price: trade.price, qty: trade.qty };
            for order in [&mut own, &mut other] {
                order.trade(traded, grid, &mut out);
            }
            other.close(&mut out);
        }
        own.close(&mut out);
    }
}
