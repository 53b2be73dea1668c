//! One request: framing, routing, the gate, the endpoint.

use crate::app::App;
use crate::call::{Asked, Call, caller};
use crate::field;
use crate::framing::Verdict;
use crate::health;
use crate::reply::Reply;
use crate::route::{Auth, Handler, Route, Write};
use crate::routes::{Found, find};
use crate::sandbox::maintenance;
use crate::unbuilt::is_unbuilt;
use buttonwood_engine::{Body, Command, Outcome};
use buttonwood_gate::{self as gate, Kind, Reason, Refusal, quoted};
use buttonwood_sequencer::{Pending, Receipt};
use bytes::Bytes;
use http::header::HOST;
use http::request::Parts;
use http::{HeaderMap, Version};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};
use std::net::SocketAddr;
use std::time::Duration;

/// Bytes of a body at most (D-03).
const BODY_MAX: usize = 64 * 1024;
/// How long a body may take.
const BODY_WAIT: Duration = Duration::from_secs(10);

/// Answers one request, whatever it is. A request whose end is in doubt is the last of its connection.
///
/// A future is moved as a whole into its connection, so what few requests need is boxed, and what need not wait is
/// done in plain functions.
pub(crate) async fn answer(
    app: &App,
    peer: SocketAddr,
    head: &Parts,
    body: Incoming,
    verdict: Verdict,
) -> Reply {
    let reply = match respond(app, peer, head, body, verdict).await {
        Ok(reply) => reply,
        Err(refusal) => refusal.into(),
    };
    if verdict == Verdict::Clear { reply } else { reply.closing() }
}

async fn respond(
    app: &App,
    peer: SocketAddr,
    head: &Parts,
    body: Incoming,
    verdict: Verdict,
) -> Result<Reply, Refusal> {
    let path = head.uri.path();
    if app.is_in_maintenance() && !goes_on(app, head) {
        return Ok(over(maintenance::refusal().into(), &body));
    }
    let (route, parameter) = match find(head.method.as_str(), path, app.settings.sandbox) {
        Found::Route(route, parameter) => (route, parameter),
        Found::OtherMethod(method) => {
            return Ok(over(wrong_method(head.method.as_str(), path, method), &body));
        }
        Found::Nothing => return Ok(over(outside(app, peer, head.method.as_str(), path), &body)),
    };
    check_framing(verdict, head.version, &head.headers)?;
    let body = if body.is_end_stream() { Bytes::new() } else { Box::pin(read_body(body)).await? };
    let asked = Asked { parameter, query: head.uri.query().unwrap_or_default() };
    match route.handler {
        Handler::Public(answer) => {
            let wait = app.gate.public(peer.ip(), app.uptime())?;
            pause(wait).await;
            Ok(answer(app, &asked).unwrap_or_else(|refused| refused))
        }
        Handler::PublicRecall(answer) => {
            let wait = app.gate.public(peer.ip(), app.uptime())?;
            pause(wait).await;
            Ok(answer(app, &asked).await.unwrap_or_else(|refused| refused))
        }
        Handler::Control(control) => Box::pin(control.answer(app, peer, &head.headers, &asked, &body)).await,
        Handler::Read(answer) => {
            let call = admit(app, route, peer, head)?;
            wait_for_turn(&call).await?;
            answer(app, &reader(app, route, call)?)
        }
        Handler::Recall(answer) => {
            let call = admit(app, route, peer, head)?;
            wait_for_turn(&call).await?;
            let call = Box::new(reader(app, route, call)?);
            answer(app, &call).await
        }
        Handler::Write(write) => {
            check_room(app, route)?;
            let call = admit(app, route, peer, head)?;
            wait_for_turn(&call).await?;
            carry_out(app, route, call, write).await
        }
    }
}

/// Makes a call's command, and answers once it is durable.
async fn carry_out(app: &App, route: &Route, call: gate::Call, write: Write) -> Result<Reply, Refusal> {
    let (receipt, then) = change(app, route, call, write)?;
    let receipt = durable(receipt).await?;
    match then {
        Then::Answer(call) => match (write.closed, &receipt.outcome) {
            (Some(closed), Outcome::NotLive) => {
                Box::pin(async move { closed(app, &call, &receipt).await }).await
            }
            _ => (write.answer)(app, &call, &receipt),
        },
        Then::Refuse(refusal) => Err(refusal),
    }
}

/// Whether a request is served in maintenance too.
#[cold]
fn goes_on(app: &App, head: &Parts) -> bool {
    let path = head.uri.path();
    match find(head.method.as_str(), path, app.settings.sandbox) {
        Found::Route(route, _) => route.auth == Auth::Control,
        Found::OtherMethod(_) => false,
        Found::Nothing => health::answer(app, path).is_some(),
    }
}

/// An answer over a body that nobody reads. What is left of it would be taken for the next request, so the connection
/// closes; told in time, a client does not send another into it.
fn over(reply: Reply, unread: &Incoming) -> Reply {
    if unread.is_end_stream() { reply } else { reply.closing() }
}

/// Health checks and pages: not part of the interface.
fn outside(app: &App, peer: SocketAddr, method: &str, path: &str) -> Reply {
    let (health, page) = (health::answer(app, path), (app.settings.pages)(path));
    match (health, page, method) {
        (None, None, _) => no_endpoint(path).into(),
        (Some(reply), _, "GET" | "HEAD") => reply,
        (None, Some(make), "GET" | "HEAD") => match app.gate.page(peer.ip(), app.uptime()) {
            Ok(()) => {
                let page = make(&app.exchange);
                Reply::page(page.content_type, page.body)
            }
            Err(refusal) => refusal.into(),
        },
        (Some(_), ..) | (_, Some(_), _) => wrong_method(method, path, "GET, HEAD"),
    }
}

fn no_endpoint(path: &str) -> Refusal {
    let why = if is_unbuilt(path) { ": it is specified, but not built yet" } else { "" };
    Refusal::new(Reason::EndpointNotFound, format!("No endpoint at '{}'{why}", quoted(path)))
}

fn wrong_method(method: &str, path: &str, allowed: &'static str) -> Reply {
    let message = format!("'{}' answers to {allowed}, not to {}", quoted(path), quoted(method));
    let refusal = Refusal::new(Reason::EndpointNotFound, message).with_status(405);
    Reply::from(refusal).allowing(allowed)
}

/// Refuses requests whose end or whose host could be read in two ways (D-03).
fn check_framing(verdict: Verdict, version: Version, headers: &HeaderMap) -> Result<(), Refusal> {
    let hosts = headers.get_all(HOST).iter().count();
    let why = match (verdict, hosts) {
        (Verdict::Ambiguous(why), _) => why,
        (Verdict::Clear | Verdict::Last, 0) if version == Version::HTTP_11 => "no Host",
        (Verdict::Clear | Verdict::Last, 0 | 1) => return Ok(()),
        (Verdict::Clear | Verdict::Last, _) => "more than one Host",
    };
    let message = format!("The request's framing is ambiguous: {why}");
    Err(Refusal::new(Reason::InvalidParameterValue, message).closing())
}

/// Reads a body whole, so that the next request begins where it ends; its content matters to control calls only.
async fn read_body(body: Incoming) -> Result<Bytes, Refusal> {
    let too_large = || {
        let message = format!("The body is longer than {BODY_MAX} bytes");
        Refusal::new(Reason::InvalidParameterValue, message).with_status(413).closing()
    };
    if body.size_hint().lower() > u64::try_from(BODY_MAX).unwrap_or(u64::MAX) {
        return Err(too_large());
    }
    match tokio::time::timeout(BODY_WAIT, Limited::new(body, BODY_MAX).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Refusal::new(Reason::InvalidParameterValue, "The body cannot be read").closing()),
        Err(_) => {
            let refusal = Refusal::new(Reason::InvalidParameterValue, "The body did not arrive in time");
            Err(refusal.with_status(408).closing())
        }
    }
}

async fn pause(wait: Duration) {
    if !wait.is_zero() {
        Box::pin(tokio::time::sleep(wait)).await;
    }
}

/// Waits for the turn that the gate gave a call.
async fn wait_for_turn(call: &gate::Call) -> Result<(), Refusal> {
    if call.wait.is_zero() {
        return Ok(());
    }
    pause(call.wait).await;
    if call.is_overtaken() {
        let message = "The key's nonces were reset while this call waited for its turn";
        return Err(Refusal::new(Reason::InvalidNonce, message));
    }
    Ok(())
}

/// Turns away what adds work while too much is on its way: before anything is spent on it, and before its nonce is used.
fn check_room(app: &App, route: &Route) -> Result<(), Refusal> {
    if route.kind == Kind::Changes && !app.exchange.has_room() {
        return Err(field::busy("The exchange has more orders than it can take"));
    }
    Ok(())
}

/// Lets a private request through the gate; from here on its nonce is used. It may have to wait for its turn.
fn admit(app: &App, route: &Route, peer: SocketAddr, head: &Parts) -> Result<gate::Call, Refusal> {
    let (path, headers) = (head.uri.path(), &head.headers);
    let request = gate::Request { path, query: None, headers, peer: peer.ip(), kind: route.kind };
    let checked = app.gate.check(&request, app.uptime(), app.exchange.now());
    if let Some(key) = checked.as_ref().ok().map(gate::Call::key).filter(|key| key.require_heartbeat) {
        app.exchange.heard(key.session, app.exchange.steady());
    }
    checked
}

/// A call that is answered from what is there; the nonce is journaled soon, without making the reader wait (D-08a).
fn reader(app: &App, route: &Route, call: gate::Call) -> Result<Call, Refusal> {
    if let (Some(nonce), false) = (call.nonce, call.key().time_based_nonce) {
        app.exchange.note_nonce(call.key().session, nonce);
    }
    Call::new(app, route, call).map_err(|refused| refused.refusal)
}

/// What follows once a command is durable.
enum Then {
    Answer(Call),
    Refuse(Refusal),
}

/// Sends a call's command. A call that is refused before it becomes one still uses its nonce, and the refusal waits
/// until that is durable (SES-006, D-08).
fn change(app: &App, route: &Route, call: gate::Call, write: Write) -> Result<(Pending, Then), Refusal> {
    let use_nonce = |caller, refusal| {
        let pending = send(app, Command { caller, body: Body::UseNonce })?;
        Ok((pending, Then::Refuse(refusal)))
    };
    let call = match Call::new(app, route, call) {
        Ok(call) => call,
        Err(refused) => return use_nonce(caller(&refused.gate, None), refused.refusal),
    };
    match (write.command)(app, &call) {
        Ok(body) => {
            let pending = send(app, Command { caller: call.caller(), body })?;
            Ok((pending, Then::Answer(call)))
        }
        Err(refusal) => use_nonce(call.caller(), refusal),
    }
}

/// Queues a command. With a full queue its nonce is used all the same, and journaled soon.
fn send(app: &App, command: Command) -> Result<Pending, Refusal> {
    let caller = command.caller;
    app.exchange.submit(command).map_err(|_| {
        if let Some(caller) = caller {
            app.exchange.note_nonce(caller.session, caller.nonce);
        }
        field::busy("The exchange is busy")
    })
}

async fn durable(pending: Pending) -> Result<Receipt, Refusal> {
    pending.await.map_err(|_| field::busy("The exchange is stopping"))
}

/// Queues a command and waits until it is durable.
pub(crate) async fn submit(app: &App, command: Command) -> Result<Receipt, Refusal> {
    durable(send(app, command)?).await
}
