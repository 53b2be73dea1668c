//! Schemathesis from PyPI against a fresh sandbox: generated calls of the contract, valid and invalid. The replies
//! must match the contract and never be 5xx. `proof/accept/schemathesis/signing.py` signs the calls.

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

/// Always the same calls: the same number per route, from the same seed. Maintenance is excluded, because all other
/// calls return 503 in it.
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

/// A run that hangs is ended after this many seconds.
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
