//! The interface that the streams stand on, without keys, secrets and listeners.

use buttonwood_address::Params;
use buttonwood_call::{App, Controllers, Settings};
use buttonwood_driver::Nodes;
use buttonwood_gate::{Gate, HeaderNames, Limits};
use buttonwood_http::Entrance;
use buttonwood_operate::keys::Keeper;
use buttonwood_people::People;
use buttonwood_sequencer::Exchange;
use std::sync::Arc;

/// The interface of an exchange.
pub(super) fn app(exchange: &Exchange) -> Arc<App> {
    let gate = Gate::new(HeaderNames::any(), "svc", Limits::default());
    let people = People::in_memory(exchange.clone()).expect("the system gives a thread");
    let keeper = Keeper::new(|_, _| Ok(()), |_| Ok(()), |_| Ok(()), |_, _| Ok(None));
    Arc::new(App::new(exchange.clone(), gate, Arc::new(people), settings(), keeper))
}

fn settings() -> Settings {
    Settings {
        table: &buttonwood_rest::TABLE,
        service: "House".to_owned(),
        contract_prefix: "HSE".to_owned(),
        sandbox: true,
        strict: false,
        simulated_funds: false,
        formats: Params::main(),
        deposit_seed: None,
        chains: None,
        nodes: Nodes::default(),
        control: Controllers::default(),
        steps: None,
        public_url: None,
        pages: Entrance::Main,
        outside: Vec::new(),
        sockets: Entrance::Main,
        socket_url: None,
        streams: None,
    }
}
