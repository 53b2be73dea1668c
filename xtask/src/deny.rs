//! Licences, banned crates, sources and security advisories of all dependencies, checked against `deny.toml`.

use crate::repo::{Repo, tail, unreachable};
use crate::{Done, skipped, tool};

pub(crate) fn run(repo: &Repo) -> Done {
    if !tool::have(repo, "deny", None)? {
        return Ok(());
    }
    repo.cargo(["deny", "--workspace", "check", "bans", "licenses", "sources"]).run()?;
    advisories(repo)
}

/// Compares the dependencies with the RustSec database, after fetching its current state.
fn advisories(repo: &Repo) -> Done {
    let fetched = repo.cargo(["deny", "--color", "never", "fetch", "db"]).output()?;
    if !fetched.status.success() {
        let said = String::from_utf8_lossy(&fetched.stderr);
        let why = out_of_reach(&said)
            .ok_or_else(|| format!("cargo deny fetch db: {}\n{}", fetched.status, tail(&said)))?;
        skipped::say("advisories", &format!("the RustSec database cannot be fetched: {why}"));
        return Ok(());
    }
    repo.cargo(["deny", "--workspace", "check", "advisories"]).run()
}

/// Why the database could not be fetched, if that is what failed.
fn out_of_reach(said: &str) -> Option<&str> {
    let line = said.lines().find(|line| line.contains("failed to fetch advisory database"))?;
    // The network's own error, if there is one.
    Some(unreachable(said).unwrap_or(line.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_out_of_reach_is_told_from_other_failures() {
        let failed = "[ERROR] failed to fetch advisory database https://example.invalid/db: it failed";
        assert_eq!(out_of_reach(failed), Some(failed));
        let cause = "fatal: unable to access 'https://example.invalid/': Could not resolve host";
        assert_eq!(out_of_reach(&format!("{failed}\n{cause}\n")), Some(cause));
        assert_eq!(out_of_reach("[ERROR] failed to validate configuration file deny.toml"), None);
    }
}
