//! The door of a client's own request: the token of its address, its body, the gate, its turn.

use crate::app::App;
use crate::door::{Door, Gated, Open, Rung};
use crate::holders::held_by_token;
use crate::meters::Counted;
use crate::route::{Route, SignedQuery};
use crate::streams::{is_stream, without_slash};
use buttonwood_gate::{self as gate, Reason, Refusal, TokenHash, may_name_caller};
use buttonwood_http::{Body, Request, SignedMark};
use buttonwood_wire::reply::refusal_of;
use http::request::Parts;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// The door of a client's own request, signed or public.
pub(crate) struct OfRequest<'a> {
    head: &'a Parts,
    /// None once it is read.
    body: Option<Body<'a>>,
    /// None once it is set.
    signed: Option<SignedMark<'a>>,
    client: IpAddr,
    /// None for the handshake of a socket.
    counted: Option<&'a Counted>,
}

impl<'a> OfRequest<'a> {
    /// The door of a request of this client.
    pub(crate) fn new(request: Request<'a>, client: IpAddr, counted: Option<&'a Counted>) -> Self {
        let Request { head, body, signed, .. } = request;
        Self { head, body: Some(body), signed: Some(signed), client, counted }
    }

    /// Reads the body to its end, once.
    async fn skip(&mut self) -> Result<(), Refusal> {
        match self.body.take() {
            Some(body) => skip(self.head, body).await,
            None => Ok(()),
        }
    }
}

impl Door for OfRequest<'_> {
    const WITHOUT: &'static [Rung] = &[];
}

impl Open for OfRequest<'_> {
    async fn let_in(&mut self, app: &App) -> Result<(), Refusal> {
        let wait = app.gate.public(self.client, app.uptime())?;
        self.skip().await?;
        pause(wait).await;
        Ok(())
    }
}

impl Gated for OfRequest<'_> {
    /// Takes a token of the request's address, and only then reads the body.
    async fn come_in(&mut self, app: &App) -> Result<(), Refusal> {
        app.gate.address(self.client, app.uptime())?;
        self.skip().await
    }

    /// From here on the nonce of a key is used.
    fn admit(&mut self, app: &App, route: &Route) -> Result<gate::Call, Refusal> {
        let call = check(app, route, self.head, self.client)?;
        if let Some(signed) = self.signed.take() {
            signed.set();
        }
        if let Some(key) = call.key().filter(|key| key.require_heartbeat) {
            app.exchange.heard(key.session, app.exchange.steady());
        }
        Ok(call)
    }

    fn renew(&self, app: &App, call: &mut gate::Call) -> Result<(), Refusal> {
        if call.is_overtaken() {
            let message = "The key's nonces were reset while this call waited for its turn";
            return Err(Refusal::new(Reason::InvalidNonce, message));
        }
        app.gate.check_again(call, |token| held_by_token(app, token, app.exchange.now()))
    }

    fn admitted(&self, app: &App, call: &gate::Call) -> Option<Instant> {
        app.meters.admitted(self.counted?, call.wait)
    }
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

/// The checks of the gate.
fn check(app: &App, route: &Route, head: &Parts, client: IpAddr) -> Result<gate::Call, Refusal> {
    let path = if is_stream(route) { without_slash(head.uri.path()) } else { head.uri.path() };
    let headers = &head.headers;
    // The query string of a POST is ignored (D-03), unless the endpoint documents one.
    let is_read = (route.method == "GET" && !is_stream(route)) || route.query.is_read();
    let query = head.uri.query().filter(|_| is_read);
    let is_query_optional = route.query == SignedQuery::Optional;
    let request =
        gate::Request { path, query, is_query_optional, headers, kind: route.kind, address: client };
    let time = app.exchange.now();
    app.gate.check(&request, app.uptime(), time, |token: &TokenHash| held_by_token(app, token, time))
}

/// Waits this long, which for most requests is not at all.
pub(crate) async fn pause(wait: Duration) {
    if !wait.is_zero() {
        Box::pin(tokio::time::sleep(wait)).await;
    }
}
