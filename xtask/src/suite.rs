//! Every test there is, on whatever the machine has: nextest where it is installed, else cargo's own
//! runner; then the documentation's examples, then ccxt.

use crate::repo::Repo;
use crate::{Done, ccxt};

pub(crate) fn run(repo: &Repo) -> Done {
    if repo.cargo(["nextest", "--version"]).works() {
        repo.cargo(["nextest", "run", "--workspace", "--no-tests", "pass"]).run()?;
        repo.cargo(["test", "--quiet", "--workspace", "--doc"]).run()?;
    } else {
        println!("cargo-nextest is not installed: `cargo test` runs the tests");
        repo.cargo(["test", "--workspace"]).run()?;
    }
    ccxt::run(repo)
}
