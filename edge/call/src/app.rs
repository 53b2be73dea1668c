//! The state that all request handlers share.

use crate::caller::Controllers;
use crate::hour::Hour;
use crate::kept_calls::KeptCalls;
use crate::meters::Meters;
use crate::outside::Outside;
use crate::part::Parts;
use crate::steps::Steps;
use crate::streams::Streams;
use crate::table::Table;
use buttonwood_address::{Params, Seed};
use buttonwood_driver::{Chains, Nodes};
use buttonwood_gate::{Gate, Refusal};
use buttonwood_http::Entrance;
use buttonwood_model::SymbolId;
use buttonwood_operate::Shared;
use buttonwood_operate::keys::Keeper;
use buttonwood_people::People;
use buttonwood_sequencer::Exchange;
use buttonwood_wire::field::unknown_symbol;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The settings of an exchange.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The endpoints.
    pub table: &'static Table,
    /// The constant in the `exchange` field (D-22).
    pub service: String,
    /// The first part of the symbols of new contracts.
    pub contract_prefix: String,
    /// Whether the directory is a sandbox's: only then do control calls exist (D-30).
    pub sandbox: bool,
    /// Whether calls with fields that their endpoint does not know are refused; in a sandbox alone (D-176).
    pub strict: bool,
    /// Whether money enters and leaves through simulated chains and banks; without them nothing does (D-62).
    pub simulated_funds: bool,
    /// The formats of addresses: those of the main chains, or of the chains of test nodes.
    pub formats: Params,
    /// The seed of deposit addresses; without one none is issued.
    pub deposit_seed: Option<Seed>,
    /// The way of control calls to the simulated chains, where there are any.
    pub chains: Option<Chains>,
    /// The real nodes.
    pub nodes: Nodes,
    /// Who may make control calls.
    pub control: Controllers,
    /// Drives simulated traders while a manual clock moves.
    pub steps: Option<Steps>,
    /// The origin of the pages as browsers see it, such as `https://exchange.example`; without one it is the host that a request names,
    /// by http.
    pub public_url: Option<String>,
    /// The listener of pages and of the authorization server.
    pub pages: Entrance,
    /// The handlers of paths that are not the interface's, in the order of precedence.
    pub outside: Vec<Arc<dyn Outside>>,
    /// The listener of sockets.
    pub sockets: Entrance,
    /// Where browsers reach the sockets, such as `ws://127.0.0.1:8082`, if that is another address than the pages'.
    pub socket_url: Option<String>,
    /// Serves the sockets of streams.
    pub streams: Option<Arc<dyn Streams>>,
}

impl Settings {
    /// Whether browsers reach the pages by https (D-141).
    pub fn is_https(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.starts_with("https://"))
    }
}

/// The exchange as request handlers see it.
#[derive(Debug)]
pub struct App {
    shared: Arc<Shared>,
    pub(crate) settings: Settings,
    /// The parts of the state that an endpoint keeps for itself.
    pub(crate) parts: Parts,
    pub(crate) meters: Arc<Meters>,
    pub(crate) hour: Arc<Hour>,
    started: Instant,
    /// Whether orders are taken: false while starting and stopping.
    ready: AtomicBool,
    maintenance: AtomicBool,
    /// The latest refused calls of each key, in a sandbox.
    pub(crate) refused_calls: KeptCalls,
    /// The latest calls of each key, in a sandbox.
    pub(crate) all_calls: KeptCalls,
}

impl Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl App {
    /// An app over a running exchange.
    pub fn new(
        exchange: Exchange,
        gate: Gate,
        people: Arc<People>,
        settings: Settings,
        keeper: Keeper,
    ) -> Self {
        let (service, formats) = (settings.service.clone(), settings.formats.clone());
        let shared = Shared::new(exchange, gate, people, (service, formats), keeper);
        let shared = shared.with_contract_prefix(settings.contract_prefix.clone());
        let shared = shared.with_catalogue(settings.table.catalogue());
        let labels = settings.outside.iter().flat_map(|outside| outside.names());
        let meters = Meters::new(settings.table, labels);
        Self {
            shared: Arc::new(shared),
            settings,
            parts: Parts::default(),
            meters: Arc::new(meters),
            hour: Arc::default(),
            started: Instant::now(),
            ready: AtomicBool::new(false),
            maintenance: AtomicBool::new(false),
            refused_calls: KeptCalls::default(),
            all_calls: KeptCalls::default(),
        }
    }

    /// The endpoints.
    pub fn table(&self) -> &'static Table {
        self.settings.table
    }

    /// The part of the state that has this type, which one endpoint keeps for itself; the first call makes it.
    pub fn part<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.parts.get()
    }

    /// The latest calls of each key, or those of them that were refused; in a sandbox.
    pub fn kept_calls(&self, all: bool) -> &KeptCalls {
        if all { &self.all_calls } else { &self.refused_calls }
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The listed symbol that an optional field names (ORD-079).
    ///
    /// # Errors
    /// `InvalidSymbol`.
    pub fn listed(&self, name: Option<&str>) -> Result<Option<SymbolId>, Refusal> {
        let Some(name) = name else { return Ok(None) };
        self.find_symbol(name).map(|(id, _)| Some(id)).ok_or_else(|| unknown_symbol(name))
    }

    /// Whether fields that no call knows are refused.
    pub fn is_strict(&self) -> bool {
        self.settings.strict
    }

    /// Sets whether orders are taken.
    pub fn set_ready(&self, ready: bool) {
        self.ready.store(ready, Ordering::Release);
    }

    /// Begins or ends maintenance.
    pub fn set_maintenance(&self, on: bool) {
        self.maintenance.store(on, Ordering::Release);
    }

    /// Whether everything but health checks and control calls is refused now (ERR-009).
    pub fn is_in_maintenance(&self) -> bool {
        self.maintenance.load(Ordering::Acquire)
    }

    /// Whether an operator has halted trading.
    pub fn is_halted(&self) -> bool {
        self.exchange.views().state().operations().is_halted()
    }

    /// Whether orders are taken now (launch contract).
    pub fn is_ready(&self) -> bool {
        let is_serving = self.is_serving() && !self.is_in_maintenance();
        is_serving && !self.exchange.is_short_of_space() && !self.is_halted()
    }

    /// Whether the exchange is neither starting nor stopping.
    pub fn is_serving(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    /// Time since the start, by real time: the clock of rate limits.
    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// The state that it shares with operators.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}
