//! One request: framing, routing, the gate, the endpoint.

use crate::admission::OfRequest;
use crate::app::App;
use crate::auth::Auth;
use crate::call::{self, Asked, Call};
use crate::caller;
use crate::control;
use crate::door::{Door, check_query, climb, climb_public, named};
use crate::hints;
use crate::kept_calls;
use crate::meters::Counted;
use crate::outside::{Beyond, no_endpoint, wrong_method};
use crate::place::Place;
use crate::preflight;
use crate::route::{Admitted, Handler, Route, Write};
use crate::streams;
use crate::submit::{durable, send};
use buttonwood_engine::{AccessCommand, Caller};
use buttonwood_gate::{self as gate, Reason, Refusal};
use buttonwood_http::{Fault, Reply, Request, SOCKET_VERSION};
use buttonwood_sequencer::Pending;
use buttonwood_wire::contract::Query;
use buttonwood_wire::reply::{refusal_of, refused};
use http::header::{HeaderValue, ORIGIN, SEC_WEBSOCKET_VERSION, UPGRADE};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

/// The prefix of the paths of the sandbox's control calls.
const CONTROL: &str = "/sandbox/";

impl buttonwood_http::Handler for App {
    async fn answer(&self, request: Request<'_>) -> Reply {
        let head = request.head;
        let counted = self.meters.arrived(&head.method);
        let place = Place::find(self, request.entrance, head);
        let answered = match preflight::answer(head, &place) {
            Some(reply) => Ok(reply),
            None => respond(self, request, place, &counted).await,
        };
        let reply = match answered {
            Ok(reply) => {
                kept_calls::note_answered(self, head, reply.status());
                reply
            }
            Err(refusal) => {
                let refusal = hints::with(self, head, refusal);
                kept_calls::note(self, head, &refusal);
                refuse(self, &counted, place, &refusal)
            }
        };
        let is_of_page = || head.headers.contains_key(ORIGIN);
        let reply = if place.is_open() { reply.open_to_pages(is_of_page()) } else { reply };
        self.meters.answered(&counted, reply.status());
        tracing::debug!(
            method = counted.method(),
            route = counted.route(),
            status = reply.status().as_u16(),
            "answered"
        );
        reply
    }

    /// Passes the thread's commands to the writer, and the answers back to their callers. One thread takes the figures of each minute
    /// besides.
    fn thread_task(&self) -> impl Future<Output = ()> + 'static {
        let mailbox = self.exchange.open_mailbox();
        let watch = Arc::clone(&self.hour).watch(Arc::clone(&self.meters), self.exchange.clone());
        async {
            tokio::join!(mailbox, watch);
        }
    }

    fn sharer(&self, address: IpAddr) -> Option<IpAddr> {
        self.gate.sharer(address)
    }

    fn refuse(fault: Fault) -> Reply {
        refused(&refusal_of(fault))
    }
}

/// Counts a refusal and makes its answer. Failures of the exchange itself and refused control calls are logged; refusals of other
/// calls are too many, and their clients know why.
fn refuse(app: &App, counted: &Counted, place: Place<'_>, refusal: &Refusal) -> Reply {
    app.meters.refused(refusal.reason);
    let (route, reason) = (counted.route(), refusal.reason.name());
    if refusal.reason == Reason::System && refusal.status == Reason::System.status() {
        tracing::error!(route, reason, why = %refusal.message, "a request failed");
    } else if route.starts_with(CONTROL) {
        tracing::info!(route, reason, why = %refusal.message, "a control call was refused");
    }
    let reply = if let Place::Beyond(Beyond::Handler(outside, spot)) = place {
        outside.refuse(spot, refusal).retrying_after(refusal.retry_after)
    } else {
        refused(refusal)
    };
    let reply = if refusal.close { reply.closing() } else { reply };
    let reply = if refusal.status == 426 { upgrading(reply) } else { reply };
    match place.methods() {
        Some(methods) if refusal.status == 405 => reply.allowing(methods),
        Some(_) | None => reply,
    }
}

/// The refusal of a request that should have asked for a socket names the protocol and its version (D-146).
fn upgrading(reply: Reply) -> Reply {
    reply
        .with_header(UPGRADE, HeaderValue::from_static("websocket"))
        .with_header(SEC_WEBSOCKET_VERSION, HeaderValue::from_static(SOCKET_VERSION))
}

/// Answers one request with an answer or a refusal.
///
/// The future is moved whole into its connection. Parts that few requests need are therefore boxed, and parts that do
/// not wait are plain functions.
async fn respond(
    app: &App,
    request: Request<'_>,
    place: Place<'_>,
    counted: &Counted,
) -> Result<Reply, Refusal> {
    let head = request.head;
    let client = app.gate.client(request.peer.ip(), &head.headers);
    let path = head.uri.path();
    match place {
        Place::Route(route, _) => app.meters.is_for(counted, route),
        Place::Beyond(beyond) => app.meters.is_outside(counted, beyond.name()),
        Place::OtherMethod(_) | Place::Nothing => {}
    }
    if !place.goes_on() {
        OfRequest::begin(app)?;
    }
    let (route, parameter) = match place {
        Place::Route(route, parameter) => (route, parameter),
        Place::OtherMethod(route) => return Err(wrong_method(path, &head.method, route.methods())),
        Place::Beyond(beyond) => return Box::pin(beyond.answer(app, request, client)).await,
        Place::Nothing => return Err(no_endpoint(path)),
    };
    request.check_framing().map_err(refusal_of)?;
    let query = Query(head.uri.query().unwrap_or_default());
    if let Handler::Control(_) | Handler::Stream(_) = route.handler {
        let found = (route, parameter);
        return Box::pin(answer_aside(app, request, found, query, client)).await;
    }
    let door = OfRequest::new(request, client, Some(counted));
    if route.auth == Auth::Public {
        climb_public(app, door, (route, parameter), query).await
    } else {
        climb(app, door, (route, parameter), query).await
    }
}

/// Answers a control call, or the handshake of a socket. Their callers are known in other ways.
async fn answer_aside(
    app: &App,
    request: Request<'_>,
    (route, parameter): (&'static Route, &str),
    query: Query<'_>,
    client: IpAddr,
) -> Result<Reply, Refusal> {
    let named = named(app, route, parameter);
    let asked = Asked { parameter: named.as_deref().unwrap_or(parameter), query };
    check_query(app, route, query)?;
    let reply = if let Handler::Stream(kind) = route.handler {
        streams::open(app, (route, kind), request, client, &asked).await
    } else if let Handler::Control(handler) = route.handler {
        caller::check(&app.settings.control, request.peer, request.head)?;
        control::answer(app, (route, handler), request.head, request.body, &asked).await
    } else {
        Err(no_endpoint(route.path))
    };
    let reply = reply.map_err(|refusal| route.gated(refusal))?;
    Ok(if route.auth == Auth::Public { reply } else { reply.uncached() })
}

/// Calls a public endpoint for a client whose rate allows it.
pub(crate) async fn serve_public(app: &App, route: &Route, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let answered = if let Handler::Public(answer) = route.handler {
        answer(app, asked)
    } else if let Handler::PublicRecall(answer) = route.handler {
        answer(app, asked).await
    } else {
        return Err(no_endpoint(route.path));
    };
    answered.map_err(|refusal| route.own(refusal))
}

/// Calls the private endpoint of a call that the gate admitted, of a caller of any kind. `at` is when it was admitted.
pub(crate) async fn serve(
    app: &App,
    route: &Route,
    call: gate::Call,
    asked: &Asked<'_>,
    at: Option<Instant>,
) -> Result<Reply, Refusal> {
    match route.handler {
        Handler::Read(answer) => {
            answer(app, &reader(app, route, call, asked)?).map_err(|refusal| route.own(refusal))
        }
        Handler::Recall(answer) => {
            let call = Box::new(reader(app, route, call, asked)?);
            answer(app, &call).await.map_err(|refusal| route.own(refusal))
        }
        Handler::Write(write) => carry_out(app, route, call, asked, write, at).await,
        Handler::Run(run) => run(app, Admitted { route, call, asked, at }).await,
        Handler::Public(_) | Handler::PublicRecall(_) | Handler::Control(_) | Handler::Stream(_) => {
            Err(no_endpoint(route.path))
        }
    }
}

/// Makes a call's command, and answers once it is durable. `at` is when it was admitted.
async fn carry_out(
    app: &App,
    route: &Route,
    call: gate::Call,
    asked: &Asked<'_>,
    write: Write,
    at: Option<Instant>,
) -> Result<Reply, Refusal> {
    let (receipt, then) = change(app, route, call, asked, write, at)?;
    let receipt = durable(receipt).await?;
    match then {
        Then::Answer(call) => match write.closed.filter(|_| receipt.is_unfinished()) {
            Some(closed) => Box::pin(async move { closed(app, &call, &receipt).await })
                .await
                .map_err(|refusal| route.own(refusal)),
            None => (write.answer)(app, &call, &receipt).map_err(|refusal| {
                call.gate().note_refused(route.kind, app.uptime());
                route.own(refusal)
            }),
        },
        Then::Refuse(refusal) => Err(refusal),
    }
}

/// A call that is answered from the views or the history. The nonce of a key is journaled soon, and the call does not wait for
/// it (D-08a).
pub(crate) fn reader(app: &App, route: &Route, call: gate::Call, asked: &Asked<'_>) -> Result<Call, Refusal> {
    if let Some(key) = call.key().filter(|key| !key.time_based_nonce) {
        app.exchange.note_nonce(key.session, call.nonce);
    }
    Call::new(app, route, call, asked).map_err(|refused| refused.refusal)
}

/// The next step once a command is durable.
enum Then {
    Answer(Call),
    Refuse(Refusal),
}

/// Sends a call's command. A key's call that is refused before it becomes one still uses its nonce, and the refusal waits
/// until that is durable (SES-006, D-08). Access tokens and browsers have no nonces, and their refused calls end here.
fn change(
    app: &App,
    route: &Route,
    call: gate::Call,
    asked: &Asked<'_>,
    write: Write,
    at: Option<Instant>,
) -> Result<(Pending, Then), Refusal> {
    let use_nonce = |caller: Option<Caller>, refusal| {
        let Some(caller) = caller else { return Err(refusal) };
        let pending = send(app, caller, AccessCommand::UseNonce.into(), at)?;
        Ok((pending, Then::Refuse(refusal)))
    };
    let call = match Call::new(app, route, call, asked) {
        Ok(call) => call,
        Err(refused) => {
            refused.gate.note_refused(route.kind, app.uptime());
            return use_nonce(call::nonce_user(&refused.gate, None), refused.refusal);
        }
    };
    match (write.command)(app, &call) {
        Ok(body) => {
            let pending = send(app, call.caller(), body, at)?;
            Ok((pending, Then::Answer(call)))
        }
        Err(refusal) => {
            call.gate().note_refused(route.kind, app.uptime());
            let refusal = route.own(refusal);
            if let Some(body) = route.orders.and_then(|orders| orders.keep_refused(app, &call, &refusal)) {
                let pending = send(app, call.caller(), body, at)?;
                return Ok((pending, Then::Refuse(refusal)));
            }
            use_nonce(call.nonce_user(), refusal)
        }
    }
}
