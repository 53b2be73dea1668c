//! The last figure of benchmark 18: a listing of 500 events among 10,000, against a constant reply of its size.

use std::io::{Read, Write};
use std::net::TcpStream;

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

/// A connection that takes one call after another.
struct Connection(TcpStream, Vec<u8>);

impl Connection {
    fn to(server: &Server) -> Self {
        Self(TcpStream::connect(server.address).expect("the server listens"), Vec::new())
    }

    fn get(&mut self, path: &str) -> Vec<u8> {
        self.send("GET", path, "", "")
    }

    /// The body of the answer, which must be 200.
    fn send(&mut self, method: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
        let length = body.len();
        let text = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
        );
        self.0.write_all(text.as_bytes()).expect("the server reads");
        self.1.clear();
        let end = loop {
            if let Some(end) = end_of(&self.1) {
                break end;
            }
            self.read();
        };
        let (start, length) = end;
        while self.1.len() < start + length {
            self.read();
        }
        self.1[start..start + length].to_vec()
    }

    fn read(&mut self) {
        let mut room = [0; 65_536];
        let read = self.0.read(&mut room).expect("the server answers");
        assert!(read > 0, "the server closed the connection");
        self.1.extend_from_slice(&room[..read]);
    }
}

/// Where the body starts, and its length, once the head is whole.
fn end_of(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(start) = response.parse(bytes).expect("an answer") else { return None };
    assert_eq!(response.code, Some(200), "{}", String::from_utf8_lossy(bytes));
    let length = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|header| std::str::from_utf8(header.value).ok()?.parse().ok());
    Some((start, length.expect("answers have a length")))
}
