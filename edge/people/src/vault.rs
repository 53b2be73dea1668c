//! The records of people in the vault, and their names.
//!
//! A name holds the SHA-256 of the address, as the journal does, and the number of the password or of the TOTP secret.

use buttonwood_engine::identity::{Digest, Identity, UserId};
use buttonwood_gate::Secret;
use std::fmt::Write;

/// The beginning of all names of records of people.
const PREFIX: &str = "user-";

/// A failure of the vault, for the log.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct VaultFault(pub String);

/// The vault, as people need it. Each call may wait for the disk.
pub trait Vault: Send + Sync {
    /// Puts records, all or none; durable when it returns.
    ///
    /// # Errors
    /// [`VaultFault`]; nothing was put.
    fn put(&self, records: Vec<(String, Secret)>) -> Result<(), VaultFault>;

    /// The records of these names, in their order, with one reading: it takes time in proportion to all records.
    ///
    /// # Errors
    /// [`VaultFault`].
    fn get(&self, names: &[String]) -> Result<Vec<Option<Secret>>, VaultFault>;

    /// Removes records for good. Names without a record change nothing.
    ///
    /// # Errors
    /// [`VaultFault`].
    fn remove(&self, names: Vec<String>) -> Result<(), VaultFault>;
}

/// The names of the records of one address.
#[derive(Clone, Debug)]
pub struct Names(String);

impl Names {
    /// Those of the address with this SHA-256.
    pub fn of(login: &Digest) -> Self {
        let mut name = String::from(PREFIX);
        for byte in login {
            // Writing to a string cannot fail.
            let _ = write!(name, "{byte:02x}");
        }
        Self(name)
    }

    /// The address itself.
    pub fn address(&self) -> String {
        format!("{}-address", self.0)
    }

    /// The hash of the password with this number.
    pub fn password(&self, credential: u64) -> String {
        format!("{}-password-{credential:016x}", self.0)
    }

    /// A password itself, which a sandbox drew and lists: it is sealed, and no hash of it is stored.
    pub fn listed(&self, credential: u64) -> String {
        format!("{}-listed-{credential:016x}", self.0)
    }

    /// The id of the credential of the passkey with this number.
    pub fn passkey(&self, number: u64) -> String {
        format!("{}-passkey-{number:016x}", self.0)
    }

    /// The TOTP secret with this number.
    pub fn totp(&self, factor: u64) -> String {
        format!("{}-totp-{factor:016x}", self.0)
    }
}

/// Whether a record with this name is one of people.
pub fn is_of_person(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// The names of the records of people that the state needs.
pub(crate) fn needed(identity: &Identity) -> Vec<String> {
    let users = (0..identity.users().len()).map(UserId::from_index).filter_map(|id| identity.user(id));
    let users = users.flat_map(|user| {
        let names = Names::of(&user.login);
        let credential = user.credential;
        let passkeys = user.passkeys().iter().map(|passkey| names.passkey(passkey.number));
        let passkeys: Vec<String> = passkeys.collect();
        [names.address(), names.password(credential), names.listed(credential), names.totp(user.factor)]
            .into_iter()
            .chain(passkeys)
    });
    let sign_ups = identity.sign_ups().flat_map(|it| {
        let names = Names::of(&it.login);
        [names.address(), names.password(it.credential)]
    });
    users.chain(sign_ups).collect()
}

/// A vault in memory, for tests of the rooms above.
#[derive(Default)]
pub struct InMemory(parking_lot::Mutex<std::collections::BTreeMap<String, Secret>>);

impl Vault for InMemory {
    fn put(&self, records: Vec<(String, Secret)>) -> Result<(), VaultFault> {
        self.0.lock().extend(records);
        Ok(())
    }

    fn get(&self, names: &[String]) -> Result<Vec<Option<Secret>>, VaultFault> {
        let records = self.0.lock();
        Ok(names.iter().map(|name| records.get(name).cloned()).collect())
    }

    fn remove(&self, names: Vec<String>) -> Result<(), VaultFault> {
        self.0.lock().retain(|name, _| !names.contains(name));
        Ok(())
    }
}
