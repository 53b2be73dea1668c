//! `credentials.json`: the keys a tester works with, written anew at every start (launch contract).

use crate::cast::SIMULATED;
use crate::people::{USERS, UserPart, app_record, is_founded, place};
use buttonwood_disk::replace;
use buttonwood_engine::identity::App;
use buttonwood_engine::{AccountKind, Owner, Standing, State};
use buttonwood_model::{Role, Scope};
use buttonwood_people::{Names, base32, digest};
use buttonwood_vault::{Opened, Secret};
use serde::{Serialize, Serializer};
use std::io::Write;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

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

/// The file's content, as the launch contract lists it.
#[derive(Serialize)]
struct Content<'a> {
    base_url: &'a str,
    auth_url: &'a str,
    keys: Vec<Row<'a>>,
    users: Vec<UserRow<'a>>,
    oauth_clients: Vec<ClientRow<'a>>,
}

/// A key of the file.
#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    api_key: &'a str,
    #[serde(serialize_with = "exposed")]
    api_secret: Secret,
    group: &'a str,
    /// A master key belongs to a group and to no account.
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<&'a str>,
    /// The account's name in clearing; neither a master key nor a custody account has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    counterparty_id: Option<&'a str>,
    roles: Vec<&'static str>,
    require_heartbeat: bool,
    time_based_nonce: bool,
}

/// A user of the file.
#[derive(Serialize)]
struct UserRow<'a> {
    email: &'a str,
    #[serde(serialize_with = "exposed")]
    password: Secret,
    #[serde(serialize_with = "exposed")]
    totp_secret: Secret,
    /// An operator has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    /// The first of the roles; `Operator` for an operator.
    role: &'static str,
    roles: Vec<&'static str>,
}

/// An app of the file.
#[derive(Serialize)]
struct ClientRow<'a> {
    name: &'a str,
    client_id: String,
    /// A public client has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret: Option<Exposed>,
    redirect_uris: &'a [String],
    scopes: Vec<&'static str>,
    public: bool,
}

/// A secret that is written out.
struct Exposed(Secret);

impl Serialize for Exposed {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        exposed(&self.0, to)
    }
}

fn exposed<S: Serializer>(secret: &Secret, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(secret.text())
}

/// Writes the file, mode 0600, whole or not at all: every key that may be used, with the addresses of the interface and of the
/// authorization server. `state` is let go before the disk is waited for.
///
/// # Errors
/// [`Fault`].
pub fn write(
    dir: &Path,
    (base_url, auth_url): (&str, &str),
    state: impl Deref<Target = State>,
    vault: &Opened,
) -> Result<PathBuf, Fault> {
    let mut keys = Vec::new();
    for entry in state.access().sessions() {
        let key = &entry.key;
        let Some((group, account)) = names(&state, key.owner) else { continue };
        let is_ended = entry.standing() != Standing::Enabled || vault.is_forgotten(&key.api_key);
        if group == SIMULATED || is_ended {
            continue;
        }
        let secret = vault.get(&key.api_key).ok().flatten();
        keys.push(Row {
            name: &key.name,
            api_key: &key.api_key,
            api_secret: secret.ok_or_else(|| Fault::NoSecret(key.api_key.clone()))?,
            group,
            account,
            counterparty_id: counterparty_id(&state, key.owner),
            roles: key.roles.iter().map(Role::name).collect(),
            require_heartbeat: key.require_heartbeat,
            time_based_nonce: key.time_based_nonce,
        });
    }
    let (users, oauth_clients) = (users(&state, vault), clients(&state, vault));
    let content = Content { base_url, auth_url, keys, users, oauth_clients };
    let text = text(&content);
    drop(content);
    drop(state);
    replace(dir, "credentials.json", &text).map_err(|failed| Fault::Write {
        action: failed.action,
        path: failed.path,
        source: failed.source,
    })?;
    Ok(dir.join("credentials.json"))
}

/// The users that the sandbox was founded with, as long as they may sign in as listed.
fn users<'a>(state: &'a State, vault: &Opened) -> Vec<UserRow<'a>> {
    let identity = state.identity();
    let row = |part: &'static UserPart| {
        let login = digest(part.email);
        let user =
            identity.find_user(&login).and_then(|id| identity.user(id)).filter(|user| user.is_active())?;
        let names = Names::of(&login);
        let get = |name: String| vault.get(&name).ok().flatten();
        let roles: Vec<_> = user.roles.iter().map(Role::name).collect();
        Some(UserRow {
            email: part.email,
            password: get(names.listed(user.credential))?,
            totp_secret: Secret::new(base32(get(names.totp(user.factor))?.expose()).as_bytes().to_vec()),
            group: user.group.and_then(|group| state.access().group(group)).map(|group| group.name.as_str()),
            role: roles.first().copied().unwrap_or("Operator"),
            roles,
        })
    };
    USERS.iter().filter_map(row).collect()
}

/// The apps that the sandbox was founded with, as long as their secrets are those listed.
fn clients<'a>(state: &'a State, vault: &Opened) -> Vec<ClientRow<'a>> {
    let row = |app: &'a App| {
        let secret = vault.get(&app_record(app.new.id)).ok().flatten();
        let is_listed = match (&secret, app.secret) {
            (Some(secret), Some(kept)) => digest(secret.text()) == kept,
            (None, None) => is_founded(app),
            (None, Some(_)) | (Some(_), None) => false,
        };
        is_listed.then(|| ClientRow {
            name: &app.new.name,
            client_id: app.new.id.to_string(),
            client_secret: secret.map(Exposed),
            redirect_uris: &app.new.redirect_uris,
            scopes: app.new.scopes.iter().map(Scope::name).collect(),
            public: app.new.is_public,
        })
    };
    let mut rows: Vec<_> = state.identity().apps().filter_map(|app| Some((place(app), row(app)?))).collect();
    rows.sort_by_key(|(place, _)| *place);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The file as text, wiped when dropped. Its length is counted first: a vector that grows leaves a copy behind.
fn text(content: &Content<'_>) -> Zeroizing<Vec<u8>> {
    let mut length = Length(0);
    serde_json::to_writer_pretty(&mut length, content).expect("texts and flags are JSON");
    let mut text = Zeroizing::new(Vec::with_capacity(length.0 + 1));
    serde_json::to_writer_pretty(&mut *text, content).expect("a vector takes every write");
    text.push(b'\n');
    text
}

/// Counts the bytes written to it.
struct Length(usize);

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The counterparty id of the account of a key.
fn counterparty_id(state: &State, owner: Owner) -> Option<&str> {
    match owner {
        Owner::Group(_) => None,
        Owner::Account(account) => {
            let account = state.access().account(account)?;
            let clears = account.kind != AccountKind::Custody && !account.counterparty_id.is_empty();
            clears.then_some(&account.counterparty_id)
        }
    }
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
