//! Benchmark 20: orders and cancels over the newest socket, against sockets that do nothing on the same stack, and against signed REST.

mod frames;
mod load;
pub(crate) mod noop;

use std::path::Path;
use std::time::Duration;

use buttonwood_client::Credentials;

use super::keys::{self, KEYS, now_ms};
use super::load::Pace;
use super::run::{
    RATE_MAX, Run, Stock, disturbed, measure as measure_rest, seconds, syncs, undisturbed, watched,
};
use super::server::{Server, Which};
use crate::figures::Spread;
use crate::place::Place;
use crate::report::{Goal, Report, Row};
use crate::{Settings, say};

/// Calls in flight on each socket.
const WINDOWS: [usize; 2] = [1, 32];

/// Runs of signed REST, of the sockets that do nothing, and of ours.
type Three = [Run; 3];

/// `goals` are those of each window: against the sockets that do nothing, and against REST.
pub(crate) fn measure(settings: &Settings, goals: [[Goal; 2]; 2], report: &mut Report) {
    let seconds = seconds(settings);
    let mut stock = Stock::new(Which::Product, KEYS, RATE_MAX, seconds);
    let mut measured = WINDOWS.map(|_| Vec::new());
    for pair in 1..=settings.pairs {
        for (window, runs) in WINDOWS.into_iter().zip(&mut measured) {
            let three: Three = undisturbed(settings, || {
                [
                    measure_rest(&mut stock, Place::Disk, Pace::Closed, seconds),
                    one(Which::NoopSockets, window, seconds),
                    one(Which::Product, window, seconds),
                ]
            });
            let alone = std::slice::from_ref(&three);
            let [rest, noop, ours] = [0, 1, 2].map(|at| told(alone, at));
            say(&format!("pair {pair}, {window} in flight: {ours}; {noop}; {rest}{}", refused(alone)));
            runs.push(three);
        }
    }
    for (runs, goals) in measured.iter().zip(goals) {
        for (goal, against) in goals.into_iter().zip([1, 0]) {
            let ratio = |three: &Three| three[2].answers.per_second() / three[against].answers.per_second();
            let (ours, theirs) = (told(runs, 2), told(runs, against));
            let detail = format!("{ours}; {theirs}; {}{}{}", syncs(runs), refused(runs), disturbed(runs));
            let spread = Spread::of(runs.iter().map(ratio));
            report.add(Row { number: 20, what: goal.what, goal, spread, detail });
        }
    }
}

/// One server on a new directory under the load of all sockets.
fn one(which: Which, window: usize, seconds: f64) -> Run {
    let data = Place::Disk.fresh();
    let server = Server::start(which, data.path());
    let handshakes = handshakes(which, data.path());
    let is_ours = which == Which::Product;
    let duration = Duration::from_secs_f64(seconds);
    watched(&server, || load::run(server.address, &handshakes, window, duration, is_ours))
}

/// The handshake of each socket. The sockets that do nothing have no keys.
fn handshakes(which: Which, data: &Path) -> Vec<String> {
    let head = |signed: &str| {
        format!(
            "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{signed}\r\n"
        )
    };
    if which != Which::Product {
        return vec![head(""); KEYS];
    }
    let nonce = (now_ms() / 1_000).to_string();
    let of_key = |key: &keys::Key| {
        let signed = Credentials::new(&key.api_key, &key.api_secret).sign(nonce.as_bytes());
        let fields = signed.headers().into_iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        head(&fields.chain([format!("X-SVC-NONCE: {nonce}\r\n")]).collect::<String>())
    };
    keys::read_sockets(data).iter().map(of_key).collect()
}

/// The names of the three runs.
const NAMES: [&str; 3] = ["signed REST", "no-op", "ours"];

/// The medians of one of the three runs.
fn told(runs: &[Three], at: usize) -> String {
    let of = |figure: &dyn Fn(&Run) -> f64| Spread::of(runs.iter().map(|three| figure(&three[at]))).median;
    format!(
        "{} {:.0} a second at {:.1} CPU us, p50/p99 {:.0}/{:.0} us",
        NAMES[at],
        of(&|run| run.answers.per_second()),
        of(&|run| run.cpu),
        of(&|run| run.micros(0.5)),
        of(&|run| run.micros(0.99)),
    )
}

/// The share of orders that our sockets turned away.
fn refused(runs: &[Three]) -> String {
    let of = |run: &Run| run.answers.refused as f64 / (run.answers.refused + run.answers.count) as f64;
    let share = Spread::of(runs.iter().map(|three| of(&three[2]))).median;
    if share > 0.0 {
        format!("; {:.1} % of our calls turned away with 503", share * 100.0)
    } else {
        String::new()
    }
}

/// Runs one server under one load and prints one line: for profiles, and for comparing builds. A load takes less than the 90 seconds
/// after which a client that answers no ping is cut.
pub(crate) fn one_load(server: &str, window: usize, seconds: f64) {
    let which = match server {
        "noop" => Which::NoopSockets,
        "product" => Which::Product,
        other => panic!("no server is called {other:?}: noop or product"),
    };
    let run = one(which, window, seconds);
    println!(
        "{:.0} a second and {} turned away, {:.1} CPU us a call, p50/p99/p99.9 {:.0}/{:.0}/{:.0} us, others {:.2} processors",
        run.answers.per_second(),
        run.answers.refused,
        run.cpu,
        run.micros(0.5),
        run.micros(0.99),
        run.micros(0.999),
        run.foreign
    );
}
