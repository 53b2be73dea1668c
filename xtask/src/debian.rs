//! Programs from Debian packages, installed where that needs no confirmation.

use crate::repo::{Repo, tail};

/// Installs a package; the error says in a sentence why it cannot. A server in the package is not started.
pub(crate) fn install(repo: &Repo, package: &str) -> Result<(), String> {
    if !is_root(repo) {
        return Err(format!("{package} is not installed, and only root may install it"));
    }
    if !repo.step("apt-get", ["--version"]).works() {
        return Err(format!("{package} is not installed, and there is no apt-get here"));
    }
    println!("{package} is not installed: apt-get fetches it");
    let words = ["install", "--yes", "--quiet", "--no-install-recommends", package];
    let apt =
        || repo.step("apt-get", words).env("DEBIAN_FRONTEND", "noninteractive").env("RUNLEVEL", "1").output();
    if apt()?.status.success() {
        return Ok(());
    }
    // The package lists may be old or missing.
    repo.step("apt-get", ["update", "--quiet"]).output()?;
    let output = apt()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("apt-get cannot install {package}: {}", tail(&said).replace('\n', "; ")))
}

fn is_root(repo: &Repo) -> bool {
    repo.step("id", ["-u"]).stdout().is_ok_and(|id| id.trim() == "0")
}
