//! All tests: the pages' scripts, which take a second; the others with nextest if installed, else with cargo's own runner; then the
//! documentation's examples, then ccxt, other clients, schemathesis and the pages in a browser.

use crate::repo::Repo;
use crate::{Done, anvil, browser, ccxt, clients, litecoin, openpyxl, schemathesis, scripts, skipped};

pub(crate) fn run(repo: &Repo) -> Done {
    scripts::run(repo)?;
    let anvil = anvil::program(repo)?;
    let litecoind = litecoin::program(repo);
    let openpyxl = openpyxl::interpreter(repo)?;
    let offer = |tests| {
        let tests = litecoin::offer(anvil::offer(tests, anvil.as_deref()), litecoind.as_deref());
        openpyxl::offer(tests, openpyxl.as_ref())
    };
    if repo.cargo(["nextest", "--version"]).works() {
        let tests = repo.cargo(["nextest", "run", "--workspace", "--no-tests", "pass"]);
        skipped::run_tests(repo, offer(tests))?;
        repo.cargo(["test", "--quiet", "--workspace", "--doc"]).run()?;
    } else {
        println!("cargo-nextest is not installed: `cargo test` runs the tests");
        skipped::run_tests(repo, offer(repo.cargo(["test", "--workspace"])))?;
    }
    ccxt::run(repo)?;
    clients::run(repo)?;
    schemathesis::run(repo)?;
    browser::run(repo)
}
