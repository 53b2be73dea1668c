//! API secrets, sealed under `vault.key` in a file that is replaced atomically; never in the journal.
//!
//! Checking a signature needs the secret itself, not a hash. Each secret is sealed with XChaCha20-Poly1305,
//! bound to its key id and session. Copies of snapshots and journals contain no secret.
//!
//! Not here: who may create a key (`core/access`).

mod fault;
mod file;
mod seal;
mod secret;
mod vault;

pub use fault::Fault;
pub use secret::Secret;
pub use vault::{Entry, Vault};
