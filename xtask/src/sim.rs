//! The simulator: lives and sweeps of seeds, optimised and with all checks on.

use crate::Done;
use crate::repo::Repo;

/// Runs the simulator with the given words.
pub(crate) fn run(repo: &Repo, words: &[&str]) -> Done {
    let mut command = vec!["run", "--quiet", "--profile", "sim", "--package", "buttonwood-sim", "--"];
    command.extend(words);
    repo.cargo(command).run()
}
