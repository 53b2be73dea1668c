//! `key disable`, `enable`, `end`, `roles`, `rename`, `from`: what is done to a key in use.

use super::add::roles;
use super::restrict::addresses;
use super::row::{KeyRow, row};
use crate::Shared;
use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::{AccessCommand, AccessReject, Owner, Reject};
use buttonwood_gate::{Key, Payload, Refusal};
use buttonwood_model::{Role, SessionId};
use buttonwood_wire::contract::{Flag, InPayload, Needed, Text, Texts};
use buttonwood_wire::field::{bad_value, failed};
use buttonwood_wire::text::{PLAIN, is_plain, visible};
use buttonwood_wire::{json, request};
use std::sync::Arc;

const API_KEY: Argument = Argument::new("api_key", Form::Place);
const CANCEL: Argument = Argument::new("cancel_orders", Form::Switch);

/// Also `POST /sandbox/keys/disable`.
pub const DISABLE: Command =
    Command::once("key disable", Effect::Halts, |operator, fields| Box::pin(disable(operator, fields)))
        .about("Disables a key at once; with --cancel-orders its live orders are cancelled too.")
        .takes::<Stop>(&[API_KEY, CANCEL])
        .gives::<KeyRow>();

/// Also `POST /sandbox/keys/enable`.
pub const ENABLE: Command =
    Command::once("key enable", Effect::Opens, |operator, fields| Box::pin(enable(operator, fields)))
        .about("Enables a key again.")
        .takes::<Named>(&[API_KEY])
        .gives::<KeyRow>();

/// Also `POST /sandbox/keys/end`.
pub const END: Command =
    Command::once("key end", Effect::Halts, |operator, fields| Box::pin(end(operator, fields)))
        .about("Ends a key for good; with --cancel-orders its live orders are cancelled too.")
        .takes::<Stop>(&[API_KEY, CANCEL])
        .gives::<KeyRow>();

/// Also `POST /sandbox/keys/roles`.
pub const ROLES: Command =
    Command::once("key roles", Effect::Opens, |operator, fields| Box::pin(set_roles(operator, fields)))
        .about("Sets the roles of a key.")
        .takes::<SetRoles>(&[API_KEY, Argument::new("roles", Form::Options).named("role")])
        .gives::<KeyRow>();

/// Also `POST /sandbox/keys/rename`.
pub const RENAME: Command =
    Command::once("key rename", Effect::Names, |operator, fields| Box::pin(rename(operator, fields)))
        .about("Gives a key another name for people.")
        .takes::<Rename>(&[API_KEY, Argument::new("name", Form::Place)])
        .gives::<KeyRow>();

/// Also `POST /sandbox/keys/addresses`.
pub const FROM: Command =
    Command::once("key from", Effect::Opens, |operator, fields| Box::pin(restrict(operator, fields)))
        .about("Restricts a key to blocks of addresses; none lifts the restriction.")
        .takes::<Restrict>(&[API_KEY, Argument::new("from", Form::Places)])
        .gives::<KeyRow>();

request! {
    /// A key.
    struct Named in InPayload {
        /// The text of the key.
        api_key: Needed<Text>,
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

request! {
    /// Other roles of a key.
    struct SetRoles in InPayload {
        /// The text of the key.
        api_key: Needed<Text>,
        /// Its roles instead of those before: Trader, Fund Manager, Auditor, Administrator, in any letter case.
        roles: Needed<Texts>,
    }
}

request! {
    /// Another name of a key.
    struct Rename in InPayload {
        /// The text of the key.
        api_key: Needed<Text>,
        /// Its name for people: 1 to 50 characters without control and format characters, no blank at either end.
        name: Needed<Text>,
    }
}

request! {
    /// Where the calls of a key may come from.
    struct Restrict in InPayload {
        /// The text of the key.
        api_key: Needed<Text>,
        /// Addresses or blocks of addresses, such as 192.0.2.0/24, instead of those before.
        from: Needed<Texts>,
    }
}

async fn disable(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Stop::of(fields);
    let (api_key, cancel_orders) = (request.api_key()?, request.cancel_orders()?);
    let command = |session| AccessCommand::DisableSession { session, cancel_orders };
    change(operator, &api_key, command, |row| row.set_enabled(false)).await
}

async fn enable(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let api_key = Named::of(fields).api_key()?;
    change(operator, &api_key, AccessCommand::EnableSession, |row| row.set_enabled(true)).await
}

async fn end(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Stop::of(fields);
    let (api_key, cancel_orders) = (request.api_key()?, request.cancel_orders()?);
    let command = |session| AccessCommand::EndSession { session, cancel_orders };
    let row = change(operator, &api_key, command, KeyRow::end).await?;
    if !operator.is_dry_run() {
        operator.forget(&api_key).await;
    }
    Ok(row)
}

async fn set_roles(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = SetRoles::of(fields);
    let (api_key, roles) = (request.api_key()?, roles(&request.roles()?)?);
    let is_account = {
        let views = operator.exchange.views();
        let access = views.state().access();
        let session = access.find_session(&api_key).and_then(|id| access.session(id));
        session.is_some_and(|session| matches!(session.key.owner, Owner::Account(_)))
    };
    if is_account && roles.has(Role::Administrator) {
        return Err(for_master_keys("role"));
    }
    let command = |session| AccessCommand::SetSessionRoles(session, roles);
    change(operator, &api_key, command, |row| row.set_roles(roles)).await
}

async fn rename(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Rename::of(fields);
    let (api_key, name) = (request.api_key()?, checked_name(&request.name()?)?);
    check_free(operator, &api_key, &name)?;
    let command = |session| AccessCommand::RenameSession(session, Arc::new(name.clone()));
    change(operator, &api_key, command, |row| row.rename(&name)).await
}

/// Refuses a name that another key of the group has, since people find keys by it.
fn check_free(operator: &Operator<'_>, api_key: &str, name: &str) -> Result<(), Refusal> {
    let views = operator.exchange.views();
    let access = views.state().access();
    let session = access.find_session(api_key);
    let group = session.and_then(|id| access.group_of(access.session(id)?.key.owner));
    if group.is_some_and(|group| access.has_key_name(group, name, session)) {
        Err(bad_value("name", "one that no other key of the group has", name))
    } else {
        Ok(())
    }
}

async fn restrict(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Restrict::of(fields);
    let (api_key, addresses) = (request.api_key()?, addresses(&request.from()?)?);
    let command = |session| AccessCommand::RestrictSession(session, Arc::new(addresses.clone()));
    change(operator, &api_key, command, |row| row.restrict(&addresses)).await
}

/// Sends the change of a key and passes it on to the gate. The answer is the key as the change makes it: no other change of it can come
/// in between. A dry run answers with the key as it would be.
async fn change(
    operator: &Operator<'_>,
    api_key: &str,
    command: impl FnOnce(SessionId) -> AccessCommand,
    expected: impl FnOnce(&mut KeyRow),
) -> Result<Vec<u8>, Refusal> {
    let _turn = operator.keeper.turn.lock().await;
    let found = operator.exchange.views().state().access().find_session(api_key);
    let session = found.ok_or_else(|| bad_value("api_key", "the text of a key", api_key))?;
    let mut row = operator.row(session)?;
    operator.send(command(session), |reject| refusal(reject, api_key)).await?;
    expected(&mut row);
    if !operator.is_dry_run() {
        operator.pass_on(session).await;
    }
    Ok(json::body(&row))
}

impl Shared {
    /// A key as it stands.
    pub(super) fn row(&self, session: SessionId) -> Result<KeyRow, Refusal> {
        let views = self.exchange.views();
        let state = views.state();
        let found = state.access().session(session).ok_or_else(failed)?;
        Ok(row(state, found, self.last_call_ms(&found.key.api_key)))
    }

    /// When a key last called since the start.
    pub(super) fn last_call_ms(&self, api_key: &str) -> Option<u64> {
        Some(self.gate.keys().find(api_key.as_bytes())?.last_call()?.time.millis())
    }

    /// Lets the gate and the keeper know how a key stands now.
    pub(crate) async fn pass_on(&self, session: SessionId) {
        let key = Key::of(self.exchange.views().state().access(), session);
        if let Some(key) = key {
            self.gate.keys().update(key);
        }
        self.announce().await;
    }

    /// Removes the secret of a key that has ended. A fault there undoes nothing: it is logged, and the next start removes the secret.
    pub(super) async fn forget(&self, api_key: &str) {
        let (keeper, api_key) = (Arc::clone(&self.keeper), api_key.to_owned());
        let removed = tokio::task::spawn_blocking(move || keeper.forget(&api_key)).await;
        if let Ok(Err(fault)) = removed {
            tracing::error!(%fault, "the secret of an ended key stays in the vault until the next start");
        }
    }

    /// Lets the keeper know that keys were made or changed. A fault there undoes nothing, so it is only logged.
    pub(super) async fn announce(&self) {
        let (keeper, exchange) = (Arc::clone(&self.keeper), self.exchange.clone());
        let heard = tokio::task::spawn_blocking(move || keeper.changed(&exchange)).await;
        if let Ok(Err(fault)) = heard {
            tracing::error!(%fault, "a change of keys was not passed on");
        }
    }
}

fn refusal(reject: Reject, api_key: &str) -> Option<Refusal> {
    if reject == Reject::Access(AccessReject::Ended) {
        return Some(bad_value("api_key", "a key that has not ended", api_key));
    }
    (reject == Reject::Access(AccessReject::BadRoles)).then(|| bad_roles("role"))
}

/// Refuses roles that the key may not have.
pub(super) fn bad_roles(field: &str) -> Refusal {
    let expected =
        "one or more roles, Auditor alone, and no Trader for an account that is closed or does not trade";
    bad_value(field, expected, "these")
}

/// Refuses an account key with the role of an administrator (AUTH-023).
pub(super) fn for_master_keys(field: &str) -> Refusal {
    bad_value(field, "one that account keys may have; for master keys only", Role::Administrator.name())
}

/// Characters of a key's name at most.
const NAME_MAX: usize = 50;

/// A name for people.
pub(super) fn checked_name(name: &str) -> Result<String, Refusal> {
    if is_plain(name, NAME_MAX) {
        Ok(name.to_owned())
    } else {
        Err(bad_value("name", &format!("1 to {NAME_MAX} {PLAIN}"), &visible(name)))
    }
}
