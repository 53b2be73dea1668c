//! Event streams over WebSockets.
//!
//! One thread, the hub, is told what each batch did once the batch is durable. It words a frame once for all readers of a topic, and
//! hands it to the serving threads, each of which gives it to its own sockets. The queue of a socket is bounded: frames of a
//! state are replaced, those of differences merged, and a socket that falls behind in a sequence is closed.
//!
//! Not here: framing and handshake (`http`), who may open a socket (`gate`, `call`), the form of orders (`wire`).

mod book;
mod budget;
mod contract;
mod contracts;
mod fast;
mod fast_account;
mod fast_market;
mod frame;
mod hub;
mod limits;
mod local;
mod market_v1;
mod market_v2;
mod names;
mod open_orders;
mod open_v1;
mod open_v2;
mod orders_v1;
mod personal;
mod post;
mod queue;
mod registry;
mod socket;
pub mod stepped;
mod topic;
mod watched;

pub use contract::asyncapi;

use crate::budget::Budget;
use crate::hub::Hub;
use crate::limits::SocketLimits;
use crate::local::{Local, Membership};
use crate::post::{Ask, Asks, SocketId};
use crate::queue::{Numbering, Queue};
use crate::registry::Registry;
use buttonwood_call::{
    Answering, App, CountedBy, OpenSocket, Opening, SocketFault, SocketTarget, StreamKind, Table,
};
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Socket;
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

/// The bounds of what may wait for clients.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Bytes of one socket's queue at most.
    pub socket_bytes: usize,
    /// Bytes of all queues together at most.
    pub total_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { socket_bytes: 1 << 20, total_bytes: 256 << 20 }
    }
}

/// The sockets of an exchange. They open once the hub has started.
#[derive(Debug)]
pub struct Streams {
    started: OnceLock<Started>,
    budget: Arc<Budget>,
    registry: Arc<Registry>,
}

/// The parts that every socket uses.
#[derive(Clone, Debug)]
pub(crate) struct Started {
    pub(crate) app: Arc<App>,
    asks: Arc<Asks>,
    budget: Arc<Budget>,
    last: Arc<AtomicU64>,
    pub(crate) limits: Arc<SocketLimits>,
    registry: Arc<Registry>,
}

/// The running hub.
#[derive(Debug)]
pub struct Running {
    asks: Arc<Asks>,
    thread: JoinHandle<()>,
}

impl Running {
    /// Ends the hub.
    pub fn stop(self) {
        self.asks.put(Ask::Stop);
        // A hub that panicked has ended the process.
        let _ = self.thread.join();
    }
}

/// A socket to be opened.
pub(crate) struct Opened {
    pub(crate) kind: StreamKind,
    /// The name of the key, or the `client_id` of the app, that opens it.
    pub(crate) key: Option<String>,
    pub(crate) cancels: bool,
    pub(crate) queue: Queue,
}

impl Opened {
    /// A public socket.
    pub(crate) fn public(kind: StreamKind, numbering: Numbering) -> Self {
        Self { kind, key: None, cancels: false, queue: Queue::new(numbering) }
    }
}

impl Started {
    /// Makes a socket a member of the calling thread.
    pub(crate) fn enter(&self, socket: &Socket, opened: Opened) -> Membership {
        let Opened { kind, key, cancels, queue } = opened;
        let id = SocketId(self.last.fetch_add(1, Ordering::Relaxed) + 1);
        let local = Local::of_thread(&self.asks, &self.registry);
        local.enter(id, socket.link(), queue, Arc::clone(&self.budget), (kind, key, cancels))
    }
}

impl Streams {
    /// Sockets within these bounds.
    pub fn new(limits: Bounds) -> Self {
        let budget = Arc::new(Budget::new(limits.socket_bytes, limits.total_bytes));
        Self { started: OnceLock::new(), budget, registry: Arc::default() }
    }

    /// Starts the hub of an exchange.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(&self, app: &Arc<App>) -> io::Result<Running> {
        let listener = app.exchange.listen();
        let asks = Arc::new(Asks::new(listener.waker()));
        let hub = Hub::new(Arc::clone(app), listener, Arc::clone(&asks), Arc::clone(&self.budget));
        let thread = std::thread::Builder::new().name("streams".to_owned()).spawn(move || hub.run())?;
        let started = Started {
            app: Arc::clone(app),
            asks: Arc::clone(&asks),
            budget: Arc::clone(&self.budget),
            last: Arc::default(),
            limits: Arc::new(SocketLimits::new(app.gate.limits_rates())),
            registry: Arc::clone(&self.registry),
        };
        // A second start changes nothing for sockets.
        let _ = self.started.set(started);
        Ok(Running { asks, thread })
    }
}

impl buttonwood_call::Streams for Streams {
    fn attempt(&self, client: IpAddr, by: CountedBy) -> Result<(), Refusal> {
        let attempt = |started: &Started| started.limits.attempt(client, by, started.app.uptime());
        self.started.get().map_or(Ok(()), attempt)
    }

    fn open<'a>(&'a self, opening: Opening<'a>) -> Answering<'a> {
        Box::pin(async move {
            let started = self
                .started
                .get()
                .ok_or_else(|| Refusal::new(Reason::Maintenance, "The exchange is starting"))?;
            match opening.kind {
                StreamKind::MarketDataV1 | StreamKind::MultiMarketDataV1 => open_v1::open(started, opening),
                StreamKind::MarketDataV2 => open_v2::open(started, opening),
                StreamKind::OrderEvents => open_orders::open(started, opening),
                StreamKind::Fast => fast::open(started, opening).await,
            }
        })
    }

    fn contract(&self, table: &Table) -> String {
        asyncapi(table)
    }

    fn list(&self) -> Vec<OpenSocket> {
        self.registry.list()
    }

    fn fault(&self, target: &SocketTarget, fault: SocketFault) -> usize {
        self.registry.fault(target, fault)
    }
}
