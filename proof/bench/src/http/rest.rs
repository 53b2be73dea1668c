//! The measurements over HTTP, pair by pair.

use std::io::{Read, Write};
use std::net::TcpStream;

use buttonwood_client::Credentials;

use super::keys::{self, KEYS, Key};
use super::load::Pace;
use super::requests;
use super::run::{
    FOREIGN_MAX, RATE_MAX, Stock, disturbed, measure, medians, seconds, stocks, syncs, undisturbed, versus,
};
use super::server::{Server, Which};
use super::survive::{now_millis, survive};
use crate::figures::Spread;
use crate::place::Place;
use crate::report::{Goal, Report, Row};
use crate::{Settings, say};

/// Benchmark 6.
pub(crate) fn undurable(settings: &Settings, goal: Goal, report: &mut Report) {
    let seconds = seconds(settings);
    let [mut noop, mut product] = stocks(KEYS, RATE_MAX, seconds);
    let (mut ratios, mut runs) = (Vec::new(), Vec::new());
    for pair in 1..=settings.pairs {
        let [reference, ours] = undisturbed(settings, || {
            let reference = measure(&mut noop, Place::Memory, Pace::Closed, seconds);
            [reference, measure(&mut product, Place::Memory, Pace::Closed, seconds)]
        });
        ratios.push(ours.cpu / reference.cpu);
        say(&format!("pair {pair}: {}", versus(&reference, &ours)));
        runs.push([reference, ours]);
    }
    let detail = format!("{}; the data directory lies in memory{}", medians(&runs), disturbed(&runs));
    report.add(Row { number: 6, what: goal.what, goal, spread: Spread::of(ratios), detail });
}

/// Benchmark 7.
pub(crate) fn durable(settings: &Settings, goal: Goal, report: &mut Report) {
    let seconds = seconds(settings);
    let [mut noop, mut product] = stocks(KEYS, RATE_MAX, seconds);
    let (mut ratios, mut runs) = (Vec::new(), Vec::new());
    for pair in 1..=settings.pairs {
        let [reference, ours] = undisturbed(settings, || {
            let reference = measure(&mut noop, Place::Disk, Pace::Closed, seconds);
            [reference, measure(&mut product, Place::Disk, Pace::Closed, seconds)]
        });
        ratios.push(ours.answers.per_second() / reference.answers.per_second());
        say(&format!("pair {pair}: {}", versus(&reference, &ours)));
        runs.push([reference, ours]);
    }
    let survived = survive();
    let detail = format!("{}; {}{}; {survived}", medians(&runs), syncs(&runs), disturbed(&runs));
    report.add(Row { number: 7, what: goal.what, goal, spread: Spread::of(ratios), detail });
}

/// Requests for [`durable_run`].
pub(crate) fn durable_stock(settings: &Settings) -> Stock {
    Stock::new(Which::Product, KEYS, RATE_MAX, seconds(settings))
}

/// Our half of benchmark 7 alone: requests per second, and whether the run was undisturbed.
pub(crate) fn durable_run(settings: &Settings, stock: &mut Stock) -> (f64, bool) {
    let run = measure(stock, Place::Disk, Pace::Closed, seconds(settings));
    (run.answers.per_second(), run.foreign <= FOREIGN_MAX)
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
        let [reference, ours] = undisturbed(settings, || {
            let reference = measure(&mut alone_noop, Place::Disk, Pace::Closed, seconds);
            [reference, measure(&mut alone, Place::Disk, Pace::Closed, seconds)]
        });
        let sync = ours.sync.expect("the product lies on the disk");
        single.push((ours.micros(0.5) - reference.micros(0.5)) / sync.p50);
        say(&format!("pair {pair} window 1: {}; sync p50 {:.0}", versus(&reference, &ours), sync.p50));
        runs[0].push([reference, ours]);

        let [reference, ours] = undisturbed(settings, || {
            let rate =
                measure(&mut ceiling, Place::Disk, Pace::Closed, seconds / 2.0).answers.per_second() / 2.0;
            let reference = measure(&mut noop, Place::Disk, Pace::Open(rate), long);
            [reference, measure(&mut product, Place::Disk, Pace::Open(rate), long)]
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
        runs[1].push([reference, ours]);
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

/// Runs one server under one load, closed or at a fixed rate, and prints one line: for profiles, and for comparing
/// builds.
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
