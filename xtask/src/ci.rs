//! All steps that a change must pass; the first failure ends the run.

use std::time::Instant;

use crate::repo::Repo;
use crate::turn::Part;
use crate::{
    Done, commits, contract, deny, faults, fuzz, instructions, layers, mutants, ops, overload, planted, sim,
    skipped, suite, tidy, trace,
};

type Step = (&'static str, fn(&Repo) -> Done);

/// The steps of every commit.
const STEPS: [Step; 13] = [
    ("commits", |repo| commits::run(repo, &[])),
    ("edits", |repo| planted::run(repo, &["--check"])),
    ("fmt", |repo| repo.cargo(["fmt", "--all", "--check"]).run()),
    ("clippy", |repo| repo.cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]).run()),
    ("doc", |repo| repo.cargo(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-Dwarnings").run()),
    ("deny", deny::run),
    ("layers", layers::run),
    ("tidy", tidy::run),
    ("trace", |repo| trace::run(repo, trace::Mode::Check)),
    ("contract", |repo| contract::run(repo, contract::Mode::Check)),
    ("test", suite::run),
    ("faults", |repo| faults::run(repo, &["--quick"])),
    ("sim", |repo| sim::run(repo, &["--ci"])),
];

/// Long steps, of which each commit runs one in turn, so that the whole stays within half an hour on two cores.
const IN_TURN: [Step; TURNS] = [
    ("planted", |repo| planted::run(repo, &["--ci"])),
    ("mutants", |repo| mutants::run(repo, &["--ci"])),
    ("fuzz", |repo| fuzz::run(repo, &["--seconds", "10"])),
    ("funds", |repo| sim::run(repo, &FUNDS)),
    ("overload", |repo| overload::run(repo, overload::Length::Quick)),
    ("instructions", |repo| instructions::run(repo, instructions::Mode::Check)),
    ("ops", ops::run),
];

/// Treasuries on faulty chains, many more than the simulator's part of each commit has.
const FUNDS: [&str; 8] = ["--only", "funds", "--seeds", "600", "--commands", "800", "--cuts", "4"];

/// How many long steps take turns.
pub(crate) const TURNS: usize = 7;

/// The long steps of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turns {
    /// The one whose turn it is at this commit.
    One,
    /// Each of them, with this commit's part of planted bugs and mutants.
    All,
}

/// Runs the steps of every commit, then the long steps.
pub(crate) fn run(repo: &Repo, turns: Turns) -> Done {
    let whole = Instant::now();
    let mut times = Vec::new();
    let in_turn = match turns {
        Turns::One => Part::in_turn(repo, TURNS, 1)?.of(TURNS),
        Turns::All => 0..TURNS,
    };
    for (name, step) in STEPS.iter().chain(IN_TURN.get(in_turn).unwrap_or_default()) {
        println!("\n== {name}");
        let start = Instant::now();
        let done = step(repo);
        times.push(format!("{name} {} s", start.elapsed().as_secs()));
        if let Err(why) = done {
            println!("\n== stopped at {name}: {}", times.join(", "));
            skipped::sum_up();
            return Err(why);
        }
    }
    println!("\n== all passed: {}; {} s in all", times.join(", "), whole.elapsed().as_secs());
    skipped::sum_up();
    Ok(())
}
