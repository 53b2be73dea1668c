//! The benchmarks, always in release mode.

use crate::repo::Repo;
use crate::{Done, debian};

/// The number of the benchmark that compares with PostgreSQL.
const DATABASE: &str = "9";

pub(crate) fn run(repo: &Repo, words: &[&str]) -> Done {
    if wants_database(words) && !std::path::Path::new("/usr/lib/postgresql").exists() {
        // Without it, the benchmark itself reports that it is skipped.
        if let Err(why) = debian::install(repo, "postgresql") {
            println!("bench: {why}");
        }
    }
    let head = ["run", "--release", "--package", "buttonwood-bench", "--"];
    repo.cargo(head.iter().chain(words)).run()
}

/// Whether it is requested: by number, or because no number is given.
fn wants_database(words: &[&str]) -> bool {
    let is_number = |word: &&&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let after_pairs = |at: usize| at > 0 && words.get(at - 1) == Some(&"--pairs");
    let mut numbers =
        words.iter().enumerate().filter(|(at, word)| is_number(word) && !after_pairs(*at)).peekable();
    words.contains(&"all") || numbers.peek().is_none() || numbers.any(|(_, word)| *word == DATABASE)
}

#[cfg(test)]
mod tests {
    use super::wants_database;

    #[test]
    fn the_database_is_wanted_by_number_or_with_all() {
        for wants in [&[][..], &["all"], &["9", "--quick"], &["7", "9"], &["--pairs", "3"], &["--write"]] {
            assert!(wants_database(wants), "{wants:?}");
        }
        for wants_not in [&["1"][..], &["7", "--pairs", "9"], &["--pairs", "9", "10"]] {
            assert!(!wants_database(wants_not), "{wants_not:?}");
        }
    }
}
