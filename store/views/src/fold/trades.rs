//! Trades on the books, and orders that close, as rows of the history.

use super::statement::Share;
use super::{Fold, Sink};
use crate::OrderFill;
use crate::history::{OrderRow, Part, Position, PublicTrade, TradeRow};
use crate::order_event::Step;
use crate::told::Removed;
use buttonwood_engine::OrderState;
use buttonwood_model::{AccountId, CancelReason, Side, Slot, Stamp, SymbolId, TradeId};
use buttonwood_num::{Money, Price, Qty};

impl Fold {
    /// Records a trade of the taker with a resting order, before it is applied: the resting order's part first.
    pub(super) fn record_fill(&mut self, stamp: Stamp, fill: &Fill, sink: &mut impl Sink) {
        let taking = self.state.taking();
        let maker = *self.state.orders().get(fill.maker);
        let (symbol, price, qty) = (maker.symbol, maker.price, fill.qty);
        let notional = self.notional(symbol, price, qty);
        let accounts = [maker.account, self.state.orders().get(taking).account];
        let counted = self.counted(stamp, symbol, notional, accounts);
        let trade = Traded { trade: fill.trade, stamp, price, qty, notional, counted };
        let parts = [(fill.maker, fill.maker_fee, Part::Maker), (taking, fill.taker_fee, Part::Taker)];
        for (slot, fee, part) in parts {
            self.record_part(slot, &trade, fee, part, sink);
        }
        sink.row(&trade.public(symbol, Some(maker.side().opposite())));
        sink.reduced(symbol, maker.side(), price, qty, Removed::Traded);
        self.tape.trade(symbol, stamp.time, price, qty, notional);
        self.candles.trade(symbol, stamp.time, price, qty);
    }

    /// Records a trade of two resting orders, before it is applied.
    pub(super) fn record_crossing(&mut self, stamp: Stamp, crossing: &Crossing, sink: &mut impl Sink) {
        let Crossing { slots, trade, price, qty, fees } = *crossing;
        let symbol = self.state.orders().get(slots[0]).symbol;
        let notional = self.notional(symbol, price, qty);
        let accounts = slots.map(|slot| self.state.orders().get(slot).account);
        let counted = self.counted(stamp, symbol, notional, accounts);
        let trade = Traded { trade, stamp, price, qty, notional, counted };
        sink.row(&trade.public(symbol, None));
        self.tape.trade(symbol, stamp.time, price, qty, notional);
        self.candles.trade(symbol, stamp.time, price, qty);
        for (slot, fee) in slots.into_iter().zip(fees) {
            self.record_part(slot, &trade, fee, Part::Auction, sink);
            let order = self.state.orders().get(slot);
            if !order.is_auction_only() {
                sink.reduced(symbol, order.side(), order.price, qty, Removed::Traded);
            }
        }
    }

    /// Records an order's part in a trade, and that it is closed, if it rests and the trade is its last. A taker closes with an event of
    /// its own.
    fn record_part(&mut self, slot: Slot, trade: &Traded, fee: Money, part: Part, sink: &mut impl Sink) {
        let Traded { stamp, qty, notional, .. } = *trade;
        let class = self.state.orders().get(slot).class();
        let mut order = OrderState::with_broken(self.state.floor(), slot);
        let (symbol, is_taker) = (order.symbol, part == Part::Taker);
        let share = Share { account: order.account, side: order.side, qty, notional, fee, is_taker };
        let settled = self.settled(symbol, &share);
        let (claim, side, price) = self.own_view(symbol, class, trade.price);
        // Trades of contracts count in no volume of an account.
        if !symbol.is_contract() {
            self.volumes.record(order.account, symbol, stamp.time, (order.side, part), (qty, notional));
        }
        let row = TradeRow {
            account: order.account,
            symbol,
            order: order.id,
            trade: trade.trade,
            time: stamp.time,
            claim,
            side,
            part,
            price,
            qty,
            fee,
            client_id: order.client_id,
            of_order: self.trades_of(slot),
            settled,
            counted: trade.counted,
        };
        let position = sink.row(&row);
        if symbol.is_contract() && side == Side::Sell {
            self.record_sale(&row, notional, sink);
        }
        self.link(slot, Some(position));
        order.remaining -= qty;
        order.notional = order.notional.capped_add(notional);
        let closes = !is_taker && order.remaining == Qty::ZERO;
        let ended = if closes { Some(self.put_closed(stamp, slot, &order, sink)) } else { None };
        let step = (Step::Filled(OrderFill::from(&row)), closes);
        self.places.put(stamp, step, &order, [Some(position), ended], sink);
    }

    /// Stores an order as it ended, and returns its row: one of a contract has a file of its own.
    fn put_closed(&self, stamp: Stamp, slot: Slot, order: &OrderState, sink: &mut impl Sink) -> Position {
        if order.symbol.is_contract() {
            self.put_contract_order(stamp, order, sink)
        } else {
            sink.row(&OrderRow { order: *order, closed: stamp.time, trades: self.trades_of(slot) })
        }
    }

    /// The dollars that a trade counts in volumes before it is applied, if it counts by references.
    fn counted(
        &self,
        stamp: Stamp,
        symbol: SymbolId,
        notional: Money,
        accounts: [AccountId; 2],
    ) -> Option<Money> {
        let goes = !symbol.is_contract() && self.state.volumes().goes_by_reference(symbol);
        goes.then(|| self.state.counted(stamp.time, symbol, notional, accounts))
    }

    /// Price times quantity, in quote currency.
    pub(super) fn notional(&self, symbol: SymbolId, price: Price, qty: Qty) -> Money {
        let symbol = self.state.symbol(symbol).expect("an order's symbol is listed");
        symbol.grid.notional(price, qty).expect("a fill is no larger than its resting order")
    }

    /// Records that an order is closed: filled, or cancelled for a reason.
    pub(super) fn close(
        &mut self,
        stamp: Stamp,
        slot: Slot,
        reason: Option<CancelReason>,
        sink: &mut impl Sink,
    ) {
        let order = OrderState { reason, ..OrderState::with_broken(self.state.floor(), slot) };
        let closed = self.put_closed(stamp, slot, &order, sink);
        let step = reason.map_or((Step::Closed, false), |reason| (Step::Cancelled(reason), true));
        self.places.put(stamp, step, &order, [None, Some(closed)], sink);
    }
}

/// The data that both parts of a trade share.
struct Traded {
    trade: TradeId,
    stamp: Stamp,
    price: Price,
    qty: Qty,
    notional: Money,
    /// In volumes, if it counts by references.
    counted: Option<Money>,
}

impl Traded {
    fn public(&self, symbol: SymbolId, taker: Option<Side>) -> PublicTrade {
        let Self { trade, stamp, price, qty, .. } = *self;
        PublicTrade { symbol, trade, time: stamp.time, price, qty, taker }
    }
}

/// A trade of two resting orders.
pub(super) struct Crossing {
    pub(super) slots: [Slot; 2],
    pub(super) trade: TradeId,
    pub(super) price: Price,
    pub(super) qty: Qty,
    pub(super) fees: [Money; 2],
}

/// A trade of the taker with a resting order.
pub(super) struct Fill {
    pub(super) maker: Slot,
    pub(super) trade: TradeId,
    pub(super) qty: Qty,
    pub(super) maker_fee: Money,
    pub(super) taker_fee: Money,
}
