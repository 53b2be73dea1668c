//! `POST /v1/order/cancel`: cancel one order (ORD-056 to ORD-059).

use super::{body, new, refused, status};
use crate::app::App;
use crate::call::Call;
use crate::field::{bad_value, failed};
use crate::json;
use crate::reply::Reply;
use crate::route::{Later, Route, Write};
use buttonwood_engine::{Body, OrderRef, OrderState, Outcome};
use buttonwood_gate::{Kind, Payload, Reason, Refusal};
use buttonwood_model::{OrderId, Role};
use buttonwood_sequencer::Receipt;
use buttonwood_views::Found;

/// Trader only; draws on the capacity reserved for cancels.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/order/cancel", Write { command, answer, closed: Some(closed) })
        .roles(&[Role::Trader])
        .scope("orders:create")
        .kind(Kind::Cancels);

fn command(_app: &App, call: &Call) -> Result<Body, Refusal> {
    order_ref(call.payload()).map(Body::Cancel)
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let order = match receipt.outcome {
        Outcome::Order(order) => order,
        Outcome::Rejected(reject) => return Err(refused::refusal(app, call, reject)),
        Outcome::NotLive | Outcome::Done => return Err(failed()),
    };
    Ok(reply(app, &order))
}

/// Cancelling twice is not an error: the order is returned as it was closed before the cancel had its turn (ORD-057). One
/// that was placed after it may be live by now, and would look as if it had outlived its cancel.
fn closed<'a>(app: &'a App, call: &'a Call, receipt: &'a Receipt) -> Later<'a> {
    let (account, by) = (call.account(), receipt.stamp.time);
    Box::pin(async move {
        let order = order_ref(call.payload())?;
        let found = app.exchange.recall(move |history| Found::closed_by(by, history, account, &order)).await;
        let found = found.map_err(|fault| status::unread(&fault))?;
        found.map(|found| reply(app, &found.order)).ok_or_else(|| not_found(&order))
    })
}

fn reply(app: &App, order: &OrderState) -> Reply {
    Reply::json(json::object(body::ORDER_BYTES, |json| body::order(json, app, order, None)))
}

/// Which order the payload names: by `order_id` or by `client_order_id`, never both (ORD-059, ORD-066).
pub(super) fn order_ref(payload: &Payload) -> Result<OrderRef, Refusal> {
    match (payload.integer("order_id")?, new::client_id(payload)?) {
        (Some(id), None) => Ok(OrderRef::Id(OrderId(id))),
        (None, Some(client_id)) => Ok(OrderRef::ClientId(client_id)),
        (Some(id), Some(client_id)) => {
            let both = format!("{id} and {}", client_id.as_str());
            Err(bad_value("order_id", "given without 'client_order_id'", &both))
        }
        (None, None) => {
            let message = "Missing required field 'order_id' (or 'client_order_id')";
            Err(Refusal::new(Reason::MissingOrderField, message))
        }
    }
}

/// No such order of the account's, whoever else's it may be (ORD-058).
pub(super) fn not_found(order: &OrderRef) -> Refusal {
    let message = match order {
        OrderRef::Id(id) => format!("Order {} not found", id.0),
        OrderRef::ClientId(client_id) => {
            format!("Order with client_order_id '{}' not found", client_id.as_str())
        }
    };
    Refusal::new(Reason::OrderNotFound, message)
}
