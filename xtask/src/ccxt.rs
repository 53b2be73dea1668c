//! Stock ccxt from PyPI against a fresh sandbox: `proof/accept/ccxt/first_trade.py`, the lines that the welcome shows, and the program of
//! `docs/STREAMS.md`.

use crate::Done;
use crate::examples;
use crate::exchange::Exchange;
use crate::python::Environment;
use crate::repo::Repo;

const ENVIRONMENT: Environment = Environment {
    chore: "ccxt",
    folder: ".venv",
    requirements: "proof/accept/ccxt/requirements.txt",
    modules: Some("ccxt"),
    is_complete: false,
};

pub(crate) fn run(repo: &Repo) -> Done {
    if !ENVIRONMENT.prepare(repo)? {
        return Ok(());
    }
    let exchange = Exchange::start(repo, &["--activity", "off"])?;
    repo.step(ENVIRONMENT.program("python"), ["proof/accept/ccxt/first_trade.py", &exchange.url])
        .env("BUTTONWOOD_CREDENTIALS", &exchange.credentials)
        .run()
        .map_err(|why| exchange.trouble(&format!("did not pass: {why}")))?;
    let snippet = snippet(&exchange.log())?;
    repo.step(ENVIRONMENT.program("python"), ["-c", &snippet])
        .run()
        .map_err(|why| exchange.trouble(&format!("showed lines that fail when they are pasted: {why}")))?;
    examples::run(repo, &exchange, "python ccxt", &ENVIRONMENT.program("python"), ".")?;
    exchange.stop()
}

/// Columns of a terminal.
const COLUMNS: usize = 80;

/// The Python lines of the welcome. Each fits a terminal.
fn snippet(welcome: &str) -> Result<String, String> {
    let (_, rest) = welcome.split_once("python3 -c \"").ok_or("the welcome has no lines of Python")?;
    let (snippet, _) = rest.split_once('"').ok_or("the welcome's Python has no end")?;
    match snippet.lines().find(|line| line.chars().count() > COLUMNS) {
        Some(line) => Err(format!("a line of the welcome is longer than {COLUMNS} characters: {line}")),
        None => Ok(snippet.to_owned()),
    }
}
