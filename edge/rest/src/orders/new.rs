//! `POST /v1/order/new`: place an order (ORD-024 to ORD-036, ORD-043 to ORD-045).

use crate::orders::checks::{check_open, is_closed_to};
use buttonwood_call::{App, Call, Kinds, Orders, Route, Write, core_refusal};
use buttonwood_engine::{Body, TradingCommand};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::answers::Order;
use buttonwood_wire::field::{closed_symbol, unknown_symbol};
use buttonwood_wire::order_request::NewOrder;
use buttonwood_wire::{json, order, order_request};
use std::sync::Arc;

/// Trader only.
pub(crate) const ROUTE: Route = Route::writing("/v1/order/new", Write { command, answer, closed: None })
    .right(TradingCommand::RIGHT)
    .kinds(Kinds::Trading)
    .about("Places an order.")
    .notes(&[
        "A market buy takes `amount` or `total_spend`, not both. A market sell takes `amount` alone, and \
         a limit order ignores `total_spend`.",
    ])
    .places(&Orders { of_contracts: false, refused, refusal: core_refusal })
    .takes::<NewOrder>()
    .gives::<Order>()
    .refuses(&[406]);

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    let payload = call.payload();
    check_open(app, call)?;
    let named = order_request::symbol_name(payload)?;
    let (id, symbol) = app.find_symbol(&named).ok_or_else(|| unknown_symbol(&named))?;
    if !symbol.closed_to.is_empty() && is_closed_to(app, call, symbol) {
        return Err(closed_symbol(&named));
    }
    let place = order_request::place(payload, id, symbol)?;
    order_request::check_stop_apart(&place, symbol)?;
    Ok(TradingCommand::Place(place).into())
}

/// The command that keeps the refusal of an order that could be read (D-147).
fn refused(app: &App, call: &Call, refusal: &Refusal) -> Option<Body> {
    let (id, symbol) = app.find_symbol(&call.payload().decimal_text("symbol")?)?;
    let draft = order_request::refused(call.payload(), id, symbol, refusal)?;
    Some(TradingCommand::Refuse(Arc::new(draft)).into())
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let order = receipt.order().map_err(|reject| core_refusal(app, call, reject))?;
    Ok(Reply::json(json::object(order::ORDER_BYTES, |json| order::order(json, &app.names, order, None))))
}
