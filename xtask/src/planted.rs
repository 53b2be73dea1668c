//! Planted bugs: each edit of `proof/planted.toml` is built into a scratch copy of the product, and the simulator must fail there;
//! a bug of the pages is served to a browser, whose script must fail. Without an edit they must pass: a simulator that fails by itself
//! catches nothing.

mod bugs;
mod pages;
mod scratch;

use std::fmt;
use std::process::Output;
use std::time::Instant;

use crate::Done;
use crate::ci;
use crate::repo::Repo;
use crate::turn::Part;
use bugs::{Bug, Method};
use scratch::Scratch;

/// Number of parts; each commit's continuous integration runs the next one, of six bugs.
const PARTS: usize = 49;

/// Seeds within which a bug must be caught, unless the bug sets another number.
const SEEDS: u64 = 200;

/// Commands of a simulated life, and power cuts before each call of a sweep: short runs of many seeds find more than long ones.
const COMMANDS: &str = "800";
const CUTS: &str = "4";

/// Seconds after which a run counts as endless; a run bounded by minutes gets those minutes in addition.
const ENDLESS: u64 = 300;

/// Minutes within which the adversary must catch a bug, and those in which it must find nothing without one.
const MINUTES: u64 = 10;
const MINUTES_UNCHANGED: u64 = 1;

/// Checks that every edit fits, and runs the chosen bugs: those named, part `K/N`, with `--ci` the part of this
/// commit, or without words all. `--check` runs none.
pub(crate) fn run(repo: &Repo, words: &[&str]) -> Done {
    let bugs = bugs::read(repo)?;
    println!("planted: the edits of {} bugs fit", bugs.len());
    let chosen = match words {
        ["--check"] => return Ok(()),
        ["--ci"] => share(&bugs, Part::in_turn(repo, PARTS, ci::TURNS)?),
        [word] if let Some(part) = Part::parse(word) => share(&bugs, part),
        [] => bugs.iter().collect(),
        names => names.iter().map(|name| named(&bugs, name)).collect::<Result<_, _>>()?,
    };
    let scratch = Scratch::of(repo)?;
    let (of_pages, others): (Vec<&Bug>, Vec<&Bug>) =
        chosen.into_iter().partition(|bug| bug.caught_by == Method::Browser);
    let of_pages = pages::usable(repo, of_pages);
    if !others.is_empty() {
        pass_unchanged(&scratch, &others)?;
    }
    if !of_pages.is_empty() {
        pages::pass_unchanged(repo, &scratch, &of_pages)?;
    }
    let mut missed = Vec::new();
    let caught_by_script = of_pages.iter().map(|bug| pages::catch(repo, &scratch, bug));
    for caught in others.iter().map(|bug| catch(&scratch, bug)).chain(caught_by_script) {
        if let Err(why) = caught {
            println!("planted: {why}");
            missed.push(why);
        }
    }
    let count = others.len() + of_pages.len();
    println!("planted: {} of {count} bugs caught", count - missed.len());
    if missed.is_empty() { Ok(()) } else { Err(missed.join("\n")) }
}

fn share(bugs: &[Bug], part: Part) -> Vec<&Bug> {
    println!("planted: part {part}: cargo xtask planted {part}");
    bugs.get(part.of(bugs.len())).unwrap_or_default().iter().collect()
}

fn named<'a>(bugs: &'a [Bug], name: &str) -> Result<&'a Bug, String> {
    let found = bugs.iter().find(|bug| bug.name == name);
    found.ok_or_else(|| {
        format!("planted {name}: no such bug; give names of {}, K/N, --ci or --check", bugs::FILE)
    })
}

/// Builds the unchanged copy and runs the simulator on it, with the methods and as many seeds as the bugs need.
fn pass_unchanged(scratch: &Scratch<'_>, bugs: &[&Bug]) -> Done {
    let binary = scratch.build(&[])?;
    for method in Method::ALL {
        let of_method = bugs.iter().filter(|bug| bug.caught_by == method);
        let Some(most) = of_method.map(|bug| Bound::of(bug)).max_by_key(|bound| bound.size()) else {
            continue;
        };
        let bound = if let Bound::Minutes(_) = most { Bound::Minutes(MINUTES_UNCHANGED) } else { most };
        let start = Instant::now();
        let output = simulate(scratch, &binary, method, bound)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stdout);
            let why = finding(&said, method).unwrap_or_else(|| output.status.to_string());
            return Err(format!("planted: without a bug {} fails too: {why}", method.word()));
        }
        println!("planted: without a bug {bound} of {} pass in {:.1?}", method.word(), start.elapsed());
    }
    Ok(())
}

/// How much of the simulator must catch a bug.
#[derive(Clone, Copy)]
enum Bound {
    Seeds(u64),
    Minutes(u64),
}

impl Bound {
    fn of(bug: &Bug) -> Self {
        if bug.caught_by == Method::Adversary && bug.seeds.is_none() {
            Self::Minutes(bug.minutes.unwrap_or(MINUTES))
        } else {
            Self::Seeds(bug.seeds.unwrap_or(SEEDS))
        }
    }

    fn size(self) -> u64 {
        match self {
            Self::Seeds(size) | Self::Minutes(size) => size,
        }
    }

    /// The simulator's option, and the seconds after which the run counts as endless.
    fn option(self) -> (&'static str, u64) {
        match self {
            Self::Seeds(_) => ("--seeds", ENDLESS),
            Self::Minutes(minutes) => ("--minutes", ENDLESS + 60 * minutes),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seeds(seeds) => write!(out, "{seeds} seeds"),
            Self::Minutes(minutes) => write!(out, "{minutes} minutes"),
        }
    }
}

/// Runs the simulator that was built.
fn simulate(scratch: &Scratch<'_>, binary: &str, method: Method, bound: Bound) -> Result<Output, String> {
    let ((option, endless), size) = (bound.option(), bound.size().to_string());
    let endless = endless.to_string();
    let words = ["--only", method.word(), option, &size, "--commands", COMMANDS, "--cuts", CUTS];
    let mut command = vec!["--kill-after=5", &endless, binary];
    command.extend(words);
    if method == Method::Adversary {
        // Its time is that of one core.
        command.extend(["--workers", "1"]);
    }
    scratch.repo().step("timeout", command).env("CARGO_TARGET_DIR", scratch.target()).output()
}

/// Builds one bug and runs the simulator on it.
fn catch(scratch: &Scratch<'_>, bug: &Bug) -> Done {
    let Bug { name, says, breaks, caught_by, .. } = bug;
    let start = Instant::now();
    let binary = scratch.build(&bug.edits).map_err(|why| format!("{name} cannot be planted: {why}"))?;
    let built = start.elapsed();
    let method = caught_by.word();
    let bound = Bound::of(bug);
    let output = simulate(scratch, &binary, *caught_by, bound)?;
    let said = String::from_utf8_lossy(&output.stdout);
    let ran = start.elapsed().saturating_sub(built);
    match finding(&said, *caught_by) {
        Some(finding) if !output.status.success() => {
            println!("planted: {name} ({breaks}) caught in {built:.1?} of building and {ran:.1?}: {finding}");
            Ok(())
        }
        _ => Err(format!("{name} IS NOT CAUGHT by {bound} of {method} ({}): {says}", output.status)),
    }
}

/// The simulator's first reported failure, shortened.
fn finding(said: &str, by: Method) -> Option<String> {
    let start = format!("FAILED {} of ", by.word());
    let line = said.lines().find_map(|line| line.strip_prefix(&start))?;
    Some(line.chars().take(100).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only a reported failure of the part that must fail counts as a catch.
    #[test]
    fn a_catch_is_a_reported_failure() {
        let said =
            "FAILED life of seed 6: recovered up to command 2, but 3 was seen\n  trace: x\nsim: 5 lives";
        assert_eq!(finding(said, Method::Life).unwrap(), "seed 6: recovered up to command 2, but 3 was seen");
        assert_eq!(finding(said, Method::Sweep), None);
        assert_eq!(finding("sim: 200 lives: 160000 commands\n", Method::Life), None);
    }
}
