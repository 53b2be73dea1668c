//! What can go wrong with the vault: one clear line each, no secret in any of them.

use std::io;
use std::path::PathBuf;

/// A fault of the vault's files; the operator's business, never a client's.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// A file could not be read or written.
    #[error("vault: cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There are sealed secrets but no key to open them.
    #[error("vault: {} is missing, and without it the secrets in the vault stay sealed", path.display())]
    KeyMissing {
        /// Where the key should be.
        path: PathBuf,
    },
    /// The key file does not hold 32 bytes.
    #[error("vault: {} holds {length} bytes instead of 32: it is no vault key", path.display())]
    KeyLength {
        /// The key file.
        path: PathBuf,
        /// Its length.
        length: usize,
    },
    /// The vault does not open under the key.
    #[error("vault: {} does not open: it is damaged, or its vault.key is another vault's", path.display())]
    Sealed {
        /// The vault.
        path: PathBuf,
    },
    /// One secret does not open for the key id it is asked for.
    #[error("vault: the secret of session {session} is not that of key {api_key}")]
    Mismatch {
        /// The session asked for.
        session: u32,
        /// The key id asked for.
        api_key: String,
    },
    /// A secret too long to write down.
    #[error("vault: the secret of session {session} is longer than {max} bytes")]
    TooLong {
        /// Whose secret.
        session: u32,
        /// Longest secret.
        max: usize,
    },
    /// The system gave no random bytes.
    #[error("vault: the system gives no random bytes: {0}")]
    Random(getrandom::Error),
}

impl Fault {
    /// A closure that turns an I/O error on `path` into a fault.
    pub(crate) fn io(action: &'static str, path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
