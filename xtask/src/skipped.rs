//! Skipped steps by name and reason: printed when they occur, and listed again at the end of `ci`.

use std::sync::{Mutex, PoisonError};

/// The start of every such line, also in the programs that a chore runs.
const WORD: &str = "SKIPPED ";

static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Prints and records that something is skipped.
pub(crate) fn say(what: &str, why: &str) {
    let line = format!("{WORD}{what}: {why}");
    println!("{line}");
    hear(&line);
}

/// Records a program's line if it reports something as skipped.
pub(crate) fn hear(line: &str) {
    if let Some(what) = line.strip_prefix(WORD) {
        TOLD.lock().unwrap_or_else(PoisonError::into_inner).push(what.to_owned());
    }
}

/// Everything skipped since the last call.
pub(crate) fn told() -> Vec<String> {
    std::mem::take(&mut *TOLD.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_left_out_is_remembered() {
        for line in ["SKIPPED clock: no faketime", "kill: 2 rounds", "not SKIPPED either"] {
            hear(line);
        }
        say("ccxt", "no python");
        assert_eq!(told(), ["clock: no faketime", "ccxt: no python"]);
    }
}
