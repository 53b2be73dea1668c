//! Mutation of the rooms that money and memory depend on: of every ten changed lines, nine must fail a test.

use crate::Done;
use crate::repo::Repo;

/// What is mutated, and whose tests must notice.
const ROOMS: [(&str, &[&str], &[&str]); 2] = [
    (
        "core",
        &["buttonwood-num", "buttonwood-ledger", "buttonwood-book"],
        &["buttonwood-num", "buttonwood-ledger", "buttonwood-book", "buttonwood-spot", "buttonwood-engine"],
    ),
    ("journal", &["buttonwood-journal"], &["buttonwood-journal"]),
];

/// Of a hundred mutants, how many must be caught.
const CAUGHT_MIN: usize = 90;

/// Exit codes by which cargo-mutants says that it ran to its end: all caught, some missed, some timed out.
const ENDED: [i32; 3] = [0, 2, 3];

/// Runs one shard of all mutants, `K/N` counted from 0; without one, all of them, which takes hours.
pub(crate) fn run(repo: &Repo, words: &[&str]) -> Done {
    let shard = match words {
        [] => "0/1",
        [shard] if is_shard(shard) => shard,
        [other, ..] => return Err(format!("`{other}`: a shard is K/N, with K below N")),
    };
    if repo.cargo(["mutants", "--version"]).run().is_err() {
        println!("SKIPPED mutants: cargo-mutants is not installed (cargo install cargo-mutants --locked)");
        return Ok(());
    }
    for (name, mutated, tested) in ROOMS {
        let out = format!("target/mutants-{name}");
        let tested = tested.join(",");
        let mut command = vec!["mutants", "--no-shuffle", "--shard", shard, "--output", &out];
        command.extend(mutated.iter().flat_map(|room| ["--package", room]));
        command.extend(["--test-package", &tested]);
        let code = repo.cargo(command).code()?;
        if !ENDED.contains(&code) {
            return Err(format!("cargo mutants ended with {code}"));
        }
        judge(repo, name, &out)?;
    }
    Ok(())
}

/// Counts what was caught; the rest is listed, to be explained or tested.
fn judge(repo: &Repo, name: &str, out: &str) -> Done {
    let lines = |file: &str| -> Result<Vec<String>, String> {
        let text = repo.read(format!("{out}/mutants.out/{file}.txt"))?;
        Ok(text.lines().map(str::to_owned).collect())
    };
    // One that never ends is noticed.
    let caught = lines("caught")?.len() + lines("timeout")?.len();
    let missed = lines("missed")?;
    for mutant in &missed {
        println!("survived: {mutant}");
    }
    println!("mutants: {name}: {caught} of {} caught", caught + missed.len());
    if is_enough(caught, missed.len()) {
        Ok(())
    } else {
        Err(format!("{name}: fewer than {CAUGHT_MIN} of 100 mutants are caught"))
    }
}

fn is_enough(caught: usize, missed: usize) -> bool {
    caught * 100 >= (caught + missed) * CAUGHT_MIN
}

fn is_shard(text: &str) -> bool {
    let parsed =
        text.split_once('/').and_then(|(k, n)| Some((k.parse::<u32>().ok()?, n.parse::<u32>().ok()?)));
    parsed.is_some_and(|(k, n)| k < n)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shard that makes no sense is no shard.
    #[test]
    fn shards_are_numbers_below_their_count() {
        assert!(is_shard("0/1") && is_shard("7/8"));
        for text in ["", "1", "1/1", "8/8", "a/8", "-1/8", "1/8/9"] {
            assert!(!is_shard(text), "{text}");
        }
    }

    #[test]
    fn nine_of_ten_are_enough() {
        assert!(is_enough(9, 1) && is_enough(0, 0));
        assert!(!is_enough(89, 11));
    }
}
