//! People of a running exchange, with the vault of its directory.

use crate::cli::SERVICE_NAME;
use crate::trouble::Trouble;
use buttonwood_gate::Secret;
use buttonwood_people::{People, Settings, VaultFault};
use buttonwood_sequencer::Exchange;
use buttonwood_vault::{Entry, Opened, Vault};
use std::sync::Arc;

/// The vault of the directory, as people need it.
pub(crate) struct OfDirectory(pub(crate) Arc<Vault>);

impl buttonwood_people::Vault for OfDirectory {
    fn put(&self, records: Vec<(String, Secret)>) -> Result<(), VaultFault> {
        let entries: Vec<Entry> = records.into_iter().map(|(name, secret)| Entry { name, secret }).collect();
        self.0.put_all(&entries).map_err(|error| VaultFault(error.to_string()))
    }

    fn get(&self, names: &[String]) -> Result<Vec<Option<Secret>>, VaultFault> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.0.read_many(&names).map_err(|error| VaultFault(error.to_string()))
    }

    fn remove(&self, names: Vec<String>) -> Result<(), VaultFault> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.0.remove_all(&names).map_err(|error| VaultFault(error.to_string()))
    }
}

/// The name of the exchange that a phone shows beside a code, and a passkey: that of the interface, or the pages' where none was set, since
/// the interface's `svc` tells people nothing (D-297).
pub(crate) fn shown_name(service_name: &str) -> String {
    let shown = if service_name == SERVICE_NAME { "Buttonwood" } else { service_name };
    shown.to_owned()
}

/// Starts what knows people.
pub(crate) fn start(exchange: Exchange, settings: Settings, opened: &Opened) -> Result<Arc<People>, Trouble> {
    let names: Vec<String> = opened.names().map(str::to_owned).collect();
    let people = People::start(exchange, settings, names);
    people
        .map(Arc::new)
        .map_err(|error| Trouble::System(format!("cannot read what is known of people: {error}")))
}
