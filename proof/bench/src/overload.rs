//! `cargo xtask overload`: ten times the load that the exchange can serve.
//!
//! The exchange is confined first ([`confine`]), since the load runs on the same machine. Then, on one running
//! exchange: its capacity under a closed load; its latency at a third of it; ten times the capacity on a schedule;
//! the third again. All of that is repeated with slow readers and half-open connections. The conditions are ratios
//! between these phases, so that the speed of the machine does not matter.

mod confine;
mod crowd;
mod load;

use std::cell::Cell;
use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use confine::Confinement;
use load::{Clients, Pace, Told};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::clock;
use crate::http::{Server, Which, pin, read_keys, read_timely};
use crate::place::Place;
use crate::say;

/// Clients of the closed load, as in the benchmarks.
const CLOSED: usize = 64;
/// The load in capacities, and the least that must really be sent.
const TIMES: f64 = 10.0;
const TIMES_MIN: f64 = 6.0;
/// The share of the capacity that counts as calm.
const CALM: f64 = 0.3;
/// The processor of the load.
const PROCESSOR: usize = 1;
/// Processors that others may use during a trial before its timing is in doubt.
const FOREIGN_MAX: f64 = 0.2;
/// How often a disturbed trial is repeated.
const TRIES: usize = 2;
/// Time limit for writing the replies to a crowd.
const SETTLED_WITHIN: Duration = Duration::from_secs(20);

/// Durations and amounts.
struct Plan {
    /// The approximate requests per second that the exchange is confined to.
    capacity: f64,
    /// Seconds of the calm phases and of the overload.
    calm: u64,
    overload: u64,
    /// Number of slow readers, and of half-open connections.
    crowd: usize,
    /// Clients that share a key, in addition to those with their own: enough that the exchange must refuse, since
    /// each waits for its reply.
    sharing: usize,
    /// Share of the capacity that must be served.
    goodput: f64,
}

const FULL: Plan =
    Plan { capacity: 5_000.0, calm: 10, overload: 60, crowd: 1_000, sharing: 3_000, goodput: 0.9 };
/// Small enough for a machine with other work. In so few seconds a capacity is known only to some percent.
const QUICK: Plan = Plan { capacity: 1_200.0, calm: 3, overload: 6, crowd: 200, sharing: 900, goodput: 0.8 };

/// The conditions.
struct Bounds {
    /// A multiple of the calm p99.
    admitted_p99: f64,
    refusal_millis: f64,
    cancels: f64,
    /// A multiple of the size before, and bytes per request served since.
    resident: f64,
    resident_each: f64,
    /// Seconds until a second is calm again, and what counts as calm: a multiple of the calm p99, and an additional
    /// share of refusals.
    recovery: u64,
    recovered_p99: f64,
    recovered_refused: f64,
}

const BOUNDS: Bounds = Bounds {
    admitted_p99: 3.0,
    refusal_millis: 50.0,
    cancels: 0.999,
    resident: 1.1,
    resident_each: 400.0,
    recovery: 5,
    recovered_p99: 2.0,
    recovered_refused: 0.01,
};

/// A confined exchange and its clients.
struct Trial {
    plan: &'static Plan,
    clients: Clients,
    address: SocketAddr,
    process: u32,
    capacity: f64,
}

/// Runs everything; the exit code says whether all conditions held.
pub(crate) fn run(quick: bool) -> ExitCode {
    let plan = if quick { &QUICK } else { &FULL };
    let data = Place::Disk.fresh();
    let server = Server::start(Which::Product, data.path());
    let confinement = match Confinement::new(server.id(), data.path()) {
        Ok(confinement) => confinement,
        Err(why) => {
            println!("SKIPPED overload: the exchange cannot be confined: {why}");
            return ExitCode::SUCCESS;
        }
    };
    raise_open_files();
    pin(PROCESSOR);
    let clients =
        Clients::connect(server.address, &read_keys(data.path()), &read_timely(data.path()), plan.sharing);
    let mut trial = Trial { plan, clients, address: server.address, process: server.id(), capacity: 0.0 };
    trial.confine(&confinement);
    let crowds = [("alone", 0), ("beside slow and half-open connections", plan.crowd)];
    // Both, even if the first fails.
    let held = crowds.map(|(name, crowd)| trial.judge(name, crowd));
    if held == [true; 2] { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Trial {
    fn phase(&mut self, pace: Pace, seconds: u64) -> Told {
        self.clients.run(pace, Duration::from_secs(seconds), || {})
    }

    /// Throttles the exchange until its capacity is about the planned one.
    fn confine(&mut self, confinement: &Confinement) {
        // First an estimate of the journal bytes per command, then the observed number.
        let mut bytes = 250.0 * self.plan.capacity;
        for _ in 0..3 {
            confinement.allow(bytes as u64).unwrap_or_else(|why| panic!("{why}"));
            let seen = self.phase(Pace::Closed(CLOSED), 2).goodput();
            say(&format!("{:.0} bytes a second: {seen:.0} requests a second", bytes));
            if (0.8..1.25).contains(&(seen / self.plan.capacity)) {
                break;
            }
            bytes *= self.plan.capacity / seen;
        }
    }

    /// Measures until the conditions hold or only the exchange can be the cause; returns whether they hold or the
    /// result is inconclusive.
    fn judge(&mut self, name: &str, crowd: usize) -> bool {
        for last in (1..=TRIES).map(|number| number == TRIES) {
            let before = clock::machine_seconds() - self.own_seconds();
            let start = Instant::now();
            let judged = self.measure(crowd);
            let foreign = clock::machine_seconds() - self.own_seconds() - before;
            let foreign = foreign / start.elapsed().as_secs_f64();
            println!("overload {name}: {}; others used {foreign:.2} processors", judged.text());
            let broken = judged.broken(&BOUNDS);
            if broken.is_empty() {
                return true;
            }
            let excused = foreign > FOREIGN_MAX && broken.iter().all(|broken| broken.of_time);
            let (word, whats): (_, Vec<&str>) = (
                if excused { "SKIPPED overload" } else { "overload: BROKEN" },
                broken.iter().map(|broken| broken.what.as_str()).collect(),
            );
            if !excused || last {
                println!("{word} {name}: {}", whats.join("; "));
                return excused;
            }
            say(&format!("{}; others used {foreign:.2} processors: once more", whats.join("; ")));
        }
        unreachable!("the last try returns")
    }

    /// CPU seconds of the exchange and its load.
    fn own_seconds(&self) -> f64 {
        clock::process_seconds(self.process) + clock::process_seconds(std::process::id())
    }

    /// A new crowd, once the exchange is done with its requests.
    fn gather(&self, crowd: usize) -> Vec<TcpStream> {
        let gathered = crowd::gather(self.address, crowd);
        let start = Instant::now();
        let mut before = f64::MIN;
        while crowd > 0 && start.elapsed() < SETTLED_WITHIN {
            let spent = clock::process_seconds(self.process);
            if spent - before < 0.02 {
                break;
            }
            before = spent;
            std::thread::sleep(Duration::from_millis(200));
        }
        gathered
    }

    /// Runs all phases.
    fn measure(&mut self, crowd: usize) -> Judged {
        let Plan { calm, overload, .. } = *self.plan;
        let gathered = self.gather(crowd);
        let closed = self.phase(Pace::Closed(CLOSED), calm);
        self.capacity = closed.goodput();
        let unloaded = self.phase(Pace::Open(self.capacity * CALM), calm);
        drop(gathered);
        // A new crowd, so that it lasts: silent connections are cut after a while.
        let gathered = self.gather(crowd);
        // One run that does not count: a connection allocates its memory with its first request.
        self.phase(Pace::Open(self.capacity * TIMES), 1);
        let process = self.process;
        let before = resident(process);
        let most = Cell::new(before);
        let pace = Pace::Open(self.capacity * TIMES);
        let told = self
            .clients
            .run(pace, Duration::from_secs(overload), || most.set(most.get().max(resident(process))));
        let recovered = self.recover(&unloaded);
        drop(gathered);
        Judged {
            capacity: self.capacity,
            wanted: self.plan.goodput,
            unloaded: unloaded.millis(0.99),
            calm_refused: unloaded.refused_share(),
            times: told.sent as f64 / told.seconds / self.capacity,
            resident: (before, most.get()),
            recovered,
            told,
        }
    }

    /// The number of seconds at the calm load until one is as before.
    fn recover(&mut self, calm: &Told) -> Option<u64> {
        (1..=BOUNDS.recovery).find(|_| {
            let second = self.phase(Pace::Open(self.capacity * CALM), 1);
            let served = second.refused_share() <= calm.refused_share() + BOUNDS.recovered_refused;
            served && second.millis(0.99) <= BOUNDS.recovered_p99 * calm.millis(0.99)
        })
    }
}

/// A condition that does not hold.
struct Broken {
    what: String,
    /// Whether other work on the machine may be the cause.
    of_time: bool,
}

/// The results of an overload, and the values to compare with.
struct Judged {
    capacity: f64,
    /// Share of it that must be served.
    wanted: f64,
    /// Milliseconds.
    unloaded: f64,
    /// Share of the calm load that was refused: a disk has pauses.
    calm_refused: f64,
    /// The load really sent, in capacities.
    times: f64,
    /// Before, and at most.
    resident: (u64, u64),
    recovered: Option<u64>,
    told: Told,
}

impl Judged {
    fn text(&self) -> String {
        let Self {
            capacity, unloaded, calm_refused, times, resident: (before, most), recovered, told, ..
        } = self;
        format!(
            "capacity {capacity:.0} a second, {times:.1} times of it sent for {:.0} s; goodput {:.2} of capacity, p50/p99 \
             of what was taken {:.1}/{:.1} ms ({:.1} times the calm {unloaded:.1}), refusals {} in p50/p99/p99.9 \
             {:.1}/{:.1}/{:.1} ms, cancels served {:.4} of {}, resident {:.1} to {:.1} MB, normal again {} \
             (refused while calm: {calm_refused:.4}); {} never sent",
            told.seconds,
            told.goodput() / capacity,
            told.millis(0.5),
            told.millis(0.99),
            told.millis(0.99) / unloaded,
            told.refused.len(),
            told.refusal_millis(0.5),
            told.refusal_millis(0.99),
            told.refusal_millis(0.999),
            told.cancels_served(),
            told.cancels + told.cancels_refused,
            *before as f64 / 1e6,
            *most as f64 / 1e6,
            recovered.map_or("never".to_owned(), |seconds| format!("within {seconds} s")),
            told.due - told.sent,
        )
    }

    /// The conditions that do not hold.
    fn broken(&self, bounds: &Bounds) -> Vec<Broken> {
        let Self { capacity, wanted, unloaded, times, resident: (before, most), recovered, told, .. } = self;
        let goodput = told.goodput() / capacity;
        let p99 = told.millis(0.99) / unloaded;
        let refusal = told.refusal_millis(0.99);
        let room = *before as f64 * bounds.resident + told.admitted.len() as f64 * bounds.resident_each;
        let (cancels, resident) = (told.cancels_served(), *most as f64);
        let checks = [
            (*times >= TIMES_MIN, true, format!("only {times:.1} times the capacity could be sent")),
            (goodput >= *wanted, true, format!("goodput is {goodput:.2} of the capacity")),
            (
                p99 <= bounds.admitted_p99,
                true,
                format!("p99 of what was taken is {p99:.1} times the calm one"),
            ),
            (refusal < bounds.refusal_millis, true, format!("p99 of refusals is {refusal:.1} ms")),
            (recovered.is_some(), true, format!("not normal again within {} s", bounds.recovery)),
            (cancels >= bounds.cancels, false, format!("{cancels:.4} of all cancels served")),
            (
                resident <= room,
                false,
                format!("{:.1} MB resident of {:.1} allowed", resident / 1e6, room / 1e6),
            ),
        ];
        let broken = checks.into_iter().filter(|(holds, ..)| !holds);
        broken.map(|(_, of_time, what)| Broken { what, of_time }).collect()
    }
}

/// Raises the limit of open files: the soft limit is often less than a crowd.
fn raise_open_files() {
    let granted = getrlimit(Resource::Nofile);
    // If this fails, connecting reports the lack.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: granted.maximum, ..granted });
}

/// Resident bytes of a process.
fn resident(process: u32) -> u64 {
    let statm = fs::read_to_string(format!("/proc/{process}/statm")).expect("the exchange runs");
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.expect("the second number is what is resident") * 4_096
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged() -> Judged {
        let told = Told {
            seconds: 1.0,
            admitted: vec![20_000_000; 950],
            refused: vec![1_000_000; 9_000],
            cancels: 475,
            due: 10_000,
            sent: 9_950,
            ..Told::default()
        };
        let resident = (100_000_000, 105_000_000);
        Judged {
            capacity: 1_000.0,
            wanted: 0.9,
            unloaded: 8.0,
            calm_refused: 0.0,
            times: 9.95,
            resident,
            recovered: Some(1),
            told,
        }
    }

    #[test]
    fn what_holds_is_told_from_what_does_not() {
        assert!(judged().broken(&BOUNDS).is_empty());
        let broken = |change: fn(&mut Judged)| {
            let mut judged = judged();
            change(&mut judged);
            judged.broken(&BOUNDS).len()
        };
        assert_eq!(broken(|judged| judged.times = 2.0), 1);
        assert_eq!(broken(|judged| judged.capacity = 1_100.0), 1);
        assert_eq!(broken(|judged| judged.unloaded = 6.0), 1);
        assert_eq!(broken(|judged| judged.told.refused = vec![60_000_000; 9_000]), 1);
        assert_eq!(broken(|judged| judged.told.cancels_refused = 1), 1);
        assert_eq!(broken(|judged| judged.resident.1 = 120_000_000), 1);
        assert_eq!(broken(|judged| judged.recovered = None), 1);
    }

    #[test]
    fn nobody_who_cancels_nothing_is_refused() {
        assert!((Told::default().cancels_served() - 1.0).abs() < f64::EPSILON);
    }
}
