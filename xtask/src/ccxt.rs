//! Stock ccxt from PyPI against a fresh sandbox: `proof/accept/ccxt/first_trade.py`.

use crate::Done;
use crate::exchange::Exchange;
use crate::python::Environment;
use crate::repo::Repo;

const ENVIRONMENT: Environment =
    Environment { chore: "ccxt", folder: ".venv", requirements: "proof/accept/ccxt/requirements.txt" };

pub(crate) fn run(repo: &Repo) -> Done {
    if !ENVIRONMENT.prepare(repo)? {
        return Ok(());
    }
    let exchange = Exchange::start(repo, &["--header-prefix", "X-GEMINI", "--activity", "off"])?;
    repo.step(ENVIRONMENT.program("python"), ["proof/accept/ccxt/first_trade.py", &exchange.url])
        .env("BUTTONWOOD_CREDENTIALS", &exchange.credentials)
        .run()
        .map_err(|why| exchange.trouble(&format!("did not pass: {why}")))?;
    exchange.stop()
}
