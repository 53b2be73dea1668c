//! The faults of the vault: one clear line each, without any secret.

use std::io;
use std::path::{Path, PathBuf};

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
    /// There is no key file.
    #[error("vault: the key file {} is missing{}", path.display(), if *sealed { ", and without it the secrets in the vault stay sealed" } else { "; 'head -c 32 /dev/urandom | base64' prints a new key" })]
    KeyMissing {
        /// Where the key should be.
        path: PathBuf,
        /// Whether something is sealed under it.
        sealed: bool,
    },
    /// The key file is there and cannot be read.
    #[error("vault: cannot read the key file {}: {source}", path.display())]
    KeyUnreadable {
        /// Which file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The key file or the key command holds no key.
    #[error("vault: {origin} gives no key: one line with 32 bytes in Base64 is wanted")]
    KeyForm {
        /// Where the key came from.
        origin: String,
    },
    /// The key command could not be run, or failed.
    #[error("vault: the key command {why}")]
    KeyCommand {
        /// The failure.
        why: String,
    },
    /// The vault is sealed under another key.
    #[error("vault: {} does not open under {origin}: it is sealed under {sealed_under}", path.display())]
    OtherKey {
        /// The vault.
        path: PathBuf,
        /// Where the key came from.
        origin: String,
        /// Where the vault's own key was when it was written.
        sealed_under: String,
    },
    /// The vault is sealed under the key of a command, and none was named.
    #[error("vault: {} is sealed under the key of a command: name it with --vault-key-command", path.display())]
    NeedsCommand {
        /// The vault.
        path: PathBuf,
    },
    /// The vault is not as it was written, or an earlier build's vault is sealed under another key.
    #[error("vault: {} does not open: it is damaged, or the key is another vault's", path.display())]
    Damaged {
        /// The vault.
        path: PathBuf,
    },
    /// There is a log and no base file that it could belong to.
    #[error("vault: {} is missing, and without it its log {} is of no use: put it back", path.display(), log.display())]
    BaseMissing {
        /// The base file.
        path: PathBuf,
        /// The log.
        log: PathBuf,
    },
    /// A vault of an earlier build lacks the secret of a key.
    #[error("vault: {} holds no secret for key '{name}'", path.display())]
    Missing {
        /// The vault.
        path: PathBuf,
        /// The name of the session.
        name: String,
    },
    /// One record does not open.
    #[error("vault: the record of '{name}' does not open: it is damaged, or another session's")]
    Record {
        /// The requested name.
        name: String,
    },
    /// A name or a secret is too long to store.
    #[error("vault: '{name}' has a name or a secret of more than {max} bytes")]
    TooLong {
        /// Whose secret.
        name: String,
        /// Longest name or secret.
        max: usize,
    },
    /// One change has more records than fit into one.
    #[error("vault: {count} records are too many for one change")]
    TooMany {
        /// How many.
        count: usize,
    },
    /// The file for a new key is there already.
    #[error("vault: {} is there already, and a rotation makes a new file; the vault is sealed under {sealed_under}", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
        /// Where the vault's own key is.
        sealed_under: String,
    },
    /// A rotation was written, but its last sync failed.
    #[error("vault: {source}; the vault may be sealed under {before} or under {}: keep both", after.display())]
    Unsynced {
        /// Where the key before was.
        before: String,
        /// The new key's file.
        after: PathBuf,
        /// The failed sync.
        source: io::Error,
    },
    /// The system gave no random bytes.
    #[error("vault: the system gives no random bytes: {0}")]
    Random(getrandom::Error),
}

impl Fault {
    /// Whether the key that the settings name, or the vault itself, is not the right one: a start that is repeated meets the same
    /// fault. A key command that fails counts too: one that has to wait for a server waits itself.
    pub fn is_lasting(&self) -> bool {
        match self {
            Self::KeyMissing { .. }
            | Self::KeyUnreadable { .. }
            | Self::KeyForm { .. }
            | Self::KeyCommand { .. }
            | Self::OtherKey { .. }
            | Self::NeedsCommand { .. }
            | Self::Damaged { .. }
            | Self::BaseMissing { .. }
            | Self::Missing { .. }
            | Self::Record { .. } => true,
            Self::Io { .. }
            | Self::TooLong { .. }
            | Self::TooMany { .. }
            | Self::Exists { .. }
            | Self::Unsynced { .. }
            | Self::Random(_) => false,
        }
    }

    /// A closure that turns an I/O error on `path` into a fault.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
