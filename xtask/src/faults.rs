//! The sweep of faults on real kernels and disks: builds the binary under test and the sweep, and runs the sweep.

use serde_json::Value;

use crate::Done;
use crate::repo::Repo;

const UNDER_TEST: &str = "buttonwood-under-test";
const SWEEP: &str = "buttonwood-faults";

pub(crate) fn run(repo: &Repo, words: &[&str]) -> Done {
    // With the features of the tests, so that nothing is built twice.
    let build = ["build", "--workspace", "--bin", UNDER_TEST, "--bin", SWEEP];
    let told = repo.cargo(build.iter().chain(&["--message-format", "json-render-diagnostics"])).stdout()?;
    let program = |name: &str| {
        told.lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter(|message| message.pointer("/target/name").and_then(Value::as_str) == Some(name))
            .find_map(|message| Some(message.get("executable")?.as_str()?.to_owned()))
            .ok_or_else(|| format!("cargo built no program called `{name}`"))
    };
    repo.step(program(SWEEP)?, words).env("BUTTONWOOD_UNDER_TEST", program(UNDER_TEST)?).run_heard()
}
