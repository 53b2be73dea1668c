//! An order and a trade as their owner sees them (ORD-001, ORD-014).

use crate::answer;
use crate::json::Json;
use crate::names::Names;
use buttonwood_engine::{BreakKind, OrderState, Withdrawn};
use buttonwood_model::{CancelReason, ExecutionOption, OrderId, OrderKind, Side};
use buttonwood_num::{Grid, MONEY_DECIMALS};
use buttonwood_views::history::{Part, TradeRow};

answer! {
    /// Orders by their ids.
    pub struct CancelledOrders {
        /// The orders that were cancelled.
        cancelled as "cancelledOrders": Vec<u64>,
        /// The orders that stay, because they are too late to leave an auction.
        kept as "cancelRejects": Vec<u64>,
    }
}

impl CancelledOrders {
    /// The orders that a call cancelled, and those that stay.
    pub fn of(withdrawn: &Withdrawn) -> Self {
        let ids = |ids: &[OrderId]| ids.iter().map(|id| id.0).collect();
        let Withdrawn { cancelled, kept } = withdrawn;
        Self { cancelled: ids(cancelled), kept: ids(kept) }
    }
}

/// The name of a side on the wire.
pub const fn side_name(side: Side) -> &'static str {
    match side {
        Side::Buy => "buy",
        Side::Sell => "sell",
    }
}

/// The name of an order's kind on the wire.
pub const fn type_name(order: &OrderState) -> &'static str {
    type_of(order.kind, order.side, order.option)
}

/// The name of the kind of an order with this side and option on the wire.
pub const fn type_of(kind: OrderKind, side: Side, option: Option<ExecutionOption>) -> &'static str {
    match (kind, side) {
        (OrderKind::Limit, _) if matches!(option, Some(ExecutionOption::AuctionOnly)) => {
            "auction-only exchange limit"
        }
        (OrderKind::Limit, _) => "exchange limit",
        (OrderKind::StopLimit, _) => "stop-limit",
        (OrderKind::Market | OrderKind::MarketSpend, Side::Buy) => "market buy",
        (OrderKind::Market | OrderKind::MarketSpend, Side::Sell) => "market sell",
    }
}

/// The name of an execution option on the wire.
pub const fn option_name(option: ExecutionOption) -> &'static str {
    match option {
        ExecutionOption::MakerOrCancel => "maker-or-cancel",
        ExecutionOption::ImmediateOrCancel => "immediate-or-cancel",
        ExecutionOption::FillOrKill => "fill-or-kill",
        ExecutionOption::AuctionOnly => "auction-only",
    }
}

/// The name of a reason why an order was cancelled.
pub const fn reason_name(reason: CancelReason) -> &'static str {
    match reason {
        CancelReason::MakerOrCancelWouldTake => "MakerOrCancelWouldTake",
        CancelReason::ImmediateOrCancelWouldPost => "ImmediateOrCancelWouldPost",
        CancelReason::FillOrKillWouldNotFill => "FillOrKillWouldNotFill",
        CancelReason::SelfCrossPrevented => "SelfCrossPrevented",
        CancelReason::ExceedsPriceLimits => "ExceedsPriceLimits",
        CancelReason::Requested => "Requested",
        CancelReason::MarketClosed => "MarketClosed",
        CancelReason::AuctionCancelled => "AuctionCancelled",
        CancelReason::Uncovered => "Uncovered",
        CancelReason::TradingClosed => "TradingClosed",
        CancelReason::InsufficientFunds => "InsufficientFunds",
    }
}

/// Room for an order without trades.
pub const ORDER_BYTES: usize = 512;

/// Room for a trade.
pub const TRADE_BYTES: usize = 320;

/// Writes an order's fields. `trades` holds its trades as JSON, if the request wants them (ORD-067).
pub fn order(json: &mut Json, names: &Names, order: &OrderState, trades: Option<&[u8]>) {
    let symbol = names.symbol(order.symbol);
    let grid = &symbol.grid;
    json.number_text("order_id", order.id.0);
    json.number_text("id", order.id.0);
    if let Some(client_id) = &order.client_id {
        json.plain("client_order_id", client_id.as_str());
    }
    json.plain("symbol", &symbol.name);
    json.plain("exchange", names.service());
    if matches!(order.kind, OrderKind::Limit | OrderKind::StopLimit) {
        json.decimal("price", |out| grid.push_price(out, order.price));
    }
    json.decimal("avg_execution_price", |out| grid.push_average(out, order.notional, order.executed()));
    json.plain("side", side_name(order.side));
    json.plain("type", type_name(order));
    json.array_field("options", order.option, |json, option| json.plain_item(option_name(option)));
    json.number_text("timestamp", order.placed.seconds());
    json.number("timestampms", order.placed.millis());
    json.flag("is_live", order.is_live());
    json.flag("is_cancelled", order.reason.is_some());
    if let Some(reason) = order.reason {
        json.plain("reason", reason_name(reason));
    }
    json.flag("was_forced", false);
    json.flag("is_hidden", false);
    json.decimal("executed_amount", |out| grid.push_qty(out, order.executed()));
    if order.kind != OrderKind::MarketSpend {
        json.decimal("remaining_amount", |out| grid.push_qty(out, order.remaining));
        json.decimal("original_amount", |out| grid.push_qty(out, order.original));
    }
    if let Some(stop) = order.stop {
        json.decimal("stop_price", |out| grid.push_price(out, stop));
    }
    if let Some(trades) = trades {
        json.elements_field("trades", trades);
    }
}

/// Appends the price of a trade, exactly.
pub fn push_trade_price(out: &mut Vec<u8>, grid: &Grid, row: &TradeRow) {
    match row.part {
        Part::OffBook(price) => price.push_floored(out, MONEY_DECIMALS),
        Part::Maker | Part::Taker | Part::Auction | Part::Clearing => grid.push_price(out, row.price),
    }
}

/// Writes a trade's fields, as they stand in an order's `trades`. `broken` says how it was broken (ORD-021).
pub fn trade(json: &mut Json, names: &Names, row: &TradeRow, broken: Option<BreakKind>) {
    let symbol = names.symbol(row.symbol);
    json.decimal("price", |out| push_trade_price(out, &symbol.grid, row));
    json.decimal("amount", |out| symbol.grid.push_qty(out, row.qty));
    json.number("timestamp", row.time.seconds());
    json.number("timestampms", row.time.millis());
    json.plain("type", if row.side == Side::Buy { "Buy" } else { "Sell" });
    json.flag("aggressor", row.part == Part::Taker);
    json.plain("fee_currency", &names.currency(symbol.quote).code);
    json.decimal("fee_amount", |out| row.fee.push_floored(out, MONEY_DECIMALS));
    json.number("tid", row.trade.0);
    json.number_text("order_id", row.order.0);
    if let Some(client_id) = &row.client_id {
        json.plain("client_order_id", client_id.as_str());
    }
    json.plain("exchange", names.service());
    json.flag("is_auction_fill", row.part == Part::Auction);
    if row.symbol.is_contract() {
        json.plain("outcome", row.claim.name());
    }
    if let Some(kind) = broken {
        json.plain("break", kind.name());
    }
}
