//! The last figure of benchmark 18: a listing of 500 events among 10,000, against a constant reply of its size.

use super::connection::Connection;
use super::server::{Server, Which};
use crate::figures::Spread;
use crate::place::Place;
use crate::report::{Goal, Report, Row};
use crate::{Settings, say};

const PATH: &str = "/v1/prediction-markets/events?limit=500";
/// 2036, in milliseconds.
const EXPIRY_MS: u64 = 2_085_000_000_000;

pub(crate) fn measure(settings: &Settings, goal: Goal, report: &mut Report) {
    let (events, calls) = if settings.quick { (600, 20) } else { (10_000, 1_000) };
    let [data, of_noop] = [Place::Memory.fresh(), Place::Memory.fresh()];
    let product = Server::start(Which::Product, data.path());
    list(&product, events);
    let reply = Connection::to(&product).get(PATH);
    std::fs::write(of_noop.path().join("reply"), &reply).expect("the data directory takes files");
    let noop = Server::start(Which::Noop, of_noop.path());
    let (mut ratios, mut detail) = (Vec::new(), String::new());
    for pair in 1..=settings.pairs {
        let [theirs, ours] = [&noop, &product].map(|server| micros(server, calls, reply.len()));
        ratios.push(ours / theirs);
        detail = format!(
            "{:.0} KB of 500 events among {events}: ours {ours:.0}, no-op {theirs:.0} CPU us a request",
            reply.len() as f64 / 1e3
        );
        say(&format!("pair {pair}: {detail}"));
    }
    report.add(Row { number: 18, what: goal.what, goal, spread: Spread::of(ratios), detail });
}

/// CPU microseconds of the server for each reading.
fn micros(server: &Server, calls: u32, length: usize) -> f64 {
    let mut connection = Connection::to(server);
    let before = server.cpu_seconds();
    for _ in 0..calls {
        assert_eq!(connection.get(PATH).len(), length, "the listing stays as it is");
    }
    (server.cpu_seconds() - before) * 1e6 / f64::from(calls)
}

fn list(server: &Server, events: u32) {
    let mut connection = Connection::to(server);
    for number in 0..events {
        let body = format!(
            r#"{{"ticker":"BENCH{number}","title":"Will the event {number} come to pass?","category":"bench","expiry_ms":{EXPIRY_MS}}}"#
        );
        let head = "Content-Type: application/json\r\n";
        connection.send("POST", "/sandbox/predictions/events", head, &body);
    }
}
