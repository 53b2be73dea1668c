//! The operator of a crowd: disables, enables, ends and re-roles keys while their clients call, one change after the other.

use std::sync::atomic::Ordering;

use buttonwood_checker::{Dice, KeyChange, Operation, Reply, Request};
use buttonwood_client::{Credentials, Error};
use serde_json::{Value, json};

use super::Board;
use crate::actor::Actor;
use crate::exchange::Exchange;

/// Keys of the crowd that change; each has the role Trader alone.
const CHANGED: [&str; 3] = ["second-session", "load-001", "load-003"];

/// The key whose account also gets a key of its own in each life, which may end.
pub(super) const NEIGHBOUR: &str = "load-006";

/// The name of the key that is made in a life.
pub(super) fn name_of_made(life: usize) -> String {
    format!("made-{life}")
}

/// Whether a life made this key, so that it may have ended.
pub(super) fn is_made(name: &str) -> bool {
    name.starts_with("made-")
}

/// Makes the key of a life.
pub(super) fn make_key(exchange: &Exchange, life: usize) -> Credentials {
    let beside = exchange.key(NEIGHBOUR);
    let fields = json!({
        "group": beside.group, "account": beside.account, "roles": ["Trader"], "name": name_of_made(life),
    });
    let made = exchange.control("/sandbox/keys", &fields).ok();
    let text = |name: &str| made[name].as_str().expect("a key and its secret").to_owned();
    Credentials::new(text("api_key"), text("api_secret"))
}

/// A key that changes, as far as the operator knows.
struct Known {
    name: String,
    api_key: String,
    is_enabled: bool,
    has_ended: bool,
}

/// The operator in one life.
pub(super) struct Operator<'a> {
    actor: Actor,
    keys: Vec<Known>,
    dice: Dice,
    board: &'a Board,
    told: Vec<Operation>,
}

impl<'a> Operator<'a> {
    /// The operator of a life that made this key.
    pub(super) fn new(
        exchange: &Exchange,
        made: &Credentials,
        life: usize,
        dice: Dice,
        board: &'a Board,
    ) -> Self {
        let known = |name: &str, api_key: &str| Known {
            name: name.to_owned(),
            api_key: api_key.to_owned(),
            is_enabled: true,
            has_ended: false,
        };
        let mut keys: Vec<Known> =
            CHANGED.iter().map(|name| known(name, &exchange.key(name).credentials.api_key.clone())).collect();
        keys.push(known(&name_of_made(life), &made.api_key));
        let actor = Actor::new("operator", exchange.anonymous_client());
        Self { actor, keys, dice, board, told: Vec::new() }
    }

    /// Changes keys until the exchange is gone or the life is over. Then the keys that go on are as they were.
    pub(super) fn run(mut self) -> Vec<Operation> {
        while !self.board.is_over.load(Ordering::Relaxed) {
            let at = usize::try_from(self.dice.below(self.keys.len() as u64)).expect("a few keys");
            let change = self.draw(at);
            if !self.change(at, change) {
                return self.told;
            }
        }
        for at in 0..CHANGED.len() {
            self.change(at, KeyChange::Enable);
            self.change(at, KeyChange::Trader);
        }
        self.told
    }

    fn draw(&mut self, at: usize) -> KeyChange {
        let cancel_orders = self.dice.once_in(2);
        let known = &self.keys[at];
        match self.dice.below(12) {
            _ if known.has_ended => KeyChange::End { cancel_orders },
            0 if is_made(&known.name) => KeyChange::End { cancel_orders },
            1 | 2 => KeyChange::Auditor,
            3 | 4 => KeyChange::Trader,
            _ if known.is_enabled => KeyChange::Disable { cancel_orders },
            _ => KeyChange::Enable,
        }
    }

    /// Makes one change; `false` if no answer came.
    fn change(&mut self, at: usize, change: KeyChange) -> bool {
        let known = &mut self.keys[at];
        let Some(operation) = self.board.change(&self.actor, &known.name, &known.api_key, change) else {
            return false;
        };
        let is_answered = operation.answer.is_some();
        match change {
            KeyChange::Disable { .. } => known.is_enabled = false,
            KeyChange::Enable => known.is_enabled = true,
            KeyChange::End { .. } => known.has_ended = true,
            KeyChange::Trader | KeyChange::Auditor => {}
        }
        self.told.push(operation);
        is_answered
    }
}

/// After a crash, lets the keys that go on in again.
pub(super) fn settle(exchange: &Exchange, board: &Board, texts: &[(String, String)]) -> Vec<Operation> {
    let actor = exchange.anyone();
    let changes =
        texts.iter().flat_map(|key| [KeyChange::Enable, KeyChange::Trader].map(|change| (key, change)));
    let told: Vec<Operation> = changes
        .map(|((name, api_key), change)| {
            let operation = board.change(&actor, name, api_key, change).expect("it was just started");
            assert!(matches!(operation.answer, Some((_, Reply::Changed))), "{operation}");
            operation
        })
        .collect();
    exchange.read_keys_again();
    told
}

/// The names and public texts of the keys that go on.
pub(super) fn texts(exchange: &Exchange) -> Vec<(String, String)> {
    CHANGED.iter().map(|name| ((*name).to_owned(), exchange.key(name).credentials.api_key.clone())).collect()
}

impl Board {
    /// One change of a key and its result; `None` if it was certainly not sent.
    fn change(&self, actor: &Actor, name: &str, api_key: &str, change: KeyChange) -> Option<Operation> {
        let (path, fields) = call(api_key, change);
        let invoked = self.now();
        let headers = [("Content-Type", "application/json")];
        let answer = match actor.try_send("POST", path, &headers, fields.to_string().as_bytes()) {
            Ok(answer) if answer.status() == 200 => Some((self.now(), Reply::Changed)),
            Ok(answer) => Some((self.now(), Reply::refused(answer.status(), &answer.error().reason))),
            Err(Error::Connect { .. }) => return None,
            Err(_) => None,
        };
        self.note_change();
        Some(Operation {
            key: None,
            nonce: 0,
            invoked,
            request: Request::Key(name.to_owned(), change),
            answer,
        })
    }
}

/// The control call of a change.
fn call(api_key: &str, change: KeyChange) -> (&'static str, Value) {
    match change {
        KeyChange::Disable { cancel_orders } => {
            ("/sandbox/keys/disable", json!({ "api_key": api_key, "cancel_orders": cancel_orders }))
        }
        KeyChange::Enable => ("/sandbox/keys/enable", json!({ "api_key": api_key })),
        KeyChange::End { cancel_orders } => {
            ("/sandbox/keys/end", json!({ "api_key": api_key, "cancel_orders": cancel_orders }))
        }
        KeyChange::Trader => ("/sandbox/keys/roles", json!({ "api_key": api_key, "roles": ["Trader"] })),
        KeyChange::Auditor => ("/sandbox/keys/roles", json!({ "api_key": api_key, "roles": ["Auditor"] })),
    }
}
