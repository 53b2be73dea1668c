//! Python environments of the chores that run programs from PyPI.
//!
//! If Python, its venv module or PyPI is out of reach, the chore is skipped with one line and counts as done, since
//! the machine lacks something, not the project.

use std::fs;

use crate::repo::{Repo, last_line, tail, unreachable};
use crate::skipped;

/// The Python environment of a chore.
pub(crate) struct Environment {
    /// The chore's name.
    pub(crate) chore: &'static str,
    /// The folder of the environment.
    pub(crate) folder: &'static str,
    /// The file that pins the packages.
    pub(crate) requirements: &'static str,
    /// The modules that it must have, with commas; `None` for a program of the chore's name.
    pub(crate) modules: Option<&'static str>,
    /// Whether the file names all packages, so that pip looks for no others.
    pub(crate) is_complete: bool,
}

impl Environment {
    /// The interpreter, or another program of the environment.
    pub(crate) fn program(&self, name: &str) -> String {
        format!("{}/bin/{name}", self.folder)
    }

    /// Makes the environment unless it exists; `false`, reported as skipped under the chore's name, if it is out of
    /// reach.
    pub(crate) fn prepare(&self, repo: &Repo) -> Result<bool, String> {
        let wanted = repo.read(self.requirements)?;
        // A copy of the requirements that the environment was made from.
        let installed = format!("{}/installed.txt", self.folder);
        let python = self.program("python");
        let works = || match self.modules {
            Some(modules) => repo.step(&python, ["-c", &format!("import {modules}")]).works(),
            None => repo.step(self.program(self.chore), ["--version"]).works(),
        };
        if repo.read(&installed).is_ok_and(|installed| installed == wanted) && works() {
            return Ok(true);
        }
        if let Some(why) = self.make(repo, &python, &wanted)? {
            skipped::say(self.chore, &why);
            return Ok(false);
        }
        fs::write(repo.path(&installed), wanted).map_err(|error| format!("{installed}: {error}"))?;
        Ok(true)
    }

    /// Installs everything from scratch; returns what is out of reach, if anything.
    fn make(&self, repo: &Repo, python: &str, wanted: &str) -> Result<Option<String>, String> {
        let Self { chore, folder, requirements, .. } = self;
        if !repo.step("python3", ["--version"]).works() {
            return Ok(Some("python3 is not installed".to_owned()));
        }
        let made = repo.step("python3", ["-m", "venv", "--clear", folder]).output()?;
        if !made.status.success() {
            let said = [made.stdout, made.stderr].concat();
            let why = format!("python3 makes no venv: {}", last_line(&String::from_utf8_lossy(&said)));
            return Ok(Some(why));
        }
        println!("{chore}: installing {} into {folder}", wanted.trim().replace('\n', ", "));
        let pip =
            ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", requirements];
        let alone: &[&str] = if self.is_complete { &["--no-deps"] } else { &[] };
        let installed = repo.step(python, pip.iter().chain(alone)).output()?;
        if installed.status.success() {
            return Ok(None);
        }
        let said = String::from_utf8_lossy(&installed.stderr);
        match unreachable(&said) {
            Some(why) => Ok(Some(format!("PyPI is out of reach: {why}"))),
            None => Err(format!("pip cannot install {requirements}:\n{}", tail(&said))),
        }
    }
}
