//! The vault on the simulated disk: the secrets of keys that are made, and the rotations of its key, while the disk fails.
//!
//! A secret follows from the name of its key, so every record can be checked. As in the product, a secret is durable before the
//! journal can name its key. The vault draws random bytes of its own; how many does not depend on them, so a seed is still one
//! life.

use crate::check::Finding;
use crate::disk::Faulty;
use buttonwood_engine::{AccessCommand, Body, Command, State};
use buttonwood_vault::{Entry, Fault, KeySource, Secret, Vault};
use std::path::Path;

/// The folder of the keys that rotations make.
const SEALING: &str = "/sealing";

/// The vault of one process.
pub(crate) struct Secrets {
    vault: Vault,
}

impl Secrets {
    /// Opens the vault of a process that starts, or creates it, with the secrets of the keys that found the exchange.
    pub(crate) fn open(disk: &Faulty, founding: &[Command]) -> Result<Self, Fault> {
        let vault = Vault::new(disk.folder(), KeySource::Own);
        let mut opened = vault.open()?;
        let mut missing = Vec::new();
        for name in founding.iter().filter_map(new_key) {
            if opened.get(name)?.is_none() {
                missing.push(Entry { name: name.to_owned(), secret: secret_of(name) });
            }
        }
        if !missing.is_empty() {
            vault.add(&mut opened, &missing)?;
        }
        // As in the product, a start goes on with a log that it cannot fold.
        let _ = vault.tidy(&mut opened);
        Ok(Self { vault })
    }

    /// Stores the secret of the key that a command makes, if it makes one.
    pub(crate) fn store(&self, command: &Command) -> Result<(), Fault> {
        new_key(command).map_or(Ok(()), |name| self.vault.put(name, &secret_of(name)))
    }

    /// Seals all secrets under a new key.
    pub(crate) fn rotate(&self, number: u64) -> Result<(), Fault> {
        self.vault.rotate(&Path::new(SEALING).join(format!("key-{number}"))).map(drop)
    }

    /// Checks that every key of a state has its own secret.
    pub(crate) fn check(&self, state: &State) -> Result<(), Finding> {
        match self.lacking(state)? {
            None => Ok(()),
            Some(name) => Err(format!("half a key: {name} has no secret")),
        }
    }

    /// Checks that no key of a state has a secret that is not its own, and returns a key that has none.
    fn lacking(&self, state: &State) -> Result<Option<String>, Finding> {
        let opened = self.vault.open().map_err(|fault| format!("the vault does not open: {fault}"))?;
        for session in state.access().sessions() {
            let name = session.key.api_key.as_str();
            let found = opened.get(name).map_err(|fault| fault.to_string())?;
            let Some(found) = found else { return Ok(Some(name.to_owned())) };
            if found.expose() != secret_of(name).expose() {
                return Err(format!("{name} has the secret of another key"));
            }
        }
        Ok(None)
    }

    /// Checks a damaged disk: its vault is refused, or every key of a state has its own secret. A log that was cut may lack a key's
    /// record: then the product refuses the start.
    pub(crate) fn check_damaged(disk: &Faulty, state: &State) -> Result<(), Finding> {
        let vault = Vault::new(disk.folder(), KeySource::Own);
        if vault.open().is_err() { Ok(()) } else { Self { vault }.lacking(state).map(drop) }
    }
}

/// The public text of the key that a command makes.
pub(crate) fn new_key(command: &Command) -> Option<&str> {
    let Body::Access(AccessCommand::AddSession(new)) = &command.body else { return None };
    Some(&new.api_key)
}

fn secret_of(name: &str) -> Secret {
    Secret::new(format!("the secret of {name}").into_bytes())
}
