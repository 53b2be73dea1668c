//! The benchmarks, always in release mode.

use crate::Done;
use crate::repo::Repo;

pub(crate) fn run(repo: &Repo, words: &[&str]) -> Done {
    let head = ["run", "--release", "--package", "buttonwood-bench", "--"];
    repo.cargo(head.iter().chain(words)).run()
}
