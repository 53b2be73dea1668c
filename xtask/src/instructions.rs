//! The number of instructions per command on the order path, counted under valgrind and compared with
//! `proof/bench/instructions.txt`.
//!
//! Built for one fixed kind of processor, in its own folder, so that the machine does not matter; a count repeats to
//! less than a thousandth. A count more than [`TOLERANCE`] above the stored one is a failure, unless the chapter
//! Unreleased of CHANGELOG.md has a line `Instructions: <stream> …` for it. `--write` stores new counts, under the
//! same condition.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::repo::{Repo, last_line};
use crate::{Done, debian, skipped};

/// The names of the streams in `buttonwood-instructions`.
const STREAMS: [&str; 6] = ["A1", "B1", "A100", "B100", "frame", "gate"];
const REMEMBERED: &str = "proof/bench/instructions.txt";
const CHANGELOG: &str = "CHANGELOG.md";
/// Allowed growth of a count, per thousand.
const TOLERANCE: u64 = 30;
/// Where the program is built, below the root.
const TARGET: &str = "target/instructions";
const FLAGS: &str = "-Ctarget-cpu=x86-64-v3";
const PROGRAM: &str = "buttonwood-instructions";

/// The use of the stored counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Write,
    Check,
}

/// Tenths of an instruction per command, by stream.
type Counts = BTreeMap<String, u64>;

pub(crate) fn run(repo: &Repo, mode: Mode) -> Done {
    if let Err(why) = counter(repo) {
        skipped::say("instructions", &why);
        return Ok(());
    }
    let compiler = repo.step("rustc", ["--version"]).stdout()?.trim().to_owned();
    let remembered = repo.read(REMEMBERED).unwrap_or_default();
    let counted_with = remembered.lines().find_map(|line| line.strip_prefix("# compiler: "));
    if mode == Mode::Check && counted_with.is_some_and(|with| with != compiler) {
        let why = format!("{REMEMBERED} was counted with another compiler, not with {compiler}");
        skipped::say("instructions", &why);
        return Ok(());
    }
    let counts = count(repo)?;
    let before = read(&remembered)?;
    let verdict = compare(&before, &counts, &owned_up(&repo.read(CHANGELOG)?));
    for line in &verdict.told {
        println!("instructions: {line}");
    }
    if !verdict.grown.is_empty() {
        return Err(format!(
            "{} took more instructions than {REMEMBERED} remembers; a line `Instructions: <stream> …` in the chapter \
             Unreleased of {CHANGELOG} says why",
            verdict.grown.join(", ")
        ));
    }
    if mode == Mode::Write {
        fs::write(repo.path(REMEMBERED), page(&counts, &compiler))
            .map_err(|error| format!("{REMEMBERED}: {error}"))?;
    }
    Ok(())
}

/// Whether instructions can be counted here.
fn counter(repo: &Repo) -> Done {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Err("instructions are counted on 64-bit x86 Linux only".to_owned());
    }
    if repo.step("valgrind", ["--version"]).works() {
        return Ok(());
    }
    debian::install(repo, "valgrind")
}

fn count(repo: &Repo) -> Result<Counts, String> {
    let words = ["build", "--quiet", "--release", "--package", "buttonwood-bench", "--bin", PROGRAM];
    repo.cargo(words.iter().chain(&["--target-dir", TARGET])).env("RUSTFLAGS", FLAGS).run()?;
    let program = repo.path(TARGET).join("release").join(PROGRAM);
    let one = |stream: &'static str| Ok((stream.to_owned(), count_stream(repo, &program, stream)?));
    // In parallel: no result depends on the time it takes.
    std::thread::scope(|scope| {
        let running: Vec<_> = STREAMS.iter().map(|stream| scope.spawn(move || one(stream))).collect();
        let counted =
            running.into_iter().map(|thread| thread.join().map_err(|_| "a count panicked".to_owned())?);
        counted.collect()
    })
}

/// Tenths of an instruction per command of one stream.
fn count_stream(repo: &Repo, program: &Path, stream: &str) -> Result<u64, String> {
    // First without valgrind: this makes the stream's file, which would take minutes under valgrind.
    let target = repo.path("target");
    repo.step(program, [stream]).env("CARGO_TARGET_DIR", &target).stdout()?;
    let file = repo.path(TARGET).join(format!("{stream}.callgrind"));
    let words = [
        "--tool=callgrind".to_owned(),
        "--toggle-collect=*counted_part*".to_owned(),
        format!("--callgrind-out-file={}", file.display()),
        program.display().to_string(),
        stream.to_owned(),
    ];
    let output = repo.step("valgrind", words).env("CARGO_TARGET_DIR", &target).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("counting {stream} failed: {}", last_line(&said)));
    }
    let commands = String::from_utf8_lossy(&output.stdout).trim().parse::<u64>();
    let commands = commands.map_err(|error| format!("{stream} tells no number of commands: {error}"))?;
    let profile = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let total = total(&profile).filter(|total| *total > 0 && commands > 0);
    total.map(|total| total * 10 / commands).ok_or_else(|| format!("{}: nothing was counted", file.display()))
}

/// The total in a callgrind profile.
fn total(profile: &str) -> Option<u64> {
    let mut sums = profile.lines().filter_map(|line| line.strip_prefix("totals: "));
    sums.find_map(|sum| sum.trim().parse().ok())
}

/// Parses the stored counts: `A1 1234.5`, one line per stream.
fn read(text: &str) -> Result<Counts, String> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let one = |line: &str| {
        let (stream, count) = line.split_once(' ')?;
        let (whole, tenth) = count.trim().split_once('.')?;
        Some((
            stream.to_owned(),
            whole.parse::<u64>().ok()? * 10 + tenth.parse::<u64>().ok().filter(|t| *t < 10)?,
        ))
    };
    lines.map(|line| one(line).ok_or_else(|| format!("{REMEMBERED}: no count of a stream: {line}"))).collect()
}

fn page(counts: &Counts, compiler: &str) -> String {
    let mut page = format!(
        "# Instructions a command on the order path, written by `cargo xtask instructions --write`.\n\
         # {FLAGS}; what a stream is stands in proof/bench/src/instructions.rs.\n\
         # compiler: {compiler}\n"
    );
    for (stream, count) in counts {
        let _ = writeln!(page, "{stream} {}", shown(*count));
    }
    page
}

fn shown(tenths: u64) -> String {
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// The streams that lines `Instructions: <stream> …` of the chapter Unreleased name.
fn owned_up(changelog: &str) -> Vec<&str> {
    let chapter = changelog.lines().skip_while(|line| line.trim() != "## Unreleased").skip(1);
    let lines = chapter.take_while(|line| !line.starts_with("## "));
    let named =
        |line: &'_ str| line.trim_start_matches(['-', '*', ' ']).strip_prefix("Instructions: ").map(str::len);
    lines
        .filter_map(|line| line.get(line.len() - named(line)?..))
        .filter_map(|rest| rest.split([' ', ':', ',']).next())
        .collect()
}

/// The result of a comparison.
struct Verdict {
    told: Vec<String>,
    /// Streams that grew without a line in the changelog.
    grown: Vec<String>,
}

fn compare(before: &Counts, now: &Counts, owned_up: &[&str]) -> Verdict {
    let mut verdict = Verdict { told: Vec::new(), grown: Vec::new() };
    for (stream, count) in now {
        let Some(was) = before.get(stream) else {
            verdict.told.push(format!("{stream} {} (new: `--write` remembers it)", shown(*count)));
            continue;
        };
        let grew = count * 1_000 > was * (1_000 + TOLERANCE);
        let shrank = count * (1_000 + TOLERANCE) < was * 1_000;
        let note = match (grew, owned_up.contains(&stream.as_str())) {
            (true, true) => ", as the changelog says",
            (true, false) => ", TOO MANY",
            (false, _) if shrank => " (fewer: `--write` remembers it)",
            (false, _) => "",
        };
        verdict.told.push(format!("{stream} {}, was {}{note}", shown(*count), shown(*was)));
        if grew && !owned_up.contains(&stream.as_str()) {
            verdict.grown.push(stream.clone());
        }
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(&str, u64)]) -> Counts {
        pairs.iter().map(|(stream, count)| ((*stream).to_owned(), *count)).collect()
    }

    fn grown(before: u64, now: u64, owned_up: &[&str]) -> Vec<String> {
        compare(&counts(&[("A1", before)]), &counts(&[("A1", now)]), owned_up).grown
    }

    #[test]
    fn three_percent_are_free_and_no_more() {
        assert!(grown(10_000, 10_300, &[]).is_empty());
        assert_eq!(grown(10_000, 10_301, &[]), ["A1"]);
        assert!(grown(10_000, 5_000, &[]).is_empty());
    }

    #[test]
    fn whoever_owns_up_may_grow() {
        assert!(grown(10_000, 20_000, &["A1"]).is_empty());
        assert_eq!(grown(10_000, 20_000, &["A100", "a1"]), ["A1"]);
    }

    #[test]
    fn a_new_stream_is_told_and_no_failure() {
        let verdict = compare(&Counts::new(), &counts(&[("gate", 70)]), &[]);
        assert!(verdict.grown.is_empty());
        assert_eq!(verdict.told, ["gate 7.0 (new: `--write` remembers it)"]);
    }

    #[test]
    fn only_the_unreleased_chapter_counts() {
        let changelog = "# Changelog\n\n## Unreleased\n\n### Changed\n- Instructions: A1 grew by 5 % for the rule X.\n\
                         - Other Instructions: B1 no\nInstructions: gate, for Y\n\n## 0.1\n- Instructions: B100 was slow\n";
        assert_eq!(owned_up(changelog), ["A1", "gate"]);
        assert!(owned_up("## 0.1\nInstructions: A1 x\n").is_empty());
    }

    #[test]
    fn what_is_written_is_read_again() {
        let some = counts(&[("A1", 12_345), ("gate", 70)]);
        assert_eq!(read(&page(&some, "rustc 1.95.0")), Ok(some));
        for wrong in ["A1", "A1 12", "A1 12.x", "A1 1.23"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_sum_is_found() {
        assert_eq!(total("version: 1\nevents: Ir\n\nsummary: 12\n\ntotals: 12\n"), Some(12));
        assert_eq!(total("events: Ir\n"), None);
    }
}
