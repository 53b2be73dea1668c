//! `POST /v1/clearing/cancel`: cancels an order that is not confirmed (CLR-011, CLR-012).

use super::{refusal, terms};
use buttonwood_call::{App, Call, Kinds, Route, Write};
use buttonwood_engine::clearing::{Cancel, Reject as ClearingReject};
use buttonwood_engine::{Body, ClearingAnswer, ClearingCommand, Reject};
use buttonwood_gate::{Kind, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::clearing::ClearingId;
use buttonwood_wire::contract::{InPayload, Label};
use buttonwood_wire::{answer, json, request, words};

/// Trader only; draws on the capacity reserved for cancels.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/clearing/cancel", Write { command, answer, closed: None })
        .right(ClearingCommand::RIGHT)
        .kinds(Kinds::Exchange)
        .kind(Kind::Cancel)
        .about("Cancels a clearing order that is not confirmed.")
        .notes(&[
            "The initiator cancels, and of a broker's order the broker and both sides. What cannot be cancelled is answered with status \
             200 and `failed`, in the same words for every id.",
        ])
        .takes::<ToCancel>()
        .gives::<ClearingCancelled>();

request! {
    /// The order to cancel.
    struct ToCancel in InPayload {
        /// The id of the order.
        clearing_id: ClearingId,
    }
}

words! {
    /// Whether an order was cancelled.
    struct CancelWord: "ok", "failed"
}

answer! {
    /// The result of a cancel.
    struct ClearingCancelled {
        /// Whether the order was cancelled.
        result: CancelWord,
        /// The result, for people.
        details: Label,
    }
}

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    let id = ToCancel::of(call.payload()).clearing_id()?;
    // An id that no order can have is answered as one that no order has: orders are numbered from 1.
    let code = terms::code(&id).unwrap_or_else(|| app.exchange.views().state().clearing().code(0));
    Ok(ClearingCommand::Cancel(Cancel { code }).into())
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let id = ToCancel::of(call.payload()).clearing_id()?;
    let id = quoted(&id);
    let (word, details) = match receipt.of::<ClearingAnswer>() {
        Ok(_) => ("ok", format!("{id} order canceled")),
        Err(Reject::Clearing(ClearingReject::NotFound)) => ("failed", format!("Unable to cancel order {id}")),
        Err(reject) => return Err(refusal(app, call, reject)),
    };
    Ok(Reply::json(json::body(&ClearingCancelled { result: CancelWord(word), details: Label(details) })))
}
