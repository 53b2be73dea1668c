//! The web pages in Debian's chromium, each script of `proof/accept/browser` against a fresh sandbox. They leave pictures of the pages in
//! `target/screenshots`.

use std::fs;
use std::path::Path;

use crate::exchange::Exchange;
use crate::npm::Packages;
use crate::repo::{Repo, Step};
use crate::{Done, debian, skipped};

/// The package of the program that drives chromium; it brings chromium.
const PACKAGE: &str = "chromium-driver";
/// The scripts. Each needs a fresh sandbox.
pub(crate) const SCRIPTS: [&str; 9] =
    ["site", "people", "trade", "notices", "account", "predictions", "operators", "console", "lists"];
const SCREENSHOTS: &str = "target/screenshots";
/// The flags of the sandboxes. One browser opens in a minute what people open in an hour, so rates are off.
pub(crate) const FLAGS: [&str; 8] =
    ["--clock", "manual", "--seed", "7", "--funds", "simulated", "--rate-limits", "off"];
/// Those of the sandbox whose pages are timed: its clock goes, and its market maker with it.
const TIMED: [&str; 6] = ["--seed", "7", "--funds", "simulated", "--rate-limits", "off"];
/// A whole script.
const NO_CHECKS: [&str; 0] = [];
/// The checker of accessibility that the scripts run in each page.
const CHECKER: Packages = Packages {
    what: "axe-core, which checks the accessibility of pages",
    pins: "proof/accept/browser",
    folder: "target/npm-browser",
};

pub(crate) fn run(repo: &Repo) -> Done {
    if let Err(why) = prepare(repo) {
        skipped::say("browser", &why);
        return Ok(());
    }
    let has_checker = CHECKER.prepare(repo)?;
    // Pictures of an earlier run would show pages that are gone.
    let screenshots = repo.path(SCREENSHOTS);
    if screenshots.exists() {
        fs::remove_dir_all(&screenshots).map_err(|error| format!("{SCREENSHOTS}: {error}"))?;
    }
    folder(repo)?;
    SCRIPTS.iter().try_for_each(|name| try_pages(repo, name, has_checker))
}

/// How fast the pages are here: sizes, starts, calls and frames. Figures for people, not a test.
pub(crate) fn speed(repo: &Repo) -> Done {
    prepare(repo)?;
    let exchange = Exchange::start(repo, &TIMED)?;
    let step = visit(repo, "speed", &exchange.url, &exchange.credentials, folder(repo)?, &NO_CHECKS);
    step.run().map_err(|why| exchange.trouble(&format!("speed.py did not pass: {why}")))?;
    exchange.stop()
}

/// Runs one script.
fn try_pages(repo: &Repo, name: &str, has_checker: bool) -> Done {
    let exchange = Exchange::start(repo, &FLAGS)?;
    let step = visit(repo, name, &exchange.url, &exchange.credentials, SCREENSHOTS, &NO_CHECKS);
    let step = if has_checker {
        step.env("BUTTONWOOD_AXE", repo.path(CHECKER.folder).join("node_modules/axe-core/axe.min.js"))
    } else {
        step
    };
    step.run().map_err(|why| exchange.trouble(&format!("{name}.py did not pass: {why}")))?;
    exchange.stop()
}

/// One script against a sandbox, or those of its checks that are named, without the checker of accessibility.
pub(crate) fn visit<S: AsRef<str>>(
    repo: &Repo,
    name: &str,
    url: &str,
    credentials: &Path,
    screenshots: &str,
    checks: &[S],
) -> Step {
    let script = format!("proof/accept/browser/{name}.py");
    let words = [script.as_str(), url, screenshots].into_iter().chain(checks.iter().map(AsRef::as_ref));
    let step = repo.step("python3", words);
    step.env("BUTTONWOOD_CREDENTIALS", credentials).env("PYTHONDONTWRITEBYTECODE", "1")
}

/// The folder of the pictures, which is made if it is not there.
pub(crate) fn folder(repo: &Repo) -> Result<&'static str, String> {
    fs::create_dir_all(repo.path(SCREENSHOTS)).map_err(|error| format!("{SCREENSHOTS}: {error}"))?;
    Ok(SCREENSHOTS)
}

/// Installs the driver unless it is there; the error is what this machine lacks.
pub(crate) fn prepare(repo: &Repo) -> Done {
    if !repo.step("python3", ["--version"]).works() {
        return Err("python3 is not installed".to_owned());
    }
    let works = || ["chromedriver", "chromium"].iter().all(|name| repo.step(name, ["--version"]).works());
    if works() {
        return Ok(());
    }
    debian::install(repo, PACKAGE)?;
    if works() { Ok(()) } else { Err(format!("{PACKAGE} is installed, but does not run")) }
}
