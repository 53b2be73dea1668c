//! The web pages in Debian's chromium, each script of `proof/accept/browser` against a fresh sandbox. They leave pictures of the pages in
//! `target/screenshots`.

use std::fs;

use crate::exchange::Exchange;
use crate::npm::Packages;
use crate::repo::Repo;
use crate::{Done, debian, skipped};

/// The package of the program that drives chromium; it brings chromium.
const PACKAGE: &str = "chromium-driver";
/// The scripts. Each needs a fresh sandbox.
const SCRIPTS: [&str; 7] = ["site", "people", "trade", "account", "predictions", "operators", "console"];
const SCREENSHOTS: &str = "target/screenshots";
/// The flags of the sandboxes. One browser opens in a minute what people open in an hour, so rates are off.
const FLAGS: [&str; 8] = ["--clock", "manual", "--seed", "7", "--funds", "simulated", "--rate-limits", "off"];
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
    fs::create_dir_all(&screenshots).map_err(|error| format!("{SCREENSHOTS}: {error}"))?;
    SCRIPTS.iter().try_for_each(|name| try_pages(repo, name, has_checker))
}

/// Runs one script.
fn try_pages(repo: &Repo, name: &str, has_checker: bool) -> Done {
    let script = format!("proof/accept/browser/{name}.py");
    let exchange = Exchange::start(repo, &FLAGS)?;
    let step = repo.step("python3", [&script, &exchange.url, SCREENSHOTS]);
    let step = step.env("BUTTONWOOD_CREDENTIALS", &exchange.credentials).env("PYTHONDONTWRITEBYTECODE", "1");
    let step = if has_checker {
        step.env("BUTTONWOOD_AXE", repo.path(CHECKER.folder).join("node_modules/axe-core/axe.min.js"))
    } else {
        step
    };
    step.run().map_err(|why| exchange.trouble(&format!("{script} did not pass: {why}")))?;
    exchange.stop()
}

/// Installs the driver unless it is there; the error is what this machine lacks.
fn prepare(repo: &Repo) -> Done {
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
