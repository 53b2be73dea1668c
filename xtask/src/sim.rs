//! The simulator: lives and sweeps of seeds, optimised and with every check on.

use crate::Done;
use crate::repo::Repo;

/// Plants bugs in a build of its own, one after another; each must be found.
pub(crate) fn planted(repo: &Repo, words: &[&str]) -> Done {
    let mut command = vec!["run", "--quiet", "--profile", "sim", "--package", "buttonwood-sim"];
    command.extend(["--features", "planted", "--target-dir", "target/planted", "--"]);
    command.extend(to_plant(words)?);
    repo.cargo(command).run()
}

/// The words that go to the simulator. Without `--planted` it would plant nothing, find nothing and be content.
fn to_plant<'a>(words: &'a [&'a str]) -> Result<&'a [&'a str], String> {
    const PLANTS: [&str; 3] = ["--planted", "--help", "-h"];
    match words {
        [] => Ok(&["--planted", "all"]),
        words if words.iter().any(|word| PLANTS.contains(word)) => Ok(words),
        words => Err(format!("planted {}: `--planted N` or `--planted all` says how many", words.join(" "))),
    }
}

/// Runs the simulator with the words given to it.
pub(crate) fn run(repo: &Repo, words: &[&str]) -> Done {
    let mut command = vec!["run", "--quiet", "--profile", "sim", "--package", "buttonwood-sim", "--"];
    command.extend(words);
    repo.cargo(command).run()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that would plant nothing are refused by name.
    #[test]
    fn nothing_planted_is_no_success() {
        assert_eq!(to_plant(&[]).unwrap(), ["--planted", "all"]);
        assert_eq!(to_plant(&["--planted", "2", "--seed", "3"]).unwrap().len(), 4);
        assert!(to_plant(&["--seed", "3"]).unwrap_err().starts_with("planted --seed 3: "));
    }
}
