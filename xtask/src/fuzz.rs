//! Fuzzing: builds the targets of `proof/fuzz/` with libFuzzer and coverage on the stable compiler, and runs each for
//! a while, one after another.
//!
//! A run starts from the corpus of the repository and collects new inputs in `target/fuzz`. An input that breaks a
//! promise is kept in `proof/fuzz/regressions`, where `cargo test` runs it from then on. libFuzzer needs a C++
//! compiler; without one, the fuzzing is skipped with a message.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::Done;
use crate::repo::{Repo, tail, unreachable};
use crate::skipped;

/// The targets, each with the most bytes of an input: short ones run more often.
const TARGETS: [(&str, u32); 9] = [
    ("decimal", 160),
    ("frame", 400),
    ("framing", 320),
    ("journal", 73),
    ("oauth", 400),
    ("payload", 400),
    ("products", 480),
    ("sequence", 1200),
    ("snapshot", 72),
];

/// Makes the compiler count reached code and record comparisons; cargo-fuzz uses the same options.
const COVERAGE: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

const FOLDER: &str = "target/fuzz";
/// Seconds per target by default.
const SECONDS: u32 = 60;
/// Limits that count as failures: elapsed seconds per input, on a machine that may be busy, and megabytes of the
/// process.
const LIMITS: [&str; 2] = ["-timeout=30", "-rss_limit_mb=1024"];

/// The request of a call.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wish {
    targets: Vec<(&'static str, u32)>,
    seconds: Option<u32>,
    runs: Option<u32>,
    seed: Option<u32>,
    list: bool,
}

pub(crate) fn run(repo: &Repo, words: &[&str]) -> Done {
    let wish = understand(words)?;
    if wish.list {
        for (name, _) in TARGETS {
            println!("{name}");
        }
        return Ok(());
    }
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    if !repo.step(&compiler, ["--version"]).works() {
        let why = format!("libFuzzer needs a C++ compiler, and `{compiler}` does not run (apt install g++)");
        skipped::say("fuzz", &why);
        return Ok(());
    }
    let Some(programs) = build(repo, &wish)? else { return Ok(()) };
    let failed: Vec<_> = wish
        .targets
        .iter()
        .filter_map(|(name, bytes)| drive(repo, &programs, &wish, name, *bytes).err())
        .collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// Parses the words after `fuzz`; a word that is not understood is named.
fn understand(words: &[&str]) -> Result<Wish, String> {
    let mut wish = Wish::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut number = || {
            let value = words.next().ok_or_else(|| format!("{word} is given without its number"))?;
            let number = value.parse().ok().filter(|number| *number > 0);
            number.ok_or_else(|| format!("{word} {value}: a whole number from 1 to {} is expected", u32::MAX))
        };
        match *word {
            "--seconds" => wish.seconds = Some(number()?),
            "--runs" => wish.runs = Some(number()?),
            "--seed" => wish.seed = Some(number()?),
            "--list" => wish.list = true,
            flag if flag.starts_with('-') => {
                return Err(format!("{flag} is no flag of fuzz: --seconds, --runs, --seed, --list"));
            }
            name => match TARGETS.iter().find(|(target, _)| *target == name) {
                Some(target) => wish.targets.push(*target),
                None => {
                    return Err(format!(
                        "there is no target `{name}`: {}",
                        TARGETS.map(|(name, _)| name).join(", ")
                    ));
                }
            },
        }
    }
    if wish.targets.is_empty() {
        wish.targets = TARGETS.to_vec();
    }
    Ok(wish)
}

/// Builds the requested targets; returns their folder, or `None` without libFuzzer.
fn build(repo: &Repo, wish: &Wish) -> Result<Option<PathBuf>, String> {
    let host = host(repo)?;
    // With an explicit host, programs that run during the build, such as macros, have no coverage.
    let mut words =
        vec!["build", "--package", "buttonwood-fuzz", "--features", "engine", "--profile", "fuzz"];
    words.extend(["--target", &host, "--target-dir", FOLDER]);
    let names: Vec<_> = wish.targets.iter().map(|(name, _)| format!("fuzz-{name}")).collect();
    words.extend(names.iter().flat_map(|name| ["--bin", name]));
    let built = repo.cargo(words).env("RUSTFLAGS", COVERAGE).output()?;
    if built.status.success() {
        return Ok(Some(repo.path(FOLDER).join(host).join("fuzz")));
    }
    let said = String::from_utf8_lossy(&built.stderr);
    match unreachable(&said) {
        Some(why) => {
            skipped::say("fuzz", &format!("libfuzzer-sys cannot be fetched: {why}"));
            Ok(None)
        }
        None => Err(format!("the targets cannot be built:\n{}", tail(&said))),
    }
}

fn host(repo: &Repo) -> Result<String, String> {
    let told = repo.step("rustc", ["-vV"]).stdout()?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not say for which host it compiles".to_owned())
}

/// Runs one target and prints the number of runs; a failing input is kept, and the error names it.
fn drive(repo: &Repo, programs: &Path, wish: &Wish, name: &str, bytes: u32) -> Done {
    let (gathered, corpus) = (format!("{FOLDER}/corpus/{name}"), format!("proof/fuzz/corpus/{name}"));
    let regressions = format!("proof/fuzz/regressions/{name}");
    for folder in [&gathered, &regressions] {
        fs::create_dir_all(repo.path(folder)).map_err(|error| format!("{folder}: {error}"))?;
    }
    let seconds = wish.seconds.or(wish.runs.is_none().then_some(SECONDS)).unwrap_or(0);
    let mut flags = vec![
        format!("-artifact_prefix={regressions}/"),
        format!("-max_len={bytes}"),
        format!("-max_total_time={seconds}"),
        "-print_final_stats=1".to_owned(),
    ];
    flags.extend(LIMITS.map(str::to_owned));
    flags.extend(wish.runs.map(|runs| format!("-runs={runs}")));
    flags.extend(wish.seed.map(|seed| format!("-seed={seed}")));
    let program = programs.join(format!("fuzz-{name}"));
    let start = Instant::now();
    let output = repo.step(&program, [gathered, corpus, regressions].into_iter().chain(flags)).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(trouble(name, &program.display().to_string(), &said));
    }
    let runs = said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    println!("fuzz: {name}: {} runs in {} s", runs.unwrap_or("?").trim(), start.elapsed().as_secs());
    Ok(())
}

/// The failure, the path of its input, and how to reproduce it.
fn trouble(name: &str, program: &str, said: &str) -> String {
    let from =
        said.lines().skip_while(|line| !line.contains("panicked at") && !line.contains("ERROR: libFuzzer"));
    let why: Vec<&str> = from.take_while(|line| !line.starts_with("stack backtrace")).take(6).collect();
    let why = if why.is_empty() { tail(said) } else { why.join("\n") };
    let kept = said.lines().find_map(|line| line.split_once("Test unit written to ")).map(|(_, path)| path);
    let path = kept.unwrap_or("no file");
    format!(
        "{name} broke a promise:\n{why}\nthe input: {path}\nagain: cargo test -p buttonwood-fuzz {name}, or {program} {path}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_named() {
        let refused = |words: &[&str]| understand(words).unwrap_err();
        assert_eq!(
            refused(&["--second", "1"]),
            "--second is no flag of fuzz: --seconds, --runs, --seed, --list"
        );
        assert_eq!(refused(&["--seconds"]), "--seconds is given without its number");
        for number in ["0", "-1", "1.5", "ten", "", "4294967296"] {
            assert!(
                refused(&["decimal", "--seed", number]).starts_with(&format!("--seed {number}: ")),
                "{number}"
            );
        }
        assert!(refused(&["decimals"]).starts_with("there is no target `decimals`: decimal, "));
    }

    #[test]
    fn a_call_may_choose() {
        assert_eq!(understand(&[]).unwrap().targets, TARGETS);
        let wish = understand(&["--runs", "5", "payload", "--seed", "7", "--seconds", "9"]).unwrap();
        assert_eq!((wish.runs, wish.seed, wish.seconds), (Some(5), Some(7), Some(9)));
        assert_eq!(wish.targets, [("payload", 400)]);
    }

    #[test]
    fn a_failure_says_how_to_see_it_again() {
        let said = "#5 NEW\nthread '<unnamed>' panicked at proof/fuzz/src/frame.rs:18:5:\nnot equal\nstack backtrace:\n 0: x\n\
                    artifact_prefix='a/'; Test unit written to proof/fuzz/regressions/frame/crash-1\n";
        assert_eq!(
            trouble("frame", "/bin/fuzz-frame", said),
            "frame broke a promise:\nthread '<unnamed>' panicked at proof/fuzz/src/frame.rs:18:5:\nnot equal\n\
             the input: proof/fuzz/regressions/frame/crash-1\n\
             again: cargo test -p buttonwood-fuzz frame, or /bin/fuzz-frame proof/fuzz/regressions/frame/crash-1"
        );
    }
}
