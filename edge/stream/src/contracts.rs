//! The status of contracts of the prediction markets (`contractStatus`, facts T§12.3).

use crate::frame::{Frame, Waits};
use crate::post::{Readers, ThreadId};
use buttonwood_engine::prediction::{Event, Kind};
use buttonwood_model::{SymbolId, Time};
use buttonwood_views::Views;
use buttonwood_wire::contract::{Integer, Label};
use buttonwood_wire::prediction::{combo_status, contract_number, symbol_name};
use buttonwood_wire::{frame, json};
use std::collections::BTreeMap;
use std::sync::Arc;

frame! {
    /// A contract has another status.
    pub(crate) struct ContractStatus as "e": "contractStatus" {
        /// Milliseconds.
        time as "E": Integer,
        symbol as "s": String,
        /// The event's ticker.
        event as "k": String,
        /// The contract's ticker in the event.
        contract as "c": String,
        number as "i": Integer,
        /// The strike.
        strike as "p": Option<Label>,
        /// The status before.
        before as "o": Option<String>,
        /// The status now.
        now as "n": String,
    }
}

/// The readers of the stream, and the statuses that they know.
#[derive(Debug, Default)]
pub(crate) struct Contracts {
    pub(crate) readers: Readers,
    known: BTreeMap<SymbolId, &'static str>,
}

impl Contracts {
    /// Adds a reader, if it is new. It is told of changes from the next one on.
    pub(crate) fn subscribe(&mut self, views: &Views, thread: ThreadId, is_new: bool) {
        if self.readers.is_empty() {
            self.known = statuses(views);
        }
        if is_new {
            self.readers.change(thread, true);
        }
    }

    /// The frames of the contracts whose status has changed.
    pub(crate) fn changed(&mut self, views: &Views, now: Time) -> Vec<Arc<Frame>> {
        let statuses = statuses(views);
        let changed = statuses.iter().filter(|(contract, status)| self.known.get(contract) != Some(status));
        let frames = changed
            .filter_map(|(contract, status)| {
                frame(views, *contract, (self.known.get(contract).copied(), status), now)
            })
            .collect();
        self.known = statuses;
        frames
    }
}

fn status_of(event: &Event) -> &'static str {
    match event.kind {
        Kind::Combo => combo_status(event),
        Kind::Binary | Kind::Categorical => event.status.name(),
    }
}

fn statuses(views: &Views) -> BTreeMap<SymbolId, &'static str> {
    let events = views.state().predictions().events().iter();
    events.flat_map(|event| event.contracts().map(move |contract| (contract, status_of(event)))).collect()
}

fn frame(
    views: &Views,
    contract: SymbolId,
    (before, now): (Option<&str>, &str),
    time: Time,
) -> Option<Arc<Frame>> {
    let state = views.state();
    let (_, event) = state.predictions().event_of(contract)?;
    let own = state.predictions().contract(contract)?;
    let symbol = state.symbol(contract)?;
    let strike = event.strike.as_ref().and_then(|strike| strike.public_value(time));
    let status = ContractStatus {
        time: Integer(time.millis()),
        symbol: symbol_name(symbol),
        event: event.ticker.clone(),
        contract: own.ticker.clone(),
        number: Integer(contract_number(contract)),
        strike: strike.map(|strike| Label(strike.to_owned())),
        before: before.map(str::to_owned),
        now: now.to_owned(),
    };
    Some(Frame::of(json::body(&status), Waits::Behind))
}
