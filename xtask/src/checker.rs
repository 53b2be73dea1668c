//! The outside history checker: crowds of clients against the real binary, for the requested time.

use crate::Done;
use crate::repo::Repo;

/// Builds the exchange and the crowd, and runs the crowd with the given words.
pub(crate) fn run(repo: &Repo, words: &[&str]) -> Done {
    let package = ["--quiet", "--package", "buttonwood-accept"];
    repo.cargo(["build"].iter().chain(&package).chain(&["--bins"])).run()?;
    let head = ["--bin", "buttonwood-crowd", "--"];
    repo.cargo(["run"].iter().chain(&package).chain(&head).chain(words)).run()
}
