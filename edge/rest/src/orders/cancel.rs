//! `POST /v1/order/cancel`: cancel one order (ORD-056 to ORD-059).

use super::{body, new, refused};
use crate::app::App;
use crate::call::Call;
use crate::field::{bad_value, failed};
use crate::json;
use crate::reply::Reply;
use crate::route::{Route, Write};
use buttonwood_engine::{Body, OrderRef, OrderState, Outcome};
use buttonwood_gate::{Kind, Payload, Reason, Refusal};
use buttonwood_model::{OrderId, Role};
use buttonwood_sequencer::Receipt;

/// Trader only; draws on the capacity reserved for cancels.
pub(crate) const ROUTE: Route = Route::writing("/v1/order/cancel", Write { command, answer })
    .roles(&[Role::Trader])
    .scope("orders:create")
    .kind(Kind::Cancels);

fn command(_app: &App, call: &Call) -> Result<Body, Refusal> {
    order_ref(call.payload()).map(Body::Cancel)
}

/// Cancelling twice is not an error: the order is returned as it is (ORD-057).
fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let order = match receipt.outcome {
        Outcome::Order(order) => order,
        Outcome::NotLive => closed(app, call, receipt)?,
        Outcome::Rejected(reject) => return Err(refused::refusal(app, call, reject)),
        Outcome::Done => return Err(failed()),
    };
    Ok(Reply::json(json::object(body::ORDER_BYTES, |json| body::order(json, app, &order, None))))
}

/// The order as it was closed before the cancel had its turn. One that was placed after it may be live by now, and would
/// look as if it had outlived its cancel.
fn closed(app: &App, call: &Call, receipt: &Receipt) -> Result<OrderState, Refusal> {
    let order = order_ref(call.payload())?;
    let found = app.exchange.views().find_closed(call.account(), &order, receipt.stamp.time);
    let found = found.map_err(|fault| {
        tracing::error!(%fault, "history cannot be read");
        failed()
    })?;
    found.map(|found| found.order).ok_or_else(|| not_found(&order))
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
