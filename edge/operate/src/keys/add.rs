//! `key add`: makes a key of an account, or a master key of a group (AUTH-015, Q-195).

use super::change::{bad_roles, checked_name, for_master_keys};
use super::draw;
use super::new_secret::{SecretText, secret_body};
use super::restrict::addresses;
use super::row::{role_names, shown};
use crate::command::{Argument, Command, Effect, Form};
use crate::guard::{Waiting, too_many};
use crate::operator::Operator;
use buttonwood_engine::{AccessReject, Body, NewSession, Operation, Owner, Proposed, Reject};
use buttonwood_gate::{Payload, Refusal, Secret};
use buttonwood_model::{Role, Roles};
use buttonwood_wire::contract::{Flag, InPayload, Label, Needed, Text, Texts};
use buttonwood_wire::field::{bad_value, failed, no_space};
use buttonwood_wire::{answer, json, request};
use std::borrow::Cow;
use std::sync::Arc;

/// Also `POST /sandbox/keys`.
pub const COMMAND: Command =
    Command::once("key add", Effect::Opens, |operator, fields| Box::pin(run(operator, fields)))
        .about("Makes a key and prints its secret, this once; without an account it is a master key.")
        .proposes()
        .takes::<NewKey>(&[
            Argument::new("group", Form::Option),
            Argument::new("account", Form::Option),
            Argument::new("roles", Form::Options).named("role"),
            Argument::new("require_heartbeat", Form::Switch),
            Argument::new("time_based_nonce", Form::Switch),
            Argument::new("from", Form::Options),
            Argument::new("name", Form::Option),
        ])
        .gives::<KeyMade>();

request! {
    /// A key to make.
    struct NewKey in InPayload {
        /// The name of its group.
        group: Needed<Text>,
        /// The short name of its account; a key without one is a master key.
        account: Text,
        /// Its roles: Trader, Fund Manager, Auditor, Administrator, in any letter case, with a blank or a dash.
        roles: Needed<Texts>,
        /// Whether 30 seconds of silence cancel its orders; not for master keys.
        require_heartbeat: Flag<false>,
        /// Whether its nonces are times.
        time_based_nonce: Flag<false>,
        /// Addresses or blocks of addresses, such as 192.0.2.0/24, from which its calls may come; from anywhere without one.
        from: Texts,
        /// Its name for people, 1 to 50 characters that no other key of the group has; its public text without one.
        name: Text,
    }
}

answer! {
    /// The key that was made.
    struct KeyMade {
        /// Its public text; absent in a dry run.
        api_key: Option<String>,
        /// Its secret, which is shown only here; absent in a dry run.
        api_secret: Option<SecretText>,
        /// Its name for people; absent in a dry run that names none.
        name: Option<Label>,
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
        /// The number of the proposal, if another operator must approve the key; until then every call of it is refused.
        proposal: Option<u64>,
        /// When the proposal expires and the key ends, in milliseconds.
        expires_ms: Option<u64>,
    }
}

/// The roles as refusals of the command line name them.
const FIELD: &str = "role";

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = NewKey::of(fields);
    let (group, account) = (request.group()?, request.account()?);
    let name = request.name()?.map(|name| checked_name(&name)).transpose()?;
    let key = read(operator, request, name.clone())?;
    let _turn = operator.keeper.turn.lock().await;
    check_name(operator, &key)?;
    let mut made = KeyMade {
        api_key: None,
        api_secret: None,
        name: name.map(Label),
        group: Label(group.into_owned()),
        account: account.map(|account| Label(account.into_owned())),
        roles: role_names(key.roles),
        require_heartbeat: key.require_heartbeat,
        time_based_nonce: key.time_based_nonce,
        from: shown(&key.addresses),
        proposal: None,
        expires_ms: None,
    };
    if operator.is_dry_run() {
        operator.send(Body::add_session(key), refusal).await?;
        return Ok(json::body(&made));
    }
    let secret = draw::secret()?;
    store(operator, &key, &secret).await?;
    let api_key = key.api_key.clone();
    made.name = Some(Label(key.name.clone()));
    let waiting = make(operator, key).await?;
    let session = operator.let_in(&api_key, &secret)?;
    operator.announce().await;
    if waiting {
        let Waiting { proposal, expires_ms } = Waiting::of(operator, &Proposed::Key(session));
        (made.proposal, made.expires_ms) = (proposal, expires_ms);
    }
    made.api_secret = Some(SecretText(secret));
    made.api_key = Some(api_key);
    Ok(secret_body(&made))
}

/// Makes the key; returns whether it is only proposed and disabled until another operator approves it.
async fn make(operator: &Operator<'_>, key: NewSession) -> Result<bool, Refusal> {
    if !operator.needs_two() {
        return operator.send(Body::add_session(key), refusal).await.map(|()| false);
    }
    let refuse = |reject| refusal(reject).or_else(|| too_many(reject));
    operator.proposing().send(Operation::ProposeKey(Arc::new(key)), refuse).await.map(|()| true)
}

/// The key as asked for, under a text that was just drawn.
fn read(operator: &Operator<'_>, request: NewKey<'_>, name: Option<String>) -> Result<NewSession, Refusal> {
    let group = request.group()?;
    let owner = match request.account()? {
        Some(account) => Owner::Account(operator.find_account(&group, &account)?),
        None => Owner::Group(operator.find_group(&group)?),
    };
    let roles = roles(&request.roles()?)?;
    let is_account = matches!(owner, Owner::Account(_));
    if is_account && roles.has(Role::Administrator) {
        return Err(for_master_keys(FIELD));
    }
    let require_heartbeat = request.require_heartbeat()?;
    if require_heartbeat && !is_account {
        return Err(bad_value("require_heartbeat", "false for a master key", "true"));
    }
    let api_key = draw::api_key(is_account)?;
    Ok(NewSession {
        owner,
        roles,
        require_heartbeat,
        time_based_nonce: request.time_based_nonce()?,
        name: name.unwrap_or_else(|| api_key.clone()),
        api_key,
        addresses: addresses(&request.from()?.unwrap_or_default())?,
    })
}

/// Refuses a name that another key of the group has, since people find keys by it.
fn check_name(operator: &Operator<'_>, key: &NewSession) -> Result<(), Refusal> {
    let views = operator.exchange.views();
    let access = views.state().access();
    let group = access.group_of(key.owner);
    if group.is_some_and(|group| access.has_key_name(group, &key.name, None)) {
        Err(bad_value("name", "one that no other key of the group has", &key.name))
    } else {
        Ok(())
    }
}

/// Stores the secret before the journal can name the key.
async fn store(operator: &Operator<'_>, key: &NewSession, secret: &Secret) -> Result<(), Refusal> {
    let command = buttonwood_engine::Command { caller: None, body: Body::add_session(key.clone()) };
    if let Err(reject) = operator.exchange.try_out(&command) {
        let full = (reject == Reject::NoRoom).then(no_space);
        return Err(full.or_else(|| refusal(reject)).unwrap_or_else(failed));
    }
    operator.store_secret(&key.api_key, secret).await
}

fn refusal(reject: Reject) -> Option<Refusal> {
    (reject == Reject::Access(AccessReject::BadRoles)).then(|| bad_roles(FIELD))
}

/// Reads the roles of a command. Its refusals name them as the command line does.
///
/// # Errors
/// The refusal.
pub fn roles(names: &[Cow<'_, str>]) -> Result<Roles, Refusal> {
    roles_of(FIELD, names)
}

/// Reads the roles in a field: the specification's words in any letter case, with a blank, a dash or an underscore.
///
/// # Errors
/// The refusal, which names the field.
pub fn roles_of(field: &str, names: &[Cow<'_, str>]) -> Result<Roles, Refusal> {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_'], " ");
    let role = |name: &Cow<'_, str>| {
        let found = Role::ALL.into_iter().find(|role| plain(role.name()) == plain(name));
        found.ok_or_else(|| bad_value(field, "Trader, Fund Manager, Auditor or Administrator", name))
    };
    let roles: Vec<Role> = names.iter().map(role).collect::<Result<_, _>>()?;
    let roles = Roles::of(&roles);
    if roles.is_valid() { Ok(roles) } else { Err(bad_roles(field)) }
}
