//! Whether the simulator finds what was planted: each bug alone, seed after seed, until it is caught.

use crate::report::guarded;
use buttonwood_planted::{Bug, plant, planted};
use buttonwood_sim::life::Life;
use buttonwood_sim::sweep::Sweep;
use std::process::ExitCode;
use std::time::Instant;

/// Seeds after which a bug counts as not found.
const SEEDS: u64 = 200;
/// Commands of a life that looks for a bug.
const COMMANDS: u64 = 800;
/// Cuts before each call of a sweep that looks for one.
const CUTS: u64 = 4;

/// Looks for `count` bugs, or for all there are; `from` says which is the first. A bug that is not found fails the run.
pub(crate) fn run(from: u64, count: u64) -> ExitCode {
    let total = Bug::ALL.len();
    let first = usize::try_from(from).unwrap_or(0) % total;
    let count = usize::try_from(count).unwrap_or(total).min(total);
    let mut missed = 0;
    for bug in Bug::ALL.iter().cycle().skip(first).take(count) {
        plant(Some(*bug));
        assert!(planted(*bug), "it is planted");
        let began = Instant::now();
        match look_for() {
            Some((kind, seed, finding)) => {
                let finding =
                    finding.lines().next().unwrap_or_default().chars().take(100).collect::<String>();
                println!("caught {bug:?} by {kind} {seed} in {:.1?}: {finding}", began.elapsed());
            }
            None => {
                missed += 1;
                println!("NOT CAUGHT {bug:?}:{} ({:.1?})", bug.says(), began.elapsed());
            }
        }
    }
    plant(None);
    println!("sim: {} of {count} planted bugs caught", count - missed);
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn look_for() -> Option<(&'static str, u64, String)> {
    for seed in 1..=SEEDS {
        if let Err(finding) = guarded(|| Life::new(seed).run(COMMANDS)) {
            return Some(("life", seed, finding));
        }
        if seed.is_multiple_of(8)
            && let Err(finding) = guarded(|| Sweep::new(seed / 8).run(CUTS))
        {
            return Some(("sweep", seed / 8, finding));
        }
    }
    None
}
