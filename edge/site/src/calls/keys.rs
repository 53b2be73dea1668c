//! The keys that a user keeps (AUTH-011, AUTH-015, Q-578): made, renamed, disabled, enabled and deleted.

use super::caller::Caller;
use super::fields;
use buttonwood_call::Later;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_operate::keys::KeyUser;

fn user<'a>(caller: &'a Caller<'_>) -> KeyUser<'a> {
    let browser = caller.browser;
    KeyUser {
        shared: caller.app.shared(),
        session: browser.session,
        group: browser.group,
        roles: browser.roles,
    }
}

pub(super) fn list(caller: &Caller<'_>) -> Result<Reply, Refusal> {
    Ok(Reply::json(user(caller).list()))
}

pub(super) fn make<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move { user(caller).make(&fields).await.map(Reply::secret_json) })
}

pub(super) fn rename<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move { user(caller).rename(&fields).await.map(|()| fields::done()) })
}

pub(super) fn disable<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move { user(caller).disable(&fields).await.map(|()| fields::done()) })
}

pub(super) fn enable<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move { user(caller).enable(&fields).await.map(|()| fields::done()) })
}

pub(super) fn delete<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move { user(caller).end(&fields).await.map(|()| fields::done()) })
}
