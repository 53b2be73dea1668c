//! Runs families round by round, keeps the files of a failing round, and prints how to repeat it.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use buttonwood_accept::binary;

use crate::round::{Round, Tally};
use crate::settings::Settings;
use crate::tools::{self, Tool};
use crate::{
    backup, calls, clock, damage, eio, full, keys, kill, offbook, pause, people, power, predictions,
    rollback, two, unsynced, volume, withdrawals,
};

/// Whether a family has more to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Another round makes sense.
    More,
    /// Everything was struck.
    Done,
}

/// A family of faults.
#[derive(Debug)]
pub struct Family {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line of description.
    pub what: &'static str,
    /// The tools that it needs.
    pub tools: &'static [Tool],
    /// Rounds of a full sweep, and of a quick one.
    pub rounds: (u64, u64),
    /// Runs one round; a panic is a failure.
    pub run: fn(&mut Round) -> Next,
}

const LOOPED: &[Tool] = &[Tool::Loop, Tool::Ext4];

/// All families.
pub const FAMILIES: [Family; 23] = [
    Family {
        name: "kill",
        what: "kill -9 at odd moments under load, several times on one directory",
        tools: &[],
        rounds: (100, 2),
        run: kill::round,
    },
    Family {
        name: "kill-calls",
        what: "kill -9 at the Nth write, sync, rename, … of every thread; round N strikes every Nth call",
        tools: &[Tool::Strace],
        rounds: (1_000, 1),
        run: calls::kills,
    },
    Family {
        name: "error-calls",
        what: "EIO once, then success, at the Nth read, write, sync, rename, … of every thread",
        tools: &[Tool::Strace],
        rounds: (1_000, 1),
        run: calls::errors,
    },
    Family {
        name: "full-calls",
        what: "ENOSPC once at the Nth growing call of every thread",
        tools: &[Tool::Strace],
        rounds: (1_000, 1),
        run: calls::full,
    },
    Family {
        name: "power-ext4",
        what: "power cuts: an ext4 shut down under load, mounted again",
        tools: &[Tool::Loop, Tool::Ext4, Tool::Shutdown],
        rounds: (20, 1),
        run: power::ext4,
    },
    Family {
        name: "power-xfs",
        what: "power cuts: an XFS shut down under load, mounted again",
        tools: &[Tool::Loop, Tool::Xfs, Tool::Shutdown],
        rounds: (20, 1),
        run: power::xfs,
    },
    Family {
        name: "power-cache",
        what: "power cuts of a disk that forgets what it was not told to flush",
        tools: &[Tool::Loop, Tool::Ext4, Tool::Xfs, Tool::Nbdkit, Tool::Nbdfuse],
        rounds: (10, 1),
        run: power::cache,
    },
    Family {
        name: "eio",
        what: "a disk that fails and heals: writes are lost for good, and later syncs succeed",
        tools: &[Tool::Loop, Tool::Ext4, Tool::Nbdkit, Tool::Nbdfuse],
        rounds: (10, 1),
        run: eio::round,
    },
    Family {
        name: "full",
        what: "a small disk filled to the last block under load, and freed again",
        tools: LOOPED,
        rounds: (5, 1),
        run: full::under_load,
    },
    Family {
        name: "full-start",
        what: "starts with so much room, a little more each time: refused in a line or served",
        tools: LOOPED,
        rounds: (4, 1),
        run: full::starts,
    },
    Family {
        name: "pause",
        what: "SIGSTOP and SIGCONT under load",
        tools: &[],
        rounds: (10, 1),
        run: pause::round,
    },
    Family {
        name: "clock",
        what: "the system's clock jumps, forwards and backwards, while it serves and between starts",
        tools: &[Tool::Faketime],
        rounds: (10, 1),
        run: clock::round,
    },
    Family {
        name: "two",
        what: "two processes on one directory, one after the other and at the same instant",
        tools: &[],
        rounds: (20, 1),
        run: two::round,
    },
    Family {
        name: "damage",
        what: "a stopped directory damaged: bits, lengths, sectors, versions, swapped and old files",
        tools: &[],
        rounds: (8, 1),
        run: damage::round,
    },
    Family {
        name: "rollback",
        what: "old copies of a file, of the journal, of everything",
        tools: &[],
        rounds: (5, 1),
        run: rollback::round,
    },
    Family {
        name: "backup",
        what: "a backup killed at its Nth call, or with one failing call: whole, or refused by all",
        tools: &[Tool::Strace],
        rounds: (1_000, 1),
        run: backup::round,
    },
    Family {
        name: "keys",
        what: "kill -9 or EIO at the Nth call of a key that is made, changed or sealed anew, in vault, journal and list",
        tools: &[Tool::Strace],
        rounds: (20, 1),
        run: keys::strikes,
    },
    Family {
        name: "keys-power",
        what: "power cuts while keys are made: an ext4 shut down, mounted again",
        tools: &[Tool::Loop, Tool::Ext4, Tool::Shutdown],
        rounds: (10, 1),
        run: keys::cuts,
    },
    Family {
        name: "people",
        what: "kill -9 or EIO at the Nth call of a sign-in, a code, a refresh, a revocation or a new password, in vault and journal",
        tools: &[Tool::Strace],
        rounds: (20, 1),
        run: people::strikes,
    },
    Family {
        name: "withdrawals",
        what: "kill -9 before the Nth write or sync of the chains' and the journal's threads during withdrawals",
        tools: &[Tool::Strace],
        rounds: (60, 1),
        run: withdrawals::round,
    },
    Family {
        name: "offbook",
        what: "kill -9 before the Nth write or sync of the journal's thread during settlements and days of interest",
        tools: &[Tool::Strace],
        rounds: (60, 1),
        run: offbook::round,
    },
    Family {
        name: "predictions",
        what: "kill -9 before the Nth write or sync of the journal's thread during payouts, refunds, snapshots and rebates",
        tools: &[Tool::Strace],
        rounds: (80, 1),
        run: predictions::round,
    },
    Family {
        name: "unsynced",
        what: "the sweep put to the test: a product that leaves its syncs out must be noticed",
        tools: &[Tool::Strace, Tool::Loop, Tool::Ext4, Tool::Nbdkit, Tool::Nbdfuse],
        rounds: (4, 1),
        run: unsynced::round,
    },
];

/// After this many failures of a family, its other rounds are skipped: they would report the same.
const ENOUGH: u64 = 3;

/// Runs the requested sweep.
pub fn run(settings: &Settings) -> ExitCode {
    let began = Instant::now();
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).expect("signals can be listened to");
    }
    if !binary().is_file() {
        println!("faults: no binary under test at {}; start it as `cargo xtask faults`", binary().display());
        return ExitCode::FAILURE;
    }
    let root = root();
    volume::sweep_leftovers(&root);
    println!("faults: seed {}, below {}", settings.seed, root.display());
    let wanted: Vec<Tool> = settings.families.iter().flat_map(|family| family.tools).copied().collect();
    tools::install_missing(&wanted);
    let (mut failures, mut skipped) = (0, Vec::new());
    for family in &settings.families {
        if let Some(reason) = family.tools.iter().find_map(|tool| tool.probe().err()) {
            println!("SKIPPED {}: {reason}", family.name);
            skipped.push(family.name);
            continue;
        }
        failures += run_family(family, settings, &root, &stop);
        if stop.load(Ordering::Relaxed) {
            println!("faults: told to stop; the rest is left out");
            break;
        }
    }
    // Only if it is empty.
    let _ = fs::remove_dir(&root);
    println!("faults: {failures} failures, {} skipped, {} s", skipped.len(), began.elapsed().as_secs());
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// In the target directory, so that it is on a real disk and is cleaned together with the binaries.
fn root() -> PathBuf {
    let own = std::env::current_exe().expect("a program knows where it is");
    let target = own.parent().and_then(Path::parent).expect("a program lies in target/PROFILE");
    let root = target.join("faults").join(format!("run-{}", std::process::id()));
    fs::create_dir_all(&root).unwrap_or_else(|error| panic!("{}: {error}", root.display()));
    root
}

fn run_family(family: &Family, settings: &Settings, root: &Path, stop: &Arc<AtomicBool>) -> u64 {
    let began = Instant::now();
    let own = if settings.quick { family.rounds.1 } else { family.rounds.0 };
    let rounds = settings.rounds.unwrap_or(own);
    let mut tally = Tally::new();
    let (mut ran, mut failures) = (0, 0);
    for number in (settings.first..).zip(0..rounds).map(|(number, _)| number) {
        let seed = round_seed(settings.seed, family.name, number);
        let dir = root.join(format!("{}-{number}", family.name));
        fs::create_dir_all(&dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
        let mut round = Round::new(number, seed, &dir, settings.quick, stop);
        let ended = catch_unwind(AssertUnwindSafe(|| (family.run)(&mut round)));
        ran += 1;
        for (what, many) in &round.tally {
            *tally.entry(what.clone()).or_default() += many;
        }
        if stop.load(Ordering::Relaxed) {
            let _ = fs::remove_dir_all(&dir);
            break;
        }
        if let Ok(next) = ended {
            let _ = fs::remove_dir_all(&dir);
            if next == Next::Done {
                break;
            }
            continue;
        }
        failures += 1;
        tell_failure(family, settings, number, &dir);
        if failures == ENOUGH {
            println!("{}: {ENOUGH} rounds failed; the rest is left out", family.name);
            break;
        }
    }
    tell(family, ran, failures, &tally, began.elapsed());
    failures
}

fn tell_failure(family: &Family, settings: &Settings, number: u64, dir: &Path) {
    let quick = if settings.quick { " --quick" } else { "" };
    let (name, seed) = (family.name, settings.seed);
    println!("FAILED {name} round {number}: data, record, logs and traces are kept in {}", dir.display());
    println!("  again: cargo xtask faults {name} --seed {seed} --first {number} --rounds 1{quick}");
}

fn tell(family: &Family, ran: u64, failures: u64, tally: &BTreeMap<String, u64>, took: Duration) {
    let counts: Vec<String> = tally.iter().map(|(what, many)| format!("{what} {many}")).collect();
    println!(
        "{}: {ran} rounds, {failures} failed, {:.1} s: {}",
        family.name,
        took.as_secs_f32(),
        counts.join(", ")
    );
}

/// Each round has its own seed, derived from the sweep's seed, the family's name and the round's number.
fn round_seed(seed: u64, family: &str, number: u64) -> u64 {
    let name = u64::from(crc32c::crc32c(family.as_bytes()));
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (name << 32) ^ number
}
