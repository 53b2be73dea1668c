//! Schemathesis from PyPI against a fresh sandbox: calls made of the contract, good and bad, whose answers must be as the
//! contract says and never 5xx. `proof/accept/schemathesis/signing.py` signs them.

use crate::Done;
use crate::exchange::Exchange;
use crate::python::Environment;
use crate::repo::Repo;

const ENVIRONMENT: Environment = Environment {
    chore: "schemathesis",
    folder: ".venv-schemathesis",
    requirements: "proof/accept/schemathesis/requirements.txt",
};

const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_headers_conformance,response_schema_conformance";

/// The same calls every time: as many of each route, and from the same seed. Maintenance is left out, because all other
/// calls are 503 in it.
const CALLS: [&str; 17] = [
    "--checks",
    CHECKS,
    "--phases",
    "examples,coverage,fuzzing",
    "--max-examples",
    "40",
    "--max-failures",
    "20",
    "--seed",
    "7",
    "--exclude-path",
    "/sandbox/maintenance",
    "--suppress-health-check",
    "all",
    "--generation-database",
    "none",
    "--no-color",
];

/// A run that hangs ends after so many seconds.
const SECONDS_MAX: &str = "240";

pub(crate) fn run(repo: &Repo) -> Done {
    if !ENVIRONMENT.prepare(repo)? {
        return Ok(());
    }
    let exchange = Exchange::start(repo, &["--activity", "off", "--rate-limits", "off"])?;
    let schemathesis = ENVIRONMENT.program("schemathesis");
    let contract = format!("{}/openapi.json", exchange.url);
    let run = ["--kill-after=10", SECONDS_MAX, &schemathesis, "run", &contract];
    repo.step("timeout", run.into_iter().chain(CALLS))
        .env("BUTTONWOOD_CREDENTIALS", &exchange.credentials)
        .env("SCHEMATHESIS_HOOKS", "signing")
        .env("PYTHONPATH", repo.path("proof/accept/schemathesis"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .run()
        .map_err(|why| exchange.trouble(&format!("did not pass: {why}")))?;
    exchange.stop()
}
