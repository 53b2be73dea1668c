//! Hostile calls of every operation of the contract, over HTTP, against the exchange's own binary.
//!
//! Both are built in the simulator's profile: optimised, with all checks on.

use crate::Done;
use crate::repo::Repo;

/// Builds the exchange and the fuzzer, and runs the fuzzer with the given words.
pub(crate) fn run(repo: &Repo, words: &[&str]) -> Done {
    let of_profile = ["--quiet", "--profile", "sim", "--package"];
    repo.cargo(["build"].iter().chain(&of_profile).chain(&["buttonwood"])).run()?;
    let head = ["buttonwood-hostile", "--"];
    repo.cargo(["run"].iter().chain(&of_profile).chain(&head).chain(words)).run()
}
