//! `POST /sandbox/banks/wire` and `/sandbox/banks/settle`: what the simulated banks do. They do what the commands of `buttonwood admin`
//! do, where funds are simulated (D-62).

use crate::funds::check_simulated;
use buttonwood_call::{ControlCall, Route};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_operate::Command;
use buttonwood_operate::banks::{settle, wire};

/// This machine only.
pub(crate) const WIRE: Route =
    Route::control_operating("/sandbox/banks/wire", &wire::COMMAND, |call, _, fields| {
        Box::pin(answer(call, &wire::COMMAND, fields))
    })
    .notes(&["Custody and derivatives accounts hold no state money: a credit to one is refused with \
         `InvalidFundTransfer`."]);

/// This machine only.
pub(crate) const SETTLE: Route =
    Route::control_operating("/sandbox/banks/settle", &settle::COMMAND, |call, _, fields| {
        Box::pin(answer(call, &settle::COMMAND, fields))
    });

async fn answer(call: &ControlCall<'_>, command: &Command, fields: &Payload) -> Result<Reply, Refusal> {
    check_simulated(call)?;
    command.answer(call.operator(), fields).await.map(Reply::json)
}
