//! Three figures of benchmark 19: orders by an access token against signed ones, refreshes against orders, and orders during a flood of
//! sign-ins.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use buttonwood_client::Credentials;
use serde_json::{Value, json};

use super::connection::{Connection, request};
use super::keys;
use super::requests;
use super::server::{Server, Which, pin};
use crate::figures::Spread;
use crate::place::Place;
use crate::report::{Goal, Report, Row};
use crate::{Settings, say};

const JSON: &str = "Content-Type: application/json\r\n";
/// Connections of the flood: more than the threads that hash.
const SIGN_INS: usize = 4;

/// An exchange with an app, its tokens and a key.
struct Caller {
    server: Server,
    key: Credentials,
    app: Value,
    token: String,
    refresh: String,
    nonce: u64,
}

/// `goals` are those of orders by token, of refreshes, and of orders during a flood.
pub(crate) fn measure(settings: &Settings, goals: [Goal; 3], report: &mut Report) {
    let calls = if settings.quick { 50 } else { 2_000 };
    let data = Place::Disk.fresh();
    let mut caller = Caller::start(data.path());
    let (mut ratios, mut details) = ([Vec::new(), Vec::new(), Vec::new()], [const { String::new() }; 3]);
    for pair in 1..=settings.pairs {
        let [signed, bearer] = [Caller::signed, Caller::bearer].map(|order| caller.micros(calls, order));
        let refresh = caller.micros(calls, Caller::refreshed);
        let (before, during) = (caller.rate(calls), caller.rate_in_flood(calls));
        let figures = [signed / bearer, bearer / refresh, during.orders / before];
        ratios.iter_mut().zip(figures).for_each(|(ratios, figure)| ratios.push(figure));
        details = [
            format!("signed {signed:.0}, by token {bearer:.0} CPU us an order"),
            format!("{refresh:.0} CPU us a refresh, {bearer:.0} an order"),
            format!(
                "{before:.0} orders a second alone, {:.0} beside {:.0} sign-ins",
                during.orders, during.sign_ins
            ),
        ];
        details.iter().for_each(|detail| say(&format!("pair {pair}: {detail}")));
    }
    for ((goal, ratios), detail) in goals.into_iter().zip(ratios).zip(details) {
        report.add(Row { number: 19, what: goal.what, goal, spread: Spread::of(ratios), detail });
    }
}

/// Orders and sign-ins a second.
struct Rates {
    orders: f64,
    sign_ins: f64,
}

impl Caller {
    fn start(data: &std::path::Path) -> Self {
        let server = Server::start(Which::Product, data);
        // The load has the other processor.
        pin(1);
        let key = keys::read(data).swap_remove(0);
        let text = std::fs::read(data.join("credentials.json")).expect("the server has written it");
        let listed: Value = serde_json::from_slice(&text).expect("it is JSON");
        let app = listed["oauth_clients"][0].clone();
        let asked = json!({ "client_id": app["client_id"], "email": "owner@one.test", "account": "primary",
            "scopes": ["orders:create"] });
        let mut connection = Connection::to(&server);
        let reply = connection.send("POST", "/sandbox/oauth/grants", JSON, &asked.to_string());
        let tokens: Value = serde_json::from_slice(&reply).expect("tokens");
        let text = |name: &str| tokens[name].as_str().expect("a token").to_owned();
        let (token, refresh) = (text("access_token"), text("refresh_token"));
        let nonce = keys::now_ms();
        let key = Credentials::new(&key.api_key, &key.api_secret);
        Self { server, key, app, token, refresh, nonce }
    }

    fn order(&mut self) -> String {
        self.nonce += 1;
        json!({ "request": "/v1/order/new", "nonce": self.nonce, "symbol": "btcusd", "amount": "0.001", "price": "1000",
            "side": "buy", "type": "exchange limit", "options": ["immediate-or-cancel"] })
        .to_string()
    }

    /// Sends an order with a signature. It rests no moment, so that books and accounts stay as they are.
    fn signed(&mut self, connection: &mut Connection) {
        let mut bytes = Vec::new();
        let order = self.order();
        requests::one(&mut bytes, "/v1/order/new", &self.key, &order);
        let (status, answer) = connection.exchange(&bytes);
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
    }

    fn bearer(&mut self, connection: &mut Connection) {
        let payload = base64_simd::STANDARD.encode_to_string(self.order());
        let headers = format!("Authorization: Bearer {}\r\nX-SVC-PAYLOAD: {payload}\r\n", self.token);
        connection.send("POST", "/v1/order/new", &headers, "");
    }

    fn refreshed(&mut self, connection: &mut Connection) {
        let body = json!({ "grant_type": "refresh_token", "refresh_token": self.refresh,
            "client_id": self.app["client_id"], "client_secret": self.app["client_secret"] });
        let reply = connection.send("POST", "/auth/token", JSON, &body.to_string());
        let tokens: Value = serde_json::from_slice(&reply).expect("tokens");
        let text = |name: &str| tokens[name].as_str().expect("a token").to_owned();
        (self.token, self.refresh) = (text("access_token"), text("refresh_token"));
    }

    /// CPU microseconds of the server for each call.
    fn micros(&mut self, calls: u32, call: fn(&mut Self, &mut Connection)) -> f64 {
        let mut connection = Connection::to(&self.server);
        let before = self.server.cpu_seconds();
        (0..calls).for_each(|_| call(self, &mut connection));
        (self.server.cpu_seconds() - before) * 1e6 / f64::from(calls)
    }

    /// Signed orders a second, one after another.
    fn rate(&mut self, calls: u32) -> f64 {
        let mut connection = Connection::to(&self.server);
        let start = Instant::now();
        (0..calls).for_each(|_| self.signed(&mut connection));
        f64::from(calls) / start.elapsed().as_secs_f64()
    }

    /// The same while others sign in with wrong passwords, each time for another address, as fast as they are answered.
    fn rate_in_flood(&mut self, calls: u32) -> Rates {
        let (is_over, count) = (AtomicBool::new(false), AtomicU64::new(0));
        let mut connections: Vec<_> = (0..SIGN_INS).map(|_| Connection::to(&self.server)).collect();
        std::thread::scope(|scope| {
            for (number, connection) in connections.iter_mut().enumerate() {
                let (is_over, count) = (&is_over, &count);
                scope.spawn(move || {
                    pin(1);
                    for at in 0.. {
                        if is_over.load(Ordering::Relaxed) {
                            return;
                        }
                        sign_in(connection, &format!("p{number}-{at}@flood.test"));
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            let start = Instant::now();
            let orders = self.rate(calls);
            let sign_ins = count.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64();
            is_over.store(true, Ordering::Relaxed);
            Rates { orders, sign_ins }
        })
    }
}

fn sign_in(connection: &mut Connection, email: &str) {
    let body = json!({ "email": email, "password": "wrong wrong wrong" }).to_string();
    let (status, answer) = connection.exchange(request("POST", "/site/signin", JSON, &body).as_bytes());
    assert!([401, 429, 503].contains(&status), "{status} {}", String::from_utf8_lossy(&answer));
}
