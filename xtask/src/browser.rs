//! The web pages in Debian's chromium against a fresh sandbox: `market_page.py` and `people.py` in `proof/accept/browser`. They leave
//! pictures of them in `target/screenshots`.

use std::fs;

use crate::exchange::Exchange;
use crate::repo::Repo;
use crate::{Done, debian, skipped};

/// The package of the program that drives chromium; it brings chromium.
const PACKAGE: &str = "chromium-driver";
/// The pages of markets first: they begin a new collection of pictures.
const SCRIPTS: [&str; 2] = ["proof/accept/browser/market_page.py", "proof/accept/browser/people.py"];
const SCREENSHOTS: &str = "target/screenshots";

pub(crate) fn run(repo: &Repo) -> Done {
    if let Err(why) = prepare(repo) {
        skipped::say("browser", &why);
        return Ok(());
    }
    fs::create_dir_all(repo.path(SCREENSHOTS)).map_err(|error| format!("{SCREENSHOTS}: {error}"))?;
    let exchange = Exchange::start(repo, &["--clock", "manual", "--seed", "7"])?;
    for script in SCRIPTS {
        repo.step("python3", [script, &exchange.url, SCREENSHOTS])
            .env("BUTTONWOOD_CREDENTIALS", &exchange.credentials)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .run()
            .map_err(|why| exchange.trouble(&format!("{script} did not pass: {why}")))?;
    }
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
