//! Where the secrets of new keys go, and who else hears of a change.

use buttonwood_gate::Secret;
use buttonwood_sequencer::Exchange;
use std::path::Path;
use tokio::sync::Mutex;

/// Why a secret could not be stored, or a change not be passed on; for the operator's log.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct KeeperFault(pub String);

/// Stores the secret of the key with this text; durable when it returns.
type Store = Box<dyn Fn(&str, &Secret) -> Result<(), KeeperFault> + Send + Sync>;

/// Removes the secret of the key with this text, which has ended; durable when it returns.
type Forget = Box<dyn Fn(&str) -> Result<(), KeeperFault> + Send + Sync>;

/// Hears that keys were made or changed.
type Changed = Box<dyn Fn(&Exchange) -> Result<(), KeeperFault> + Send + Sync>;

/// Seals all secrets under a key in this new file; returns where the key before is, and how many secrets there are. With `true` it only
/// checks whether the file may be made, and returns nothing.
type Rotate = Box<dyn Fn(&Path, bool) -> Result<Option<Sealed>, KeeperFault> + Send + Sync>;

/// Where the key before is, and how many secrets are sealed under the new one.
pub type Sealed = (String, usize);

/// The keeper of secrets.
pub struct Keeper {
    store: Store,
    forget: Forget,
    changed: Changed,
    rotate: Rotate,
    /// Held from before a key is looked at until the gate knows the change: of two changes, the later one counts there too.
    pub(crate) turn: Mutex<()>,
}

impl Keeper {
    /// A keeper that stores secrets by `store`, removes those of ended keys by `forget`, calls `changed` after each change of keys, and
    /// seals all secrets under a new key by `rotate`, or with `true` only checks whether its file may be made. Each may wait for the disk.
    pub fn new(
        store: impl Fn(&str, &Secret) -> Result<(), KeeperFault> + Send + Sync + 'static,
        forget: impl Fn(&str) -> Result<(), KeeperFault> + Send + Sync + 'static,
        changed: impl Fn(&Exchange) -> Result<(), KeeperFault> + Send + Sync + 'static,
        rotate: impl Fn(&Path, bool) -> Result<Option<Sealed>, KeeperFault> + Send + Sync + 'static,
    ) -> Self {
        let (store, forget) = (Box::new(store), Box::new(forget));
        let (changed, rotate) = (Box::new(changed), Box::new(rotate));
        Self { store, forget, changed, rotate, turn: Mutex::new(()) }
    }

    pub(crate) fn store(&self, api_key: &str, secret: &Secret) -> Result<(), KeeperFault> {
        (self.store)(api_key, secret)
    }

    pub(crate) fn forget(&self, api_key: &str) -> Result<(), KeeperFault> {
        (self.forget)(api_key)
    }

    pub(crate) fn rotate(&self, to: &Path, only_checks: bool) -> Result<Option<Sealed>, KeeperFault> {
        (self.rotate)(to, only_checks)
    }

    pub(crate) fn changed(&self, exchange: &Exchange) -> Result<(), KeeperFault> {
        (self.changed)(exchange)
    }
}

impl std::fmt::Debug for Keeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keeper(hidden)")
    }
}
