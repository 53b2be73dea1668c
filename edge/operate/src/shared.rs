//! The parts of a running exchange that requests and operators share.

use crate::catalogue::Catalogue;
use crate::keys::Keeper;
use buttonwood_address::Params;
use buttonwood_gate::Gate;
use buttonwood_model::{CurrencyId, Symbol, SymbolId, Time};
use buttonwood_people::People;
use buttonwood_sequencer::Exchange;
use buttonwood_views::Views;
use buttonwood_wire::Names;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Mutex;

/// The first part of the symbols of contracts, unless a flag says otherwise.
pub const CONTRACT_PREFIX: &str = "SVC";

/// The exchange, the gate with its keys, and the names on the wire.
#[derive(Debug)]
pub struct Shared {
    /// The running exchange.
    pub exchange: Exchange,
    /// The gate.
    pub gate: Gate,
    /// People: passwords, second factors, mail.
    pub people: Arc<People>,
    /// The names of symbols and currencies.
    pub names: Names,
    /// The formats of addresses: those of the main chains, or of the chains of test nodes.
    pub formats: Params,
    /// The first part of the symbols of new contracts.
    pub contract_prefix: String,
    /// The commands of operators.
    pub catalogue: Arc<Catalogue>,
    /// Where the secrets of new keys go.
    pub(crate) keeper: Arc<Keeper>,
    /// Held while a proposal is approved.
    pub(crate) approving: Mutex<()>,
    /// The latest time in any reply.
    latest: AtomicU64,
}

impl Shared {
    /// The parts of a running exchange; `service` is the constant in the `exchange` field (D-22).
    pub fn new(
        exchange: Exchange,
        gate: Gate,
        people: Arc<People>,
        (service, formats): (String, Params),
        keeper: Keeper,
    ) -> Self {
        let views = exchange.views();
        let (symbols, currencies) = (views.state().symbols(), views.state().currencies());
        let names = Names::new(service, symbols, currencies);
        names.grow_contracts(views.state().floor().symbols.contracts());
        drop(views);
        Self {
            exchange,
            gate,
            people,
            names,
            formats,
            contract_prefix: CONTRACT_PREFIX.to_owned(),
            catalogue: Arc::new(Catalogue::new([])),
            keeper: Arc::new(keeper),
            approving: Mutex::new(()),
            latest: AtomicU64::new(0),
        }
    }

    /// The same with these commands of operators.
    #[must_use]
    pub fn with_catalogue(self, catalogue: Arc<Catalogue>) -> Self {
        Self { catalogue, ..self }
    }

    /// The same with another first part of the symbols of new contracts.
    #[must_use]
    pub fn with_contract_prefix(self, contract_prefix: String) -> Self {
        Self { contract_prefix, ..self }
    }

    /// The exchange's time, never earlier than in any reply before.
    pub fn now(&self) -> Time {
        self.now_of(&self.exchange.views())
    }

    /// The time for an answer from these views. The caller holds their lock, so they cannot be older than the views of
    /// a reply with an earlier time (BAL-007).
    pub fn now_of(&self, views: &Views) -> Time {
        let now = self.exchange.now().0.max(views.state().stamp().time.0);
        Time(self.latest.fetch_max(now, Ordering::AcqRel).max(now))
    }

    /// A symbol by its name in any letter case (SYM-007), also one that was listed since the start (SYM-030). Such symbols are
    /// picked up lazily: the client that listed one may have disconnected. Contracts are unknown here.
    pub fn find_symbol(&self, name: &str) -> Option<(SymbolId, &Symbol)> {
        let found = self.names.find_any(name).or_else(|| {
            self.grow();
            self.names.find_any(name)
        });
        found.filter(|(id, _)| !id.is_contract())
    }

    /// A contract of the prediction markets by its symbol in any letter case, also one that was listed since the start.
    pub fn find_contract(&self, name: &str) -> Option<(SymbolId, &Symbol)> {
        self.find_any(name).filter(|(id, _)| id.is_contract())
    }

    /// A listed symbol or a contract by its name in any letter case, also one that was listed since the start.
    pub fn find_any(&self, name: &str) -> Option<(SymbolId, &Symbol)> {
        self.names.find_any(name).or_else(|| self.current_names().find_any(name))
    }

    /// The names, with all that is listed by now. A row of a contract may be the first that names it, since simulated traders
    /// place orders without a request.
    pub fn current_names(&self) -> &Names {
        self.names_as_of(&self.exchange.views())
    }

    /// The names of all symbols and currencies as of the views, also of those that were listed since the start (SYM-030).
    pub fn names_as_of(&self, views: &Views) -> &Names {
        self.names.grow(views.state().symbols(), views.state().currencies());
        self.names.grow_contracts(views.state().floor().symbols.contracts());
        &self.names
    }

    /// A currency by its code in any letter case, also one that was listed since the start.
    pub fn currency_id(&self, code: &str) -> Option<CurrencyId> {
        self.names.find_currency(code).or_else(|| {
            self.grow();
            self.names.find_currency(code)
        })
    }

    /// Every symbol with its id, alphabetically.
    pub fn symbols(&self) -> Vec<(SymbolId, &Symbol)> {
        self.grow();
        self.names.symbols()
    }

    /// Adds the symbols and currencies that have been listed since the start.
    fn grow(&self) {
        let views = self.exchange.views();
        self.names.grow(views.state().symbols(), views.state().currencies());
    }
}
