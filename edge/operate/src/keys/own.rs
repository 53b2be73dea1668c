//! Keys that a user keeps by page: the same way as `key add` and `key end`, in the user's group and within the user's rights. The room of
//! accounts and keys checks the user when it decides.

use super::add::roles_of;
use super::change::{bad_roles, checked_name, for_master_keys};
use super::draw;
use super::new_secret::{SecretText, secret_body};
use super::restrict;
use super::row::{role_names, shown};
use crate::Shared;
use buttonwood_engine::{
    AccessCommand, AccessReject, Body, Caller, Command, Hand, NewSession, OWN_KEYS_MAX, OWN_KEYS_PER_SPAN,
    OwnKey, Owner, Reject, Session, Standing, State,
};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_model::{GroupId, Nonce, Role, Roles, SessionId};
use buttonwood_wire::contract::{Flag, InPayload, Label, Needed, Nullable, Text, Texts};
use buttonwood_wire::field::{bad_value, busy, failed, no_space};
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// The user of a browser, as the published state has it.
#[derive(Clone, Copy, Debug)]
pub struct KeyUser<'a> {
    /// The exchange.
    pub shared: &'a Shared,
    /// The session of the browser.
    pub session: SessionId,
    /// The group; none for an operator.
    pub group: Option<GroupId>,
    /// The rights.
    pub roles: Roles,
}

request! {
    /// A key to make.
    struct NewOwnKey in InPayload {
        /// Its name for people, 1 to 50 characters that no other key of the group has.
        name: Needed<Text>,
        /// The short name of its account; a key without one is a master key.
        account: Text,
        /// Its roles.
        roles: Needed<Texts>,
        /// Whether 30 seconds of silence cancel its orders; not for master keys.
        require_heartbeat: Flag<false>,
        /// Whether its nonces are times.
        time_based_nonce: Flag<false>,
        /// Addresses or blocks of addresses, such as 192.0.2.0/24, from which its calls may come; from anywhere without one.
        from: Texts,
    }
}

request! {
    /// A key.
    struct Named in InPayload {
        /// The text of the key.
        api_key: Needed<Text>,
    }
}

request! {
    /// Another name of a key.
    struct Rename in InPayload {
        /// The text of the key.
        api_key: Needed<Text>,
        /// Its name for people, 1 to 50 characters that no other key of the group has.
        name: Needed<Text>,
    }
}

request! {
    /// A key that is to stop.
    struct Stop in InPayload {
        /// The text of the key.
        api_key: Needed<Text>,
        /// Whether its live orders are cancelled too.
        cancel_orders: Flag<false>,
    }
}

answer! {
    /// The key that was made.
    struct OwnKeyMade {
        /// Its public text.
        api_key: String,
        /// Its secret, which is shown only here.
        api_secret: SecretText,
    }
}

answer! {
    /// A key of the group.
    struct OwnKeyRow {
        /// Its public text.
        api_key: String,
        /// Its name for people.
        name: Label,
        /// The short name of its account; `null` for a master key.
        account: Nullable<Label>,
        /// Its roles.
        roles: Vec<String>,
        /// Whether 30 seconds of silence cancel its orders.
        require_heartbeat: bool,
        /// Whether its nonces are times.
        time_based_nonce: bool,
        /// Whether it may be used.
        enabled: bool,
        /// When it was made, in milliseconds.
        created_ms: u64,
        /// When it was last used, in milliseconds; exact to a second for the time before the last start.
        last_used_ms: Nullable<u64>,
        /// Where its calls may come from; anywhere, if it is empty.
        from: Vec<String>,
    }
}

impl KeyUser<'_> {
    /// The keys that the user keeps, the oldest first; an operator keeps none.
    pub fn list(&self) -> Vec<u8> {
        let views = self.shared.exchange.views();
        let state = views.state();
        let all = self.group.into_iter().flat_map(|group| state.access().keys_of(group));
        let kept = all.filter(|(id, session)| self.keeps(state, *id, session));
        let rows: Vec<OwnKeyRow> = kept.map(|(_, session)| self.row(state, session)).collect();
        json::body(&rows)
    }

    /// Makes a key. The answer is its text and its secret.
    ///
    /// # Errors
    /// The refusal.
    pub async fn make(&self, fields: &Payload) -> Result<Vec<u8>, Refusal> {
        let new = self.read(fields)?;
        let _turn = self.shared.keeper.turn.lock().await;
        let command = self.command(OwnKey::Make(new.clone()));
        let refuse = |reject| refusal_of_new(reject, &new);
        // The secret is stored before the journal can name the key.
        self.shared.exchange.try_out(&command).map_err(refuse)?;
        let secret = draw::secret()?;
        self.shared.store_secret(&new.api_key, &secret).await?;
        self.send(command).await?.map_err(refuse)?;
        self.shared.let_in(&new.api_key, &secret)?;
        self.shared.announce().await;
        Ok(secret_body(&OwnKeyMade { api_key: new.api_key, api_secret: SecretText(secret) }))
    }

    /// Gives a key another name.
    ///
    /// # Errors
    /// The refusal.
    pub async fn rename(&self, fields: &Payload) -> Result<(), Refusal> {
        let request = Rename::of(fields);
        let (api_key, name) = (request.api_key()?, checked_name(&request.name()?)?);
        self.change(&api_key, |session| OwnKey::Rename(session, name)).await
    }

    /// Disables a key at once.
    ///
    /// # Errors
    /// The refusal.
    pub async fn disable(&self, fields: &Payload) -> Result<(), Refusal> {
        let request = Stop::of(fields);
        let (api_key, cancel_orders) = (request.api_key()?, request.cancel_orders()?);
        self.change(&api_key, |session| OwnKey::Disable { session, cancel_orders }).await
    }

    /// Enables a key again.
    ///
    /// # Errors
    /// The refusal.
    pub async fn enable(&self, fields: &Payload) -> Result<(), Refusal> {
        let api_key = Named::of(fields).api_key()?;
        self.change(&api_key, OwnKey::Enable).await
    }

    /// Ends a key for good.
    ///
    /// # Errors
    /// The refusal.
    pub async fn end(&self, fields: &Payload) -> Result<(), Refusal> {
        let request = Stop::of(fields);
        let (api_key, cancel_orders) = (request.api_key()?, request.cancel_orders()?);
        self.change(&api_key, |session| OwnKey::End { session, cancel_orders }).await?;
        self.shared.forget(&api_key).await;
        Ok(())
    }

    /// Whether the user keeps a key. One that waits for the approval of a second operator is no user's yet (D-184).
    fn keeps(&self, state: &State, id: SessionId, session: &Session) -> bool {
        let is_theirs = |group| state.access().may_keep(group, self.roles, session);
        self.group.is_some_and(is_theirs) && !state.operations().proposed_keys().any(|key| key == id)
    }

    fn row(&self, state: &State, session: &Session) -> OwnKeyRow {
        let key = &session.key;
        let account = match key.owner {
            Owner::Account(account) => state.access().account(account),
            Owner::Group(_) => None,
        };
        let last_used = session.last_used().map(buttonwood_model::Time::millis);
        OwnKeyRow {
            api_key: key.api_key.clone(),
            name: Label(key.name.clone()),
            account: Nullable(account.map(|account| Label(account.short_name.clone()))),
            roles: role_names(key.roles),
            require_heartbeat: key.require_heartbeat,
            time_based_nonce: key.time_based_nonce,
            enabled: session.standing() == Standing::Enabled,
            created_ms: session.created().millis(),
            last_used_ms: Nullable(last_used.max(self.shared.last_call_ms(&key.api_key))),
            from: shown(&key.addresses),
        }
    }

    /// The key as sent, under a text that was just drawn.
    fn read(&self, fields: &Payload) -> Result<NewSession, Refusal> {
        let request = NewOwnKey::of(fields);
        let name = checked_name(&request.name()?)?;
        let account = request.account()?;
        let roles = roles_of("roles", &request.roles()?)?;
        let (require_heartbeat, time_based_nonce) =
            (request.require_heartbeat()?, request.time_based_nonce()?);
        let group = self.group.ok_or_else(no_group)?;
        let owner = match &account {
            Some(account) => Owner::Account(self.account(group, account)?),
            None => Owner::Group(group),
        };
        let is_account = account.is_some();
        if is_account && roles.has(Role::Administrator) {
            return Err(for_master_keys("roles"));
        }
        if require_heartbeat && !is_account {
            return Err(bad_value("require_heartbeat", "false for a master key", "true"));
        }
        let addresses = restrict::addresses(&request.from()?.unwrap_or_default())?;
        let api_key = draw::api_key(is_account)?;
        Ok(NewSession { owner, roles, require_heartbeat, time_based_nonce, api_key, name, addresses })
    }

    fn account(&self, group: GroupId, name: &str) -> Result<buttonwood_model::AccountId, Refusal> {
        let found = self.shared.exchange.views().state().access().find_account(group, name);
        found.ok_or_else(|| foreign(name))
    }

    /// Changes a key of the user's, in the journal and then at the gate.
    async fn change(&self, api_key: &str, act: impl FnOnce(SessionId) -> OwnKey) -> Result<(), Refusal> {
        let _turn = self.shared.keeper.turn.lock().await;
        let found = self.shared.exchange.views().state().access().find_session(api_key);
        let session = found.ok_or_else(|| unknown(api_key))?;
        let act = act(session);
        let name = if let OwnKey::Rename(_, name) = &act { name.clone() } else { String::new() };
        let sent = self.send(self.command(act)).await?;
        sent.map_err(|reject| {
            if let Reject::Access(AccessReject::Unknown | AccessReject::MissingRole(_)) = reject {
                unknown(api_key)
            } else if reject == Reject::Access(AccessReject::NameTaken) {
                taken(&name)
            } else if let Reject::Access(AccessReject::DisabledBy(by)) = reject {
                disabled_by(api_key, by)
            } else {
                refusal(reject)
            }
        })?;
        self.shared.pass_on(session).await;
        Ok(())
    }

    fn command(&self, act: OwnKey) -> Command {
        let caller = Caller { session: self.session, account: None, nonce: Nonce::default() };
        Command { caller: Some(caller), body: Body::Access(AccessCommand::KeepKey(Arc::new(act))) }
    }

    /// Sends a command and waits until it is durable.
    async fn send(&self, command: Command) -> Result<Result<(), Reject>, Refusal> {
        let pending = self.shared.exchange.submit(command).map_err(|_| busy("The exchange is busy"))?;
        Ok(pending.await.map_err(|_| busy("The exchange is stopping"))?.done())
    }
}

/// The refusal of a new key.
fn refusal_of_new(reject: Reject, new: &NewSession) -> Refusal {
    if let Reject::Access(AccessReject::MissingRole(roles)) = reject {
        lacking(new, roles)
    } else if reject == Reject::Access(AccessReject::BadRoles) {
        bad_roles("roles")
    } else if reject == Reject::Access(AccessReject::NameTaken) {
        taken(&new.name)
    } else if reject == Reject::Access(AccessReject::TooManyKeys) {
        let message = format!("The group has {OWN_KEYS_MAX} keys, and no more can be made");
        Refusal::new(Reason::InvalidParameterValue, message)
    } else if reject == Reject::Access(AccessReject::KeysTooFast) {
        let message = format!("Your group made {OWN_KEYS_PER_SPAN} keys within 24 hours: make more later");
        Refusal::new(Reason::InvalidParameterValue, message)
    } else {
        refusal(reject)
    }
}

/// The refusal of any act on keys.
fn refusal(reject: Reject) -> Refusal {
    if let Reject::Access(AccessReject::UnknownSession) = reject {
        return Refusal::new(Reason::SignInRequired, "The session has ended: sign in");
    }
    if reject == Reject::NoRoom { no_space() } else { failed() }
}

/// The refusal of a key that could do more than its user may.
fn lacking(new: &NewSession, roles: Roles) -> Refusal {
    let is_master = matches!(new.owner, Owner::Group(_));
    let needs = |role: &Role| new.roles.has(*role) || (is_master && *role == Role::Administrator);
    let needed = Roles::of(&Role::ALL.into_iter().filter(needs).collect::<Vec<_>>());
    let message = format!(
        "This key takes a user with all of the roles [{}], and you have the roles [{}]",
        role_names(needed).join(", "),
        role_names(roles).join(", ")
    );
    Refusal::new(Reason::MissingRole, message)
}

fn no_group() -> Refusal {
    Refusal::new(Reason::MissingRole, "An operator is in no group, and keeps no keys by page")
}

fn foreign(name: &str) -> Refusal {
    let message = format!("Field 'account' names no account of your group: '{}'", quoted(name));
    Refusal::new(Reason::InvalidAccountName, message)
}

/// The refusal to enable a key that one who outranks the user has disabled.
fn disabled_by(api_key: &str, by: Hand) -> Refusal {
    let who = match by {
        Hand::User => "a user of your group",
        Hand::Administrator => "an administrator of your group",
        Hand::Operator => "an operator",
    };
    let api_key = quoted(api_key);
    let message =
        format!("Field 'api_key' names the key '{api_key}', which {who} disabled and has to enable");
    Refusal::new(Reason::MissingRole, message)
}

fn taken(name: &str) -> Refusal {
    bad_value("name", "one that no other key of the group has", name)
}

/// The refusal of a key that does not exist, has ended or is not the user's, alike.
fn unknown(api_key: &str) -> Refusal {
    let message = format!("Field 'api_key' names no key of yours: {}", quoted(api_key));
    Refusal::new(Reason::EndpointNotFound, message)
}
