//! The sessions of a user: where the user is signed in, and the end of it.

use super::caller::Caller;
use super::fields;
use buttonwood_call::Later;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_identity::{Browser, Stage};
use buttonwood_model::SessionId;
use buttonwood_wire::contract::{InPayload, Label, Optional, Switch, Text};
use buttonwood_wire::field::{bad_value, failed};
use buttonwood_wire::{answer, json, request};

answer! {
    /// A browser in which the user is signed in.
    struct Session {
        /// Its id.
        id: String,
        /// When the password was given.
        created_ms: u64,
        /// The last use.
        last_ms: u64,
        /// The address from which the sign-in came.
        address: Label,
        /// The program, as it names itself.
        agent: Label,
        /// Whether it is the one that asks.
        current: bool,
    }
}

request! {
    /// The sessions to end.
    struct Ended in InPayload {
        /// One of them.
        id: Text,
        /// True for all but the one that asks.
        others: Optional<Switch>,
    }
}

pub(super) fn list(caller: &Caller<'_>) -> Result<Reply, Refusal> {
    let views = caller.app.exchange.views();
    let (identity, now) = (views.state().identity(), caller.app.now_of(&views));
    let user = identity.user(caller.browser.user).ok_or_else(failed)?;
    let open =
        user.browsers().iter().filter_map(|session| Some((*session, identity.browser(*session, now)?)));
    let full = open.filter(|(_, browser)| browser.stage == Stage::Full);
    let rows: Vec<Session> = full.map(|(session, browser)| row(caller, session, browser)).collect();
    Ok(Reply::json(json::body(&rows)))
}

fn row(caller: &Caller<'_>, session: SessionId, browser: &Browser) -> Session {
    let last = caller.app.people.last_use(session).unwrap_or(browser.code_at);
    Session {
        id: session.0.to_string(),
        created_ms: browser.opened.millis(),
        last_ms: last.max(browser.code_at).millis(),
        address: Label(browser.address.clone()),
        agent: Label(browser.agent.clone()),
        current: session == caller.browser.session,
    }
}

pub(super) fn end<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let read = Ended::of(&fields);
        let sessions = match (read.id()?, read.others()?) {
            (Some(id), None | Some(false)) => vec![own(caller, &id)?],
            (Some(_), Some(true)) => {
                return Err(bad_value("others", "left out where 'id' names one session", "true"));
            }
            (None, Some(true)) => others(caller),
            (None, Some(false)) => return Err(bad_value("others", "true", "false")),
            (None, None) => return Err(Refusal::missing_key("id").and("or send 'others': true")),
        };
        let is_own = sessions.contains(&caller.browser.session);
        caller.end(sessions).await?;
        let reply = fields::done();
        Ok(if is_own { reply.with_cookie(fields::no_session(caller.is_https)?) } else { reply })
    })
}

/// The session of the user with this id.
fn own(caller: &Caller<'_>, id: &str) -> Result<SessionId, Refusal> {
    all(caller)
        .into_iter()
        .find(|session| session.0.to_string() == id)
        .ok_or_else(|| fields::unknown("session", "id", id))
}

fn others(caller: &Caller<'_>) -> Vec<SessionId> {
    all(caller).into_iter().filter(|session| *session != caller.browser.session).collect()
}

/// The sessions of the user that have not ended, those that are not fully signed in too.
fn all(caller: &Caller<'_>) -> Vec<SessionId> {
    let views = caller.app.exchange.views();
    let (identity, now) = (views.state().identity(), caller.app.now_of(&views));
    let browsers = identity.user(caller.browser.user).map_or(&[][..], |user| user.browsers());
    browsers.iter().filter(|session| identity.browser(**session, now).is_some()).copied().collect()
}
