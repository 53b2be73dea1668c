//! The apps of a crowd: several copies of one app refresh the same tokens at once, call with them, and revoke them, over crashes.

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use buttonwood_checker::{Dice, TokenCall, TokenReply, TokenUse};
use buttonwood_client::Error;
use serde_json::{Value, json};

use super::Board;
use crate::actor::Actor;
use crate::exchange::Exchange;

/// Copies of the app in each life.
pub(super) const COPIES: u64 = 3;
/// Refreshes of a family after which another one begins: below the ten access tokens that live at the same time.
const REFRESHES: usize = 8;
/// The payload of a call, `{"request":"/v1/balances"}`.
const PAYLOAD: &str = "eyJyZXF1ZXN0IjoiL3YxL2JhbGFuY2VzIn0=";

/// The tokens that all copies share, of this life and those before.
#[derive(Default)]
pub(super) struct Tokens(Mutex<Known>);

/// The newest family.
#[derive(Default)]
struct Known {
    family: u64,
    /// None before the first family, and once this one is over.
    refresh: Option<String>,
    access: Vec<String>,
    refreshed: usize,
}

/// A copy of the app in one life.
pub(super) struct Member<'a> {
    actor: Actor,
    client: (String, String),
    dice: Dice,
    board: &'a Board,
    told: Vec<TokenUse>,
}

impl<'a> Member<'a> {
    /// A copy; the exchange must be there.
    pub(super) fn new(exchange: &Exchange, dice: Dice, board: &'a Board) -> Self {
        let apps = exchange.credentials()["oauth_clients"].clone();
        let app = apps.as_array().and_then(|apps| apps.iter().find(|app| app["name"] == "app")).cloned();
        let app = app.expect("a sandbox has an app");
        let text = |name: &str| app[name].as_str().expect("a text").to_owned();
        let client = (text("client_id"), text("client_secret"));
        Self { actor: Actor::new("app", exchange.anonymous_client()), client, dice, board, told: Vec::new() }
    }

    /// Calls until the exchange is gone or the life is over.
    pub(super) fn run(mut self) -> Vec<TokenUse> {
        while !self.board.is_over.load(Ordering::Relaxed) {
            if !self.step() {
                break;
            }
        }
        self.told
    }

    /// One request; `false` if no answer came.
    fn step(&mut self) -> bool {
        let board = self.board;
        let known = || board.tokens.0.lock().expect("no copy panics with it");
        let (family, refresh, access) = {
            let known = known();
            let at =
                usize::try_from(self.dice.below(known.access.len().max(1) as u64)).expect("a few tokens");
            (known.family, known.refresh.clone(), known.access.get(at).cloned())
        };
        let (Some(refresh), Some(access)) = (refresh, access) else { return self.begin() };
        match self.dice.below(20) {
            0..9 => {
                let call = TokenCall::Refresh(refresh.clone());
                let fields = json!({ "grant_type": "refresh_token", "refresh_token": refresh });
                self.send(family, call, "/auth/token", fields)
            }
            9..18 => self.send(family, TokenCall::Use(access), "", Value::Null),
            18 => {
                let fields = json!({ "token": access });
                self.send(family, TokenCall::Revoke(access), "/auth/token/revoke", fields)
            }
            _ => {
                known().refresh = None;
                let fields = json!({ "token": refresh });
                self.send(family, TokenCall::End(refresh), "/auth/token/revoke", fields)
                    && self.send(family, TokenCall::Use(access), "", Value::Null)
            }
        }
    }

    /// A user's grant begins another family; one copy makes it, and the others wait for its tokens.
    fn begin(&mut self) -> bool {
        let board = self.board;
        let mut known = board.tokens.0.lock().expect("no copy panics with it");
        if known.refresh.is_some() {
            return true;
        }
        let (family, client) = (known.family + 1, &self.client.0);
        *known = Known { family, ..Known::default() };
        let fields = json!({ "client_id": client, "email": "owner@one.test", "account": "savings",
            "scopes": ["balances:read"] });
        let Some(call) = self.call(family, TokenCall::Begin, "/sandbox/oauth/grants", &fields) else {
            return false;
        };
        known.learn(&call);
        let is_answered = call.answer.is_some();
        self.told.push(call);
        is_answered
    }

    fn send(&mut self, family: u64, call: TokenCall, path: &str, mut fields: Value) -> bool {
        if path.is_empty() {
            fields = Value::Null;
        } else {
            fields["client_id"] = json!(self.client.0);
            fields["client_secret"] = json!(self.client.1);
        }
        let Some(call) = self.call(family, call, path, &fields) else { return false };
        self.board.tokens.0.lock().expect("no copy panics with it").learn(&call);
        let is_answered = call.answer.is_some();
        self.told.push(call);
        is_answered
    }

    /// One request and its result; `None` if it was certainly not sent.
    fn call(&self, family: u64, call: TokenCall, path: &str, fields: &Value) -> Option<TokenUse> {
        let invoked = self.board.now();
        let answer = if let TokenCall::Use(token) = &call {
            let bearer = format!("Bearer {token}");
            let headers = [("Authorization", bearer.as_str()), ("X-SVC-PAYLOAD", PAYLOAD)];
            self.actor.try_send("POST", "/v1/balances", &headers, b"")
        } else {
            let headers = [("Content-Type", "application/json")];
            self.actor.try_send("POST", path, &headers, fields.to_string().as_bytes())
        };
        let responded = self.board.now();
        let answer = match answer {
            Ok(answer) => {
                let body: Value = answer.reply.json().unwrap_or_default();
                let text = |name: &str| body[name].as_str().map(str::to_owned);
                let reply = match (answer.status(), text("access_token").zip(text("refresh_token"))) {
                    (200, Some((access, refresh))) => TokenReply::Given(access, refresh),
                    (200, None) => TokenReply::Done,
                    (400, _) if body["error"] == "invalid_grant" => TokenReply::Refused,
                    (401, _) if body["reason"] == "InvalidAccessToken" => TokenReply::Refused,
                    _ => panic!("{call:?}: {answer}"),
                };
                Some((responded, reply))
            }
            Err(Error::Connect { .. }) => return None,
            Err(_) => None,
        };
        Some(TokenUse { family, call, invoked, answer })
    }
}

impl Known {
    /// Takes the tokens of an answer. Without an answer of a refresh, or after enough of them, the family is left alone.
    fn learn(&mut self, call: &TokenUse) {
        if call.family != self.family {
            return;
        }
        match (&call.call, &call.answer) {
            (_, Some((_, TokenReply::Given(access, refresh)))) => {
                self.refreshed += 1;
                self.access.push(access.clone());
                // The end of the family may be under way.
                let goes_on = matches!(call.call, TokenCall::Begin) || self.refresh.is_some();
                self.refresh = (goes_on && self.refreshed <= REFRESHES).then(|| refresh.clone());
            }
            (TokenCall::Refresh(_), None) => self.refresh = None,
            _ => {}
        }
    }
}
