//! Published clients of the interface, and of OAuth 2.0, from PyPI and npm against a fresh sandbox, unmodified but for its address:
//! `proof/accept/clients`. Both registries' files pin all packages.
//!
//! The packages that gemini-python names are not installed with it: two of them claim the same module, so that it would not start anywhere.
//! The programs of `docs/STREAMS.md` run there too. npm's gemini-exchange-api is left out: it sends the headers of another exchange.

use crate::examples;
use crate::exchange::Exchange;
use crate::npm::Packages;
use crate::python::Environment;
use crate::repo::Repo;
use crate::{Done, skipped};

const ENVIRONMENT: Environment = Environment {
    chore: "clients",
    folder: ".venv-clients",
    requirements: "proof/accept/clients/requirements.txt",
    modules: Some("authlib, gemini, gemini_api, geminipy, websockets"),
    // Two packages that gemini-python names have the same module, so that it would not start.
    is_complete: true,
};

/// Those from npm.
const PACKAGES: Packages =
    Packages { what: "the clients from npm", pins: "proof/accept/clients", folder: "target/npm-clients" };

pub(crate) fn run(repo: &Repo) -> Done {
    let (has_python, has_npm) = (ENVIRONMENT.prepare(repo)?, prepare_npm(repo)?);
    if !has_python && !has_npm {
        return Ok(());
    }
    let exchange = Exchange::start(repo, &["--activity", "off", "--funds", "simulated"])?;
    let failed = |why| exchange.trouble(&format!("did not pass: {why}"));
    let run = |program: &str, script: &str| {
        let step = repo.step(program, [&format!("proof/accept/clients/{script}"), &exchange.url]);
        let step = step.env("NODE_PATH", repo.path(PACKAGES.folder).join("node_modules"));
        step.env("BUTTONWOOD_CREDENTIALS", &exchange.credentials).run().map_err(failed)
    };
    if has_python {
        let python = ENVIRONMENT.program("python");
        run(&python, "from_pypi.py")?;
        run(&python, "oauth_from_pypi.py")?;
        run(&python, "sockets_from_pypi.py")?;
        examples::run(repo, &exchange, "python", &python, PACKAGES.folder)?;
    }
    if has_npm {
        run("node", "from_npm.cjs")?;
        run("node", "oauth_from_npm.cjs")?;
        run("node", "sockets_from_npm.cjs")?;
        run("node", "asyncapi.cjs")?;
        examples::run(repo, &exchange, "js", "node", PACKAGES.folder)?;
        examples::run(repo, &exchange, "js ccxt", "node", PACKAGES.folder)?;
    }
    exchange.stop()
}

/// Installs those from npm unless they are there; `false`, reported as skipped, if they are out of reach.
fn prepare_npm(repo: &Repo) -> Result<bool, String> {
    if !PACKAGES.prepare(repo)? {
        return Ok(false);
    }
    if repo.step("node", ["--eval", "fetch"]).works() {
        return Ok(true);
    }
    skipped::say(PACKAGES.what, "they need node 18 or newer");
    Ok(false)
}
