//! The calls of operators who signed in: they are commands of `admin`, with the e-mail address as their user (D-144).

use super::caller::{Caller, no_operator};
use buttonwood_engine::Note;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_operate::{APPROVE, Command, Operator, REVIEW_APP, proposals, reason_of, what};
use buttonwood_rest::Later;
use buttonwood_wire::contract::{Flag, InPayload, Label, Needed, Switch, Text};
use buttonwood_wire::{answer, json, request};

request! {
    /// A review.
    struct Review in InPayload {
        /// The app.
        client_id: Needed<Text>,
        /// Whether it may act for other users than its owner (OAUTH-001).
        approved: Needed<Switch>,
        /// Whether its implicit flow is on (OAUTH-006).
        implicit: Flag<false>,
    }
}

answer! {
    /// The arguments of `app review`.
    struct Arguments {
        /// The app.
        client_id: Label,
        /// `on` or `off`.
        review: String,
        /// Whether its implicit flow is on.
        implicit: bool,
    }
}

/// Runs a command of `admin`, or proposes it where it takes two operators.
async fn act(
    caller: &Caller<'_>,
    command: &Command,
    fields: &Payload,
    why: String,
) -> Result<Reply, Refusal> {
    let user = caller.browser.user;
    let note = Note {
        who: caller.app.people.email(user).ok_or_else(no_operator)?,
        what: what(command.name, command.fields, fields),
        why,
        user: Some(user),
    };
    let operator = Operator::new(caller.app.shared(), note);
    command.act(&operator, fields).await.map(Reply::secret_json)
}

pub(super) fn review<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let read = Review::of(&fields);
        let (client_id, is_approved, is_implicit) = (read.client_id()?, read.approved()?, read.implicit()?);
        let arguments = json::body(&Arguments {
            client_id: Label(client_id.into_owned()),
            review: if is_approved { "on" } else { "off" }.to_owned(),
            implicit: is_implicit,
        });
        act(caller, &REVIEW_APP, &Payload::read(arguments)?, reason_of(&fields)?).await
    })
}

pub(super) fn approve<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move { act(caller, &APPROVE, &fields, reason_of(&fields)?).await })
}

/// The proposals that can be approved, as `admin proposals` lists them.
pub(super) fn list(caller: &Caller<'_>) -> Result<Reply, Refusal> {
    caller.check_operator()?;
    let all = proposals(caller.app.shared()).join(&b","[..]);
    Ok(Reply::secret_json([b"[", all.as_slice(), b"]"].concat()))
}
