//! `user disable` and `user enable`: whether a user may sign in.

use super::{find, refusal};
use crate::command::{Argument, Command, Effect, Form};
use crate::keys::add::roles;
use crate::operator::Operator;
use buttonwood_engine::identity::{Command as IdentityCommand, UserChange};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_wire::contract::{Done, InPayload, Label, Needed, Text, Texts};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

const EMAIL: Argument = Argument::new("email", Form::Place);

/// All that the user has open ends for good.
pub(crate) const DISABLE: Command =
    Command::once("user disable", Effect::Halts, |operator, fields| Box::pin(disable(operator, fields)))
        .about("Disables a user at once: sessions, tokens, grants, codes and mail links end for good.")
        .takes::<Named>(&[EMAIL])
        .gives::<Changed>();

/// Also gives a group to one who has none.
pub(crate) const ENABLE: Command =
    Command::once("user enable", Effect::Opens, |operator, fields| Box::pin(enable(operator, fields)))
        .about(
            "Lets a user sign in again; one who was an operator and has no group needs --group and --role.",
        )
        .takes::<Enable>(&[
            EMAIL,
            Argument::new("group", Form::Option),
            Argument::new("roles", Form::Options).named("role"),
        ])
        .gives::<Changed>();

request! {
    /// A user.
    struct Named in InPayload {
        /// The e-mail address.
        email: Needed<Text>,
    }
}

request! {
    /// A user who may sign in again.
    struct Enable in InPayload {
        /// The e-mail address.
        email: Needed<Text>,
        /// The name of another group.
        group: Text,
        /// Other roles: Trader, Fund Manager, Auditor, Administrator, in any letter case, with a blank or a dash.
        roles: Texts,
    }
}

answer! {
    /// A user who may or may not sign in.
    struct Changed {
        /// Always `ok`.
        result: Done,
        /// The address.
        email: Label,
        /// Whether the user may sign in.
        enabled: bool,
    }
}

async fn disable(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let email = Named::of(fields).email()?;
    let change = UserChange { is_disabled: Some(true), ..UserChange::default() };
    set(operator, &email, change).await
}

async fn enable(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Enable::of(fields);
    let email = request.email()?;
    let group = request.group()?.map(|group| operator.find_group(&group)).transpose()?;
    let roles = request.roles()?.map(|names| roles(&names)).transpose()?;
    if group.is_some() || roles.is_some() {
        check_place(operator, &email)?;
    }
    let change = UserChange { group, roles, is_disabled: Some(false), ..UserChange::default() };
    set(operator, &email, change).await
}

/// Refuses a group and roles for an operator, who has neither.
fn check_place(operator: &Operator<'_>, email: &str) -> Result<(), Refusal> {
    let user = find(operator, email)?;
    let views = operator.exchange.views();
    if views.state().identity().user(user).is_some_and(|user| user.is_operator) {
        return Err(bad_value("email", "that of a user who is no operator, with a group or roles", email));
    }
    Ok(())
}

async fn set(operator: &Operator<'_>, email: &str, change: UserChange) -> Result<Vec<u8>, Refusal> {
    let user = find(operator, email)?;
    let enabled = change.is_disabled == Some(false);
    let command = IdentityCommand::ChangeUser(user, Arc::new(change));
    operator.send(command, |reject| refusal(operator, reject)).await?;
    Ok(json::body(&Changed { result: Done, email: Label(email.to_lowercase()), enabled }))
}
