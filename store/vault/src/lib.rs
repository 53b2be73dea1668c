//! API secrets at rest: sealed under `vault.key`, rewritten atomically, never in the journal.
//!
//! Signing a request needs the secret itself, so a hash will not do: each is sealed with XChaCha20-Poly1305,
//! bound to its key id and session. Snapshots and journals can be copied without carrying a secret.
//! Not here: who may create a key (`core::access`), and the hashes of passwords and tokens.

mod fault;
mod file;
mod seal;
mod secret;
mod vault;

pub use fault::Fault;
pub use secret::Secret;
pub use vault::{Entry, Vault};
