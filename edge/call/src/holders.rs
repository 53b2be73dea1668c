//! Callers with an access token and signed-in browsers, as the exchange's state knows them at this moment.

use crate::app::App;
use buttonwood_gate::{Held, HeldKind, Owner, Sign, TokenHash};
use buttonwood_model::{SessionId, Time};

/// The grant of a live access token, found by the SHA-256 of the token's text; none if the token is unknown, expired or revoked.
pub fn held_by_token(app: &App, hash: &TokenHash, time: Time) -> Option<Held> {
    let holder = app.exchange.views().state().identity().find_token(hash, time)?;
    Some(Held {
        session: holder.session,
        owner: Owner::Account(holder.account),
        roles: holder.roles,
        group: holder.group,
        chosen: None,
        kind: HeldKind::Token {
            scopes: holder.scopes,
            number: holder.number,
            client: holder.app.to_string().into(),
        },
    })
}

/// The browser of a session that is fully signed in; none if the session has ended, and for an operator, who has no accounts.
pub fn held_by_browser(app: &App, session: SessionId, time: Time) -> Option<Held> {
    let holder = app.exchange.views().state().identity().holder(session, time)?;
    let group = holder.group?;
    Some(Held {
        session: holder.session,
        owner: Owner::Group(group),
        roles: holder.roles,
        group: Some(group),
        chosen: holder.account,
        kind: HeldKind::Browser,
    })
}

/// The caller of a socket without a key, as it is now.
pub fn held_by(app: &App, sign: Sign<'_>, time: Time) -> Option<Held> {
    match sign {
        Sign::Token(hash) => held_by_token(app, hash, time),
        Sign::Browser(session) => held_by_browser(app, session, time),
    }
}
