//! The paths of streams. Each becomes a socket, which the crate `stream` serves: it implements [`Streams`].
//!
//! A socket is opened as any call is made: the same table, the same gate, the same refusals. The newest socket has the path of the
//! start page; a request for it is one that asks for an upgrade.

use crate::admission::OfRequest;
use crate::app::App;
use crate::auth::Auth;
use crate::call::Asked;
use crate::door::{Gated, turn};
use crate::outside::is_of_other_site;
use crate::respond::reader;
use crate::route::{Handler, Route};
use crate::table::Table;
use buttonwood_gate::{self as gate, Reason, Refusal};
use buttonwood_http::{Accepted, NoUpgrade, Reply, Request, asks_for_socket, handshake};
use buttonwood_model::AccountId;
use buttonwood_model::Role::{Auditor, Trader};
use buttonwood_model::{Scope, SessionId};
use buttonwood_wire::contract::{Encoded, Field, Flag, InQuery, Needed, Query, Repeated, Text, Whole};
use buttonwood_wire::request;
use http::header::HOST;
use http::request::Parts;
use std::fmt::Debug;
use std::net::IpAddr;
use std::pin::Pin;

/// A kind of socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// Events of orders, of the first generation.
    OrderEvents,
    /// Market data of one symbol, of the first generation.
    MarketDataV1,
    /// The same of several symbols.
    MultiMarketDataV1,
    /// Market data of the second generation.
    MarketDataV2,
    /// The newest socket: market data, events and orders.
    Fast,
}

impl StreamKind {
    /// Its name in control calls.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OrderEvents => "order-events",
            Self::MarketDataV1 => "market-data-v1",
            Self::MultiMarketDataV1 => "multi-market-data",
            Self::MarketDataV2 => "market-data-v2",
            Self::Fast => "fast",
        }
    }
}

/// By what attempts to open a socket, and open sockets, are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedBy {
    /// The client's address: no credentials, or wrong ones.
    Address,
    /// The client's address, apart from the others: a page of another site opens the socket, which must not lock the programs of its
    /// visitor out.
    Page,
    /// The key, token or browser whose credentials were right.
    Key(SessionId),
}

/// A handshake that passed the gate.
#[derive(Debug)]
pub struct Opening<'a> {
    /// The kind of socket.
    pub kind: StreamKind,
    /// The parameter in the path: a symbol as it was sent.
    pub parameter: &'a str,
    /// The query string.
    pub query: Query<'a>,
    /// Method, target and header fields.
    pub head: &'a Parts,
    /// The client, behind trusted proxies too.
    pub client: IpAddr,
    /// By what it is counted unless it brings credentials that are right.
    pub by_address: CountedBy,
    /// The answer's key.
    pub accepted: Accepted,
    /// The caller, where the path is private, and the account that it acts on; without an account it acts on all of its group.
    pub caller: Option<(gate::Call, Option<AccountId>)>,
}

/// The answer to a handshake.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Result<Reply, Refusal>> + 'a>>;

/// Serves sockets.
pub trait Streams: Debug + Send + Sync {
    /// Counts a handshake of a client, whatever comes of it.
    ///
    /// # Errors
    /// `RateLimit` for one too many.
    fn attempt(&self, client: IpAddr, by: CountedBy) -> Result<(), Refusal>;

    /// Answers a handshake. That of the newest socket is counted here, since its credentials are looked at here; all others were counted
    /// before.
    ///
    /// # Errors
    /// The refusal of the handshake.
    fn open<'a>(&'a self, opening: Opening<'a>) -> Answering<'a>;

    /// The contract of the streams, as a JSON text: those of every exchange, and the reports of a table.
    fn contract(&self, table: &Table) -> String;

    /// The open sockets, the oldest first.
    fn list(&self) -> Vec<OpenSocket>;

    /// Puts a fault on the way to the clients of sockets; returns how many these are.
    fn fault(&self, target: &SocketTarget, fault: SocketFault) -> usize;
}

/// An open socket, as the sandbox shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenSocket {
    /// Its number.
    pub connection: u64,
    /// Its kind.
    pub kind: StreamKind,
    /// The name of the key that opened it, or the `client_id` of an app; none of a public socket.
    pub key: Option<String>,
    /// The streams that it reads, by the names that its client sent.
    pub subscriptions: Vec<String>,
    /// Frames sent so far.
    pub sent: u64,
    /// Bytes that wait for its client.
    pub queued_bytes: u64,
    /// Whether its orders are cancelled when it ends.
    pub cancels: bool,
}

/// The sockets that a fault is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SocketTarget {
    /// The one with this number.
    One(u64),
    /// Those of the key of this name, or of the app of this `client_id`.
    Key(String),
    /// All.
    All,
}

/// A fault on the way to a socket's client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketFault {
    /// The connection is cut without a close frame.
    Drop,
    /// Nothing more is written.
    Stall,
    /// Writing goes on.
    Resume,
    /// So many frames take their numbers and are not sent.
    Skip(u64),
    /// Each of so many frames is sent twice.
    Duplicate(u64),
}

request! {
    /// The options of a reader of market data.
    pub struct MarketData in InQuery {
        /// Whether a heartbeat comes every five seconds.
        heartbeat: Flag<false>,
        /// Whether only the best level of each side is shown.
        top_of_book: Flag<false>,
        /// Whether changes of bids are shown.
        bids: Flag<true>,
        /// Whether changes of offers are shown.
        offers: Flag<true>,
        /// Whether trades are shown.
        trades: Flag<true>,
        /// Whether events of auctions are shown.
        auctions: Flag<true>,
    }
}

request! {
    /// The options of a reader of market data of several symbols.
    pub struct MultiMarketData in InQuery {
        /// The symbols, in any letter case, parted by commas. Unknown ones are left out.
        symbols: Needed<Encoded>,
        /// Whether a heartbeat comes every five seconds.
        heartbeat: Flag<false>,
        /// Whether only the best level of each side is shown.
        top_of_book: Flag<false>,
        /// Whether changes of bids are shown.
        bids: Flag<true>,
        /// Whether changes of offers are shown.
        offers: Flag<true>,
        /// Whether trades are shown.
        trades: Flag<true>,
        /// Whether events of auctions are shown.
        auctions: Flag<true>,
    }
}

request! {
    /// The options of the second generation's market data.
    pub struct MarketDataV2 in InQuery {
        /// Whether each frame has a `sequence`, from 0 without gaps.
        sequence: Flag<false>,
    }
}

request! {
    /// Which events of orders a reader sees.
    pub struct OrderEventsOptions in InQuery {
        /// Symbols, in any letter case; all without it. Orders of contracts have no events here.
        symbols as "symbolFilter": Repeated,
        /// API keys, or `UI` for pages; all without it.
        sessions as "apiSessionFilter": Repeated,
        /// Kinds of events; all without it.
        kinds as "eventTypeFilter": Repeated,
        /// Whether a heartbeat comes every five seconds.
        heartbeat: Flag<true>,
        /// The id of the last event that the reader knows: those after it follow, instead of the live orders.
        after: Whole,
    }
}

request! {
    /// The options of the newest socket.
    pub struct FastOptions in InQuery {
        /// The levels of the first frame of `@depth`: -1 for all, 0 for none.
        snapshot: Text,
        /// Whether the socket's orders are cancelled when it ends.
        cancel_on_disconnect as "cancelOnDisconnect": Flag<false>,
        /// The `u` of the last update of an order that the reader knows: those after it come first once it subscribes to orders.
        orders_after as "ordersAfter": Whole,
        /// The ticket of a signed-in page, in place of other credentials: it opens one socket, to read alone.
        ticket: Text,
    }
}

/// Every stream but the newest socket.
pub(crate) const STREAMS: &[Route] = &[
    Route::stream("/v1/order/events", Auth::Session, StreamKind::OrderEvents)
        .roles(&[Trader, Auditor])
        .scopes(&[Scope::OrdersRead])
        .takes::<OrderEventsOptions>(),
    Route::stream("/v1/marketdata/{symbol}", Auth::Public, StreamKind::MarketDataV1).takes::<MarketData>(),
    Route::stream("/v1/multimarketdata", Auth::Public, StreamKind::MultiMarketDataV1)
        .takes::<MultiMarketData>(),
    Route::stream("/v2/marketdata", Auth::Public, StreamKind::MarketDataV2).takes::<MarketDataV2>(),
];

/// The newest socket.
pub(crate) const FAST: Route = Route::stream("/", Auth::Public, StreamKind::Fast).takes::<FastOptions>();

/// A stream, as the contract of the streams lists it.
#[derive(Clone, Copy, Debug)]
pub struct StreamPath {
    /// Its kind.
    pub kind: StreamKind,
    /// Its path; a parameter is in braces.
    pub path: &'static str,
    /// The fields of its query string.
    pub fields: &'static [Field],
}

/// Every stream, the newest socket last.
pub fn stream_paths() -> impl Iterator<Item = StreamPath> {
    let path = |route: &'static Route| {
        let Handler::Stream(kind) = route.handler else { return None };
        Some(StreamPath { kind, path: route.path, fields: route.fields })
    };
    STREAMS.iter().chain([&FAST]).filter_map(path)
}

/// The stream that a path leads to, with the path's parameter. One slash more at its end is allowed; `/` is a stream only for
/// a request that asks for a socket.
pub(crate) fn find<'a>(head: &Parts, path: &'a str) -> Option<(&'static Route, &'a str)> {
    if path == "/" && asks_for_socket(head) {
        return Some((&FAST, ""));
    }
    let path = without_slash(path);
    STREAMS.iter().find_map(|route| Some((route, route.matches(path)?)))
}

/// The path of a stream as its table has it.
pub(crate) fn without_slash(path: &str) -> &str {
    path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(path)
}

/// Answers a handshake.
pub(crate) async fn open(
    app: &App,
    (route, kind): (&'static Route, StreamKind),
    request: Request<'_>,
    client: IpAddr,
    asked: &Asked<'_>,
) -> Result<Reply, Refusal> {
    let streams = app.settings.streams.as_ref().ok_or_else(|| crate::no_endpoint(route.path))?;
    let head = request.head;
    let by_address = if is_of_other_page(app, head) { CountedBy::Page } else { CountedBy::Address };
    let accepted = match handshake(head) {
        Ok(accepted) => accepted,
        Err(why) => {
            if asks_for_socket(head) {
                streams.attempt(client, by_address)?;
            }
            return Err(no_upgrade(why));
        }
    };
    let caller = match (route.auth, kind) {
        // Its credentials decide by what it is counted.
        (Auth::Public, StreamKind::Fast) => {
            app.gate.address(client, app.uptime())?;
            None
        }
        (Auth::Public, _) => {
            streams.attempt(client, by_address)?;
            None
        }
        _ => {
            let mut door = OfRequest::new(request, client, None);
            door.come_in(app).await?;
            let mut call = match door.admit(app, route) {
                Ok(call) => call,
                Err(refusal) => {
                    streams.attempt(client, by_address)?;
                    return Err(refusal);
                }
            };
            streams.attempt(client, CountedBy::Key(call.session()))?;
            turn(app, &door, &mut call).await?;
            let call = reader(app, route, call, asked)?;
            let account = call.acting();
            Some((call.into_gate(), account))
        }
    };
    let Asked { parameter, query } = *asked;
    streams.open(Opening { kind, parameter, query, head, client, by_address, accepted, caller }).await
}

/// Whether a page of another site than the exchange's own makes a request.
fn is_of_other_page(app: &App, head: &Parts) -> bool {
    let own = match &app.settings.public_url {
        Some(url) => url.clone(),
        None => {
            let host = head.headers.get(HOST).and_then(|host| host.to_str().ok());
            format!("http://{}", host.unwrap_or_default())
        }
    };
    is_of_other_site(&head.headers, &own)
}

fn no_upgrade(why: NoUpgrade) -> Refusal {
    match why {
        NoUpgrade::NotAsked => {
            Refusal::new(Reason::UpgradeRequired, "This path is a WebSocket: it needs 'Upgrade: websocket'")
        }
        NoUpgrade::OtherVersion => {
            Refusal::new(Reason::UpgradeRequired, "The WebSocket version must be 13 (Sec-WebSocket-Version)")
        }
        NoUpgrade::Malformed(why) => {
            Refusal::new(Reason::InvalidParameterValue, format!("The handshake is malformed: {why}"))
        }
    }
}

/// Whether a route is a stream.
pub(crate) fn is_stream(route: &Route) -> bool {
    matches!(route.handler, Handler::Stream(_))
}
