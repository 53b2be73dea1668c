//! The published contracts, generated from the tables of routes and streams and the types of requests and replies.

use std::fs;

use crate::Done;
use crate::repo::Repo;

/// A contract: its file, and the crate and the example that print it.
struct Contract {
    file: &'static str,
    package: &'static str,
    example: &'static str,
}

/// That of the REST interface, and that of the streams.
const ALL: [Contract; 2] = [
    Contract { file: "contract/openapi.json", package: "buttonwood-rest", example: "openapi" },
    Contract { file: "contract/events.json", package: "buttonwood", example: "asyncapi" },
];

/// Whether the files are written or compared.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Write,
    Check,
}

pub(crate) fn run(repo: &Repo, mode: Mode) -> Done {
    ALL.iter().try_for_each(|contract| contract.run(repo, mode))
}

impl Contract {
    fn run(&self, repo: &Repo, mode: Mode) -> Done {
        let Self { file, package, example } = self;
        let current = repo.cargo(["run", "--quiet", "-p", package, "--example", example]).stdout()?;
        match mode {
            Mode::Write => {
                let path = repo.path(file);
                fs::write(&path, current).map_err(|error| format!("{}: {error}", path.display()))
            }
            Mode::Check if repo.read(file)? == current => {
                println!("contract: {file} is current");
                Ok(())
            }
            Mode::Check => Err(format!("{file} is not current: run `cargo xtask contract` and commit it")),
        }
    }
}
