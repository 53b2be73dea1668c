//! The streams without threads: the caller takes the turns of the hub, and reads what waits for each socket.
//!
//! The parts are the product's own, from what the exchange reports to the bytes of a frame. A simulator that orders the turns and
//! reads as slowly as it likes runs the real code.

use crate::budget::Budget;
use crate::fast::find_report;
use crate::frame::Kinds;
use crate::hub::Hub;
use crate::local::{Local, Membership};
use crate::post::{Asks, First, SocketId, ThreadId};
use crate::queue::{Filter, Numbering, Queue};
use crate::registry::Registry;
use crate::topic::{AccountFeed, MarketFeed, Pace, Topic, V1Options};
use crate::{Bounds, fast_account, open_orders};
use buttonwood_call::{App, StreamKind};
use buttonwood_http::{Frames, Link, Source as _};
use buttonwood_model::{AccountId, GroupId, SessionId, SymbolId};
use buttonwood_views::{AccountEvent, EventId};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// A stream that a reader listens to, with its first frame where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// `/v1/marketdata/{symbol}`.
    MarketV1(SymbolId),
    /// The feed `l2` of `/v2/marketdata`.
    L2(SymbolId),
    /// `@depth` with a whole first frame: at once, or once in so many milliseconds.
    Depth(SymbolId, Option<u16>),
    /// `@depthN`: so many levels, once in so many milliseconds.
    Levels(SymbolId, u8, u16),
    /// `@bookTicker`.
    Ticker(SymbolId),
    /// `/v1/order/events` of an account.
    OrderEvents(AccountId),
    /// `/v1/order/events` of all accounts of a group.
    GroupEvents(GroupId),
    /// `orders@account`, or `orders@session` of a session.
    Orders(AccountId, Option<SessionId>),
    /// `@trade`.
    Trades(SymbolId),
    /// `balances@account`: at once, or once in so many milliseconds.
    Balances(AccountId, Option<u16>),
}

impl Stream {
    fn topic(self, app: &App) -> Topic {
        let pace = |millis: Option<u16>| millis.map_or(Pace::AtOnce, Pace::Millis);
        match self {
            Self::MarketV1(symbol) => Topic::Market(symbol, MarketFeed::V1(V1Options::ALL)),
            Self::L2(symbol) => Topic::Market(symbol, MarketFeed::L2),
            Self::Depth(symbol, millis) => Topic::Market(symbol, MarketFeed::Depth(pace(millis))),
            Self::Levels(symbol, levels, millis) => {
                Topic::Market(symbol, MarketFeed::Levels(levels, pace(Some(millis))))
            }
            Self::Ticker(symbol) => Topic::Market(symbol, MarketFeed::Ticker),
            Self::OrderEvents(account) => Topic::Account(account, AccountFeed::Events),
            Self::GroupEvents(group) => Topic::Group(group),
            Self::Orders(account, session) => Topic::Account(account, AccountFeed::Orders(session)),
            Self::Trades(symbol) => Topic::Market(symbol, MarketFeed::Trades),
            Self::Balances(account, millis) => {
                let number = find_report(app.table().reports(), "balances@account")
                    .map_or(u8::MAX, |(number, _)| number);
                Topic::Account(account, AccountFeed::Report(number, pace(millis)))
            }
        }
    }

    fn first(self) -> First {
        match self {
            Self::Depth(..) => First::Levels(usize::MAX),
            Self::MarketV1(_)
            | Self::L2(_)
            | Self::Levels(..)
            | Self::Ticker(_)
            | Self::OrderEvents(_)
            | Self::GroupEvents(_)
            | Self::Orders(..)
            | Self::Trades(_)
            | Self::Balances(..) => First::Usual,
        }
    }

    fn kind(self) -> (StreamKind, Numbering) {
        match self {
            Self::MarketV1(_) => (StreamKind::MarketDataV1, Numbering::Socket),
            Self::L2(_) => (StreamKind::MarketDataV2, Numbering::Plain),
            Self::OrderEvents(_) | Self::GroupEvents(_) => (StreamKind::OrderEvents, Numbering::Socket),
            Self::Depth(..)
            | Self::Levels(..)
            | Self::Ticker(_)
            | Self::Orders(..)
            | Self::Trades(_)
            | Self::Balances(..) => (StreamKind::Fast, Numbering::Off),
        }
    }
}

/// The hub and one serving thread.
#[derive(Debug)]
pub struct Stepped {
    app: Arc<App>,
    hub: Hub,
    local: Rc<Local>,
    budget: Arc<Budget>,
    last: u64,
}

/// A socket whose client reads when the caller does. It is closed when this is dropped.
#[derive(Debug)]
pub struct Reader {
    membership: Membership,
    stream: Stream,
}

impl Stepped {
    /// The streams of an exchange, without readers.
    pub fn new(app: Arc<App>, bounds: Bounds) -> Self {
        let listener = app.exchange.listen();
        let asks = Arc::new(Asks::new(listener.waker()));
        let budget = Arc::new(Budget::new(bounds.socket_bytes, bounds.total_bytes));
        let hub = Hub::new(Arc::clone(&app), listener, Arc::clone(&asks), Arc::clone(&budget));
        let local = Local::new(ThreadId(0), &asks, &Arc::<Registry>::default());
        Self { app, hub, local, budget, last: 0 }
    }

    /// Opens a socket that listens to a stream. The first frame comes with a later turn.
    pub fn open(&mut self, stream: Stream) -> Reader {
        let reader = self.enter(stream);
        reader.membership.member().subscribe(stream.topic(&self.app), stream.first());
        reader
    }

    /// Opens a socket on which nothing arrives until [`Stepped::resume`]: its client says which event it knows.
    pub fn reopen(&mut self, stream: Stream) -> Reader {
        let reader = self.enter(stream);
        let member = reader.membership.member();
        member.hold();
        member.subscribe(stream.topic(&self.app), First::None);
        reader
    }

    /// Sends the events after one that the client knows, then those that came since the socket was opened again. A turn must have passed
    /// since then.
    pub fn resume(&self, reader: &Reader, after: EventId, missed: &[AccountEvent]) {
        let known = missed.last().map_or(after, AccountEvent::id);
        let frames = match reader.stream {
            Stream::Orders(_, session) => {
                let own =
                    missed.iter().filter(|event| session.is_none_or(|session| event.session() == session));
                let names = self.app.current_names();
                own.filter_map(|event| fast_account::order(names, event)).collect()
            }
            Stream::OrderEvents(_)
            | Stream::GroupEvents(_)
            | Stream::MarketV1(_)
            | Stream::L2(_)
            | Stream::Depth(..)
            | Stream::Levels(..)
            | Stream::Ticker(_)
            | Stream::Trades(_)
            | Stream::Balances(..) => {
                let is_group = matches!(reader.stream, Stream::GroupEvents(_));
                open_orders::missed_frames(&self.app, missed, is_group)
            }
        };
        reader.membership.member().resume(frames.into_iter().map(|frame| (frame, true)).collect(), known.0);
    }

    /// A turn of the hub, then one of the serving thread, at a moment of real time.
    pub fn turn(&mut self, now: Instant) {
        self.hub.turn(now);
        self.local.distribute_now();
    }

    /// Bytes that count against the bound of all clients: those that wait for one, and first frames once however many share them.
    pub fn counted(&self) -> usize {
        self.budget.total()
    }

    fn enter(&mut self, stream: Stream) -> Reader {
        self.last += 1;
        let (kind, numbering) = stream.kind();
        let queue = Queue::new(numbering);
        let queue = match kind {
            StreamKind::OrderEvents => {
                let kinds = Kinds(u8::MAX);
                queue.filtered(Filter { kinds, symbols: Vec::new(), sessions: Vec::new() })
            }
            StreamKind::MarketDataV1
            | StreamKind::MultiMarketDataV1
            | StreamKind::MarketDataV2
            | StreamKind::Fast => queue,
        };
        let (id, link) = (SocketId(self.last), Rc::<Link>::default());
        let local = Rc::clone(&self.local);
        let membership = local.enter(id, link, queue, Arc::clone(&self.budget), (kind, None, false));
        Reader { membership, stream }
    }
}

impl Reader {
    /// The stream.
    pub fn stream(&self) -> Stream {
        self.stream
    }

    /// Whether the exchange has closed the socket, since its client read too slowly.
    pub fn is_closed(&self) -> bool {
        self.membership.member().is_over()
    }

    /// Bytes that wait for the client and count against the bound.
    pub fn queued(&self) -> usize {
        self.membership.member().queued()
    }

    /// All bytes that wait for the client.
    pub fn weight(&self) -> usize {
        self.membership.member().weight()
    }

    /// Reads frames while there is room for more; each is a JSON text.
    pub fn read(&self, room: usize) -> Vec<String> {
        let mut buffer = Vec::new();
        self.membership.member().fill(&mut Frames::new(&mut buffer), room);
        // They are written.
        self.membership.member().fill(&mut Frames::new(&mut Vec::new()), 0);
        texts_of(&buffer)
    }
}

/// The texts of whole frames that a server sends.
pub(crate) fn texts_of(mut frames: &[u8]) -> Vec<String> {
    let mut texts = Vec::new();
    while let Some((text, rest)) = first_of(frames) {
        texts.push(String::from_utf8_lossy(text).into_owned());
        frames = rest;
    }
    texts
}

/// The text of the first frame, and the frames after it (RFC 6455, 5.2; a server masks nothing).
fn first_of(frames: &[u8]) -> Option<(&[u8], &[u8])> {
    let ([_, short], rest) = frames.split_first_chunk()?;
    let (length, rest) = match short {
        126 => rest.split_first_chunk().map(|(length, rest)| (u64::from(u16::from_be_bytes(*length)), rest)),
        127 => rest.split_first_chunk().map(|(length, rest)| (u64::from_be_bytes(*length), rest)),
        short => Some((u64::from(*short), rest)),
    }?;
    rest.split_at_checked(usize::try_from(length).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of each form of length are taken apart.
    #[test]
    fn frames_are_read_back() {
        let texts = [5, 125, 126, 65_535, 65_536].map(|length| "x".repeat(length));
        let mut buffer = Vec::new();
        for text in &texts {
            Frames::new(&mut buffer).push(&[text.as_bytes()]);
        }
        assert_eq!(texts_of(&buffer), texts);
        assert_eq!(texts_of(&buffer[..3]), Vec::<String>::new());
    }
}
