//! Common parts of control calls: reading the body, sending a command.

use crate::app::App;
use crate::submit::submit;
use buttonwood_engine::{Answer, Body, Command};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_model::AccountId;
use buttonwood_wire::field::bad_value;
use buttonwood_wire::reply::refusal_of;
use http::HeaderMap;
use http::header::CONTENT_TYPE;

/// The fields of a control call's body.
pub(crate) async fn read(headers: &HeaderMap, body: buttonwood_http::Body<'_>) -> Result<Payload, Refusal> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        let message = format!("Control calls take Content-Type 'application/json', not '{}'", quoted(kind));
        return Err(Refusal::new(Reason::InvalidParameterValue, message).with_status(415));
    }
    Payload::read(body.read().await.map_err(refusal_of)?)
}

/// The account of a group, by its short name.
pub(super) fn find_account(app: &App, group: &str, account: &str) -> Result<AccountId, Refusal> {
    let views = app.exchange.views();
    let access = views.state().access();
    let group_id =
        access.find_group(group).ok_or_else(|| bad_value("group", "the name of a group", group))?;
    access.find_account(group_id, account).ok_or_else(|| {
        let message =
            format!("Field 'account' names no account of group '{}': '{}'", quoted(group), quoted(account));
        Refusal::new(Reason::InvalidAccountName, message)
    })
}

/// Sends a command of the operator and waits until it is durable.
pub(super) async fn operate(app: &App, body: Body) -> Result<Answer, Refusal> {
    Ok(submit(app, Command { caller: None, body }).await?.outcome)
}
