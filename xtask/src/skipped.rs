//! Skipped steps and tests by name and reason: printed when they occur, and listed again at the end of `test` and `ci`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::Done;
use crate::repo::{Repo, Step};

/// The start of every such line, also in the programs that a chore runs.
const WORD: &str = "SKIPPED ";

/// The variable that names the file to which tests add such lines (`proof/testing`): runners hide the output of a test
/// that passes.
const VARIABLE: &str = "BUTTONWOOD_SKIPPED";

static HEARD: Mutex<Skipped> = Mutex::new(Skipped { steps: Vec::new(), tests: BTreeMap::new() });

/// Everything that was skipped.
#[derive(Default)]
struct Skipped {
    /// In the order in which they occurred.
    steps: Vec<String>,
    /// How many tests gave each line.
    tests: BTreeMap<String, usize>,
}

/// Prints and records that a step is skipped.
pub(crate) fn say(what: &str, why: &str) {
    let line = format!("{WORD}{what}: {why}");
    println!("{line}");
    hear(&line);
}

/// Records a program's line if it reports something as skipped.
pub(crate) fn hear(line: &str) {
    if let Some(what) = line.strip_prefix(WORD) {
        record(|heard| heard.steps.push(what.to_owned()));
    }
}

/// Runs tests, and records those that say that they are skipped, also if others fail.
pub(crate) fn run_tests(repo: &Repo, tests: Step) -> Done {
    let file = repo.path("target/skipped-tests.txt");
    match std::fs::remove_file(&file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(wrong(&file, &error)),
        _ => {}
    }
    let done = tests.env(VARIABLE, &file).run();
    match std::fs::read_to_string(&file) {
        Ok(text) => hear_tests(&text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return done.and(Err(wrong(&file, &error))),
    }
    done
}

fn wrong(file: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", file.display())
}

fn hear_tests(text: &str) {
    record(|heard| {
        for what in text.lines().filter_map(|line| line.strip_prefix(WORD)) {
            *heard.tests.entry(what.to_owned()).or_default() += 1;
        }
    });
}

fn record(change: impl FnOnce(&mut Skipped)) {
    change(&mut HEARD.lock().unwrap_or_else(PoisonError::into_inner));
}

/// Prints how much was skipped since the last call, and each with its reason.
pub(crate) fn sum_up() {
    let heard = std::mem::take(&mut *HEARD.lock().unwrap_or_else(PoisonError::into_inner));
    for line in heard.lines() {
        println!("{line}");
    }
}

impl Skipped {
    fn lines(&self) -> Vec<String> {
        let of = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let (steps, tests) = (self.steps.len(), self.tests.values().sum());
        let sum = match (steps, tests) {
            (0, 0) => "nothing".to_owned(),
            (steps, 0) => of(steps, "step"),
            (0, tests) => of(tests, "test"),
            (steps, tests) => format!("{}, {}", of(steps, "step"), of(tests, "test")),
        };
        let mut lines = vec![format!("== skipped: {sum}")];
        lines.extend(self.steps.iter().map(|what| format!("  {what}")));
        lines.extend(self.tests.iter().map(|(what, count)| format!("  {}: {what}", of(*count, "test"))));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_left_out_is_counted() {
        for line in ["SKIPPED clock: no faketime", "kill: 2 rounds", "not SKIPPED either"] {
            hear(line);
        }
        say("ccxt", "no python");
        hear_tests("SKIPPED a disk: no mount\nSKIPPED a disk: no mount\nSKIPPED anvil: no npm\nelse\n");
        let heard = std::mem::take(&mut *HEARD.lock().unwrap());
        assert_eq!(
            heard.lines(),
            [
                "== skipped: 2 steps, 3 tests",
                "  clock: no faketime",
                "  ccxt: no python",
                "  2 tests: a disk: no mount",
                "  1 test: anvil: no npm",
            ]
        );
        assert_eq!(Skipped::default().lines(), ["== skipped: nothing"]);
    }
}
