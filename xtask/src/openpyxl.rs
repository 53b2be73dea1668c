//! openpyxl from PyPI, with which the acceptance tests read spreadsheets back.
//!
//! Without Python or PyPI they read them without it, and this says so.

use std::path::PathBuf;

use crate::python::Environment;
use crate::repo::{Repo, Step};

const ENVIRONMENT: Environment = Environment {
    chore: "openpyxl",
    folder: ".venv-openpyxl",
    requirements: "proof/accept/openpyxl/requirements.txt",
    modules: Some("openpyxl"),
    is_complete: false,
};

/// The variable by which the tests find the interpreter.
const VARIABLE: &str = "BUTTONWOOD_OPENPYXL";

/// The interpreter that has it; `None`, reported as skipped, if it is out of reach.
pub(crate) fn interpreter(repo: &Repo) -> Result<Option<PathBuf>, String> {
    Ok(ENVIRONMENT.prepare(repo)?.then(|| repo.path(ENVIRONMENT.program("python"))))
}

/// Names the interpreter to the tests.
pub(crate) fn offer(tests: Step, interpreter: Option<&PathBuf>) -> Step {
    match interpreter {
        Some(interpreter) => tests.env(VARIABLE, interpreter),
        None => tests,
    }
}
