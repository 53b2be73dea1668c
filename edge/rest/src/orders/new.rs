//! `POST /v1/order/new`: place an order (ORD-024 to ORD-036, ORD-043 to ORD-045).

use crate::app::App;
use crate::call::{Acting, Call};
use crate::refused;
use crate::route::{Route, Write};
use buttonwood_engine::{Body, Outcome, TradingAnswer, TradingCommand};
use buttonwood_gate::{Refusal, Value};
use buttonwood_http::Reply;
use buttonwood_model::{Role, Symbol};
use buttonwood_sequencer::Receipt;
use buttonwood_wire::answers::Order;
use buttonwood_wire::field::{closed_symbol, custody_account, failed, unknown_symbol};
use buttonwood_wire::order_request::NewOrder;
use buttonwood_wire::{json, order, order_request};

/// Trader only.
pub(crate) const ROUTE: Route = Route::writing("/v1/order/new", Write { command, answer, closed: None })
    .roles(&[Role::Trader])
    .scope("orders:create")
    .about("Places an order.")
    .takes::<NewOrder>()
    .gives::<Order>()
    .refuses(&[406]);

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    let payload = call.payload();
    check_trades(app, call)?;
    let named = order_request::symbol_name(payload)?;
    let (id, symbol) = app.find_symbol(&named).ok_or_else(|| unknown_symbol(&named))?;
    if !symbol.closed_to.is_empty() && is_closed_to(app, call, symbol) {
        return Err(closed_symbol(&named));
    }
    order_request::place(payload, id, symbol).map(|place| TradingCommand::Place(place).into())
}

/// Refuses a custody account (AUTH-018). The core checks again; here the check comes before the other parameters. Only a call
/// that names its account pays for it: no trader's key belongs to a custody account, so a master key has to name one.
fn check_trades(app: &App, call: &Call) -> Result<(), Refusal> {
    let Some(Value::Text(name)) = Acting::of(call.payload()).account() else { return Ok(()) };
    let views = app.exchange.views();
    let account = views.state().access().account(call.account());
    if account.is_none_or(|account| account.kind.trades()) { Ok(()) } else { Err(custody_account(&name)) }
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    match &receipt.outcome {
        Outcome::Trading(TradingAnswer::Order(state)) => {
            let body = json::object(order::ORDER_BYTES, |json| order::order(json, &app.names, state, None));
            Ok(Reply::json(body))
        }
        Outcome::Rejected(reject) => Err(refused::refusal(app, call, *reject)),
        Outcome::Trading(TradingAnswer::NotLive) | Outcome::Done => Err(failed()),
    }
}

/// Whether the symbol does not exist for the account. The core checks again; here the check comes before the other
/// parameters, as it does for a symbol that is not listed (SYM-005).
#[cold]
fn is_closed_to(app: &App, call: &Call, symbol: &Symbol) -> bool {
    let views = app.exchange.views();
    let account = views.state().access().account(call.account());
    account.is_some_and(|account| symbol.closed_to.contains(&account.jurisdiction))
}
