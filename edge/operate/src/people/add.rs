//! `user add`: a user of a group, who sets the password by a link.

use super::refusal;
use crate::command::{Argument, Command, Effect, Form};
use crate::keys::add::roles;
use crate::keys::role_names;
use crate::operator::Operator;
use buttonwood_engine::identity::{CONFIRM_AGE, Command as IdentityCommand, NewUser};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_wire::contract::{Done, InPayload, Label, Needed, Text, Texts};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// The link is mailed when the user has been added: where two operators are needed, after the approval.
pub(crate) const COMMAND: Command =
    Command::once("user add", Effect::Opens, |operator, fields| Box::pin(run(operator, fields)))
        .about("Adds a user to a group, and mails a link that sets the password; it works for 24 hours.")
        .takes::<Add>(&[
            Argument::new("email", Form::Place),
            Argument::new("group", Form::Option),
            Argument::new("roles", Form::Options).named("role"),
            Argument::new("name", Form::Option),
        ])
        .gives::<Added>();

request! {
    /// A user to add.
    struct Add in InPayload {
        /// The e-mail address, which no user has.
        email: Needed<Text>,
        /// The name of the group.
        group: Needed<Text>,
        /// The roles: Trader, Fund Manager, Auditor, Administrator, in any letter case, with a blank or a dash. Auditor stands alone.
        roles: Needed<Texts>,
        /// The name for people, 1 to 100 characters; the part of the address before the @ without one.
        name: Text,
    }
}

answer! {
    /// The user who was added.
    struct Added {
        /// Always `ok`.
        result: Done,
        /// The address, in lower case.
        email: Label,
        /// The name for people.
        name: Label,
        /// The group.
        group: Label,
        /// The roles.
        roles: Vec<String>,
        /// When the link ends, in milliseconds.
        link_ends_ms: u64,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Add::of(fields);
    let (email, group) = (request.email()?, request.group()?);
    let (id, roles) = (operator.find_group(&group)?, roles(&request.roles()?)?);
    let invitation = operator.people.invite(&email, request.name()?.as_deref())?;
    if operator.people.find(&email)?.is_some() {
        return Err(bad_value("email", "an address that no user has", &email));
    }
    let new = NewUser {
        login: invitation.login(),
        name: invitation.name().to_owned(),
        group: Some(id),
        roles,
        is_operator: false,
        is_disabled: false,
        credential: 0,
        factor: 0,
    };
    if !operator.is_dry_run() {
        operator.people.keep_address(&invitation).await?;
    }
    let command = IdentityCommand::Invite(Arc::new(new), invitation.token());
    operator.send(command, |reject| refusal(operator, reject)).await?;
    if !operator.is_dry_run() {
        operator.people.mail_invitation(&invitation);
    }
    Ok(json::body(&Added {
        result: Done,
        email: Label(invitation.email().to_owned()),
        name: Label(invitation.name().to_owned()),
        group: Label(group.into_owned()),
        roles: role_names(roles),
        link_ends_ms: operator.exchange.now().plus(CONFIRM_AGE).millis(),
    }))
}
