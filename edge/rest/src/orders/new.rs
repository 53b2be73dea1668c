//! `POST /v1/order/new`: place an order (ORD-024 to ORD-036, ORD-043 to ORD-045).

use crate::orders::checks::{check_open, is_closed_to};
use buttonwood_call::{App, Call, Kinds, Orders, Route, Write, refusal_of_order};
use buttonwood_engine::{Body, TradingCommand};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::answers::Order;
use buttonwood_wire::draft::Draft;
use buttonwood_wire::field::{closed_symbol, unknown_symbol};
use buttonwood_wire::order_request::NewOrder;
use buttonwood_wire::{json, order, order_request};

/// Trader only.
pub(crate) const ROUTE: Route = Route::writing("/v1/order/new", Write { command, answer, closed: None })
    .right(TradingCommand::RIGHT)
    .kinds(Kinds::Trading)
    .about("Places an order.")
    .notes(&[
        "A market buy takes `amount` or `total_spend`, not both. A market sell takes `amount` alone, and \
         a limit order ignores `total_spend`.",
    ])
    .places(&Orders {
        of_contracts: false,
        draft: |payload| Draft::of_order(payload),
        refusal: refusal_of_order,
    })
    .takes::<NewOrder>()
    .gives::<Order>()
    .refuses(&[406]);

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    check_open(app, call)?;
    let draft = Draft::of_order(call.payload());
    let named = order_request::symbol_name(&draft)?;
    let (id, symbol) = app.find_symbol(named).ok_or_else(|| unknown_symbol(named))?;
    if !symbol.closed_to.is_empty() && is_closed_to(app, call, symbol) {
        return Err(closed_symbol(named));
    }
    let place = draft.place(id, symbol)?;
    order_request::check_stop_apart(&place, symbol)?;
    Ok(TradingCommand::Place(place).into())
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let order = receipt
        .order()
        .map_err(|reject| refusal_of_order(app, call, &Draft::of_order(call.payload()), reject))?;
    Ok(Reply::json(json::object(order::ORDER_BYTES, |json| order::order(json, &app.names, order, None))))
}
