//! `POST /v1/order/cancel/session`: cancel the orders that the calling key has placed (ORD-060 to ORD-062).

use buttonwood_call::{App, Call, Route, Write, core_refusal};
use buttonwood_engine::{Body, TradingCommand};
use buttonwood_gate::{Kind, Refusal};
use buttonwood_http::Reply;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::contract::Done;
use buttonwood_wire::order::CancelledOrders;
use buttonwood_wire::{answer, json};

/// Trader only; draws on the capacity reserved for cancels.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/order/cancel/session", Write { command, answer, closed: None })
        .right(TradingCommand::RIGHT)
        .kind(Kind::Cancel)
        .about("Cancels every live order that the key has placed.")
        .notes(&["A master key cancels what it placed on the account that the call names. With orders on \
             several accounts, send one call for each."])
        .gives::<Cancelled>();

answer! {
    /// Which orders were cancelled.
    pub(super) struct Cancelled {
        /// Always `ok`.
        result: Done,
        /// The orders, by their ids.
        details: CancelledOrders,
    }
}

fn command(_app: &App, _call: &Call) -> Result<Body, Refusal> {
    Ok(Body::Trading(TradingCommand::CancelSession))
}

/// Every order that was live is cancelled, but those that wait for an auction and are too late to leave it (AUCT-003).
pub(super) fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    receipt.done().map_err(|reject| core_refusal(app, call, reject))?;
    Ok(Reply::json(json::body(&Cancelled { result: Done, details: CancelledOrders::of(&receipt.withdrawn) })))
}
