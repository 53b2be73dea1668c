//! npm, for packages that chores run.

use std::fs;

use crate::repo::{Repo, last_line, unreachable};
use crate::skipped;

/// The files that pin packages.
const PINS: [&str; 2] = ["package.json", "package-lock.json"];

/// Packages that a chore needs.
#[derive(Clone, Copy)]
pub(crate) struct Packages {
    /// Their name, for the report of a machine that lacks them.
    pub(crate) what: &'static str,
    /// The folder of the files that pin them.
    pub(crate) pins: &'static str,
    /// Where they are installed.
    pub(crate) folder: &'static str,
}

impl Packages {
    /// Installs them unless they are there; `false`, reported as skipped, if they are out of reach.
    pub(crate) fn prepare(&self, repo: &Repo) -> Result<bool, String> {
        let Self { what, pins, folder } = self;
        let wanted = PINS.map(|name| repo.read(format!("{pins}/{name}")));
        // npm writes this file when all is installed.
        let is_there = repo.path(folder).join("node_modules/.package-lock.json").is_file();
        let mut is_same = is_there;
        fs::create_dir_all(repo.path(folder)).map_err(|error| format!("{folder}: {error}"))?;
        for (name, wanted) in PINS.iter().zip(wanted) {
            let (path, wanted) = (format!("{folder}/{name}"), wanted?);
            is_same &= repo.read(&path).is_ok_and(|text| text == wanted);
            fs::write(repo.path(&path), wanted).map_err(|error| format!("{path}: {error}"))?;
        }
        if is_same {
            return Ok(true);
        }
        println!("installing the packages of {pins}/package.json into {folder}");
        run(repo, what, &["ci", "--prefix", folder])
    }
}

/// Runs npm with these words. `false`, reported as skipped under a name, if npm is not installed or its registry is out of reach, since
/// the machine lacks something, not the project. No package runs a script when it is installed.
pub(crate) fn run(repo: &Repo, what: &str, words: &[&str]) -> Result<bool, String> {
    const ALWAYS: [&str; 3] = ["--no-audit", "--no-fund", "--ignore-scripts"];
    if !repo.step("npm", ["--version"]).works() {
        skipped::say(what, "npm is not installed");
        return Ok(false);
    }
    let made = repo.step("npm", words.iter().chain(&ALWAYS)).output()?;
    if made.status.success() {
        return Ok(true);
    }
    let said = String::from_utf8_lossy(&[made.stdout, made.stderr].concat()).into_owned();
    match unreachable(&said).or_else(|| network_line(&said)) {
        Some(why) => {
            skipped::say(what, why);
            Ok(false)
        }
        None => Err(format!("`npm {}` failed: {}", words.join(" "), last_line(&said))),
    }
}

/// The line in which npm says that the network failed.
fn network_line(said: &str) -> Option<&str> {
    const CODES: [&str; 5] = ["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT"];
    let is_of_network = |line: &&str| {
        let rest = line.strip_prefix("npm error ").or_else(|| line.strip_prefix("npm ERR! "));
        let is_code = |code| CODES.contains(&code);
        rest.is_some_and(|rest| {
            rest.starts_with("network") || rest.strip_prefix("code ").is_some_and(is_code)
        })
    };
    said.lines().find(is_of_network)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_out_of_reach_is_told_from_a_wrong_package() {
        let gone = "npm warn old\nnpm error code ECONNREFUSED\nnpm error errno ECONNREFUSED";
        assert_eq!(network_line(gone), Some("npm error code ECONNREFUSED"));
        assert_eq!(network_line("npm ERR! network request failed"), Some("npm ERR! network request failed"));
        assert_eq!(network_line("npm error code E404\nnpm error 404 Not Found"), None);
    }
}
