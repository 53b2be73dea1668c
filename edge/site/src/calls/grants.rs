//! The grants that a user gave to apps, and their end.

use super::apps::scope_names;
use super::caller::Caller;
use super::fields;
use buttonwood_call::Later;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_identity::{Command, Grant, Identity, Reject};
use buttonwood_model::{SessionId, Time};
use buttonwood_wire::contract::{InPayload, Label, Needed, Text};
use buttonwood_wire::field::failed;
use buttonwood_wire::{answer, json, request};

answer! {
    /// A grant.
    struct GivenGrant {
        /// Its id.
        id: String,
        /// The app.
        client_id: String,
        /// The app's name.
        app: Label,
        /// The short name of the account that the app acts on.
        account: Label,
        /// The scopes.
        scopes: Vec<String>,
    }
}

request! {
    /// A grant to end.
    struct Named in InPayload {
        /// Its id.
        id: Needed<Text>,
    }
}

pub(super) fn list(caller: &Caller<'_>) -> Result<Reply, Refusal> {
    let views = caller.app.exchange.views();
    let (identity, access) = (views.state().identity(), views.state().access());
    let user = identity.user(caller.browser.user).ok_or_else(failed)?;
    let now = caller.app.now_of(&views);
    let live = user.grants().iter().filter_map(|id| Some((*id, live(identity, *id, now)?)));
    let rows: Vec<GivenGrant> = live
        .map(|(id, grant)| GivenGrant {
            id: id.0.to_string(),
            client_id: grant.app.to_string(),
            app: Label(identity.app(grant.app).map_or_else(String::new, |app| app.new.name.clone())),
            account: Label(
                access.account(grant.account).map_or_else(String::new, |account| account.short_name.clone()),
            ),
            scopes: scope_names(grant.scopes),
        })
        .collect();
    Ok(Reply::json(json::body(&rows)))
}

/// A grant that still gives an app something: a refresh token, or a live access token.
fn live(identity: &Identity, id: SessionId, now: Time) -> Option<&Grant> {
    let is_live =
        |grant: &&Grant| grant.refresh.is_some() || grant.tokens().iter().any(|token| now < token.ends);
    identity.grant(id).filter(is_live)
}

pub(super) fn revoke<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let id = Named::of(&fields).id()?;
        let unknown = || fields::unknown("grant", "id", &id);
        let session = own(caller, &id).ok_or_else(unknown)?;
        match caller.submit(Command::EndGrant(caller.browser.user, session)).await? {
            Ok(()) => Ok(fields::done()),
            Err(Reject::UnknownGrant) => Err(unknown()),
            Err(reject) => Err(caller.refusal(&reject)),
        }
    })
}

/// The user's grant with this id.
fn own(caller: &Caller<'_>, id: &str) -> Option<SessionId> {
    let views = caller.app.exchange.views();
    let user = views.state().identity().user(caller.browser.user)?;
    user.grants().iter().find(|session| session.0.to_string() == id).copied()
}
