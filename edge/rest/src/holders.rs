//! Callers with an access token, as the exchange's state knows them at this moment.

use crate::app::App;
use buttonwood_gate::{Held, HeldKind, Owner, TokenHash};
use buttonwood_model::Time;

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
