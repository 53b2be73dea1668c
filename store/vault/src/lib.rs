//! Secrets of keys and people, sealed in a base file and a log of changes; never in the journal.
//!
//! Checking a signature needs the secret itself, not a hash. Each secret is sealed with XChaCha20-Poly1305 under a data
//! key of its own, and the data key under the key-encryption key; both are bound to the name of the record. Copies of
//! snapshots and journals contain no secret, and copies of the vault none without the key-encryption key.
//!
//! Not here: who may create a key (`core/access`), where a venue may keep its key (`bin`).

mod fault;
mod file;
mod key;
mod log;
mod opened;
mod seal;
mod secret;
mod vault;

pub use fault::Fault;
pub use key::{KEY_FILE, KeySource};
pub use opened::Opened;
pub use secret::{Secret, wipe_stack};
pub use vault::{Entry, Rotated, SealedUnder, Vault};
