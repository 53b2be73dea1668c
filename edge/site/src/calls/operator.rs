//! The calls of operators who signed in: they are commands of `admin`, with the e-mail address as their user (D-144).

mod health;

pub(super) use health::health;

use super::caller::{Caller, no_operator};
use buttonwood_call::Later;
use buttonwood_engine::Note;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_operate::{
    APPROVE, Command, HALT, Operator, RESUME, REVIEW_APP, SET_STATUS, audit, proposals, reason_of, what,
};
use buttonwood_wire::contract::{Flag, InPayload, InQuery, Label, Needed, Query, Switch, Text, Whole};
use buttonwood_wire::field::bad_query;
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

request! {
    /// An act that is refused without a reason.
    struct Reasoned in InPayload {
        /// Why.
        reason: Needed<Text>,
    }
}

request! {
    /// Which acts.
    struct Acts in InQuery {
        /// How many at most.
        limit: Whole,
    }
}

/// Acts of the audit unless the caller says otherwise, and at most.
const ACTS: u64 = 100;
const ACTS_MAX: u64 = 500;

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

/// The same, refused without a reason.
async fn act_for_a_reason(
    caller: &Caller<'_>,
    command: &Command,
    fields: &Payload,
) -> Result<Reply, Refusal> {
    Reasoned::of(fields).reason()?;
    act(caller, command, fields, reason_of(fields)?).await
}

pub(super) fn halt<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move { act_for_a_reason(caller, &HALT, &fields).await })
}

pub(super) fn resume<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move { act_for_a_reason(caller, &RESUME, &fields).await })
}

pub(super) fn set_status<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move { act_for_a_reason(caller, &SET_STATUS, &fields).await })
}

/// The newest acts of operators, as `admin audit` lists them.
pub(super) fn audit<'a>(caller: &'a Caller<'a>, query: Query<'a>) -> Later<'a> {
    Box::pin(async move {
        caller.check_operator()?;
        let limit = match Acts::of(query).limit()? {
            Some(limit) if !(1..=ACTS_MAX).contains(&limit) => {
                let bounds = format!("from 1 to {ACTS_MAX}");
                return Err(bad_query("limit", &bounds, query.value("limit").unwrap_or_default()));
            }
            limit => limit.unwrap_or(ACTS),
        };
        Ok(list_of(&audit::newest(caller.app.shared(), limit).await?))
    })
}

/// The proposals that can be approved, as `admin proposals` lists them.
pub(super) fn list(caller: &Caller<'_>) -> Result<Reply, Refusal> {
    caller.check_operator()?;
    Ok(list_of(&proposals(caller.app.shared())))
}

/// JSON objects as an array.
fn list_of(objects: &[Vec<u8>]) -> Reply {
    Reply::secret_json([b"[", objects.join(&b","[..]).as_slice(), b"]"].concat())
}
