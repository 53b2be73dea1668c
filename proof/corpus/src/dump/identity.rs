//! People and apps: users, browsers, apps and grants. Secrets are digests, of which the first bytes tell them apart.

use super::{Text, account_name};
use buttonwood_engine::State;
use buttonwood_engine::identity::{Browser, Digest, Grant, User};
use buttonwood_model::{Scopes, SessionId};
use std::fmt::Write;

pub(super) fn identity(state: &State, text: &mut Text) {
    let room = state.identity();
    for (place, found) in room.users().iter().enumerate() {
        user(state, place, found, text);
    }
    for (session, found) in room.browsers() {
        browser(state, session, found, text);
    }
    for app in room.apps() {
        let (new, flags) = (&app.new, [app.is_reviewed, app.is_implicit]);
        let secret = app.secret.as_ref().map_or("none".to_owned(), hex);
        text.line(&format!(
            "app {} of user {} '{}' scopes {} uris {:?} reviewed, implicit {flags:?} secret {secret}",
            new.id,
            new.owner.0,
            new.name,
            scopes(new.scopes),
            new.redirect_uris
        ));
    }
    for (session, found) in room.grants() {
        grant(state, session, found, text);
    }
}

/// The first bytes of a digest.
fn hex(digest: &Digest) -> String {
    digest.iter().take(8).fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string");
        text
    })
}

fn scopes(scopes: Scopes) -> String {
    scopes.iter().map(buttonwood_model::Scope::name).collect::<Vec<_>>().join(",")
}

fn user(state: &State, place: usize, user: &User, text: &mut Text) {
    let group = user.group.and_then(|group| state.access().group(group));
    let group = group.map_or("", |group| &group.name);
    let roles: Vec<_> = user.roles.iter().map(|role| format!("{role:?}")).collect();
    let mut line = format!(
        "user {place} {} '{}' of '{group}' {} password {} factor {} step {} recovery codes {} since {}",
        hex(&user.login),
        user.name,
        roles.join(","),
        user.credential,
        user.factor,
        user.step,
        user.recovery.len(),
        user.created.0
    );
    if user.is_operator {
        line.push_str(" operator");
    }
    if !user.os_user.is_empty() {
        write!(line, " as '{}'", user.os_user).expect("a string");
    }
    if user.is_disabled {
        line.push_str(" disabled");
    }
    if let Some(time) = user.last_sign_in {
        write!(line, " signed in {}", time.0).expect("a string");
    }
    if !user.preferences().is_empty() {
        write!(line, " preferences '{}'", user.preferences()).expect("a string");
    }
    text.line(&line);
    for passkey in user.passkeys() {
        let copied = if passkey.may_be_copied { " may be copied" } else { "" };
        text.line(&format!(
            "  passkey {} '{}' credential {} key {} counter {}{copied} since {}",
            passkey.number,
            passkey.name,
            hex(&passkey.credential),
            hex(&passkey.key[0]),
            passkey.counter,
            passkey.created.0
        ));
    }
}

fn browser(state: &State, session: SessionId, browser: &Browser, text: &mut Text) {
    let account = browser.account.map_or(String::new(), |account| account_name(state, account));
    text.line(&format!(
        "browser {} of user {} {:?} opened {} code {} account '{account}' cookie {} from '{}' by '{}'",
        session.0,
        browser.user.0,
        browser.stage,
        browser.opened.0,
        browser.code_at.0,
        hex(&browser.cookie),
        browser.address,
        browser.agent
    ));
}

fn grant(state: &State, session: SessionId, grant: &Grant, text: &mut Text) {
    let refresh = grant.refresh.as_ref().map_or("none".to_owned(), hex);
    text.line(&format!(
        "grant {} of user {} to {} for {} scopes {} since {} refresh {refresh}",
        session.0,
        grant.user.0,
        grant.app,
        account_name(state, grant.account),
        scopes(grant.scopes),
        grant.created.0
    ));
    for token in grant.tokens() {
        let (number, ends) = (token.number, token.ends.0);
        text.line(&format!(
            "  token {number} {} scopes {} ends {ends}",
            hex(&token.digest),
            scopes(token.scopes)
        ));
    }
}
