//! Private calls of signed-in browsers: those that the site passes on (`/site/call`), and those that only look at an order.
//!
//! Not here: who is signed in, and what a browser must prove before a call (`site`).

use crate::app::App;
use crate::call::{Asked, Call};
use crate::door::{Door, Gated, Rung, climb, pass};
use crate::outside::no_endpoint;
use crate::route::Route;
use buttonwood_gate::{self as gate, Held, Kind, Payload, Reason, Refusal, Value, quoted};
use buttonwood_http::Reply;
use buttonwood_wire::contract::Query;
use buttonwood_wire::field::failed;
use std::borrow::Cow;
use std::time::Instant;

/// A private call of a signed-in browser.
pub struct HeldCall<'a> {
    /// The browser and the endpoint's payload; none once they are admitted.
    first: Option<(Held, Payload)>,
    /// Looks the browser up again, after the call has waited for its turn; the refusal of one whose session has ended.
    again: &'a dyn Fn() -> Result<Held, Refusal>,
}

impl std::fmt::Debug for HeldCall<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let held = self.first.as_ref().map(|(held, _)| held);
        f.debug_struct("HeldCall").field("held", &held).finish_non_exhaustive()
    }
}

impl<'a> HeldCall<'a> {
    /// A call of a browser. In the payload, `request` is the path, with the query string where the endpoint reads one; there is no nonce.
    /// `again` looks the browser up again.
    pub fn new(held: Held, payload: Payload, again: &'a dyn Fn() -> Result<Held, Refusal>) -> Self {
        Self { first: Some((held, payload)), again }
    }

    /// The payload; none once the call is admitted.
    pub fn payload(&self) -> Option<&Payload> {
        self.first.as_ref().map(|(_, payload)| payload)
    }

    fn admit_as(&mut self, app: &App, kind: Kind) -> Result<gate::Call, Refusal> {
        let (held, payload) = self.first.take().ok_or_else(failed)?;
        app.gate.admit_held(held, kind, payload, app.uptime())
    }

    /// The path that it names, and its query string.
    fn request(&self) -> Result<(String, Option<String>), Refusal> {
        let named = self.payload().and_then(|payload| payload.sent("request"));
        let Some(Value::Text(request)) = named else {
            return Err(Refusal::new(Reason::EndpointMismatch, "'request' must name the endpoint's path"));
        };
        let request = if request.starts_with('/') { request } else { Cow::Owned(format!("/{request}")) };
        Ok(match request.split_once('?') {
            Some((path, query)) => (path.to_owned(), Some(query.to_owned())),
            None => (request.into_owned(), None),
        })
    }
}

impl Door for HeldCall<'_> {
    const WITHOUT: &'static [Rung] = &[];
}

impl Gated for HeldCall<'_> {
    async fn come_in(&mut self, _app: &App) -> Result<(), Refusal> {
        Ok(())
    }

    fn admit(&mut self, app: &App, route: &Route) -> Result<gate::Call, Refusal> {
        self.admit_as(app, route.kind)
    }

    fn renew(&self, _app: &App, call: &mut gate::Call) -> Result<(), Refusal> {
        call.renew((self.again)()?);
        Ok(())
    }

    fn admitted(&self, app: &App, _call: &gate::Call) -> Option<Instant> {
        app.meters.switch.now()
    }
}

/// The door of a call that only looks at what its endpoint would change. It adds no command, and so needs no room for one.
struct OfPreview<'a>(HeldCall<'a>);

impl Door for OfPreview<'_> {
    const WITHOUT: &'static [Rung] = &[Rung::Room];
}

impl Gated for OfPreview<'_> {
    async fn come_in(&mut self, app: &App) -> Result<(), Refusal> {
        self.0.come_in(app).await
    }

    fn admit(&mut self, app: &App, _route: &Route) -> Result<gate::Call, Refusal> {
        self.0.admit_as(app, Kind::Read)
    }

    fn renew(&self, app: &App, call: &mut gate::Call) -> Result<(), Refusal> {
        self.0.renew(app, call)
    }

    fn admitted(&self, app: &App, call: &gate::Call) -> Option<Instant> {
        self.0.admitted(app, call)
    }
}

impl App {
    /// Answers a call as its endpoint answers that of a key: the same checks of account, role and parameters, and the same reply.
    ///
    /// # Errors
    /// 404 `EndpointNotFound` where `request` names no private endpoint, 429 `RateLimit`, and the refusals of the endpoint.
    pub async fn call_held(&self, call: HeldCall<'_>) -> Result<Reply, Refusal> {
        HeldCall::begin(self)?;
        let (path, query) = call.request()?;
        let found @ (route, _) = self.table().find_private(&path).ok_or_else(|| no_endpoint(&path))?;
        if query.is_some() && route.method != "GET" && !route.query.is_read() {
            let message = format!("'request' has a query string, and '{}' reads none", quoted(route.path));
            return Err(Refusal::new(Reason::EndpointMismatch, message));
        }
        climb(self, call, found, Query(query.as_deref().unwrap_or_default())).await
    }

    /// The call of an endpoint that is looked at and not made. It counts as a call that reads.
    ///
    /// # Errors
    /// 503 `Maintenance`, 429 `RateLimit`, and the refusals of account and rights.
    pub async fn look_held(&self, call: HeldCall<'_>, route: &Route) -> Result<Call, Refusal> {
        OfPreview::begin(self)?;
        let admitted = pass(self, &mut OfPreview(call), route, Query("")).await?;
        let asked = Asked { parameter: "", query: Query("") };
        Call::new(self, route, admitted, &asked).map_err(|refused| refused.refusal)
    }

    /// A call without fields of the reading endpoint at this path, which waits for no turn.
    ///
    /// # Errors
    /// 404 `EndpointNotFound` where no private endpoint is there, and the refusals of account and rights.
    pub fn read_held(&self, held: Held, path: &str) -> Result<Call, Refusal> {
        let (route, parameter) = self.table().find_private(path).ok_or_else(|| no_endpoint(path))?;
        let nothing = Payload::read_body(b"{}".to_vec())?;
        let admitted = self.gate.admit_held(held, Kind::Read, nothing, self.uptime())?;
        let asked = Asked { parameter, query: Query("") };
        Call::new(self, route, admitted, &asked).map_err(|refused| refused.refusal)
    }
}
