//! Mutation of the rooms that money, storage and access depend on: of ten mutants, nine must fail a test.
//!
//! A mutant first runs the tests of its own room, which takes a second or two; only a survivor runs those of the
//! rooms above. A survivor of both must be in `docs/MUTANTS.md` with its reason.

use std::collections::BTreeSet;

use crate::repo::{Repo, Step, last_line};
use crate::turn::Part;
use crate::{Done, ci, tool};

/// A room that is mutated.
struct Room {
    folder: &'static str,
    package: &'static str,
    /// The rooms whose tests its survivors run.
    above: &'static [&'static str],
    /// Whether a whole run has listed every survivor. Of another room a part only prints a survivor without a reason: it is
    /// not the fault of the commit whose part happens to find it.
    is_listed: bool,
}

const CORE: &[&str] = &["buttonwood-trading", "buttonwood-spot", "buttonwood-engine"];

const ROOMS: [Room; 20] = [
    Room { folder: "core/num", package: "buttonwood-num", above: CORE, is_listed: true },
    Room { folder: "core/ledger", package: "buttonwood-ledger", above: CORE, is_listed: false },
    Room { folder: "core/auction", package: "buttonwood-auction", above: CORE, is_listed: false },
    Room {
        folder: "core/access",
        package: "buttonwood-access",
        above: &["buttonwood-engine"],
        is_listed: true,
    },
    Room { folder: "core/book", package: "buttonwood-book", above: CORE, is_listed: false },
    Room {
        folder: "core/trading",
        package: "buttonwood-trading",
        above: &["buttonwood-spot", "buttonwood-engine"],
        is_listed: false,
    },
    Room {
        folder: "core/convert",
        package: "buttonwood-convert",
        above: &["buttonwood-engine"],
        is_listed: false,
    },
    Room {
        folder: "core/staking",
        package: "buttonwood-staking",
        above: &["buttonwood-engine"],
        is_listed: false,
    },
    Room {
        folder: "core/funds",
        package: "buttonwood-funds",
        above: &["buttonwood-engine"],
        is_listed: false,
    },
    Room { folder: "core/spot", package: "buttonwood-spot", above: &["buttonwood-engine"], is_listed: false },
    Room {
        folder: "core/risk",
        package: "buttonwood-risk",
        above: &["buttonwood-perp", "buttonwood-spot-margin", "buttonwood-engine"],
        is_listed: false,
    },
    Room {
        folder: "core/spot-margin",
        package: "buttonwood-spot-margin",
        above: &["buttonwood-engine"],
        is_listed: false,
    },
    Room { folder: "core/perp", package: "buttonwood-perp", above: &["buttonwood-engine"], is_listed: false },
    Room {
        folder: "core/clearing",
        package: "buttonwood-clearing",
        above: &["buttonwood-engine"],
        is_listed: false,
    },
    Room {
        folder: "core/prediction",
        package: "buttonwood-prediction",
        above: &["buttonwood-engine"],
        is_listed: false,
    },
    Room {
        folder: "core/identity",
        package: "buttonwood-identity",
        above: &["buttonwood-engine"],
        is_listed: false,
    },
    Room {
        folder: "core/leave",
        package: "buttonwood-leave",
        above: &["buttonwood-funds", "buttonwood-staking", "buttonwood-clearing", "buttonwood-engine"],
        is_listed: false,
    },
    Room {
        folder: "core/index",
        package: "buttonwood-index",
        above: &["buttonwood-perp", "buttonwood-spot-margin", "buttonwood-funds", "buttonwood-engine"],
        is_listed: false,
    },
    Room {
        folder: "store/journal",
        package: "buttonwood-journal",
        above: &["buttonwood-sequencer"],
        is_listed: true,
    },
    Room { folder: "edge/gate", package: "buttonwood-gate", above: &["buttonwood-rest"], is_listed: false },
];

/// The version to install if there is none yet; another version may name mutants differently.
const VERSION: &str = "27.1.0";

/// The list of explained survivors.
const EXPLAINED: &str = "docs/MUTANTS.md";

/// The percentage of a room's mutants that must be caught.
const CAUGHT_MIN: usize = 90;

/// Number of parts, so that each has a dozen or two mutants; one commit in [`ci::TURNS`] runs the next one.
const PARTS: usize = 800;

/// The folder of the build and of the results.
const FOLDER: &str = "target/mutants";

/// Seconds after which a room's own test counts as endless, on a machine that may be busy.
const ENDLESS: &str = "30";

/// The same for the tests of the rooms above, of which some take a minute: what is only slow must not count as caught.
const ENDLESS_ABOVE: &str = "600";

/// Files in this folder are in memory.
const MEMORY: &str = "/dev/shm";

/// Exit codes of a cargo-mutants run that completed: all caught, some missed, some timed out.
const ENDED: [i32; 3] = [0, 2, 3];

/// The mutants of a run.
enum Choice {
    All,
    Part(Part),
    /// Mutants of the lines that differ from this commit.
    Since(String),
}

/// Runs one part of all mutants, `K/N` counted from 0, or with `--ci` the next part; with `--since` those of the
/// lines that differ from a commit; without a word all of them, which takes hours.
pub(crate) fn run(repo: &Repo, words: &[&str]) -> Done {
    let choice = match words {
        [] => Choice::All,
        ["--ci"] => Choice::Part(Part::in_turn(repo, PARTS, ci::TURNS)?),
        ["--since", commit] => Choice::Since((*commit).to_owned()),
        [word] if let Some(part) = Part::parse(word) => Choice::Part(part),
        [other, ..] => {
            return Err(format!("`{other}`: a part is K/N, with K below N, or --ci, or --since COMMIT"));
        }
    };
    if !tool::have(repo, "mutants", Some(VERSION))? {
        return Ok(());
    }
    let explained = explained(&repo.read(EXPLAINED)?);
    let mut outcome = stage(repo, &choice)?;
    // A part has little time, and does not judge the survivors of the others.
    let is_judged = |room: &&Room| room.is_listed || !matches!(choice, Choice::Part(_));
    for room in ROOMS.iter().filter(is_judged) {
        let is_open = |name: &&String| room.has(name) && !explained.contains(&unplaced(name));
        let open: Vec<String> = outcome.missed.iter().filter(is_open).cloned().collect();
        if !open.is_empty() {
            let again = again(repo, room, &open)?;
            outcome.missed.retain(|name| !again.caught.contains(name));
            outcome.caught.extend(again.caught);
        }
    }
    let done = judge(&outcome, &explained, &choice);
    if let Choice::Part(part) = choice {
        println!("mutants: that was part {part}: cargo xtask mutants {part}");
    }
    done
}

/// The results of a run's mutants; an endless one counts as caught.
#[derive(Default)]
struct Outcome {
    caught: Vec<String>,
    missed: Vec<String>,
}

impl Outcome {
    /// Whether there were mutants of a room.
    fn has(&self, room: &Room) -> bool {
        self.caught.iter().chain(&self.missed).any(|name| room.has(name))
    }
}

/// Runs the tests of its own room for every mutant.
fn stage(repo: &Repo, choice: &Choice) -> Result<Outcome, String> {
    let mut words: Vec<&str> = ROOMS.iter().flat_map(|room| ["--package", room.package]).collect();
    let changes = repo.path(FOLDER).join("since.diff");
    let part = if let Choice::Part(part) = choice { part.to_string() } else { String::new() };
    match choice {
        Choice::All => {}
        Choice::Part(_) => words.extend(["--sharding", "round-robin", "--shard", &part]),
        Choice::Since(commit) => {
            let told = changed(repo, commit)?;
            if told.is_empty() {
                return Ok(Outcome::default());
            }
            std::fs::create_dir_all(repo.path(FOLDER)).map_err(|error| format!("{FOLDER}: {error}"))?;
            std::fs::write(&changes, told).map_err(|error| format!("{}: {error}", changes.display()))?;
            words.extend(["--in-diff", changes.to_str().ok_or("a path that is no text")?]);
        }
    }
    execute(repo, "first", ENDLESS, &words)
}

/// The differences of the rooms' lines from a commit, independent of git's settings.
fn changed(repo: &Repo, commit: &str) -> Result<String, String> {
    let folders = ROOMS.iter().map(|room| room.folder);
    let others = ["ls-files", "--others", "--exclude-standard", "--"].into_iter().chain(folders.clone());
    let unknown = repo.step("git", others).stdout()?;
    if let Some(file) = unknown.lines().next() {
        return Err(format!("git does not know {file}, so it cannot tell what of it is new: git add it"));
    }
    let plain = ["diff", "--no-ext-diff", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", commit, "--"];
    repo.step("git", plain.into_iter().chain(folders)).stdout()
}

/// Runs the tests of the rooms above for a room's survivors.
fn again(repo: &Repo, room: &Room, names: &[String]) -> Result<Outcome, String> {
    let exactly: Vec<String> = names.iter().map(|name| format!("^{}$", literally(name))).collect();
    let mut words = vec!["--package", room.package];
    words.extend(room.above.iter().flat_map(|package| ["--test-package", package]));
    words.extend(exactly.iter().flat_map(|name| ["--re", name]));
    let mut outcome = execute(repo, "again", ENDLESS_ABOVE, &words)?;
    // Some kinds of mutants ignore the patterns and run too.
    outcome.caught.retain(|name| names.contains(name));
    outcome.missed.retain(|name| names.contains(name));
    Ok(outcome)
}

fn execute(repo: &Repo, stage: &str, endless: &str, words: &[&str]) -> Result<Outcome, String> {
    let out = format!("{FOLDER}/{stage}");
    std::fs::create_dir_all(repo.path(&out)).map_err(|error| format!("{out}: {error}"))?;
    let mut command = vec!["mutants", "--no-shuffle", "--profile", "mutants", "--output", &out];
    command.extend(["--minimum-test-timeout", endless]);
    command.extend(words);
    // Without mutants it writes nothing, so results of an earlier run must be removed.
    let written = repo.path(format!("{out}/mutants.out"));
    if written.exists() {
        std::fs::remove_dir_all(&written).map_err(|error| format!("{}: {error}", written.display()))?;
    }
    let code = quick(repo, repo.cargo(command)).code()?;
    if !ENDED.contains(&code) {
        return Err(format!("cargo mutants ended with {code}; its logs are in {out}/mutants.out"));
    }
    if !written.exists() {
        return Ok(Outcome::default());
    }
    let lines = |file: &str| -> Result<Vec<String>, String> {
        let text = repo.read(format!("{out}/mutants.out/{file}.txt"))?;
        Ok(text.lines().map(str::to_owned).collect())
    };
    let mut caught = lines("caught")?;
    caught.extend(lines("timeout")?);
    Ok(Outcome { caught, missed: lines("missed")? })
}

/// Builds are kept, failing properties are not shrunk, and tests write to memory if there is enough: they sync often
/// and would take twenty times as long on a disk.
fn quick(repo: &Repo, step: Step) -> Step {
    let step =
        step.env("CARGO_TARGET_DIR", repo.path(FOLDER).join("build")).env("PROPTEST_MAX_SHRINK_ITERS", "0");
    if is_roomy(repo, MEMORY) { step.env("TMPDIR", MEMORY) } else { step }
}

/// Whether a gibibyte is free there: containers often have less memory for files.
fn is_roomy(repo: &Repo, folder: &str) -> bool {
    let told = repo.step("df", ["--output=avail", "--block-size=1M", folder]).output();
    let told = told.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    told.is_ok_and(|told| last_line(&told).parse::<u64>().is_ok_and(|free| free >= 1024))
}

/// Prints the figures of each room. A survivor without an explanation is an error, in a part only if its room is listed. In a
/// whole run, so is a room with too many survivors, explained or not.
fn judge(outcome: &Outcome, explained: &BTreeSet<String>, choice: &Choice) -> Done {
    let (is_whole, is_part) = (matches!(choice, Choice::All), matches!(choice, Choice::Part(_)));
    let mut wrong = Vec::new();
    for room in ROOMS.iter().filter(|room| outcome.has(room)) {
        let caught = outcome.caught.iter().filter(|name| room.has(name)).count();
        let missed: Vec<&String> = outcome.missed.iter().filter(|name| room.has(name)).collect();
        println!("mutants: {}: {caught} of {} caught", room.folder, caught + missed.len());
        if is_whole && !is_enough(caught, missed.len()) {
            wrong.push(format!("{}: fewer than {CAUGHT_MIN} of 100 mutants are caught", room.folder));
        }
        for name in missed.into_iter().filter(|name| !explained.contains(&unplaced(name))) {
            if is_part && !room.is_listed {
                println!("mutants: no test of its own room notices: {name}");
            } else {
                wrong.push(format!("no test notices, and {EXPLAINED} does not say why: {name}"));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

impl Room {
    fn has(&self, name: &str) -> bool {
        name.strip_prefix(self.folder).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// The names in backticks at the start of the list's items.
fn explained(text: &str) -> BTreeSet<String> {
    let names = text.lines().filter_map(|line| line.strip_prefix("- `")?.split_once('`'));
    names.map(|(name, _)| name.to_owned()).collect()
}

/// A mutant's name without line and column, which any change above it would move: `FILE: CHANGE in FUNCTION`.
fn unplaced(name: &str) -> String {
    let mut parts = name.splitn(4, ':');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(file), Some(_), Some(_), Some(change)) => format!("{file}:{change}"),
        _ => name.to_owned(),
    }
}

/// A pattern that matches exactly this text.
fn literally(text: &str) -> String {
    let mut pattern = String::new();
    for letter in text.chars() {
        if r"\.+*?()|[]{}^$".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

fn is_enough(caught: usize, missed: usize) -> bool {
    caught * 100 >= (caught + missed) * CAUGHT_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_of_ten_are_enough() {
        assert!(is_enough(9, 1) && is_enough(0, 0));
        assert!(!is_enough(89, 11));
    }

    /// A survivor is identified by its file and its change, independent of its line.
    #[test]
    fn a_survivor_needs_its_reason() {
        let list = "# Mutants\n- `core/num/src/a.rs: replace + with | in f`: the bits are apart\n- other\n";
        let outcome = |name: &str, times: usize| Outcome {
            caught: vec!["core/num/src/b.rs:1:1: x".to_owned(); 100],
            missed: vec![name.to_owned(); times],
        };
        let part = Choice::Part(Part::parse("0/1").unwrap());
        let judged = |name: &str, times, is_whole| {
            let choice = if is_whole { &Choice::All } else { &part };
            judge(&outcome(name, times), &explained(list), choice)
        };
        for name in
            ["core/num/src/a.rs:7:9: replace + with | in f", "core/num/src/a.rs:80:1: replace + with | in f"]
        {
            assert_eq!(judged(name, 3, true), Ok(()));
            assert!(judged(name, 100, true).is_err(), "more than one of ten");
            assert_eq!(judged(name, 100, false), Ok(()), "a part is too small to count");
        }
        let other = "core/num/src/a.rs:7:9: replace + with - in f";
        for is_whole in [true, false] {
            assert!(judged(other, 1, is_whole).is_err());
        }
        // A room that no whole run has listed yet.
        let unlisted = "core/perp/src/a.rs:7:9: replace + with - in f";
        assert_eq!(judged(unlisted, 1, false), Ok(()));
        assert!(judged(unlisted, 1, true).is_err());
    }

    #[test]
    fn a_pattern_matches_its_text_alone() {
        assert_eq!(
            literally("a.rs:1:2: replace << with | in <impl A>::b"),
            r"a\.rs:1:2: replace << with \| in <impl A>::b"
        );
    }
}
