//! One server under one load, and pairs of undisturbed runs.

use std::path::Path;
use std::time::Duration;

use super::keys::{self, Key};
use super::load::{self, Answers, Pace};
use super::requests::{self, Requests};
use super::server::{Server, Which};
use crate::figures::{Spread, quantile};
use crate::place::Place;
use crate::{Settings, clock, disk, say};

/// The rate in requests per second for which a set of requests must be large enough.
pub(super) const RATE_MAX: f64 = 150_000.0;
/// Syncs of a disk measurement.
const SYNCS: usize = 2_000;

/// Requests for a server, kept between runs as long as its keys are the same.
pub(crate) struct Stock {
    which: Which,
    connections: usize,
    each: usize,
    keys: Vec<Key>,
    requests: Vec<Requests>,
}

impl Stock {
    /// Enough for `seconds` of load over this many connections.
    pub(super) fn new(which: Which, connections: usize, rate: f64, seconds: f64) -> Self {
        let each = (rate * seconds / connections as f64) as usize + 2;
        Self { which, connections, each: each.next_multiple_of(2), keys: Vec::new(), requests: Vec::new() }
    }

    fn fill(&mut self, data: &Path) {
        let mut found = keys::read(data);
        found.truncate(self.connections);
        if found != self.keys {
            self.requests = requests::pairs(&found, self.each);
            self.keys = found;
        }
    }
}

/// One run of one server.
pub(super) struct Run {
    pub(super) answers: Answers,
    /// CPU microseconds of the server per request.
    pub(super) cpu: f64,
    /// Processors used by other processes during the run.
    pub(super) foreign: f64,
    pub(super) sync: Option<disk::Sync>,
}

impl Run {
    pub(super) fn micros(&self, share: f64) -> f64 {
        quantile(&self.answers.latencies, share) as f64 / 1e3
    }
}

/// Starts a server on a new directory and loads it.
pub(super) fn measure(stock: &mut Stock, place: Place, pace: Pace, seconds: f64) -> Run {
    let data = place.fresh();
    let sync = matches!((place, stock.which), (Place::Disk, Which::Product))
        .then(|| disk::measure(data.path(), SYNCS));
    let server = Server::start(stock.which, data.path());
    stock.fill(data.path());
    let check = stock.which == Which::Product;
    let duration = Duration::from_secs_f64(seconds);
    let run = watched(&server, || load::run(server.address, &stock.requests, pace, duration, check, || true));
    Run { sync, ..run }
}

/// The figures of a load on a server.
pub(super) fn watched(server: &Server, load: impl FnOnce() -> Answers) -> Run {
    let own = || server.cpu_seconds() + clock::process_seconds(std::process::id());
    let (before, own_before, machine_before) = (server.cpu_seconds(), own(), clock::machine_seconds());
    let answers = load();
    let foreign = (clock::machine_seconds() - machine_before) - (own() - own_before);
    let foreign = foreign / answers.seconds;
    let cpu = (server.cpu_seconds() - before) * 1e6 / answers.count as f64;
    assert!(!answers.broken, "the server closed a connection");
    assert!(answers.count > 0, "the server answered nothing");
    Run { answers, cpu, foreign, sync: None }
}

pub(super) fn seconds(settings: &Settings) -> f64 {
    if settings.quick { 1.0 } else { 4.0 }
}

pub(super) fn stocks(connections: usize, rate: f64, seconds: f64) -> [Stock; 2] {
    [Which::Noop, Which::Product].map(|which| Stock::new(which, connections, rate, seconds))
}

/// Processors that others may use during a pair: kernel threads and a shell.
///
/// Used in place of the pressure of Q-050, which would also count our own threads waiting for each other on the
/// server's processor.
pub(super) const FOREIGN_MAX: f64 = 0.2;

fn foreign(runs: &[Run]) -> f64 {
    runs.iter().map(|run| run.foreign).fold(0.0, f64::max)
}

/// Measures until all runs are undisturbed; after enough tries, the least disturbed ones count.
pub(super) fn undisturbed<const N: usize>(
    settings: &Settings,
    mut all: impl FnMut() -> [Run; N],
) -> [Run; N] {
    let mut best = all();
    for _ in 1..settings.tries() {
        if foreign(&best) <= FOREIGN_MAX {
            break;
        }
        say(&format!("others used {:.2} processors: once more", foreign(&best)));
        std::thread::sleep(settings.patience() / 2);
        let again = all();
        if foreign(&again) < foreign(&best) {
            best = again;
        }
    }
    best
}

/// The number of pairs that stayed disturbed.
pub(super) fn disturbed<const N: usize>(runs: &[[Run; N]]) -> String {
    let busy = runs.iter().filter(|pair| foreign(*pair) > FOREIGN_MAX).count();
    if busy > 0 { format!("; neighbours disturbed {busy} of {} pairs", runs.len()) } else { String::new() }
}

pub(super) fn versus(noop: &Run, ours: &Run) -> String {
    format!(
        "no-op {:.0} req/s {:.1} CPU us, ours {:.0} req/s {:.1} CPU us; p50/p99 {:.0}/{:.0} against {:.0}/{:.0} us",
        noop.answers.per_second(),
        noop.cpu,
        ours.answers.per_second(),
        ours.cpu,
        ours.micros(0.5),
        ours.micros(0.99),
        noop.micros(0.5),
        noop.micros(0.99),
    )
}

pub(super) fn medians(runs: &[[Run; 2]]) -> String {
    let of = |figure: &dyn Fn(&[Run; 2]) -> f64| Spread::of(runs.iter().map(figure)).median;
    format!(
        "ours {:.0} req/s at {:.1} CPU us a request, p50/p99 {:.0}/{:.0} us; no-op {:.0} at {:.1}, {:.0}/{:.0} us",
        of(&|[_, ours]| ours.answers.per_second()),
        of(&|[_, ours]| ours.cpu),
        of(&|[_, ours]| ours.micros(0.5)),
        of(&|[_, ours]| ours.micros(0.99)),
        of(&|[noop, _]| noop.answers.per_second()),
        of(&|[noop, _]| noop.cpu),
        of(&|[noop, _]| noop.micros(0.5)),
        of(&|[noop, _]| noop.micros(0.99)),
    )
}

pub(super) fn syncs<const N: usize>(runs: &[[Run; N]]) -> String {
    let of = |figure: fn(disk::Sync) -> f64| {
        Spread::of(runs.iter().flatten().filter_map(|run| run.sync).map(figure)).median
    };
    let (p50, p99) = (of(|sync| sync.p50), of(|sync| sync.p99));
    let binds = if p50 <= 300.0 { "" } else { ", above 300: the floor does not bind" };
    format!("fdatasync p50/p99 {p50:.0}/{p99:.0} us{binds}")
}
