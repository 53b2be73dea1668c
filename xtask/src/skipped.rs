//! What was left out and why, by name: said when it happens, and once more at the end of `ci`, where nobody overlooks it.

use std::sync::{Mutex, PoisonError};

/// How every such line begins, in the programs that a chore runs too.
const WORD: &str = "SKIPPED ";

static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Says that something is left out, and remembers it.
pub(crate) fn say(what: &str, why: &str) {
    let line = format!("{WORD}{what}: {why}");
    println!("{line}");
    hear(&line);
}

/// Remembers a line that a program has said, if it says that something is left out.
pub(crate) fn hear(line: &str) {
    if let Some(what) = line.strip_prefix(WORD) {
        TOLD.lock().unwrap_or_else(PoisonError::into_inner).push(what.to_owned());
    }
}

/// All that was left out since the last time somebody asked.
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
