//! `POST /sandbox/symbols/{symbol}/status`: what an operator would do (SYM-022 to SYM-030).

use super::control::{operate, required};
use crate::app::App;
use crate::call::Asked;
use crate::route::Route;
use buttonwood_engine::{Body, Outcome, Reject, TradingCommand, TradingReject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::SymbolStatus;
use buttonwood_wire::field::{bad_value, failed, no_space};
use buttonwood_wire::json;

/// This machine only.
pub(crate) const ROUTE: Route = Route::control("/sandbox/symbols/{symbol}/status", |app, asked, fields| {
    Box::pin(answer(app, asked, fields))
});

async fn answer(app: &App, asked: &Asked<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let id = asked.symbol(app)?;
    let name = required(fields, "status")?;
    let status = SymbolStatus::ALL.into_iter().find(|status| status.name() == name).ok_or_else(|| {
        bad_value("status", "one of open, closed, cancel_only, post_only, limit_only", &name)
    })?;
    match operate(app, Body::Trading(TradingCommand::SetSymbolStatus(id, status))).await? {
        Outcome::Done => {}
        Outcome::Rejected(Reject::Trading(TradingReject::NotNow)) => {
            return Err(bad_value("status", "closed: perpetual contracts are not traded yet", &name));
        }
        Outcome::Rejected(Reject::NoRoom) => return Err(no_space()),
        Outcome::Rejected(_) | Outcome::Trading(_) => return Err(failed()),
    }
    Ok(Reply::json(json::object(96, |json| {
        json.plain("result", "ok");
        json.plain("symbol", &app.names.symbol(id).name.to_ascii_uppercase());
        json.plain("status", status.name());
    })))
}
