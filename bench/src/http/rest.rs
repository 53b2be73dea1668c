//! The measurements over HTTP, pair by pair.

use std::collections::{BTreeSet, HashSet};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use buttonwood_client::Credentials;

use super::keys::{self, KEYS, Key};
use super::load::{self, Answers, Pace};
use super::requests::{self, Asks, Requests};
use super::server::{Server, Which};
use crate::figures::{Spread, quantile};
use crate::place::Place;
use crate::report::{Goal, Report, Row};
use crate::{Settings, clock, disk, say};

/// Requests a second that a set of requests must last for.
const RATE_MAX: f64 = 150_000.0;
/// Syncs of a disk measurement.
const SYNCS: usize = 2_000;

/// Requests of a server, kept from run to run as long as its keys are the same.
pub(crate) struct Stock {
    which: Which,
    connections: usize,
    each: usize,
    keys: Vec<Key>,
    requests: Vec<Requests>,
}

impl Stock {
    /// For `seconds` of load over so many connections.
    fn new(which: Which, connections: usize, rate: f64, seconds: f64) -> Self {
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
struct Run {
    answers: Answers,
    /// CPU microseconds of the server a request.
    cpu: f64,
    /// Processors that others used meanwhile.
    foreign: f64,
    sync: Option<disk::Sync>,
}

impl Run {
    fn micros(&self, share: f64) -> f64 {
        quantile(&self.answers.latencies, share) as f64 / 1e3
    }
}

/// Starts a server on a fresh directory and loads it.
fn measure(stock: &mut Stock, place: Place, pace: Pace, seconds: f64) -> Run {
    let data = place.fresh();
    let sync = matches!((place, stock.which), (Place::Disk, Which::Product))
        .then(|| disk::measure(data.path(), SYNCS));
    let server = Server::start(stock.which, data.path());
    stock.fill(data.path());
    let check = stock.which == Which::Product;
    let own = || server.cpu_seconds() + clock::process_seconds(std::process::id());
    let (before, own_before, machine_before) = (server.cpu_seconds(), own(), clock::machine_seconds());
    let duration = Duration::from_secs_f64(seconds);
    let answers = load::run(server.address, &stock.requests, pace, duration, check, || true);
    let foreign = (clock::machine_seconds() - machine_before) - (own() - own_before);
    let foreign = foreign / answers.seconds;
    let cpu = (server.cpu_seconds() - before) * 1e6 / answers.count as f64;
    assert!(!answers.broken, "{:?} closed a connection", stock.which);
    assert!(answers.count > 0, "{:?} answered nothing", stock.which);
    Run { answers, cpu, foreign, sync }
}

fn seconds(settings: &Settings) -> f64 {
    if settings.quick { 1.0 } else { 4.0 }
}

fn stocks(connections: usize, rate: f64, seconds: f64) -> [Stock; 2] {
    [Which::Noop, Which::Product].map(|which| Stock::new(which, connections, rate, seconds))
}

/// Processors that others may use beside a pair: kernel threads and a shell.
///
/// Stands for the pressure gate of the design, which would also count our own threads waiting for each other on
/// the server's processor.
const FOREIGN_MAX: f64 = 0.2;

fn foreign((noop, ours): &(Run, Run)) -> f64 {
    noop.foreign.max(ours.foreign)
}

/// Measures until neighbours left both servers alone; after enough tries, the least disturbed pair stands.
fn undisturbed(settings: &Settings, mut both: impl FnMut() -> (Run, Run)) -> (Run, Run) {
    let mut best = both();
    for _ in 1..settings.tries() {
        if foreign(&best) <= FOREIGN_MAX {
            break;
        }
        say(&format!("others used {:.2} processors: once more", foreign(&best)));
        std::thread::sleep(settings.patience() / 2);
        let pair = both();
        if foreign(&pair) < foreign(&best) {
            best = pair;
        }
    }
    best
}

/// How many pairs neighbours disturbed to the last.
fn disturbed(runs: &[(Run, Run)]) -> String {
    let busy = runs.iter().filter(|pair| foreign(pair) > FOREIGN_MAX).count();
    if busy > 0 { format!("; neighbours disturbed {busy} of {} pairs", runs.len()) } else { String::new() }
}

/// Benchmark 6.
pub(crate) fn undurable(settings: &Settings, goal: Goal, report: &mut Report) {
    let seconds = seconds(settings);
    let [mut noop, mut product] = stocks(KEYS, RATE_MAX, seconds);
    let (mut ratios, mut runs) = (Vec::new(), Vec::new());
    for pair in 1..=settings.pairs {
        let (reference, ours) = undisturbed(settings, || {
            let reference = measure(&mut noop, Place::Memory, Pace::Closed, seconds);
            (reference, measure(&mut product, Place::Memory, Pace::Closed, seconds))
        });
        ratios.push(ours.cpu / reference.cpu);
        say(&format!("pair {pair}: {}", versus(&reference, &ours)));
        runs.push((reference, ours));
    }
    let detail = format!("{}; the data directory lies in memory{}", medians(&runs), disturbed(&runs));
    report.add(Row { number: 6, what: goal.what, goal, spread: Spread::of(ratios), detail });
}

fn versus(noop: &Run, ours: &Run) -> String {
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

fn medians(runs: &[(Run, Run)]) -> String {
    let of = |figure: &dyn Fn(&(Run, Run)) -> f64| Spread::of(runs.iter().map(figure)).median;
    format!(
        "ours {:.0} req/s at {:.1} CPU us a request, p50/p99 {:.0}/{:.0} us; no-op {:.0} at {:.1}, {:.0}/{:.0} us",
        of(&|(_, ours)| ours.answers.per_second()),
        of(&|(_, ours)| ours.cpu),
        of(&|(_, ours)| ours.micros(0.5)),
        of(&|(_, ours)| ours.micros(0.99)),
        of(&|(noop, _)| noop.answers.per_second()),
        of(&|(noop, _)| noop.cpu),
        of(&|(noop, _)| noop.micros(0.5)),
        of(&|(noop, _)| noop.micros(0.99)),
    )
}

fn syncs(runs: &[(Run, Run)]) -> String {
    let of = |figure: fn(disk::Sync) -> f64| {
        Spread::of(runs.iter().filter_map(|(_, ours)| ours.sync).map(figure)).median
    };
    let (p50, p99) = (of(|sync| sync.p50), of(|sync| sync.p99));
    let binds = if p50 <= 300.0 { "" } else { ", above 300: the floor does not bind" };
    format!("fdatasync p50/p99 {p50:.0}/{p99:.0} us{binds}")
}

/// Benchmark 7.
pub(crate) fn durable(settings: &Settings, goal: Goal, report: &mut Report) {
    let seconds = seconds(settings);
    let [mut noop, mut product] = stocks(KEYS, RATE_MAX, seconds);
    let (mut ratios, mut runs) = (Vec::new(), Vec::new());
    for pair in 1..=settings.pairs {
        let (reference, ours) = undisturbed(settings, || {
            let reference = measure(&mut noop, Place::Disk, Pace::Closed, seconds);
            (reference, measure(&mut product, Place::Disk, Pace::Closed, seconds))
        });
        ratios.push(ours.answers.per_second() / reference.answers.per_second());
        say(&format!("pair {pair}: {}", versus(&reference, &ours)));
        runs.push((reference, ours));
    }
    let survived = survive();
    let detail = format!("{}; {}{}; {survived}", medians(&runs), syncs(&runs), disturbed(&runs));
    report.add(Row { number: 7, what: goal.what, goal, spread: Spread::of(ratios), detail });
}

/// Requests for [`durable_run`].
pub(crate) fn durable_stock(settings: &Settings) -> Stock {
    Stock::new(Which::Product, KEYS, RATE_MAX, seconds(settings))
}

/// Ours of benchmark 7 alone: requests a second, and whether others left the machine alone meanwhile.
pub(crate) fn durable_run(settings: &Settings, stock: &mut Stock) -> (f64, bool) {
    let run = measure(stock, Place::Disk, Pace::Closed, seconds(settings));
    (run.answers.per_second(), run.foreign <= FOREIGN_MAX)
}

/// Kills the product under load and looks for every acknowledged order after its restart.
fn survive() -> String {
    let data = Place::Disk.fresh();
    let mut server = Server::start(Which::Product, data.path());
    let keys = keys::read(data.path());
    let moment = 500 + now_millis() % 1_500;
    let requests = requests::growing(&keys, (RATE_MAX * 2.0 / KEYS as f64) as usize);
    let address = server.address;
    let answers = load::run(address, &requests, Pace::Closed, Duration::from_millis(moment), false, || {
        server.kill();
        true
    });
    let restarted = Server::start(Which::Product, data.path());
    let (mut kept, mut unsure) = (0, 0);
    for (at, key) in keys.iter().enumerate() {
        let asks = &requests[at].asks;
        let (answered, sent) = (answers.answered[at], answers.sent[at]);
        let numbers = |range: &[(Asks, u32)], asks: Asks| -> BTreeSet<u32> {
            range.iter().filter(|(asked, _)| *asked == asks).map(|(_, number)| *number).collect()
        };
        let cancelled = numbers(&asks[..answered], Asks::Cancel);
        let maybe = numbers(&asks[answered..sent], Asks::Cancel);
        let live = live_orders(restarted.address, key);
        for number in numbers(&asks[..answered], Asks::New) {
            let there = live.contains(&requests::client_id(number));
            if maybe.contains(&number) {
                unsure += 1;
            } else {
                assert_eq!(
                    there,
                    !cancelled.contains(&number),
                    "order {number} of {} after the crash",
                    key.name
                );
                kept += 1;
            }
        }
    }
    format!(
        "SIGKILL after {moment} ms: {kept} acknowledged orders as they were, {unsure} with a cancel in flight"
    )
}

fn now_millis() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_millis() as u64
}

/// The client order ids of a key's live orders.
fn live_orders(address: SocketAddr, key: &Key) -> HashSet<String> {
    // Above every nonce that the load has used.
    let payload = format!(r#"{{"request":"/v1/orders","nonce":{}}}"#, now_millis() + 10_000_000);
    let answer = call(address, key, "/v1/orders", &payload);
    let orders: serde_json::Value = serde_json::from_slice(&answer).expect("orders are JSON");
    let ids = orders.as_array().expect("a list of orders").iter();
    ids.map(|order| order["client_order_id"].as_str().unwrap_or_default().to_owned()).collect()
}

/// One signed request on a connection of its own; the body of its answer, which must be 200.
fn call(address: SocketAddr, key: &Key, path: &str, payload: &str) -> Vec<u8> {
    let mut request = Vec::new();
    requests::one(&mut request, path, &Credentials::new(&key.api_key, &key.api_secret), payload);
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_nodelay(true).expect("a connection takes options");
    stream.write_all(&request).expect("the server reads");
    let mut bytes = Vec::new();
    let mut room = [0; 65_536];
    loop {
        let read = stream.read(&mut room).expect("the server answers");
        assert!(read > 0, "the server ended the connection");
        bytes.extend_from_slice(&room[..read]);
        let mut headers = [httparse::EMPTY_HEADER; 32];
        let mut response = httparse::Response::new(&mut headers);
        let Ok(httparse::Status::Complete(head)) = response.parse(&bytes) else { continue };
        let length =
            response.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
        let length = length.and_then(|header| str::from_utf8(header.value).ok()?.parse::<usize>().ok());
        let length = length.expect("an answer says how long it is");
        assert_eq!(response.code, Some(200), "{}", String::from_utf8_lossy(&bytes));
        if bytes.len() >= head + length {
            return bytes.split_off(head);
        }
    }
}

/// Benchmark 8, both halves.
pub(crate) fn latency(settings: &Settings, goals: [Goal; 2], report: &mut Report) {
    let seconds = seconds(settings);
    let long = if settings.quick { 2.0 } else { 10.0 };
    let [mut alone_noop, mut alone] = stocks(1, 25_000.0, seconds);
    let mut ceiling = Stock::new(Which::Noop, KEYS, RATE_MAX, seconds / 2.0);
    let [mut noop, mut product] = stocks(KEYS, RATE_MAX * 0.6, long);
    let (mut single, mut open) = (Vec::new(), Vec::new());
    let mut runs = [Vec::new(), Vec::new()];
    let mut rates = Vec::new();
    for pair in 1..=settings.pairs {
        let (reference, ours) = undisturbed(settings, || {
            let reference = measure(&mut alone_noop, Place::Disk, Pace::Closed, seconds);
            (reference, measure(&mut alone, Place::Disk, Pace::Closed, seconds))
        });
        let sync = ours.sync.expect("the product lies on the disk");
        single.push((ours.micros(0.5) - reference.micros(0.5)) / sync.p50);
        say(&format!("pair {pair} window 1: {}; sync p50 {:.0}", versus(&reference, &ours), sync.p50));
        runs[0].push((reference, ours));

        let (reference, ours) = undisturbed(settings, || {
            let rate =
                measure(&mut ceiling, Place::Disk, Pace::Closed, seconds / 2.0).answers.per_second() / 2.0;
            let reference = measure(&mut noop, Place::Disk, Pace::Open(rate), long);
            (reference, measure(&mut product, Place::Disk, Pace::Open(rate), long))
        });
        let rate = reference.answers.per_second();
        rates.push(rate);
        let sync = ours.sync.expect("the product lies on the disk");
        open.push((ours.micros(0.99) - reference.micros(0.99)) / sync.p99);
        say(&format!(
            "pair {pair} at {rate:.0} a second: {}; sync p99 {:.0}",
            versus(&reference, &ours),
            sync.p99
        ));
        runs[1].push((reference, ours));
    }
    let offered = format!("at {:.0} a second: ", Spread::of(rates).median);
    for ((goal, ratios), (runs, head)) in
        goals.into_iter().zip([single, open]).zip(runs.iter().zip(["", &offered]))
    {
        let detail = format!("{head}{}; {}{}", medians(runs), syncs(runs), disturbed(runs));
        report.add(Row { number: 8, what: goal.what, goal, spread: Spread::of(ratios), detail });
    }
}

/// Milliseconds from exec to the first answered signed request, on an empty directory.
fn first_answer(which: Which, known: &Key) -> f64 {
    let data = Place::Disk.fresh();
    let mut request = Vec::new();
    let nonce = now_millis();
    let payload = format!(
        r#"{{"request":"/v1/order/new","nonce":{nonce},"client_order_id":"start-1","symbol":"btcusd","amount":"0.001","price":"1000.00","side":"buy","type":"exchange limit","options":["maker-or-cancel"]}}"#
    );
    let credentials = Credentials::new(&known.api_key, &known.api_secret);
    requests::one(&mut request, "/v1/order/new", &credentials, &payload);
    let server = Server::start(which, data.path());
    let mut stream = TcpStream::connect(server.address).expect("the server listens");
    stream.write_all(&request).expect("the server reads");
    let mut room = [0; 4096];
    let read = stream.read(&mut room).expect("the server answers");
    let spent = server.started.elapsed().as_secs_f64() * 1e3;
    let answer = String::from_utf8_lossy(&room[..read]);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    spent
}

fn first_key(which: Which) -> Key {
    let data = Place::Disk.fresh();
    let _server = Server::start(which, data.path());
    keys::read(data.path()).swap_remove(0)
}

/// Benchmark 12.
pub(crate) fn start(settings: &Settings, goal: Goal, report: &mut Report) {
    let times = if settings.quick { 3 } else { 20 };
    let [noop_key, key] = [Which::Noop, Which::Product].map(first_key);
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..times {
        theirs.push(first_answer(Which::Noop, &noop_key));
        ours.push(first_answer(Which::Product, &key));
    }
    let ratios = theirs.iter().zip(&ours).map(|(theirs, ours)| ours / theirs);
    let spread = Spread::of(ratios.collect::<Vec<_>>());
    let (theirs, ours) = (Spread::of(theirs), Spread::of(ours));
    let detail = format!(
        "ours {:.1} ms ({:.1}-{:.1}), no-op {:.1} ms ({:.1}-{:.1})",
        ours.median, ours.least, ours.most, theirs.median, theirs.least, theirs.most
    );
    report.add(Row { number: 12, what: goal.what, goal, spread, detail });
}

/// One server under one load, closed or of so many requests a second, told in one line: for profiles, and for one
/// build against another.
pub(crate) fn one_load(server: &str, place: &str, seconds: f64, rate: Option<f64>) {
    let which = match server {
        "noop" => Which::Noop,
        "product" => Which::Product,
        other => panic!("no server is called {other:?}: noop or product"),
    };
    let place = match place {
        "disk" => Place::Disk,
        "memory" => Place::Memory,
        other => panic!("no place is called {other:?}: disk or memory"),
    };
    let pace = rate.map_or(Pace::Closed, Pace::Open);
    let run = measure(&mut Stock::new(which, KEYS, rate.unwrap_or(RATE_MAX), seconds), place, pace, seconds);
    println!(
        "{:.0} req/s, {:.1} CPU us a request, p50/p99/p99.9 {:.0}/{:.0}/{:.0} us, others {:.2} processors",
        run.answers.per_second(),
        run.cpu,
        run.micros(0.5),
        run.micros(0.99),
        run.micros(0.999),
        run.foreign
    );
}
