//! The settings of an exchange, from the flags of its start.

use crate::cli::{Common, Funds, Sandbox, Switch};
use crate::doors::Urls;
use buttonwood_address::{Params, Seed};
use buttonwood_call::{Controllers, Outside, Settings, Steps};
use buttonwood_driver::{Driver, Nodes};
use buttonwood_http::Entrance;
use buttonwood_oauth::OAuth;
use buttonwood_rest::TABLE;
use buttonwood_sandbox::test_users;
use buttonwood_site::{Door, Site};
use std::path::Path;
use std::sync::Arc;

/// The settings of a sandbox, whose credentials are in this file.
pub(crate) fn of_sandbox(
    (flags, urls, credentials): (&Sandbox, &Urls, &Path),
    nodes: Nodes,
    deposit_seed: Option<Seed>,
    driver: Option<&Driver>,
    steps: Option<Steps>,
) -> Settings {
    Settings {
        table: &TABLE,
        service: flags.common.service_name.clone(),
        contract_prefix: flags.common.contract_prefix.clone(),
        sandbox: true,
        strict: flags.strict == Switch::On,
        simulated_funds: flags.funds == Funds::Simulated,
        formats: nodes.formats(),
        deposit_seed,
        chains: driver.map(Driver::chains),
        nodes,
        control: Controllers { peers: flags.control_from.clone(), hosts: flags.control_host.clone() },
        steps,
        public_url: flags.common.public_url.clone(),
        pages: pages(&flags.common),
        sockets: sockets(&flags.common),
        socket_url: urls.sockets.clone(),
        outside: outside(
            &urls.auth,
            Some(Door { users: test_users().collect(), credentials: credentials.to_owned() }),
        ),
        streams: None,
    }
}

/// The listener of pages and of the authorization server.
fn pages(common: &Common) -> Entrance {
    if common.auth_listen.is_some() { Entrance::Side } else { Entrance::Main }
}

/// The listener of sockets.
fn sockets(common: &Common) -> Entrance {
    if common.stream_listen.is_some() { Entrance::Stream } else { Entrance::Main }
}

/// The settings of a venue, which has none of a sandbox's.
pub(crate) fn of_venue(common: &Common, urls: &Urls) -> Settings {
    Settings {
        table: &TABLE,
        service: common.service_name.clone(),
        contract_prefix: common.contract_prefix.clone(),
        sandbox: false,
        strict: false,
        simulated_funds: false,
        formats: Params::main(),
        deposit_seed: None,
        chains: None,
        nodes: Nodes::default(),
        control: Controllers::default(),
        steps: None,
        public_url: common.public_url.clone(),
        pages: pages(common),
        sockets: sockets(common),
        socket_url: urls.sockets.clone(),
        outside: outside(&urls.auth, None),
        streams: None,
    }
}

/// The parts that answer paths outside of the interface.
fn outside(auth_url: &str, door: Option<Door>) -> Vec<Arc<dyn Outside>> {
    vec![Arc::new(OAuth::new(auth_url)), Arc::new(Site::new(door, &TABLE))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Clients and their checks are made from the file.
    #[test]
    fn the_contract_of_streams_is_current() {
        let kept = include_str!("../../../contract/events.json");
        let current = buttonwood_stream::asyncapi(&TABLE);
        assert!(kept == current, "contract/events.json is not current: run `cargo xtask contract`");
    }

    /// A report is found by its name, and its frame is described: no other message and no fixed stream has the same.
    #[test]
    fn reports_have_names_of_their_own() {
        let contract: serde_json::Value = serde_json::from_str(&buttonwood_stream::asyncapi(&TABLE)).unwrap();
        let messages = &contract["components"]["messages"];
        let fixed = ["orders@account", "orders@session"];
        let mut names = BTreeSet::new();
        for report in TABLE.reports() {
            assert!(report.name.ends_with("@account") && !fixed.contains(&report.name), "{report:?}");
            assert!(names.insert(report.name) && names.insert(report.frame), "{report:?} is not the first");
            let described = &messages[report.frame]["payload"]["properties"];
            assert!(described[report.list].is_object(), "{report:?} is another message");
        }
        assert!((2..=usize::from(u8::MAX)).contains(&TABLE.reports().len()));
    }
}
