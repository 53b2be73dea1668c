//! API secrets, sealed in a file that is replaced atomically; never in the journal.
//!
//! Checking a signature needs the secret itself, not a hash. Each secret is sealed with XChaCha20-Poly1305 under a data
//! key of its own, and the data key under the key-encryption key; both are bound to the name of the session. Copies of
//! snapshots and journals contain no secret, and copies of the vault none without the key-encryption key.
//!
//! Not here: who may create a key (`core/access`), where a venue may keep its key (`bin`).

mod fault;
mod file;
mod key;
mod seal;
mod secret;
mod vault;

pub use fault::Fault;
pub use key::{KEY_FILE, KeySource};
pub use secret::{Secret, wipe_stack};
pub use vault::{Entry, Opened, Rotated, SealedUnder, Vault};
