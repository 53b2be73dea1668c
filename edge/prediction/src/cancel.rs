//! `POST /v1/prediction-markets/order/cancel`: cancels an order of a contract (PM-021).

use buttonwood_call::{App, Call, Later, Route, Write, core_refusal, not_current};
use buttonwood_engine::{Body, PredictionCommand};
use buttonwood_gate::{Kind, Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, OrderId};
use buttonwood_sequencer::Receipt;
use buttonwood_wire::contract::{Done, InPayload, Needed, Whole};
use buttonwood_wire::{answer, json, request};

/// Trader only; draws on the capacity reserved for cancels.
pub(crate) const ROUTE: Route = Route::writing(
    "/v1/prediction-markets/order/cancel",
    Write { command, answer, closed: Some(closed) },
)
.right(PredictionCommand::RIGHT)
.kind(Kind::Cancel)
.coded()
.about("Cancels an order of a contract.")
.notes(&[
    "An order that is filled or cancelled already is refused with 422 `OrderNotCancellable`, an unknown one and another account's with \
     404 `OrderNotFound`. A cancel needs no acceptance of the terms.",
])
.takes::<NamedContractOrder>()
.gives::<ContractOrderCancelled>()
.refuses(&[404, 422]);

request! {
    /// An order of a contract.
    struct NamedContractOrder in InPayload {
        /// The exchange's id of the order.
        order_id as "orderId": Needed<Whole>,
    }
}

answer! {
    /// An order of a contract was cancelled.
    struct ContractOrderCancelled {
        /// Always `ok`.
        result: Done,
        /// The same for people, with the id of the order.
        message: String,
    }
}

fn command(_app: &App, call: &Call) -> Result<Body, Refusal> {
    let order = NamedContractOrder::of(call.payload()).order_id()?;
    Ok(PredictionCommand::Cancel(OrderId(order)).into())
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let order = receipt.order().map_err(|reject| core_refusal(app, call, reject))?;
    let message = format!("Order {} cancelled successfully", order.id.0);
    Ok(Reply::json(json::body(&ContractOrderCancelled { result: Done, message })))
}

/// The order was not live.
fn closed<'a>(app: &'a App, call: &'a Call, _receipt: &'a Receipt) -> Later<'a> {
    Box::pin(async move {
        let order = NamedContractOrder::of(call.payload()).order_id()?;
        Err(not_live(app, call.account(), OrderId(order)).await)
    })
}

/// The refusal of a cancel of an order that is not live: it is closed, or the account has no such order.
pub(super) async fn not_live(app: &App, account: AccountId, order: OrderId) -> Refusal {
    let found = app.exchange.query_tables(move |tables| tables.contract_order(account, order)).await;
    match found {
        Err(fault) => not_current(&fault),
        Ok(None) => Refusal::new(Reason::OrderNotFound, format!("Order {} not found", order.0)),
        Ok(Some(closed)) => {
            let status = if closed.is_filled() { "filled" } else { "cancelled" };
            let message = format!("Order {} is {status} already", order.0);
            Refusal::coded(422, "OrderNotCancellable", message)
        }
    }
}
