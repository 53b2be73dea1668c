//! Licences, banned crates and sources of everything we depend on, as `deny.toml` wants them.

use crate::Done;
use crate::repo::{Repo, tail, unreachable};

pub(crate) fn run(repo: &Repo) -> Done {
    if !repo.cargo(["deny", "--version"]).works() {
        println!("cargo-deny is not installed: installing it takes some minutes");
        let output = repo.cargo(["install", "cargo-deny", "--locked"]).output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            if let Some(why) = unreachable(&said) {
                println!("SKIPPED deny: cargo-deny cannot be installed: {why}");
                return Ok(());
            }
            return Err(format!("cargo install cargo-deny failed:\n{}", tail(&said)));
        }
    }
    repo.cargo(["deny", "--workspace", "check", "bans", "licenses", "sources"]).run()
}
