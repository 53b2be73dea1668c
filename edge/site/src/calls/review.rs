//! An operator's review of an app (OAUTH-001).

use super::caller::Caller;
use super::fields;
use buttonwood_engine::{Note, Reject, identity};
use buttonwood_gate::{Payload, Reason, Refusal};
use buttonwood_identity::{AppId, Command};
use buttonwood_operate::{Operator, what};
use buttonwood_rest::Later;
use buttonwood_wire::contract::{Fields as _, Flag, InPayload, Needed, Switch, Text};
use buttonwood_wire::request;

/// The name of the act in the audit.
const ACT: &str = "app review";

request! {
    /// A review.
    struct Review in InPayload {
        /// The app.
        client_id: Needed<Text>,
        /// Whether it may act for other users than its owner.
        approved: Needed<Switch>,
        /// Whether its implicit flow is on (OAUTH-006).
        implicit: Flag<false>,
    }
}

pub(super) fn review<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let read = Review::of(&fields);
        let (text, is_approved, is_implicit) = (read.client_id()?, read.approved()?, read.implicit()?);
        let unknown = || {
            let message = format!("Field 'client_id' names no app: {}", buttonwood_gate::quoted(&text));
            Refusal::new(Reason::EndpointNotFound, message)
        };
        let id = AppId::parse(&text).map_err(|_| unknown())?;
        let who = caller.app.people.email(caller.browser.user).unwrap_or_default();
        let note = Note { who, what: what(ACT, Review::FIELDS, &fields), why: String::new() };
        let refuse = |reject| {
            let is_unknown = matches!(reject, Reject::Identity(identity::Reject::UnknownApp));
            is_unknown.then(unknown)
        };
        let operator = Operator::new(caller.app.shared(), note);
        operator.send(Command::ReviewApp(id, is_approved, is_implicit), refuse).await?;
        Ok(fields::done())
    })
}
