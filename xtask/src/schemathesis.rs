//! Schemathesis from PyPI against a fresh sandbox: generated calls of the contract, valid and invalid. The replies
//! must match the contract and never be 5xx. `proof/accept/schemathesis/signing.py` signs the calls and counts the
//! statuses of their replies.

use crate::Done;
use crate::exchange::Exchange;
use crate::python::Environment;
use crate::repo::Repo;

const ENVIRONMENT: Environment = Environment {
    chore: "schemathesis",
    folder: ".venv-schemathesis",
    requirements: "proof/accept/schemathesis/requirements.txt",
    modules: Some("schemathesis"),
    is_complete: false,
};

const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_headers_conformance,response_schema_conformance";

/// Always the same calls: the same number per route, from the same seed. Maintenance is excluded, because all other
/// calls return 503 in it, and so is the switch of rewards, whose calls return 503 while it is off.
const CALLS: [&str; 21] = [
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
    "--exclude-path",
    "/sandbox/halt",
    "--exclude-path",
    "/sandbox/predictions/rewards",
    "--suppress-health-check",
    "all",
    "--generation-database",
    "none",
    "--no-color",
];

/// Signed calls that succeed with generated input. Each needs a reply with status 200, or the gate refused all of them.
const SUCCEED: &[&str] = &[
    "/v1/balances",
    "/v1/heartbeat",
    "/v1/mytrades",
    "/v1/notionalbalances/{currency}",
    "/v1/order/cancel",
    "/v1/order/cancel/all",
    "/v1/order/cancel/session",
    "/v1/order/new",
    "/v1/order/status",
    "/v1/orders",
    "/v1/orders/history",
    "/v1/roles",
    "/v2/fxrate/{symbol}/{timestamp}",
];

/// Switches rewards on.
const SWITCH: &str = "import sys, urllib.request as web; \
                      web.urlopen(web.Request(sys.argv[1], b'{\"enabled\":true}', {'Content-Type': 'application/json'})).read()";

/// A run that hangs is ended after this many seconds.
const SECONDS_MAX: &str = "240";

pub(crate) fn run(repo: &Repo) -> Done {
    if !ENVIRONMENT.prepare(repo)? {
        return Ok(());
    }
    let exchange = Exchange::start(repo, &["--activity", "off", "--rate-limits", "off"])?;
    let rewards = format!("{}/sandbox/predictions/rewards", exchange.url);
    let python = ENVIRONMENT.program("python");
    let switched = repo.step(&python, ["-c", SWITCH, &rewards]).run();
    switched.map_err(|why| exchange.trouble(&format!("did not switch rewards on: {why}")))?;
    let statuses = exchange.scratch.join("statuses");
    let schemathesis = ENVIRONMENT.program("schemathesis");
    let contract = format!("{}/openapi.json", exchange.url);
    let run = ["--kill-after=10", SECONDS_MAX, &schemathesis, "run", &contract];
    repo.step("timeout", run.into_iter().chain(CALLS))
        .env("BUTTONWOOD_CREDENTIALS", &exchange.credentials)
        .env("BUTTONWOOD_STATUSES", &statuses)
        .env("SCHEMATHESIS_HOOKS", "signing")
        .env("PYTHONPATH", repo.path("proof/accept/schemathesis"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .run()
        .map_err(|why| exchange.trouble(&format!("did not pass: {why}")))?;
    let counted = std::fs::read_to_string(&statuses);
    let counted = counted.map_err(|error| format!("{}: {error}", statuses.display()))?;
    match never_succeeded(&counted) {
        none if none.is_empty() => exchange.stop(),
        paths => Err(format!("schemathesis: no call of {} was answered with 200", paths.join(", "))),
    }
}

/// Those of [`SUCCEED`] without an answer of status 200 among lines of path, status and count.
fn never_succeeded(counted: &str) -> Vec<&'static str> {
    let succeeded = |path: &str| counted.lines().any(|line| line.starts_with(&format!("{path} 200 ")));
    SUCCEED.iter().copied().filter(|path| !succeeded(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_without_a_success_is_named() {
        let counts = |path: &&str| format!("{path} 200 3\n{path} 400 2\n");
        let all = SUCCEED.iter().map(counts).collect::<Vec<_>>().concat();
        assert_eq!(never_succeeded(&all), [""; 0]);
        assert_eq!(never_succeeded(&all.replace("/v1/orders 200", "/v1/orders 401")), ["/v1/orders"]);
        assert_eq!(never_succeeded(""), SUCCEED);
    }
}
