//! The state that all request handlers share.

use crate::sandbox::caller::Controllers;
use crate::steps::Steps;
use buttonwood_gate::Gate;
use buttonwood_model::{Symbol, SymbolId, Time};
use buttonwood_sequencer::Exchange;
use buttonwood_views::Views;
use buttonwood_wire::Names;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A page for a browser.
#[derive(Debug)]
pub struct Page {
    /// Its media type.
    pub content_type: &'static str,
    /// Its bytes.
    pub body: Vec<u8>,
    /// Whether there is what the path names: if not, the status is 404.
    pub is_found: bool,
}

/// A page that may have to wait for the disk.
pub type LaterPage<'a> = Pin<Box<dyn Future<Output = Page> + 'a>>;

/// Makes a page as of now.
pub type MakePage = Box<dyn for<'a> FnOnce(&'a Exchange) -> LaterPage<'a>>;

/// Looks up paths outside the interface: the site's pages. The lookup is cheap; making the page is not.
pub type Pages = fn(&str) -> Option<MakePage>;

/// The settings of an exchange.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The constant in the `exchange` field (D-22).
    pub service: String,
    /// Whether the directory is a sandbox's: only then do control calls exist (D-30).
    pub sandbox: bool,
    /// Who may make control calls.
    pub control: Controllers,
    /// Drives simulated traders while a manual clock moves.
    pub steps: Option<Steps>,
    /// The site's pages.
    pub pages: Pages,
}

/// The exchange as request handlers see it.
#[derive(Debug)]
pub struct App {
    pub(crate) exchange: Exchange,
    pub(crate) gate: Gate,
    pub(crate) settings: Settings,
    pub(crate) names: Names,
    started: Instant,
    /// The latest time in any reply.
    latest: AtomicU64,
    /// Whether orders are taken: false while starting and stopping.
    ready: AtomicBool,
    maintenance: AtomicBool,
    /// Held while a manual clock is being moved.
    pub(crate) moving: tokio::sync::Mutex<()>,
}

impl App {
    /// An app over a running exchange.
    pub fn new(exchange: Exchange, gate: Gate, settings: Settings) -> Self {
        let views = exchange.views();
        let (symbols, currencies) = (views.state().symbols(), views.state().currencies());
        let names = Names::new(settings.service.clone(), symbols, currencies);
        drop(views);
        Self {
            exchange,
            gate,
            settings,
            names,
            started: Instant::now(),
            latest: AtomicU64::new(0),
            ready: AtomicBool::new(false),
            maintenance: AtomicBool::new(false),
            moving: tokio::sync::Mutex::new(()),
        }
    }

    /// Sets whether orders are taken.
    pub fn set_ready(&self, ready: bool) {
        self.ready.store(ready, Ordering::Release);
    }

    /// Begins or ends maintenance.
    pub(crate) fn set_maintenance(&self, on: bool) {
        self.maintenance.store(on, Ordering::Release);
    }

    /// Whether everything but health checks and control calls is refused now (ERR-009).
    pub(crate) fn is_in_maintenance(&self) -> bool {
        self.maintenance.load(Ordering::Acquire)
    }

    /// Whether orders are taken now (launch contract).
    pub(crate) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire) && !self.exchange.is_short_of_space() && !self.is_in_maintenance()
    }

    /// Time since the start, by real time: the clock of rate limits.
    pub(crate) fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// The exchange's time, never earlier than in any reply before.
    pub(crate) fn now(&self) -> Time {
        self.now_of(&self.exchange.views())
    }

    /// The time for an answer from these views. The caller holds their lock, so they cannot be older than the views of
    /// a reply with an earlier time (BAL-007).
    pub(crate) fn now_of(&self, views: &Views) -> Time {
        let now = self.exchange.now().0.max(views.state().stamp().time.0);
        Time(self.latest.fetch_max(now, Ordering::AcqRel).max(now))
    }

    /// A symbol by its name in any letter case (SYM-007), also one that was listed since the start (SYM-030). Such symbols are
    /// picked up lazily: the client that listed one may have disconnected.
    pub(crate) fn find_symbol(&self, name: &str) -> Option<(SymbolId, &Symbol)> {
        self.names.find_symbol(name).or_else(|| {
            self.grow();
            self.names.find_symbol(name)
        })
    }

    /// Every symbol with its id, alphabetically.
    pub(crate) fn symbols(&self) -> Vec<(SymbolId, &Symbol)> {
        self.grow();
        self.names.symbols()
    }

    /// Adds the symbols that have been listed since the start.
    fn grow(&self) {
        self.names.grow(self.exchange.views().state().symbols());
    }
}
