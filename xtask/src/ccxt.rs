//! Stock ccxt from PyPI against a fresh sandbox: `proof/accept/ccxt/first_trade.py`.
//!
//! Makes its own Python environment in `.venv`. Where Python, its venv module or PyPI is out of reach it
//! says so in one line and counts as done, since that is the machine's lack and not ours.

use std::fs;

use crate::Done;
use crate::exchange::Exchange;
use crate::repo::{Repo, last_line, tail, unreachable};
use crate::skipped;

const ENVIRONMENT: &str = ".venv";
const PYTHON: &str = ".venv/bin/python";
const REQUIREMENTS: &str = "proof/accept/ccxt/requirements.txt";
/// A copy of the requirements that the environment was made from.
const INSTALLED: &str = ".venv/installed.txt";

/// How making the Python environment went, when nothing is wrong.
enum Environment {
    Ready,
    OutOfReach(String),
}

pub(crate) fn run(repo: &Repo) -> Done {
    if let Environment::OutOfReach(why) = prepare(repo)? {
        skipped::say("ccxt", &why);
        return Ok(());
    }
    let exchange = Exchange::start(repo, &["--header-prefix", "X-GEMINI", "--activity", "off"])?;
    repo.step(PYTHON, ["proof/accept/ccxt/first_trade.py", &exchange.url])
        .env("BUTTONWOOD_CREDENTIALS", &exchange.credentials)
        .run()
        .map_err(|why| exchange.trouble(&format!("did not pass: {why}")))?;
    exchange.stop()
}

fn prepare(repo: &Repo) -> Result<Environment, String> {
    let wanted = repo.read(REQUIREMENTS)?;
    if repo.read(INSTALLED).is_ok_and(|installed| installed == wanted)
        && repo.step(PYTHON, ["-c", "import ccxt"]).works()
    {
        return Ok(Environment::Ready);
    }
    if !repo.step("python3", ["--version"]).works() {
        return Ok(Environment::OutOfReach("python3 is not installed".to_owned()));
    }
    let made = repo.step("python3", ["-m", "venv", "--clear", ENVIRONMENT]).output()?;
    if !made.status.success() {
        let said = [made.stdout, made.stderr].concat();
        let why = format!("python3 makes no venv: {}", last_line(&String::from_utf8_lossy(&said)));
        return Ok(Environment::OutOfReach(why));
    }
    println!("ccxt: installing {} into {ENVIRONMENT}", wanted.trim().replace('\n', ", "));
    let pip =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", REQUIREMENTS];
    let installed = repo.step(PYTHON, pip).output()?;
    if !installed.status.success() {
        let said = String::from_utf8_lossy(&installed.stderr);
        if let Some(why) = unreachable(&said) {
            return Ok(Environment::OutOfReach(format!("PyPI is out of reach: {why}")));
        }
        return Err(format!("pip cannot install {REQUIREMENTS}:\n{}", tail(&said)));
    }
    fs::write(repo.path(INSTALLED), wanted).map_err(|error| format!("{INSTALLED}: {error}"))?;
    Ok(Environment::Ready)
}
