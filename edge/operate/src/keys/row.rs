//! A key as operators see it.

use buttonwood_engine::{Owner, Session, Standing, State};
use buttonwood_model::{Cidr, Role, Roles};
use buttonwood_wire::answer;
use buttonwood_wire::contract::{Label, Nullable};

answer! {
    /// A key.
    pub(super) struct KeyRow {
        /// Its public text.
        api_key: String,
        /// Its name for people.
        name: Label,
        /// Its group.
        group: Label,
        /// Its account; absent for a master key.
        account: Option<Label>,
        /// Its roles.
        roles: Vec<String>,
        /// Whether 30 seconds of silence cancel its orders.
        require_heartbeat: bool,
        /// Whether its nonces are times.
        time_based_nonce: bool,
        /// Where its calls may come from; anywhere, if it is empty.
        from: Vec<String>,
        /// Whether it may be used.
        enabled: bool,
        /// Whether it has ended, so that it cannot be enabled again.
        ended: bool,
        /// When it was made, in milliseconds.
        created_ms: u64,
        /// When it was last used, in milliseconds; exact to a second for the time before the last start.
        last_used_ms: Nullable<u64>,
    }
}

/// The key as a dry run shows it after a change.
impl KeyRow {
    pub(super) fn set_enabled(&mut self, enabled: bool) {
        self.enabled = enabled && !self.ended;
    }

    pub(super) fn end(&mut self) {
        (self.enabled, self.ended) = (false, true);
    }

    pub(super) fn set_roles(&mut self, roles: Roles) {
        self.roles = role_names(roles);
    }

    pub(super) fn rename(&mut self, name: &str) {
        self.name = Label(name.to_owned());
    }

    pub(super) fn restrict(&mut self, addresses: &[Cidr]) {
        self.from = shown(addresses);
    }
}

/// The row of a session; `last_call_ms` is its last call since the start.
pub(super) fn row(state: &State, session: &Session, last_call_ms: Option<u64>) -> KeyRow {
    let key = &session.key;
    let (group, account) = names(state, key.owner);
    let last_used = session.last_used().map(buttonwood_model::Time::millis);
    KeyRow {
        api_key: key.api_key.clone(),
        name: Label(key.name.clone()),
        group: Label(group.to_owned()),
        account: account.map(|account| Label(account.to_owned())),
        roles: role_names(key.roles),
        require_heartbeat: key.require_heartbeat,
        time_based_nonce: key.time_based_nonce,
        from: shown(&key.addresses),
        enabled: session.standing() == Standing::Enabled,
        ended: session.standing() == Standing::Ended,
        created_ms: session.created().millis(),
        last_used_ms: Nullable(last_used.max(last_call_ms)),
    }
}

/// The names of roles.
pub(crate) fn role_names(roles: Roles) -> Vec<String> {
    roles.iter().map(|role: Role| role.name().to_owned()).collect()
}

/// Blocks of addresses as texts.
pub(crate) fn shown(addresses: &[Cidr]) -> Vec<String> {
    addresses.iter().map(ToString::to_string).collect()
}

/// The names of the group and of the account that a session acts for.
fn names(state: &State, owner: Owner) -> (&str, Option<&str>) {
    let access = state.access();
    let group = access.group_of(owner).and_then(|group| access.group(group));
    let account = match owner {
        Owner::Account(account) => access.account(account),
        Owner::Group(_) => None,
    };
    (group.map_or("", |group| &group.name), account.map(|account| account.short_name.as_str()))
}
