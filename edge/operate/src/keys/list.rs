//! `key list` and `sessions`.

use super::row::{KeyRow, row};
use crate::command::{Command, Lines};
use crate::operator::Operator;
use buttonwood_engine::{Owner, Session, State};
use buttonwood_gate::Refusal;
use buttonwood_model::SessionId;
use buttonwood_wire::contract::Nullable;
use buttonwood_wire::{answer, json};

/// Every key; without a running process the command line reads the directory itself.
pub const KEYS: Command =
    Command::list("key list", |operator, _, lines| Box::pin(send(lines, keys_of(operator))))
        .about("Lists every key, the oldest first.")
        .gives::<KeyRow>();

/// The sessions that have called since the start or have live orders.
pub const SESSIONS: Command =
    Command::list("sessions", |operator, _, lines| Box::pin(send(lines, sessions_of(operator))))
        .about("Lists the sessions that have called since the start or have live orders.")
        .gives::<SessionRow>();

answer! {
    /// A session.
    struct SessionRow {
        /// The public text of its key.
        api_key: String,
        /// Its kind.
        kind: SessionKind,
        /// The address of its last call; `null` if it has not called since the start.
        address: Nullable<String>,
        /// The time of its last call, in milliseconds; `null` if it has not called since the start.
        last_ms: Nullable<u64>,
        /// How many live orders it has.
        live_orders: u64,
    }
}

buttonwood_wire::words! {
    /// The kinds of sessions.
    struct SessionKind: "key"
}

/// The rows of `key list`; `last_call_ms` is the last call of a key since the start.
pub fn keys<'a>(
    state: &'a State,
    last_call_ms: impl Fn(&str) -> Option<u64> + 'a,
) -> impl Iterator<Item = Vec<u8>> + 'a {
    let sessions = state.access().sessions().iter();
    sessions.map(move |session| json::body(&row(state, session, last_call_ms(&session.key.api_key))))
}

fn keys_of(operator: &Operator<'_>) -> Vec<Vec<u8>> {
    let views = operator.exchange.views();
    keys(views.state(), |api_key| operator.last_call_ms(api_key)).collect()
}

fn sessions_of(operator: &Operator<'_>) -> Vec<Vec<u8>> {
    let views = operator.exchange.views();
    let state = views.state();
    let sessions = state.access().sessions().iter().enumerate();
    let rows = sessions.filter_map(|(at, session)| {
        let known = operator.gate.keys().find(session.key.api_key.as_bytes());
        let last = known.and_then(|known| known.last_call());
        let live_orders = live_orders(state, SessionId::from_index(at), session);
        (last.is_some() || live_orders > 0).then(|| {
            json::body(&SessionRow {
                api_key: session.key.api_key.clone(),
                kind: SessionKind("key"),
                address: Nullable(last.map(|last| last.address.to_string())),
                last_ms: Nullable(last.map(|last| last.time.millis())),
                live_orders,
            })
        })
    });
    rows.collect()
}

fn live_orders(state: &State, id: SessionId, session: &Session) -> u64 {
    let orders = state.orders();
    let count = |account| {
        let own = orders.in_any_order(account).filter(|(slot, _)| orders.entry(*slot).session == id);
        u64::try_from(own.count()).unwrap_or(u64::MAX)
    };
    match session.key.owner {
        Owner::Account(account) => count(account),
        Owner::Group(group) => state.access().accounts_of(group).map(|(account, _)| count(account)).sum(),
    }
}

async fn send(lines: &Lines, rows: Vec<Vec<u8>>) -> Result<(), Refusal> {
    for row in rows {
        if !lines.send(row).await {
            break;
        }
    }
    Ok(())
}
