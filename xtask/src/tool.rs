//! Cargo subcommands that a chore needs, installed if missing.

use crate::repo::{Repo, tail, unreachable};
use crate::skipped;

/// Whether `cargo WORD` is available, after installing it if missing. `false`, reported as skipped under the chore's
/// name, if the registry is out of reach. `version` pins a new installation.
pub(crate) fn have(repo: &Repo, word: &str, version: Option<&str>) -> Result<bool, String> {
    if repo.cargo([word, "--version"]).works() {
        return Ok(true);
    }
    let name = format!("cargo-{word}");
    println!("{name} is not installed: installing it takes some minutes");
    // Unoptimised, it builds in a third of the time, and what it does here takes seconds either way.
    let mut command = vec!["install", &name, "--locked", "--debug"];
    command.extend(version.into_iter().flat_map(|version| ["--version", version]));
    let output = repo.cargo(command).output()?;
    if output.status.success() {
        return Ok(true);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    match unreachable(&said) {
        Some(why) => {
            let why = format!("{name} cannot be installed (cargo install {name} --locked): {why}");
            skipped::say(word, &why);
            Ok(false)
        }
        None => Err(format!("cargo install {name} failed:\n{}", tail(&said))),
    }
}
