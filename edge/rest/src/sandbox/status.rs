//! `POST /sandbox/symbols/{symbol}/status`: what an operator would do (SYM-022 to SYM-030).

use super::Control;
use super::control::{operate, required};
use crate::app::App;
use crate::call::Asked;
use crate::field::{bad_value, failed, no_space, unknown_symbol};
use crate::json;
use crate::reply::Reply;
use crate::route::Route;
use buttonwood_engine::{Body, Outcome, Reject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::SymbolStatus;

/// This machine only.
pub(crate) const ROUTE: Route = Route::control("POST", "/sandbox/symbols/{symbol}/status", Control::Status);

pub(super) async fn answer(app: &App, asked: &Asked<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let id = asked.symbol(app).ok_or_else(|| unknown_symbol(asked.parameter))?;
    let name = required(fields, "status")?;
    let status = SymbolStatus::ALL.into_iter().find(|status| status.name() == name).ok_or_else(|| {
        bad_value("status", "one of open, closed, cancel_only, post_only, limit_only", &name)
    })?;
    match operate(app, Body::SetSymbolStatus(id, status)).await? {
        Outcome::Done => {}
        Outcome::Rejected(Reject::NotNow) => {
            return Err(bad_value("status", "closed: perpetual contracts are not traded yet", &name));
        }
        Outcome::Rejected(Reject::NoRoom) => return Err(no_space()),
        Outcome::Rejected(_) | Outcome::Order(_) | Outcome::NotLive => return Err(failed()),
    }
    Ok(Reply::json(json::object(96, |json| {
        json.plain("result", "ok");
        json.plain("symbol", &app.listed.symbol(id).name.to_ascii_uppercase());
        json.plain("status", status.name());
    })))
}
