//! Paths outside of the route table: pages, the calls of these, and the endpoints of the authorization server. The crates that
//! know them implement [`Outside`], and the settings list them.
//!
//! Not here: health checks (`health`), routes of the interface (`table`).

mod visit;

pub(crate) use visit::is_of_other_site;
pub use visit::{Visit, form};

use crate::app::{App, Settings};
use crate::health::Check;
use crate::route::Later;
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_http::{Reply, Request, packed, takes_gzip};
use buttonwood_wire::reply::{refusal_of, refused};
use http::header::{ACCEPT, ACCEPT_ENCODING, VARY};
use http::request::Parts;
use http::{HeaderValue, Method};
use std::fmt::Debug;
use std::net::IpAddr;
use std::sync::OnceLock;

/// The path of the contract.
const CONTRACT: &str = "/openapi.json";
/// The path of the contract of the streams.
const EVENTS: &str = "/asyncapi.json";
/// The methods of a path that is only read.
pub(crate) const READING: &str = "GET, HEAD";

/// Answers paths that are not the interface's. Of several, the first that finds a path answers it.
///
/// Before a request reaches [`Outside::answer`], its framing is clear, its method is one of the path's, and its rate limit has
/// let it in.
pub trait Outside: Debug + Send + Sync {
    /// All names that its spots have, for the metrics.
    fn names(&self) -> Vec<&'static str>;

    /// Looks up a path; none if it is not this handler's. This must be cheap: it limits no rate.
    fn find(&self, path: &str) -> Option<Spot>;

    /// The spot of a page that tells a person's browser that there is nothing at a path which no handler has; none if this handler has
    /// no such page for it. Programs get a refusal in JSON.
    fn find_missing(&self, _path: &str) -> Option<Spot> {
        None
    }

    /// Answers a request for such a path. A refusal is counted, and the failure of the exchange itself is logged, before
    /// [`Outside::refuse`] words it.
    ///
    /// # Errors
    /// The refusal of the request.
    fn answer<'a>(&'a self, visit: Visit<'a>) -> Later<'a>;

    /// Words a refusal: that of the handler itself, and those before it: of a method, of the framing, of a rate, of
    /// maintenance. The fields `Allow` and `Retry-After` are set around it.
    fn refuse(&self, _spot: Spot, refusal: &Refusal) -> Reply {
        refused(refusal)
    }
}

/// A path as the server sees it before its handler does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The name under which the metrics count it, one of a fixed list.
    pub name: &'static str,
    /// The methods that it takes, as they stand in `Allow`, such as `GET, HEAD` or `POST`.
    pub methods: &'static str,
    /// Whether pages of other sites may call it and read its answers.
    pub is_open: bool,
    /// Whether it has the rate of private calls, before anything is verified: the server of an app calls it for thousands of users.
    pub has_rate_of_calls: bool,
}

impl Spot {
    /// A page or a file of one, which pages of other sites cannot read. `HEAD` is answered as GET.
    pub const fn page(name: &'static str) -> Self {
        Self { name, methods: READING, is_open: false, has_rate_of_calls: false }
    }

    /// A call by POST from pages of the exchange alone.
    pub const fn call(name: &'static str) -> Self {
        Self { name, methods: "POST", is_open: false, has_rate_of_calls: false }
    }

    /// The same with these methods.
    #[must_use]
    pub const fn taking(self, methods: &'static str) -> Self {
        Self { methods, ..self }
    }

    /// The same, open to pages of other sites.
    #[must_use]
    pub const fn open_to_pages(self) -> Self {
        Self { is_open: true, ..self }
    }

    /// The same at the rate of private calls instead of that of pages.
    #[must_use]
    pub const fn at_rate_of_calls(self) -> Self {
        Self { has_rate_of_calls: true, ..self }
    }
}

/// The part that answers a path outside of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Beyond<'a> {
    /// A health check, outside every limit.
    Health(Check),
    /// A contract: its path and its text.
    Contract(&'static str, &'static str),
    /// A handler.
    Handler(&'a dyn Outside, Spot),
}

impl<'a> Beyond<'a> {
    /// The part that answers a path.
    pub(crate) fn find(settings: &'a Settings, path: &'a str) -> Option<Self> {
        if let Some(check) = Check::find(path) {
            return Some(Self::Health(check));
        }
        if path == CONTRACT {
            return Some(Self::Contract(CONTRACT, settings.table.openapi()));
        }
        if let Some(streams) = settings.streams.as_ref().filter(|_| path == EVENTS) {
            return Some(Self::Contract(EVENTS, settings.table.events(streams.as_ref())));
        }
        let mut found = settings.outside.iter().filter_map(|outside| Some((outside, outside.find(path)?)));
        found.next().map(|(outside, spot)| Self::Handler(outside.as_ref(), spot))
    }

    /// The part that answers a browser which a person sent to a path without anything.
    pub(crate) fn find_missing(settings: &'a Settings, head: &Parts) -> Option<Self> {
        if !wants_page(head) {
            return None;
        }
        let path = head.uri.path();
        let mut found =
            settings.outside.iter().filter_map(|outside| Some((outside, outside.find_missing(path)?)));
        found.next().map(|(outside, spot)| Self::Handler(outside.as_ref(), spot))
    }

    /// The methods that it takes.
    pub(crate) fn methods(&self) -> &'static str {
        match self {
            Self::Health(_) | Self::Contract(..) => READING,
            Self::Handler(_, spot) => spot.methods,
        }
    }

    /// Whether pages of other sites may call it and read its answers.
    pub(crate) fn is_open(&self) -> bool {
        match self {
            Self::Health(_) | Self::Contract(..) => true,
            Self::Handler(_, spot) => spot.is_open,
        }
    }

    /// The name under which the metrics count it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Health(check) => check.path(),
            Self::Contract(path, _) => path,
            Self::Handler(_, spot) => spot.name,
        }
    }

    /// Answers a request.
    pub(crate) async fn answer(
        self,
        app: &'a App,
        request: Request<'a>,
        client: IpAddr,
    ) -> Result<Reply, Refusal> {
        let path = request.head.uri.path();
        if !takes(self.methods(), &request.head.method) {
            return Err(wrong_method(path, &request.head.method, self.methods()));
        }
        match self {
            Self::Health(check) => Ok(check.answer(app)),
            Self::Contract(path, text) => {
                app.gate.page(client, app.uptime())?;
                Ok(contract(path, text, request.head))
            }
            Self::Handler(outside, spot) => {
                request.check_framing().map_err(refusal_of)?;
                if spot.has_rate_of_calls {
                    app.gate.address(client, app.uptime())?;
                } else {
                    app.gate.page(client, app.uptime())?;
                }
                let Request { peer, head, body, .. } = request;
                outside.answer(Visit::new(app, spot, head, body, peer, client)).await
            }
        }
    }
}

/// A contract, compressed for a client that takes it. Its text never changes, so each is compressed once.
fn contract(path: &str, text: &'static str, head: &Parts) -> Reply {
    static PACKED: [OnceLock<Option<Vec<u8>>>; 2] = [const { OnceLock::new() }; 2];
    let [calls, events] = &PACKED;
    let kept = if path == CONTRACT { calls } else { events };
    let encodings = head.headers.get(ACCEPT_ENCODING).and_then(|taken| taken.to_str().ok());
    let reply = |body: &'static [u8]| {
        Reply::page("application/json", body).with_header(VARY, HeaderValue::from_static("Accept-Encoding"))
    };
    if takes_gzip(encodings.unwrap_or_default())
        && let Some(body) = kept.get_or_init(|| packed(text.as_bytes()).ok())
    {
        return reply(&[]).with_packed(body.as_slice());
    }
    reply(text.as_bytes())
}

/// The refusal of a path that does not exist.
pub fn no_endpoint(path: &str) -> Refusal {
    Refusal::new(Reason::EndpointNotFound, format!("No endpoint at '{}'", quoted(path)))
}

/// The refusal of a method that a path does not take.
pub(crate) fn wrong_method(path: &str, method: &Method, allowed: &str) -> Refusal {
    let message = format!("'{}' answers to {allowed}, not to {}", quoted(path), quoted(method.as_str()));
    Refusal::new(Reason::EndpointNotFound, message).with_status(405)
}

/// Whether a request is that of a browser for a page: all of them name HTML first.
fn wants_page(head: &Parts) -> bool {
    let accepted = head.headers.get(ACCEPT).and_then(|accepted| accepted.to_str().ok()).unwrap_or_default();
    takes(READING, &head.method) && accepted.trim_start().starts_with("text/html")
}

fn takes(methods: &str, method: &Method) -> bool {
    methods.split(", ").any(|taken| taken == method.as_str())
}

#[cfg(test)]
mod served;
#[cfg(test)]
mod tests;
