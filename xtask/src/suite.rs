//! All tests: with nextest if installed, else with cargo's own runner; then the documentation's examples, then ccxt,
//! other clients, schemathesis and the pages in a browser.

use std::ffi::OsStr;

use crate::repo::Repo;
use crate::{Done, anvil, browser, ccxt, clients, litecoin, openpyxl, schemathesis, skipped};

pub(crate) fn run(repo: &Repo) -> Done {
    let anvil = anvil::program(repo)?;
    let litecoind = litecoin::program(repo);
    let openpyxl = openpyxl::interpreter(repo)?;
    let offer = |tests| {
        let tests = litecoin::offer(anvil::offer(tests, anvil.as_deref()), litecoind.as_deref());
        openpyxl::offer(tests, openpyxl.as_ref())
    };
    if repo.cargo(["nextest", "--version"]).works() {
        let tests = repo.cargo(["nextest", "run", "--workspace", "--no-tests", "pass"]);
        offer(tests).run()?;
        repo.cargo(["test", "--quiet", "--workspace", "--doc"]).run()?;
    } else {
        println!("cargo-nextest is not installed: `cargo test` runs the tests");
        offer(repo.cargo(["test", "--workspace"])).run()?;
    }
    tell_of_small_disks(repo)?;
    ccxt::run(repo)?;
    clients::run(repo)?;
    schemathesis::run(repo)?;
    browser::run(repo)
}

/// The tests of full disks need a small disk. Without one they pass with a message that the runner hides, so this
/// checks again and reports it.
fn tell_of_small_disks(repo: &Repo) -> Done {
    const WHAT: &str = "the tests of full disks (accept, journal)";
    let dir = std::env::temp_dir().join(format!("buttonwood-xtask-{}", std::process::id()));
    std::fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let options = ["-t", "tmpfs", "-o", "size=2m", "buttonwood-test"].map(OsStr::new);
    if repo.step("mount", options.iter().copied().chain([dir.as_os_str()])).works() {
        repo.step("umount", ["-l".as_ref(), dir.as_os_str()]).run()?;
    } else {
        skipped::say(WHAT, "no root or no mount here");
    }
    std::fs::remove_dir(&dir).map_err(|error| format!("{}: {error}", dir.display()))
}
