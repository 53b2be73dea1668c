//! npm, for packages that chores run.

use crate::repo::{Repo, last_line, unreachable};
use crate::skipped;

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
