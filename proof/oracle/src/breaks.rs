//! The trades of an exchange, and breaks of them with the figures that the core compares.

use crate::dice::Dice;
use crate::exchange::Exchange;
use buttonwood_engine::{Body, Break, BreakKind, Event, Figures, Party, State, TradingCommand, TradingEvent};
use buttonwood_model::{Side, Slot, SymbolId, Time, TradeId};
use buttonwood_num::Money;
use std::sync::Arc;

/// The trade that an event makes, if it makes one, and what it counts in volumes; read before the event is applied.
pub(crate) fn trade_of(state: &State, time: Time, event: &Event) -> Option<(Break, Money)> {
    let party = |slot: Slot, fee: Money| {
        let order = state.orders().get(slot);
        Party { account: order.account, order: order.id, fee }
    };
    let Event::Trading(event) = event else { return None };
    let (trade, maker, price, qty, taker, [buyer, seller]) = match *event {
        TradingEvent::Filled { maker, trade, qty, maker_fee, taker_fee } => {
            let resting = state.orders().get(maker);
            let taker = resting.side().opposite();
            let parties = [party(state.taking(), taker_fee), party(maker, maker_fee)];
            let [entered, rested] = parties;
            let parties = if taker == Side::Buy { parties } else { [rested, entered] };
            (trade, maker, resting.price, qty, Some(taker), parties)
        }
        TradingEvent::Crossed { buy, sell, trade, price, qty, fees: [buyer, seller] } => {
            (trade, buy, price, qty, None, [party(buy, buyer), party(sell, seller)])
        }
        TradingEvent::Rested { .. }
        | TradingEvent::Placed(_)
        | TradingEvent::Booked { .. }
        | TradingEvent::Suspended { .. }
        | TradingEvent::Triggered { .. }
        | TradingEvent::Completed
        | TradingEvent::Cancelled { .. }
        | TradingEvent::CancelRejected { .. } => return None,
    };
    let symbol = state.orders().get(maker).symbol;
    let notional = state.symbol(symbol)?.grid.notional(price, qty)?;
    let traded =
        Break { trade, symbol, time, price, qty, taker, buyer, seller, figures: None, is_off_book: false };
    let accounts = [traded.buyer.account, traded.seller.account];
    Some((traded, state.counted(time, symbol, notional, accounts)))
}

impl Exchange {
    /// A random trade, most often one of the last few; none before the first.
    pub fn some_trade(&self, dice: &mut Dice) -> Option<TradeId> {
        let count = u64::try_from(self.trades.len()).unwrap();
        let reach = dice.pick(&[3, 30, u64::MAX]).min(count);
        let back = usize::try_from(dice.below(reach.max(1))).unwrap();
        self.trades.iter().rev().nth(back).map(|trade| trade.trade)
    }

    /// A break of some trade; at times one that the exchange refuses.
    pub(crate) fn some_break(&self, dice: &mut Dice) -> Option<Body> {
        let trade = self.some_trade(dice)?;
        let mut broken = self.trades.iter().rfind(|known| known.trade == trade)?.clone();
        if !dice.once_in(4) {
            broken.figures = Some(self.figures_without(&broken));
        }
        match (dice.below(30), &mut broken.figures) {
            // An id that was not given yet, that of an order, figures that are too old.
            (0, _) => broken.trade = TradeId(trade.0 + 1_000_000),
            (1, _) => {
                broken.trade = TradeId(self.state.orders().in_any_order(broken.buyer.account).next()?.1.id.0);
            }
            (2, Some(figures)) => figures.newest = TradeId(figures.newest.0 - 1),
            (3, Some(figures)) => figures.breaks += 1,
            _ => {}
        }
        Some(Body::Trading(TradingCommand::BreakTrade(Arc::new(broken))))
    }

    /// A full break of a symbol's newest trade that is not broken yet; none without one.
    pub fn break_newest(&self, symbol: SymbolId) -> Option<Body> {
        let breaks = &self.state.floor().breaks;
        let is_whole = |trade: &&Break| trade.symbol == symbol && breaks.of(symbol, trade.trade).is_none();
        let mut broken = self.trades.iter().rfind(is_whole)?.clone();
        broken.figures = Some(self.figures_without(&broken));
        Some(Body::Trading(TradingCommand::BreakTrade(Arc::new(broken))))
    }

    /// The figures that the core compares. It knows no intervals.
    fn figures_without(&self, broken: &Break) -> Figures {
        let breaks = &self.state.floor().breaks;
        let counts = |trade: &&Break| {
            trade.trade != broken.trade
                && trade.symbol == broken.symbol
                && breaks.of(trade.symbol, trade.trade) != Some(BreakKind::Full)
        };
        let is_broken = |known: &(&Break, &Money)| known.0.trade == broken.trade;
        let newest = self.trades.iter().rfind(|trade| trade.symbol == broken.symbol).unwrap();
        Figures {
            newest: newest.trade,
            breaks: u64::try_from(breaks.len()).unwrap(),
            last: self.trades.iter().rev().find(counts).map(|trade| trade.price),
            before: None,
            after: None,
            value: self
                .trades
                .iter()
                .zip(&self.dollars)
                .rfind(is_broken)
                .map_or(Money::ZERO, |known| *known.1),
            intervals: Vec::new(),
        }
    }
}
