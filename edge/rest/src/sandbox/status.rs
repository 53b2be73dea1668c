//! `POST /sandbox/symbols/{symbol}/status`: sets a symbol's status, as an operator would (SYM-022 to SYM-030).

use super::control::{ControlCall, operate};
use crate::call::Asked;
use crate::route::Route;
use buttonwood_engine::{Body, Outcome, Reject, TradingCommand, TradingReject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::SymbolStatus;
use buttonwood_wire::contract::{Done, InPayload, Needed};
use buttonwood_wire::field::{bad_value, failed, no_space};
use buttonwood_wire::market::StatusName;
use buttonwood_wire::{answer, json, request};

/// This machine only.
pub(crate) const ROUTE: Route = Route::control("/sandbox/symbols/{symbol}/status", |app, asked, fields| {
    Box::pin(answer(app, asked, fields))
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

answer! {
    /// The status that was set.
    struct StatusSet {
        /// Always `ok`.
        result: Done,
        /// The symbol, in upper case.
        symbol: String,
        /// Which orders it takes now.
        status: StatusName,
    }
}

async fn answer(app: &ControlCall<'_>, asked: &Asked<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let id = asked.symbol(app)?;
    let name = SetStatus::of(fields).status()?;
    let status = SymbolStatus::ALL.into_iter().find(|status| status.name() == name).ok_or_else(|| {
        bad_value("status", "one of open, closed, cancel_only, post_only, limit_only", &name)
    })?;
    match operate(app, Body::Trading(TradingCommand::SetSymbolStatus(id, status))).await? {
        Outcome::Done => {}
        Outcome::Rejected(Reject::Trading(TradingReject::NotNow)) => {
            return Err(bad_value("status", "closed: perpetual contracts are not traded yet", &name));
        }
        Outcome::Rejected(Reject::NoRoom) => return Err(no_space()),
        Outcome::Rejected(_) | Outcome::Trading(_) | Outcome::Converted(_) => return Err(failed()),
    }
    let symbol = app.names.symbol(id).name.to_ascii_uppercase();
    let set = StatusSet { result: Done, symbol, status: StatusName(status.name()) };
    Ok(Reply::json(json::body(&set)))
}
