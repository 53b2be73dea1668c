//! `user list`.

use crate::command::{Command, Lines};
use crate::keys::role_names;
use crate::lists::send;
use crate::operator::Operator;
use buttonwood_engine::State;
use buttonwood_engine::identity::User;
use buttonwood_gate::Refusal;
use buttonwood_model::Time;
use buttonwood_wire::contract::{Label, NoFields, Nullable};
use buttonwood_wire::{answer, json};

/// Only for operators.
pub(crate) const COMMAND: Command =
    Command::list("user list", |operator, _, lines| Box::pin(list(operator, lines)))
        .about("Lists every user, the oldest first.")
        .takes::<NoFields>(&[])
        .gives::<ListedUser>();

answer! {
    /// A user.
    struct ListedUser {
        /// The e-mail address, in lower case.
        email: Label,
        /// The name for people.
        name: Label,
        /// The group; null for an operator.
        group: Nullable<Label>,
        /// The roles; none for an operator.
        roles: Vec<String>,
        /// Whether the user is an operator.
        operator: bool,
        /// The user of the machine who an operator is.
        os_user: Nullable<Label>,
        /// Whether the user is not disabled.
        enabled: bool,
        /// Whether a password is set.
        password: bool,
        /// Whether a second factor is enrolled.
        second_factor: bool,
        /// How many sessions the user has in browsers, also those that have not given the second factor.
        sessions: u64,
        /// How many grants of apps the user has.
        grants: u64,
        /// When the user was made, in milliseconds.
        created_ms: u64,
        /// When the user last gave both factors, in milliseconds.
        last_sign_in_ms: Nullable<u64>,
    }
}

async fn list(operator: &Operator<'_>, lines: &Lines) -> Result<(), Refusal> {
    let rows = {
        let views = operator.exchange.views();
        let (state, now) = (views.state(), operator.exchange.now());
        let row = |user| {
            let email = operator.people.address_of(user).unwrap_or_default();
            json::body(&row(state, (user, email), now))
        };
        state.identity().users().iter().map(row).collect()
    };
    send(lines, rows).await;
    Ok(())
}

fn row(state: &State, (user, email): (&User, String), now: Time) -> ListedUser {
    let group = user.group.and_then(|group| state.access().group(group));
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let live = user.browsers().iter().filter(|session| state.identity().browser(**session, now).is_some());
    ListedUser {
        email: Label(email),
        name: Label(user.name.clone()),
        group: Nullable(group.map(|group| Label(group.name.clone()))),
        roles: role_names(user.roles),
        operator: user.is_operator,
        os_user: Nullable((!user.os_user.is_empty()).then(|| Label(user.os_user.clone()))),
        enabled: !user.is_disabled,
        password: user.credential != 0,
        second_factor: user.has_factor(),
        sessions: count(live.count()),
        grants: count(user.grants().len()),
        created_ms: user.created.millis(),
        last_sign_in_ms: Nullable(user.last_sign_in.map(Time::millis)),
    }
}
