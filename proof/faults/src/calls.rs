//! Strikes one system call, the Nth of its kind and thread: kills the process before it, or makes it fail once.
//!
//! Round N strikes every point at its Nth call and skips those without one; the sweep ends when none has one.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use buttonwood_accept::{Ended, Exchange};
use rustix::process::{Signal, kill_process};

use crate::load::Load;
use crate::oracle::Scope;
use crate::points::{Point, Stage, is_met, points};
use crate::round::{Round, verified};
use crate::sweep::Next;
use crate::trace::{Harm, Strike, struck, thread_named};

/// kill -9 at every Nth call that changes something.
pub fn kills(round: &mut Round) -> Next {
    sweep(round, Harm::Kill)
}

/// EIO at every Nth call that reads, writes, syncs or names.
pub fn errors(round: &mut Round) -> Next {
    sweep(round, Harm::Error("EIO"))
}

/// ENOSPC at every Nth call that may need room.
pub fn full(round: &mut Round) -> Next {
    sweep(round, Harm::Error("ENOSPC"))
}

/// Rounds in which a point had no Nth call; after two of them it is skipped, since it will have no later one either.
static MISSES: Mutex<BTreeMap<(Harm, Point), u64>> = Mutex::new(BTreeMap::new());

fn is_spent(harm: Harm, point: Point) -> bool {
    MISSES
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&(harm, point))
        .is_some_and(|misses| *misses > 1)
}

/// Records that a point had no Nth call. If it has not even a first one, the list of points is wrong, or the point is
/// reported by name if it need not occur.
fn miss(round: &mut Round, harm: Harm, point: Point, when: u64) {
    let name = format!("{} {}", point.0.name(), point.1);
    assert!(when > 1 || !is_met(point), "no call was struck: {name}");
    if when == 1 {
        round.count(&format!("NOT STRUCK {name}"), 1);
    }
    *MISSES.lock().unwrap_or_else(PoisonError::into_inner).entry((harm, point)).or_default() += 1;
}

/// Number of calls that a quick sweep strikes at each point.
const QUICK: u64 = 2;

/// Strikes every point at its Nth call, N being the round's number.
fn sweep(round: &mut Round, harm: Harm) -> Next {
    let points = points(harm);
    let mut hits = 0;
    let whens = if round.quick { 1..=QUICK } else { round.number..=round.number };
    let mut bench = Bench::new(round);
    for when in whens {
        // The quick part picks random points by the seed; the full sweep takes all.
        for (stage, call) in &points {
            let is_left_out = round.quick && !round.draw.chance(QUICK_SHARE);
            if round.is_told_to_stop() || is_left_out || is_spent(harm, (*stage, call)) {
                continue;
            }
            let log = round.dir.join("strace.log");
            let _ = fs::remove_file(&log);
            // The log is judged per strike.
            fs::write(round.dir.join("stderr.log"), "").expect("a log can be emptied");
            let strike = Strike { call, harm, when, log, within: Vec::new() };
            let place = format!("{stage:?}, {call} number {when}, {harm:?}");
            fs::write(round.dir.join("strike.txt"), &place).expect("a note can be written");
            if bench.strike(round, *stage, &strike) {
                hits += 1;
                round.count(&format!("{} {call}", stage.name()), 1);
            } else {
                miss(round, harm, (*stage, call), when);
            }
        }
    }
    bench.finish(round);
    if hits == 0 { Next::Done } else { Next::More }
}

/// Percentage of points that a quick sweep strikes.
const QUICK_SHARE: u64 = 30;

/// Most steps of a lane while a thread is traced: enough for several segments and snapshots.
const STEPS: u64 = 60;

/// Time limit for a struck process to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// The directory that all strikes under load share; each strike at a founding has its own.
struct Bench {
    data: PathBuf,
    load: Load,
    /// Running between two strikes, unless the last one ended it.
    x: Option<Exchange>,
}

impl Bench {
    fn new(round: &mut Round) -> Self {
        let data = round.data();
        let x = round.start(&data);
        let mut load = round.load(&x);
        load.run_out(&x, 20);
        Self { data, load, x: Some(x) }
    }

    /// Strikes once; returns whether there was such a call.
    fn strike(&mut self, round: &mut Round, stage: Stage, strike: &Strike) -> bool {
        match stage {
            Stage::Reading => self.reading(round, strike),
            Stage::Founding => return founding(round, strike),
            Stage::Recovering => self.recovering(round, strike),
            Stage::Running(thread) => self.running(round, thread, strike),
            Stage::Stopping => self.stopping(round, strike),
        }
        .then(|| self.recover(round))
        .is_some()
    }

    fn running_exchange(&mut self, round: &mut Round) -> Exchange {
        self.x.take().unwrap_or_else(|| round.start(&self.data))
    }

    /// Reads everything, which a process that was just started must read from its files.
    fn reading(&mut self, round: &mut Round, strike: &Strike) -> bool {
        self.running_exchange(round).kill9();
        let x = round.start(&self.data);
        let tracer = strike.attach(x.pid(), true);
        let statuses = self.load.reads(&x);
        let hit = tracer.has_struck();
        drop(tracer);
        let is_answer = |status: &u16| [200, 500, 503].contains(status);
        assert!(statuses.iter().all(is_answer), "served or not: {statuses:?}");
        // A row that could not be read is taken for damaged, and refused until it is mended.
        let begin = Instant::now();
        loop {
            let statuses = self.load.reads(&x);
            if statuses.iter().all(|status| *status == 200) {
                break;
            }
            assert!(
                statuses.iter().all(|status| [200, 503].contains(status)),
                "refused or not: {statuses:?}"
            );
            assert!(begin.elapsed() < PATIENCE, "it was one read that failed: {statuses:?}");
        }
        x.kill9();
        hit
    }

    /// Starts a killed directory under the strike.
    fn recovering(&mut self, round: &mut Round, strike: &Strike) -> bool {
        let x = self.running_exchange(round);
        self.load.run_out(&x, 2);
        x.kill9();
        drop(x);
        let strike = &strike.on_files_of(&self.data);
        match start_under(round, &self.data, strike) {
            Ok(x) => {
                x.kill9();
                struck(&strike.log)
            }
            Err(ended) => {
                judge_end(strike, &ended);
                true
            }
        }
    }

    /// Runs the load while one thread is traced.
    fn running(&mut self, round: &mut Round, thread: &str, strike: &Strike) -> bool {
        let x = self.running_exchange(round);
        let tracer = strike.attach(thread_named(x.pid(), thread), false);
        let ran = self.load.run_out(&x, STEPS);
        round.count("changes acknowledged", ran.acknowledged);
        let hit = if ran.gone {
            let status = x.wait_for_end(PATIENCE).expect("what no longer answers has ended");
            judge_death(strike, status.signal(), &x.log());
            if round.draw.chance(50) && lose_unsynced(&x.log()) {
                round.count("failed batches wiped", 1);
            }
            true
        } else {
            tracer.has_struck()
        };
        drop(tracer);
        if hit && x.is_running() {
            // It continues in spite of the error; then a crash must not lose anything either.
            x.kill9();
        }
        self.x = x.is_running().then_some(x);
        hit
    }

    /// Stops the exchange cleanly while all of it is traced.
    fn stopping(&mut self, round: &mut Round, strike: &Strike) -> bool {
        let x = self.running_exchange(round);
        self.load.run_out(&x, 2);
        // An error must hit the thread that writes the last snapshot: other threads write only to wake each other.
        let tracer = strike.attach(x.pid(), strike.harm == Harm::Kill);
        kill_process(x.pid(), Signal::TERM).expect("our own child can be signalled");
        let status = x.wait_for_end(PATIENCE).expect("it ends when told to");
        let hit = tracer.has_struck() || status.signal().is_some();
        if status.signal().is_some() {
            judge_death(strike, status.signal(), &x.log());
        }
        assert!(strike.is_beside_the_disk() || !x.log().contains("panicked"), "{}", x.log());
        hit
    }

    /// After a strike: `verify`, a normal start, and a check of every fact.
    fn recover(&mut self, round: &mut Round) {
        verified(&self.data);
        let x = round.start(&self.data);
        let compared = self.load.check(&x, Scope::Touched);
        round.count("orders compared", compared);
        self.x = Some(x);
    }

    fn finish(mut self, round: &mut Round) {
        let x = self.running_exchange(round);
        let compared = self.load.finish(&x);
        round.count("orders compared", compared);
    }
}

fn start_under(round: &mut Round, data: &Path, strike: &Strike) -> Result<Exchange, Ended> {
    let around = strike.around();
    let around: Vec<&str> = around.iter().map(String::as_str).collect();
    round.count("starts", 1);
    round.setup().through(&around).try_start_in(data)
}

/// Founds a directory under the strike; the next start must complete it to a whole exchange.
fn founding(round: &mut Round, strike: &Strike) -> bool {
    let data = round.dir.join("founded");
    let hit = match start_under(round, &data, strike) {
        Ok(x) => {
            x.kill9();
            struck(&strike.log)
        }
        Err(ended) => {
            judge_end(strike, &ended);
            true
        }
    };
    if hit {
        let x = round.start(&data);
        let mut load = round.load(&x);
        load.run_out(&x, 3);
        x.kill9();
        drop(x);
        let x = round.start(&data);
        round.finish(&mut load, &x);
    }
    let _ = fs::remove_dir_all(&data);
    hit
}

/// Judges a start that a strike ended: killed by it, or refused with one line.
fn judge_end(strike: &Strike, ended: &Ended) {
    if strike.is_beside_the_disk() {
        // For example the ready line: the exchange serves without it.
        return;
    }
    let status = ended.status.expect("a start under a strike comes to an end");
    match status.code() {
        None => judge_death(strike, status.signal(), &ended.stderr),
        Some(code) => {
            assert_ne!(strike.harm, Harm::Kill, "killed, not refused: {}", ended.stderr);
            assert_ne!(code, 0, "a refused start fails: {}", ended.stderr);
            one_line(&ended.stderr);
        }
    }
}

/// Erases the batch that the last log line says could not be made durable, as a failing disk may. If any of it was
/// acknowledged, a check notices it now.
fn lose_unsynced(log: &str) -> bool {
    let last = log.lines().rev().find(|line| line.contains(" ERROR ")).unwrap_or_default();
    let place = last.split_once(" durable: ").and_then(|(_, rest)| rest.split_once(" at offset "));
    let Some((path, rest)) = place else { return false };
    let offset: u64 =
        rest.split(':').next().and_then(|text| text.parse().ok()).expect("an offset is a number");
    let file = fs::OpenOptions::new().write(true).open(path).expect("the segment is there");
    let len = file.metadata().expect("a file has a length").len();
    let zeros = vec![0; usize::try_from(len - offset).expect("a segment is small")];
    std::os::unix::fs::FileExt::write_all_at(&file, &zeros, offset).expect("the segment can be wiped");
    true
}

/// Judges a process that a strike ended: by SIGKILL if that was the strike, else by its own abort with one line that
/// says why, and no panic.
fn judge_death(strike: &Strike, signal: Option<i32>, log: &str) {
    if strike.is_beside_the_disk() {
        return;
    }
    match strike.harm {
        Harm::Kill => assert_eq!(signal, Some(Signal::KILL.as_raw()), "killed, not this: {log}"),
        Harm::Error(_) => {
            assert_eq!(signal, Some(Signal::ABORT.as_raw()), "aborts, not this: {log}");
            let line = log.lines().rev().find(|line| line.contains(" ERROR ")).unwrap_or_default();
            assert!(line.contains("stopping before anything more is acknowledged"), "says why: {log}");
        }
    }
    assert!(!log.contains("panicked"), "{log}");
}

/// Apart from lines of the log, a refusal is one line.
pub fn one_line(stderr: &str) -> String {
    let is_log = |line: &&str| [" WARN ", " INFO ", " ERROR "].iter().any(|level| line.contains(level));
    let lines: Vec<&str> =
        stderr.lines().filter(|line| !line.trim().is_empty()).filter(|line| !is_log(line)).collect();
    assert!(!stderr.contains("panicked"), "a refusal, not a panic: {stderr}");
    assert_eq!(lines.len(), 1, "one clear line, not this:\n{stderr}");
    assert!(lines[0].starts_with("buttonwood: "), "{stderr}");
    lines[0].to_owned()
}
