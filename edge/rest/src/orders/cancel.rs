//! `POST /v1/order/cancel`: cancel one order (ORD-056 to ORD-059).

use crate::orders::elsewhere;
use buttonwood_call::{App, Call, Later, Route, Write, core_refusal, unread};
use buttonwood_engine::{Body, OrderState, TradingCommand};
use buttonwood_gate::{Kind, Refusal};
use buttonwood_http::Reply;
use buttonwood_sequencer::Receipt;
use buttonwood_views::Found;
use buttonwood_wire::answers::Order;
use buttonwood_wire::order_request::{NamedOrder, order_ref};
use buttonwood_wire::{json, order};

/// Trader only; draws on the capacity reserved for cancels.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/order/cancel", Write { command, answer, closed: Some(closed) })
        .right(TradingCommand::RIGHT)
        .kind(Kind::Cancel)
        .about("Cancels an order. Cancelling twice is no error.")
        .notes(&[
            "The id of a wrap or an instant order is answered with that conversion, which is closed. The refusal of a live order of a \
             contract names the list that has it.",
        ])
        .takes::<NamedOrder>()
        .gives::<Order>()
        .refuses(&[404]);

fn command(_app: &App, call: &Call) -> Result<Body, Refusal> {
    order_ref(call.payload()).map(|order| TradingCommand::Cancel(order).into())
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let order = receipt.order().map_err(|reject| core_refusal(app, call, reject))?;
    Ok(reply(app, order))
}

/// Cancelling twice is not an error: the answer is the order that was closed before the cancel had its turn (ORD-057).
/// An order that was placed later under the same name may be live by now, and would look as if it had outlived its
/// cancel.
fn closed<'a>(app: &'a App, call: &'a Call, receipt: &'a Receipt) -> Later<'a> {
    let (account, by) = (call.account(), receipt.stamp.time);
    Box::pin(async move {
        let named = order_ref(call.payload())?;
        let found = app
            .exchange
            .query_history(move |history| Found::closed_or_converted_by(by, history, account, &named))
            .await;
        let found = found.map_err(|fault| unread(&fault))?;
        let found = found.ok_or_else(|| elsewhere::not_cancelled(app, account, &named))?;
        let found = found.corrected(&app.exchange.views().state().floor().breaks);
        Ok(reply(app, &found.order))
    })
}

fn reply(app: &App, state: &OrderState) -> Reply {
    Reply::json(json::object(order::ORDER_BYTES, |json| order::order(json, &app.names, state, None)))
}
