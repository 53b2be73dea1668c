//! The scripts of the web pages without a browser: `node` runs the tests of `proof/accept/scripts`, in two seconds, and typescript checks
//! the modules of a market's page with all that they import. Nothing of it is needed to build or serve them.

use std::fs;

use crate::npm::Packages;
use crate::repo::{Repo, tail};
use crate::{Done, skipped};

const FOLDER: &str = "proof/accept/scripts/";
const ENDING: &str = ".test.mjs";

/// A program that only a node runs whose loader takes hooks, by which the tests find modules as the site serves them.
const PROBE: &str = "require('node:module').register.call";

/// The checker of types, and what makes types of the contract.
const CHECKER: Packages = Packages {
    what: "typescript, which checks the types of scripts",
    pins: "proof/accept/scripts",
    folder: "target/npm-scripts",
};
const PROJECT: &str = "proof/accept/scripts/tsconfig.json";
const CONTRACT: &str = "contract/openapi.json";

pub(crate) fn run(repo: &Repo) -> Done {
    if let Some(why) = lacking(repo) {
        skipped::say("scripts", why);
        return Ok(());
    }
    test(repo)?;
    check_types(repo)
}

fn test(repo: &Repo) -> Done {
    let files: Vec<String> = repo.files()?.into_iter().filter(|file| is_test(file)).collect();
    if files.is_empty() {
        return Err(format!("no {FOLDER}*{ENDING}"));
    }
    let words = ["--test", "--test-reporter=tap"].into_iter().chain(files.iter().map(String::as_str));
    let output = repo.step("node", words).output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let trouble = String::from_utf8_lossy(&output.stderr);
        return Err(format!("node fails tests of {FOLDER}:\n{}{}", failures(&said), tail(&trouble)));
    }
    match tests(&said) {
        Some(count) if count >= files.len() => {
            println!("scripts: {count} tests of {} files passed", files.len());
            Ok(())
        }
        _ => Err(format!("node ran no tests of {FOLDER}:\n{}", tail(&said))),
    }
}

fn check_types(repo: &Repo) -> Done {
    if !CHECKER.prepare(repo)? {
        return Ok(());
    }
    describe_answers(repo)?;
    let program = format!("{}/node_modules/typescript/bin/tsc", CHECKER.folder);
    let output = repo.step("node", [program.as_str(), "--project", PROJECT]).output()?;
    if output.status.success() {
        println!("scripts: the types of a market's page fit");
        return Ok(());
    }
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    Err(format!("types of scripts do not fit:\n{said}"))
}

/// Makes types of the answers in the contract, where `tsconfig.json` looks for them, unless they are of this contract already.
fn describe_answers(repo: &Repo) -> Done {
    let folder = CHECKER.folder;
    let (copy, types) = (format!("{folder}/contract.json"), format!("{folder}/contract.d.ts"));
    // Read and written anew: the maker of types refuses an object that has a name twice, even with the same value.
    let contract: serde_json::Value =
        serde_json::from_str(&repo.read(CONTRACT)?).map_err(|error| format!("{CONTRACT}: {error}"))?;
    let contract = contract.to_string();
    if repo.path(&types).is_file() && repo.read(&copy).is_ok_and(|text| text == contract) {
        return Ok(());
    }
    // Old types go first: a failure leaves none that the next run would take for new ones.
    match fs::remove_file(repo.path(&types)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(format!("{types}: {error}"));
        }
        _ => {}
    }
    fs::write(repo.path(&copy), contract).map_err(|error| format!("{copy}: {error}"))?;
    let program = format!("{folder}/node_modules/openapi-typescript/bin/cli.js");
    let output = repo.step("node", [program.as_str(), &copy, "--output", &types]).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    Err(format!("openapi-typescript makes no types of {CONTRACT}:\n{}", tail(&said)))
}

/// Why this machine cannot run them.
fn lacking(repo: &Repo) -> Option<&'static str> {
    if !repo.step("node", ["--version"]).works() {
        return Some("node is not installed");
    }
    (!repo.step("node", ["--eval", PROBE]).works()).then_some("they need node 18.19, 20.6 or newer")
}

fn is_test(file: &str) -> bool {
    file.strip_prefix(FOLDER).is_some_and(|name| name.ends_with(ENDING) && !name.contains('/'))
}

/// How many tests a report counts.
fn tests(report: &str) -> Option<usize> {
    report.lines().find_map(|line| line.strip_prefix("# tests ")?.parse().ok())
}

/// The failed tests of a report, with what each says.
fn failures(report: &str) -> String {
    let mut is_shown = false;
    let mut found = String::new();
    for line in report.lines() {
        let line = line.trim_start();
        if ["ok ", "not ok ", "# "].iter().any(|start| line.starts_with(start)) {
            is_shown = line.starts_with("not ok ");
        }
        // Stacks of node itself say nothing of the test.
        if is_shown && !line.contains("node:internal") && !line.contains("(node:") {
            found.push_str(line);
            found.push('\n');
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "TAP version 13\n    # Subtest: one\n    ok 1 - one\n      ---\n      duration_ms: 1\n      ...\n    \
                          not ok 2 - two\n      ---\n      error: '1 is not 2'\n      stack: |-\n        \
                          at new Promise (node:internal/a)\n      ...\n# tests 2\n# fail 1\n";

    #[test]
    fn a_report_is_read() {
        assert_eq!(tests(REPORT), Some(2));
        assert_eq!(tests("TAP version 13\n"), None);
        assert_eq!(failures(REPORT), "not ok 2 - two\n---\nerror: '1 is not 2'\nstack: |-\n...\n");
        assert_eq!(failures("ok 1 - one\n# tests 1\n"), "");
    }

    #[test]
    fn tests_are_in_one_folder() {
        assert!(is_test("proof/accept/scripts/figures.test.mjs"));
        for file in ["proof/accept/scripts/page.mjs", "edge/site/assets/figures.test.mjs"] {
            assert!(!is_test(file), "{file}");
        }
    }

    /// The repository's own tests are found, and no test is among the files that the site embeds.
    #[test]
    fn no_test_is_served() {
        let files = Repo::find().unwrap().files().unwrap();
        assert!(files.iter().filter(|file| is_test(file)).count() >= 5);
        assert!(!files.iter().any(|file| file.starts_with("edge/") && file.ends_with(ENDING)));
    }
}
