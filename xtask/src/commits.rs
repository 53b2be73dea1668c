//! The new commits of a branch, each by itself: its message, and in seconds whether it could build.
//!
//! The first commit is not looked at: the last one that landed before the rules held, or a later one that someone chose, in
//! `xtask/commits-from`. A tree is not built, only read: the files of its modules exist, and so do the crates and the names that
//! it imports. `--build` builds each commit in a worktree of its own.

mod git;
mod message;
mod source;
mod tokens;
mod tree;

use std::collections::BTreeMap;

use crate::repo::Repo;
use crate::{Done, skipped};

/// The file with the commit after which the new ones begin.
const FROM: &str = "xtask/commits-from";

/// The worktree in which commits are built, and the folder of the builds.
const COPY: &str = "target/commits/tree";
const BUILD: &str = "target/commits/build";

/// A commit with its message and the changed lines of each file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Commit {
    id: String,
    message: String,
    changed: BTreeMap<String, usize>,
}

impl Commit {
    /// Its id, abbreviated, and its subject, for a line of a report.
    fn name(&self) -> String {
        format!("{} ({})", self.id.get(..9).unwrap_or(&self.id), message::subject(&self.message))
    }
}

/// Checks the new commits, and with `--build` builds each of them too.
pub(crate) fn run(repo: &Repo, words: &[&str]) -> Done {
    let is_building = match words {
        [] => false,
        ["--build"] => true,
        [other, ..] => return Err(format!("`{other}` is not understood; `--build` builds each commit")),
    };
    let from = repo.read(FROM)?;
    let from = from.trim();
    if !git::is_known(repo, from) {
        skipped::say("commits", &format!("this clone has no history back to {from} ({FROM})"));
        return Ok(());
    }
    let commits = git::after(repo, from)?;
    let mut wrong = Vec::new();
    let mut trees = tree::Trees::new(repo)?;
    for commit in &commits {
        let found = message::check(commit).into_iter().chain(trees.check(&commit.id)?);
        wrong.extend(found.map(|why| format!("{}: {why}", commit.name())));
    }
    if is_building {
        wrong.extend(build(repo, &commits)?);
    }
    for line in &wrong {
        println!("commits: {line}");
    }
    if wrong.is_empty() {
        println!("commits: {} commits in order", commits.len());
        return Ok(());
    }
    Err(format!("{} things are wrong in {} commits", wrong.len(), commits.len()))
}

/// Builds each commit; the failures.
fn build(repo: &Repo, commits: &[Commit]) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    for commit in commits {
        println!("commits: building {}", commit.name());
        git::put_worktree(repo, COPY, &commit.id)?;
        let copy = Repo::at(repo.path(COPY));
        let step = copy.cargo(["check", "--quiet", "--workspace", "--all-targets"]);
        if let Err(why) = step.env("CARGO_TARGET_DIR", repo.path(BUILD)).run() {
            wrong.push(format!("{}: {why}", commit.name()));
        }
    }
    git::remove_worktree(repo, COPY)?;
    Ok(wrong)
}
