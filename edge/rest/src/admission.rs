//! The steps before a request reaches its endpoint: room, the token of its address, its body, the gate, its turn.

use crate::app::App;
use crate::holders::held_by_token;
use crate::route::{Route, SignedQuery};
use crate::streams::{is_stream, without_slash};
use buttonwood_gate::{self as gate, Kind, Reason, Refusal, TokenHash, may_name_caller};
use buttonwood_http::{Body, SignedMark};
use buttonwood_wire::field;
use buttonwood_wire::reply::refusal_of;
use http::request::Parts;
use std::net::IpAddr;
use std::time::Duration;

/// Refuses calls that add work while too many commands are in flight, before any work is spent on the call and before
/// its nonce is used.
pub(crate) fn check_room(app: &App, route: &Route) -> Result<(), Refusal> {
    if route.kind == Kind::Write && !app.exchange.has_room() {
        return Err(field::busy("The exchange has more orders than it can take"));
    }
    Ok(())
}

/// Takes a token of a private request's address, and only then reads the body.
pub(crate) async fn come_in(app: &App, client: IpAddr, head: &Parts, body: Body<'_>) -> Result<(), Refusal> {
    app.gate.address(client, app.uptime())?;
    skip(head, body).await
}

/// Reads a body to its end. Few requests have one, and no signed or public endpoint uses it. A request without a key does not wait
/// for what has not arrived: it is answered from its head, and its connection then closes.
pub(crate) async fn skip(head: &Parts, body: Body<'_>) -> Result<(), Refusal> {
    if body.is_at_end() {
        return Ok(());
    }
    if !body.has_arrived() && !may_name_caller(&head.headers) {
        return body.check_size().map_err(refusal_of);
    }
    Box::pin(body.skip()).await.map_err(refusal_of)
}

/// Lets a private request through the gate; from here on the nonce of a key is used. It may have to wait for its turn.
pub(crate) fn admit(
    app: &App,
    route: &Route,
    head: &Parts,
    signed: SignedMark<'_>,
    client: IpAddr,
) -> Result<gate::Call, Refusal> {
    let path = if is_stream(route) { without_slash(head.uri.path()) } else { head.uri.path() };
    let headers = &head.headers;
    // The query string of a POST is ignored (D-03), unless the endpoint documents one.
    let is_read = (route.method == "GET" && !is_stream(route)) || route.query.is_read();
    let query = head.uri.query().filter(|_| is_read);
    let is_query_optional = route.query == SignedQuery::Optional;
    let request =
        gate::Request { path, query, is_query_optional, headers, kind: route.kind, address: client };
    let time = app.exchange.now();
    let find = |token: &TokenHash| held_by_token(app, token, time);
    let checked = app.gate.check(&request, app.uptime(), time, find);
    if checked.is_ok() {
        signed.set();
    }
    if let Some(key) = checked.as_ref().ok().and_then(gate::Call::key).filter(|key| key.require_heartbeat) {
        app.exchange.heard(key.session, app.exchange.steady());
    }
    checked
}

/// Waits for the turn that the gate gave a call.
pub(crate) async fn wait_for_turn(app: &App, call: &mut gate::Call) -> Result<(), Refusal> {
    if call.wait.is_zero() {
        return Ok(());
    }
    pause(call.wait).await;
    if call.is_overtaken() {
        let message = "The key's nonces were reset while this call waited for its turn";
        return Err(Refusal::new(Reason::InvalidNonce, message));
    }
    app.gate.check_again(call, |token| held_by_token(app, token, app.exchange.now()))
}

/// Waits this long, which for most requests is not at all.
pub(crate) async fn pause(wait: Duration) {
    if !wait.is_zero() {
        Box::pin(tokio::time::sleep(wait)).await;
    }
}
