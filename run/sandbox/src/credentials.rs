//! `credentials.json`: the keys a tester works with, written anew at every start (launch contract).

use crate::cast::SIMULATED;
use buttonwood_disk::replace;
use buttonwood_engine::{Owner, State};
use buttonwood_model::Role;
use buttonwood_vault::Vault;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The file cannot be written, or a secret for it is missing.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The disk refuses.
    #[error("cannot {action} {}: {source}", path.display())]
    Write {
        /// The action that failed.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The vault has no secret for a key, or not this key's.
    #[error("the vault holds no secret for key '{0}': was the file 'vault' removed?")]
    NoSecret(String),
}

/// Writes the file, mode 0600, whole or not at all.
///
/// # Errors
/// [`Fault`].
pub fn write(dir: &Path, base_url: &str, state: &State, vault: &Vault) -> Result<PathBuf, Fault> {
    let mut keys = Vec::new();
    for (session, entry) in (0u32..).zip(state.access().sessions()) {
        let key = &entry.key;
        let Some((group, account)) = names(state, key.owner) else { continue };
        if group == SIMULATED {
            continue;
        }
        let secret = vault.get(session, &key.api_key).ok().flatten();
        let secret = secret.ok_or_else(|| Fault::NoSecret(key.api_key.clone()))?;
        let mut row = json!({
            "name": key.name,
            "api_key": key.api_key,
            "api_secret": String::from_utf8_lossy(secret.expose()),
            "group": group,
            "account": account,
            "roles": key.roles.iter().map(Role::name).collect::<Vec<_>>(),
            "require_heartbeat": key.require_heartbeat,
            "time_based_nonce": key.time_based_nonce,
        });
        // A master key belongs to a group and to no account.
        if let (Value::Object(fields), None) = (&mut row, account) {
            fields.remove("account");
        }
        keys.push(row);
    }
    let file =
        json!({ "base_url": base_url, "auth_url": base_url, "keys": keys, "users": [], "oauth_clients": [] });
    replace(dir, "credentials.json", 0o600, format!("{file:#}\n").as_bytes())
        .map_err(|failed| Fault::Write { action: failed.action, path: failed.path, source: failed.source })?;
    Ok(dir.join("credentials.json"))
}

fn names(state: &State, owner: Owner) -> Option<(&str, Option<&str>)> {
    let access = state.access();
    match owner {
        Owner::Group(group) => Some((&access.group(group)?.name, None)),
        Owner::Account(account) => {
            let account = access.account(account)?;
            Some((&access.group(account.group?)?.name, Some(&account.short_name)))
        }
    }
}
