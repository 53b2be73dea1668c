//! `POST /sandbox/accounts/credit`: a test credit. It does what `buttonwood admin credit` does and, where funds are simulated, waits until
//! the credit is minted on its chain.

use buttonwood_call::{ControlCall, Route};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_operate::CREDIT;

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control_operating("/sandbox/accounts/credit", &CREDIT, |call, _, fields| {
        Box::pin(answer(call, fields))
    })
    .notes(&[
        "A refused call uses no reference. With simulated funds the call answers when the money is on its \
         chain.",
    ]);

async fn answer(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let reply = CREDIT.answer(call.operator(), fields).await.map(Reply::json)?;
    if let Some(chains) = &call.settings().chains {
        chains.rest().await;
    }
    Ok(reply)
}
