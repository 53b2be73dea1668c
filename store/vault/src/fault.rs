//! The faults of the vault: one clear line each, without any secret.

use std::io;
use std::path::PathBuf;

/// A fault of the vault's files, reported to the operator and never to a client.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// A file could not be read or written.
    #[error("vault: cannot {action} {}: {source}", path.display())]
    Io {
        /// The action that failed.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's error.
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
    /// A secret does not open for the requested key id.
    #[error("vault: the secret of session {session} is not that of key {api_key}")]
    Mismatch {
        /// The requested session.
        session: u32,
        /// The requested key id.
        api_key: String,
    },
    /// A secret is too long to store.
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
