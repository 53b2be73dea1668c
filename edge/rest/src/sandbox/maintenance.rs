//! `POST /sandbox/maintenance`: begins or ends maintenance, in which only health checks and control calls are answered
//! (ERR-009).

use buttonwood_call::{ControlCall, Route};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_wire::contract::{Done, InPayload, Needed, Switch};
use buttonwood_wire::{answer, json, request};

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/maintenance", |call, _, fields| Box::pin(answer(call, fields)))
        .about("Begins or ends maintenance, in which all but health checks and control calls is refused.")
        .notes(&["A call in maintenance is not examined, so it uses no nonce. Orders stay, silent \
             sessions that must send heartbeats expire, and a restart ends maintenance."])
        .takes::<Maintenance>()
        .gives::<MaintenanceSet>();

request! {
    /// Whether maintenance is on.
    pub(crate) struct Maintenance in InPayload {
        /// Whether it is on from now on.
        on: Needed<Switch>,
    }
}

answer! {
    /// Whether maintenance is on.
    struct MaintenanceSet {
        /// Always `ok`.
        result: Done,
        /// Whether it is on now.
        on: bool,
    }
}

/// Begins or ends it. Orders stay as they are, time goes on, and a restart ends it.
async fn answer(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let on = Maintenance::of(fields).on()?;
    call.operator().note().await?;
    call.set_maintenance(on);
    Ok(Reply::json(json::body(&MaintenanceSet { result: Done, on })))
}
