//! `POST /sandbox/symbols/{symbol}/status`: sets a symbol's status, as an operator would (SYM-022 to SYM-030).

use super::control::ControlCall;
use crate::call::Asked;
use crate::route::Route;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_operate::{StatusSet, set_status};
use buttonwood_wire::contract::{InPayload, Needed};
use buttonwood_wire::market::StatusName;
use buttonwood_wire::{json, request};

/// This machine only.
pub(crate) const ROUTE: Route = Route::control("/sandbox/symbols/{symbol}/status", |call, asked, fields| {
    Box::pin(answer(call, asked, fields))
})
.about("Sets a symbol's status.")
.takes::<SetStatus>()
.gives::<StatusSet>();

request! {
    /// A symbol's status.
    pub(crate) struct SetStatus in InPayload {
        /// Which orders it takes from now on.
        status: Needed<StatusName>,
    }
}

async fn answer(call: &ControlCall<'_>, asked: &Asked<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let id = asked.symbol(call)?;
    let name = SetStatus::of(fields).status()?;
    Ok(Reply::json(json::body(&set_status(call.operator(), id, &name).await?)))
}
