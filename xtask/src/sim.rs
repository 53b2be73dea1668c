//! The simulator: lives and sweeps of seeds, optimised and with every check on.

use crate::Done;
use crate::repo::Repo;

/// Plants bugs in a build of its own, one after another; each must be found.
pub(crate) fn planted(repo: &Repo, words: &[&str]) -> Done {
    let mut command = vec!["run", "--quiet", "--profile", "sim", "--package", "buttonwood-sim"];
    command.extend(["--features", "planted", "--target-dir", "target/planted", "--"]);
    command.extend(if words.is_empty() { &["--planted", "all"] } else { words });
    repo.cargo(command).run()
}

/// Runs the simulator with the words given to it.
pub(crate) fn run(repo: &Repo, words: &[&str]) -> Done {
    let mut command = vec!["run", "--quiet", "--profile", "sim", "--package", "buttonwood-sim", "--"];
    command.extend(words);
    repo.cargo(command).run()
}
