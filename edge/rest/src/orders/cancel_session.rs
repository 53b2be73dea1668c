//! `POST /v1/order/cancel/session`: cancel what the calling key has placed (ORD-060 to ORD-062).

use super::refused;
use crate::app::App;
use crate::call::Call;
use crate::route::{Route, Write};
use buttonwood_engine::{Body, Outcome, TradingCommand};
use buttonwood_gate::{Kind, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::Role;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::json;

/// Trader only; draws on the capacity reserved for cancels.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/order/cancel/session", Write { command, answer, closed: None })
        .roles(&[Role::Trader])
        .scope("orders:create")
        .kind(Kind::Cancels);

fn command(_app: &App, _call: &Call) -> Result<Body, Refusal> {
    Ok(Body::Trading(TradingCommand::CancelSession))
}

/// Every order that was live is cancelled, but those that wait for an auction and are too late to leave it (AUCT-003).
pub(super) fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    if let Outcome::Rejected(reject) = receipt.outcome {
        return Err(refused::refusal(app, call, reject));
    }
    let body = json::object(128, |json| {
        json.plain("result", "ok");
        json.object_field("details", |json| {
            json.array_field("cancelledOrders", &receipt.cancelled, |json, id| json.number_item(id.0));
            json.array_field("cancelRejects", &receipt.kept, |json, id| json.number_item(id.0));
        });
    });
    Ok(Reply::json(body))
}
