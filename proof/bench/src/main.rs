//! `cargo xtask bench`: the speed of the exchange, always as a ratio to a reference measured in the same run.
//!
//! The numbers are those of `bench/RESULTS.md`. References and our runs alternate, pair by pair; the median of the
//! pairs' ratios counts, and their range is reported too. Every result is checked first, so a wrong one is never
//! timed.

mod advance;
mod clock;
mod core;
mod database;
mod disk;
mod exchange;
mod figures;
mod funds;
mod http;
mod journalled;
mod margin;
mod memory;
mod offbook;
mod opgen;
mod overload;
mod people;
mod perps;
mod place;
mod predictions;
mod recovery;
mod reference;
mod report;
mod shapes;
mod statement;
mod timing;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use report::{Goal, Report};

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

const USAGE: &str = "\
usage: cargo xtask bench [NUMBER…|all] [--pairs N] [--quick] [--write]
       cargo xtask bench timing   # does the time of a refused signature depend on how much of it is right?
  1   core, one book                    7   signed REST, durable
  2   core, 100 books                   8   durable latency
  3   core tail                         9   against PostgreSQL
  4   worst shape of a book             10  journalled core, without HTTP
  5   memory of a resting order         11  recovery
  6   signed REST, undurable            12  start
                                        13  funds
                        14  perpetuals
                        15  statement
                        16  spot margin
                        17  clearing and staking
                        18  prediction markets
                        19  people and apps
                        20  orders over sockets
                        21  a group in advance
  all is the default
  --pairs N   pairs of reference and ours (default 5)
  --quick     one pair, short: shows that it runs, not how fast
  --write     store the table in bench/RESULTS.md";

/// The settings of a run.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) numbers: Vec<u8>,
    pub(crate) pairs: usize,
    pub(crate) quick: bool,
    pub(crate) write: bool,
}

impl Settings {
    /// How often a disturbed pair is measured again.
    pub(crate) fn tries(&self) -> usize {
        if self.quick { 1 } else { 10 }
    }

    /// How long a pair waits for the machine to calm down.
    pub(crate) fn patience(&self) -> Duration {
        Duration::from_secs(if self.quick { 0 } else { 6 })
    }
}

/// Reports progress on standard error.
pub(crate) fn say(line: &str) {
    eprintln!("bench: {line}");
}

const ALL: [u8; 21] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21];

/// The benchmarks that start the product as a process.
const OVER_HTTP: [u8; 8] = [6, 7, 8, 9, 12, 18, 19, 20];

/// Under cargo, builds the product's binary; otherwise the one next to this program is used.
fn build_product() -> bool {
    let Some(cargo) = std::env::var_os("CARGO") else { return true };
    let words = ["build", "--release", "--package", "buttonwood"];
    std::process::Command::new(cargo).args(words).status().is_ok_and(|status| status.success())
}

fn parse(words: &[String]) -> Result<Settings, String> {
    let mut settings = Settings { numbers: Vec::new(), pairs: 5, quick: false, write: false };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "all" => settings.numbers.extend(ALL),
            "--quick" => (settings.quick, settings.pairs) = (true, 1),
            "--write" => settings.write = true,
            "--pairs" => {
                let pairs = words.next().and_then(|word| word.parse().ok()).filter(|pairs| *pairs > 0);
                settings.pairs = pairs.ok_or("--pairs wants a number")?;
            }
            number => match number.parse() {
                Ok(number) if ALL.contains(&number) => settings.numbers.push(number),
                _ => return Err(format!("there is no benchmark {number:?} yet")),
            },
        }
    }
    if settings.numbers.is_empty() {
        settings.numbers.extend(ALL);
    }
    Ok(settings)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let plain: Vec<&str> = words.iter().map(String::as_str).collect();
    match plain.as_slice() {
        ["memory", who] => {
            core::measure_memory(who);
            return ExitCode::SUCCESS;
        }
        ["load", server, place, seconds, rate @ ..] => {
            let rate = rate.first().map(|rate| rate.parse().expect("a number of requests a second"));
            http::one_load(server, place, seconds.parse().expect("a number of seconds"), rate);
            return ExitCode::SUCCESS;
        }
        ["timing"] => {
            timing::run();
            return ExitCode::SUCCESS;
        }
        ["overload", words @ ..] => return overload_with(words),
        ["load-sockets", server, window, seconds] => {
            let window = window.parse().expect("a number of calls in flight");
            http::one_socket_load(server, window, seconds.parse().expect("a number of seconds"));
            return ExitCode::SUCCESS;
        }
        ["noop", data] => {
            http::noop::serve(Path::new(data));
            return ExitCode::SUCCESS;
        }
        ["noop-sockets"] => http::serve_noop_sockets(),
        ["profile", name, times, ops @ ..] => {
            let ops = ops.first().map(|ops| ops.parse().expect("a number of operations"));
            core::profile(name, times.parse().expect("a number of runs"), ops);
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let settings = match parse(&words) {
        Ok(settings) => settings,
        Err(why) => {
            eprintln!("{why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if settings.numbers.iter().any(|number| OVER_HTTP.contains(number)) && !build_product() {
        eprintln!("the product does not build, and {OVER_HTTP:?} measure it");
        return ExitCode::FAILURE;
    }
    let mut report = Report::default();
    for number in &settings.numbers {
        run(*number, &settings, &mut report);
    }
    println!("{}", report.table());
    if settings.write {
        report.store();
    }
    if report.misses() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs the overload, after building the product in this program's profile.
fn overload_with(words: &[&str]) -> ExitCode {
    match words {
        [] => overload::run(false),
        ["--quick"] => overload::run(true),
        _ => {
            eprintln!("overload knows no {:?}, only --quick", words.join(" "));
            ExitCode::from(2)
        }
    }
}

fn run(number: u8, settings: &Settings, report: &mut Report) {
    let goal = |what, ratio, [floor, target, extreme]: [f64; 3]| Goal { what, ratio, floor, target, extreme };
    match number {
        1 => {
            let goal = goal("core, one book (A1, B1)", "obcore CPU/op / ours", [0.8, 1.5, 2.2]);
            core::throughput(settings, 1, ["A1", "B1"], goal, report);
        }
        2 => {
            let goal = goal("core, 100 books (A100, B100)", "obcore CPU/op / ours", [1.0, 2.2, 3.5]);
            core::throughput(settings, 2, ["A100", "B100"], goal, report);
        }
        3 => {
            core::tails(settings, goal("core tail (A1, B1)", "p99.9 ours / obcore", [1.5, 0.8, 0.5]), report)
        }
        4 => {
            let goal = goal("worst shape of a book", "slowest shape ns/op / A1 ns/op", [8.0, 4.0, 2.5]);
            shapes::measure(settings, goal, report);
        }
        5 => core::bytes(
            settings,
            goal("memory (P1)", "bytes an order ours / obcore", [2.0, 1.25, 0.9]),
            report,
        ),
        6 => {
            let goal = goal("signed REST, undurable", "server CPU/request ours / no-op", [1.5, 1.2, 1.08]);
            http::undurable(settings, goal, report);
        }
        7 => {
            let goal = goal("signed REST, durable", "req/s ours / signed no-op", [0.4, 0.65, 0.85]);
            http::durable(settings, goal, report);
        }
        8 => {
            let alone =
                goal("durable latency, window 1", "(p50 - no-op p50) / fdatasync p50", [3.0, 2.0, 1.5]);
            let open =
                goal("durable latency, half load", "(p99 - no-op p99) / fdatasync p99", [8.0, 4.0, 2.5]);
            http::latency(settings, [alone, open], report);
        }
        9 => {
            let ratio = "durable orders/s ours / PostgreSQL";
            database::measure(settings, goal("against the database", ratio, [6.0, 11.0, 15.0]), report);
        }
        10 => {
            let ratio = "commands a wall s / min(core alone, journal alone)";
            journalled::measure(settings, goal("journalled core (A100)", ratio, [0.4, 0.7, 0.9]), report);
        }
        11 => {
            let replay = goal("recovery (A100)", "s per M replayed / core alone", [4.0, 2.0, 1.5]);
            let load = goal("snapshot of 1 M orders, 100 k accounts", "s to load", [3.0, 1.0, 0.3]);
            recovery::measure(settings, [replay, load], report);
        }
        12 => {
            http::start(settings, goal("start, empty directory", "ms ours / no-op", [10.0, 4.0, 2.0]), report)
        }
        13 => {
            let goals = [
                goal("durable withdrawals", "withdrawals/s / orders/s", [0.05, 0.5, 0.8]),
                goal("orders beside 1 M holds", "ns a command / without a hold", [1.05, 1.01, 1.0]),
                goal("memory of a deposit address", "bytes", [600.0, 150.0, 100.0]),
                goal(
                    "a block of 5,000 payments",
                    "s until durable / its commands in the core",
                    [10.0, 5.0, 2.0],
                ),
            ];
            funds::measure(settings, goals, report);
        }
        14 => {
            let goals = [
                goal("a perpetual order (B1)", "CPU/op perpetual / spot", [4.0, 1.6, 1.2]),
                goal("a mark over 100,000 positions", "ms", [100.0, 20.0, 10.0]),
                goal(
                    "the mark halved for 100,000 accounts",
                    "ms of the slowest command",
                    [200.0, 50.0, 25.0],
                ),
            ];
            perps::measure(settings, goals, report);
        }
        15 => {
            let what = "newest 50 lines among 1 M rows";
            let goal = goal(what, "s a statement / trades", [2.0, 1.2, 0.8]);
            statement::measure(settings, goal, report);
        }
        16 => {
            let goal = goal("an order on margin (B1)", "CPU/op margin / cash", [10.0, 5.0, 3.0]);
            margin::measure(settings, goal, report);
        }
        17 => {
            let goals = [
                goal("durable clearing orders", "new with confirm/s / orders/s", [0.1, 0.45, 0.6]),
                goal("orders while 10,000 clearing orders wait", "CPU/op with / without", [1.3, 1.05, 1.0]),
                goal("a day of 100,000 stakes", "CPU accrual / as many credits", [8.0, 4.0, 1.0]),
                goal("a day of 100,000 stakes", "ms of the slowest command", [100.0, 50.0, 10.0]),
            ];
            offbook::measure(settings, goals, report);
        }
        18 => {
            let goals = [
                goal("durable orders of a contract (B1)", "orders/s contract / spot", [0.5, 0.95, 1.0]),
                goal("a mint", "CPU of two orders mint / spot fill", [3.0, 1.4, 1.1]),
                goal("1,000,000 holders paid", "holders a CPU s", [100_000.0, 300_000.0, 1_000_000.0]),
                goal("1,000,000 holders paid", "ms of the slowest command", [20.0, 5.0, 2.0]),
                goal("orders while holders are paid", "p99 meanwhile / before", [4.0, 2.0, 1.2]),
                goal("10,000 settled contracts", "bytes each", [4_096.0, 1_024.0, 512.0]),
            ];
            predictions::measure(settings, goals, report);
            let ratio = "server CPU/request ours / no-op";
            http::events(settings, goal("500 of 10,000 events", ratio, [10.0, 2.0, 1.2]), report);
        }
        19 => {
            people::remembered(settings, goal("a live grant", "bytes", [1_024.0, 300.0, 200.0]), report);
            let goals = [
                goal("orders by token", "server CPU signed / by token", [0.8, 0.95, 1.05]),
                goal("refreshes", "server CPU order / refresh", [0.2, 0.5, 1.0]),
                goal("orders in a flood of sign-ins", "orders/s in it / alone", [0.5, 0.95, 1.0]),
            ];
            http::people(settings, goals, report);
        }
        20 => {
            let noop = "a second ours / no-op sockets";
            let rest = "a second ours / signed REST";
            let goals = [
                [
                    goal("orders over sockets, 1 in flight", noop, [0.25, 0.65, 0.85]),
                    goal("orders over sockets, 1 in flight", rest, [1.0, 1.5, 2.0]),
                ],
                [
                    goal("orders over sockets, 32 in flight", noop, [0.1, 0.5, 0.7]),
                    goal("orders over sockets, 32 in flight", rest, [2.5, 5.0, 8.0]),
                ],
            ];
            http::sockets(settings, goals, report);
        }
        21 => {
            let what = "a transfer to a group in advance";
            let goal = goal(what, "ms of the slowest command", [20.0, 5.0, 1.0]);
            advance::measure(settings, goal, report);
        }
        other => unreachable!("{other} was refused before"),
    }
}
