//! Anvil, a node of Ethereum for tests, from npm: `edge/custody` and `proof/accept` run their tests of a real node against it.
//!
//! Without npm, or without its registry, these tests are skipped with one line, since the machine lacks something, not
//! the project.

use std::fs;
use std::path::{Path, PathBuf};

use crate::repo::{Repo, Step};
use crate::{npm, skipped};

/// The pinned package.
const PACKAGE: &str = "@foundry-rs/anvil@1.7.1";

/// Where it is installed.
const FOLDER: &str = "target/anvil-1.7.1";

/// The variable by which the tests find it.
const VARIABLE: &str = "BUTTONWOOD_ANVIL";

/// The program, installed if it is not there yet; `None`, reported as skipped, if it is out of reach.
pub(crate) fn program(repo: &Repo) -> Result<Option<PathBuf>, String> {
    const WHAT: &str = "the tests against anvil (custody, real nodes)";
    if let Some(program) = find(&repo.path(FOLDER)) {
        return Ok(Some(program));
    }
    println!("anvil: installing {PACKAGE} into {FOLDER}");
    if !npm::run(repo, WHAT, &["install", "--prefix", FOLDER, PACKAGE])? {
        return Ok(None);
    }
    let found = find(&repo.path(FOLDER));
    if found.is_none() {
        skipped::say(WHAT, "the package has no program for this machine");
    }
    Ok(found)
}

/// Names the program to the tests.
pub(crate) fn offer(tests: Step, program: Option<&Path>) -> Step {
    match program {
        Some(program) => tests.env(VARIABLE, program),
        None => tests,
    }
}

/// The program in the package of this machine's kind.
fn find(folder: &Path) -> Option<PathBuf> {
    let packages = fs::read_dir(folder.join("node_modules/@foundry-rs")).ok()?;
    packages.flatten().map(|package| package.path().join("bin/anvil")).find(|program| program.is_file())
}
