//! The published contract, `contract/openapi.json`, generated from the route table and the types of requests and
//! replies.

use std::fs;

use crate::Done;
use crate::repo::Repo;

const FILE: &str = "contract/openapi.json";

/// Whether the file is written or compared.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Write,
    Check,
}

pub(crate) fn run(repo: &Repo, mode: Mode) -> Done {
    let current = repo.cargo(["run", "--quiet", "-p", "buttonwood-rest", "--example", "openapi"]).stdout()?;
    match mode {
        Mode::Write => {
            let path = repo.path(FILE);
            fs::write(&path, current).map_err(|error| format!("{}: {error}", path.display()))
        }
        Mode::Check if repo.read(FILE)? == current => {
            println!("contract: {FILE} is current");
            Ok(())
        }
        Mode::Check => Err(format!("{FILE} is not current: run `cargo xtask contract` and commit it")),
    }
}
