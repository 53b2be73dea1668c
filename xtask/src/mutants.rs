//! Mutation of the rooms that money and memory depend on: of every ten changed lines, nine must fail a test.
//!
//! A mutant meets the tests of its own room first, which takes a second or two; only one that survives them meets those
//! of the rooms above. What survives both must stand in `docs/MUTANTS.md` with its reason.

use std::collections::BTreeSet;

use crate::repo::{Repo, Step, last_line};
use crate::turn::Part;
use crate::{Done, tool};

/// A room that is mutated.
struct Room {
    folder: &'static str,
    package: &'static str,
    /// Whose tests its survivors meet.
    above: &'static [&'static str],
    /// Whether a whole run has listed every survivor. A part takes only such rooms: an unlisted survivor that a part meets by chance
    /// is no fault of the commit that it runs on.
    is_listed: bool,
}

const CORE: &[&str] = &["buttonwood-trading", "buttonwood-spot", "buttonwood-engine"];

const ROOMS: [Room; 7] = [
    Room { folder: "core/num", package: "buttonwood-num", above: CORE, is_listed: true },
    Room { folder: "core/ledger", package: "buttonwood-ledger", above: CORE, is_listed: false },
    Room { folder: "core/auction", package: "buttonwood-auction", above: CORE, is_listed: false },
    Room { folder: "core/book", package: "buttonwood-book", above: CORE, is_listed: false },
    Room {
        folder: "core/trading",
        package: "buttonwood-trading",
        above: &["buttonwood-spot", "buttonwood-engine"],
        is_listed: false,
    },
    Room { folder: "core/spot", package: "buttonwood-spot", above: &["buttonwood-engine"], is_listed: false },
    Room {
        folder: "store/journal",
        package: "buttonwood-journal",
        above: &["buttonwood-sequencer"],
        is_listed: true,
    },
];

/// For those who have none yet; another version may name its mutants in another way.
const VERSION: &str = "27.1.0";

/// The survivors that are explained.
const EXPLAINED: &str = "docs/MUTANTS.md";

/// Of a hundred mutants of a room, how many must be caught.
const CAUGHT_MIN: usize = 90;

/// Parts that continuous integration takes in turn, one a commit: about twelve mutants each.
const PARTS: usize = 60;

/// Where it builds, and where it writes what came of it.
const FOLDER: &str = "target/mutants";

/// Seconds until a test counts as endless, by the clock on the wall of a machine that may be busy.
const ENDLESS: &str = "30";

/// Files there lie in memory.
const MEMORY: &str = "/dev/shm";

/// Exit codes by which cargo-mutants says that it ran to its end: all caught, some missed, some timed out.
const ENDED: [i32; 3] = [0, 2, 3];

/// Which mutants a run takes.
enum Choice {
    All,
    Part(Part),
    /// Those of the lines that differ from this commit's.
    Since(String),
}

/// Runs one part of all mutants, `K/N` counted from 0, or with `--ci` the one whose turn it is; with `--since` those of the
/// lines that differ from a commit's; without a word all of them, which takes hours.
pub(crate) fn run(repo: &Repo, words: &[&str]) -> Done {
    let choice = match words {
        [] => Choice::All,
        ["--ci"] => Choice::Part(Part::in_turn(repo, PARTS)?),
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
    for room in &ROOMS {
        let is_open = |name: &&String| room.has(name) && !explained.contains(&unplaced(name));
        let open: Vec<String> = outcome.missed.iter().filter(is_open).cloned().collect();
        if !open.is_empty() {
            let again = again(repo, room, &open)?;
            outcome.missed.retain(|name| !again.caught.contains(name));
            outcome.caught.extend(again.caught);
        }
    }
    let done = judge(&outcome, &explained, matches!(choice, Choice::All));
    if let Choice::Part(part) = choice {
        println!("mutants: that was part {part}: cargo xtask mutants {part}");
    }
    done
}

/// What became of the mutants of a run; one that never ends is noticed, and so caught.
#[derive(Default)]
struct Outcome {
    caught: Vec<String>,
    missed: Vec<String>,
}

/// The tests of its own room, for every mutant.
fn stage(repo: &Repo, choice: &Choice) -> Result<Outcome, String> {
    let is_taken = |room: &&Room| room.is_listed || !matches!(choice, Choice::Part(_));
    let rooms = ROOMS.iter().filter(is_taken);
    let mut words: Vec<&str> = rooms.flat_map(|room| ["--package", room.package]).collect();
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
    execute(repo, "first", &words)
}

/// What the rooms' lines differ in from a commit's, as git tells it, whatever its settings.
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

/// The tests of the rooms above, for those of a room that survived their own.
fn again(repo: &Repo, room: &Room, names: &[String]) -> Result<Outcome, String> {
    let exactly: Vec<String> = names.iter().map(|name| format!("^{}$", literally(name))).collect();
    let mut words = vec!["--package", room.package];
    words.extend(room.above.iter().flat_map(|package| ["--test-package", package]));
    words.extend(exactly.iter().flat_map(|name| ["--re", name]));
    let mut outcome = execute(repo, "again", &words)?;
    // Some kinds of mutants ignore the patterns and are run as well.
    outcome.caught.retain(|name| names.contains(name));
    outcome.missed.retain(|name| names.contains(name));
    Ok(outcome)
}

fn execute(repo: &Repo, stage: &str, words: &[&str]) -> Result<Outcome, String> {
    let out = format!("{FOLDER}/{stage}");
    std::fs::create_dir_all(repo.path(&out)).map_err(|error| format!("{out}: {error}"))?;
    let mut command = vec!["mutants", "--no-shuffle", "--profile", "mutants", "--output", &out];
    command.extend(["--minimum-test-timeout", ENDLESS]);
    command.extend(words);
    // Where nothing is to be mutated it writes nothing, and what an earlier run wrote is not of this one.
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

/// What is built once stays built, a failing property is not made small, and tests write to memory where there is enough:
/// they sync often, and on a disk would take twenty times as long.
fn quick(repo: &Repo, step: Step) -> Step {
    let step =
        step.env("CARGO_TARGET_DIR", repo.path(FOLDER).join("build")).env("PROPTEST_MAX_SHRINK_ITERS", "0");
    if is_roomy(repo, MEMORY) { step.env("TMPDIR", MEMORY) } else { step }
}

/// Whether a gibibyte is free there: containers often have less memory than that for files.
fn is_roomy(repo: &Repo, folder: &str) -> bool {
    let told = repo.step("df", ["--output=avail", "--block-size=1M", folder]).output();
    let told = told.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    told.is_ok_and(|told| last_line(&told).parse::<u64>().is_ok_and(|free| free >= 1024))
}

/// Tells the figures of each room. Every survivor without an explanation is an error, and in a whole run so is a room with too
/// many survivors, explained or not.
fn judge(outcome: &Outcome, explained: &BTreeSet<String>, is_whole: bool) -> Done {
    let mut wrong = Vec::new();
    for room in &ROOMS {
        let caught = outcome.caught.iter().filter(|name| room.has(name)).count();
        let missed: Vec<&String> = outcome.missed.iter().filter(|name| room.has(name)).collect();
        println!("mutants: {}: {caught} of {} caught", room.folder, caught + missed.len());
        if is_whole && !is_enough(caught, missed.len()) {
            wrong.push(format!("{}: fewer than {CAUGHT_MIN} of 100 mutants are caught", room.folder));
        }
        for name in missed.into_iter().filter(|name| !explained.contains(&unplaced(name))) {
            wrong.push(format!("no test notices, and {EXPLAINED} does not say why: {name}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

impl Room {
    fn has(&self, name: &str) -> bool {
        name.strip_prefix(self.folder).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// The names that begin the items of the list, between backticks.
fn explained(text: &str) -> BTreeSet<String> {
    let names = text.lines().filter_map(|line| line.strip_prefix("- `")?.split_once('`'));
    names.map(|(name, _)| name.to_owned()).collect()
}

/// A mutant's name without line and column, which every change above it would move: `FILE: CHANGE in FUNCTION`.
fn unplaced(name: &str) -> String {
    let mut parts = name.splitn(4, ':');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(file), Some(_), Some(_), Some(change)) => format!("{file}:{change}"),
        _ => name.to_owned(),
    }
}

/// A pattern that matches this text alone.
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

    /// A survivor is known by its file and its change, wherever in the file it has moved to.
    #[test]
    fn a_survivor_needs_its_reason() {
        let list = "# Mutants\n- `core/num/src/a.rs: replace + with | in f`: the bits are apart\n- other\n";
        let outcome = |name: &str, times: usize| Outcome {
            caught: vec!["core/num/src/b.rs:1:1: x".to_owned(); 100],
            missed: vec![name.to_owned(); times],
        };
        let judged = |name: &str, times, is_whole| judge(&outcome(name, times), &explained(list), is_whole);
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
    }

    #[test]
    fn a_pattern_matches_its_text_alone() {
        assert_eq!(
            literally("a.rs:1:2: replace << with | in <impl A>::b"),
            r"a\.rs:1:2: replace << with \| in <impl A>::b"
        );
    }
}
