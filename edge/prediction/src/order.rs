//! `POST /v1/prediction-markets/order`: places an order of a contract (PM-013 to PM-020).

use super::not_found;
use super::refusal::{before_fields, of_order};
use buttonwood_call::{App, Call, Kinds, Orders, Route, Write};
use buttonwood_engine::{Body, OrderState, TradingCommand};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::Time;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::draft::Draft;
use buttonwood_wire::field::failed;
use buttonwood_wire::json;
use buttonwood_wire::prediction_order::{ContractOrder, NewContractOrder, OwnOrder, Terms};
use http::StatusCode;

/// Trader only.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/prediction-markets/order", Write { command, answer, closed: None })
        .right(TradingCommand::RIGHT)
        .kinds(Kinds::Trading)
        .coded()
        .creates()
        .about("Places an order of a contract.")
        .notes(&[
            "Every well-formed order that can be paid for is placed, also when it ends cancelled at once. A buy holds its price times \
             its quantity and the larger of both fees, a sell holds the claims. A group that has not accepted the latest terms is \
             refused with 403 `TERMS_NOT_ACCEPTED`, too little money or too few claims with 422 `InsufficientFunds`.",
            "Bids of a contract's one book are buys of yes and sales of no, asks are sales of yes and buys of no: a buy of no at 0.40 \
             is an ask for yes at 0.60. Free pairs of yes and no net at once, and pay a dollar each.",
        ])
        .places(&Orders { of_contracts: true, draft: |payload| Draft::of_contract(payload), refusal: of_order })
        .takes::<NewContractOrder>()
        .gives::<ContractOrder>()
        .refuses(&[404, 422]);

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    // Terms come before fields. The core checks them before it places an order, so a call with good fields need not wait for the views.
    let read = || {
        let draft = Draft::of_contract(call.payload());
        let terms = Terms::of(&draft)?;
        let found = app.find_contract(terms.symbol).ok_or_else(|| not_found("Contract", terms.symbol));
        found.and_then(|(id, symbol)| terms.place(id, symbol))
    };
    match read() {
        Ok(place) => Ok(TradingCommand::Place(place).into()),
        Err(refusal) => Err(before_fields(app, call).unwrap_or(refusal)),
    }
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let order =
        receipt.order().map_err(|reject| of_order(app, call, &Draft::of_contract(call.payload()), reject))?;
    let shown = shown(app, order, receipt.stamp.time)?;
    Ok(Reply::json(json::body(&shown)).with_status(StatusCode::CREATED))
}

/// An order that changed at a time.
///
/// # Errors
/// The refusal of a failure, if the order cannot be shown.
pub(super) fn shown(app: &App, order: &OrderState, time: Time) -> Result<ContractOrder, Refusal> {
    let own = OwnOrder::of(app.names.symbol(order.symbol), order, time);
    own.and_then(|own| own.shown(app.exchange.views().state())).ok_or_else(failed)
}
