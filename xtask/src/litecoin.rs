//! Litecoind, a node of the Bitcoin family for tests, from Debian: `edge/custody` and `proof/accept` run their tests of a
//! real node against it.
//!
//! Where it cannot be installed, these tests are skipped with one line, since the machine lacks something, not the
//! project.

use std::path::{Path, PathBuf};

use crate::repo::{Repo, Step};
use crate::{debian, skipped};

/// Debian's package, and the program in it.
const PACKAGE: &str = "litecoind";

/// The variable by which the tests find it.
const VARIABLE: &str = "BUTTONWOOD_LITECOIND";

/// The program, installed if it is not there yet; `None`, reported as skipped, if it is out of reach.
pub(crate) fn program(repo: &Repo) -> Option<PathBuf> {
    let works = || repo.step(PACKAGE, ["--version"]).works();
    let why = if works() {
        None
    } else {
        match debian::install(repo, PACKAGE) {
            Ok(()) if works() => None,
            Ok(()) => Some(format!("{PACKAGE} is installed, but does not run")),
            Err(why) => Some(why),
        }
    };
    if let Some(why) = why {
        skipped::say("the tests against litecoind (custody, accept)", &why);
        return None;
    }
    Some(PathBuf::from(PACKAGE))
}

/// Names the program to the tests.
pub(crate) fn offer(tests: Step, program: Option<&Path>) -> Step {
    match program {
        Some(program) => tests.env(VARIABLE, program),
        None => tests,
    }
}
