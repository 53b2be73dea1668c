//! The repository's root and files, and commands that run in it.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::{Done, skipped};

/// The repository's root folder.
pub(crate) struct Repo {
    root: PathBuf,
}

impl Repo {
    /// The folder above xtask's own, which cargo passes in the environment.
    pub(crate) fn find() -> Result<Self, String> {
        let xtask = std::env::var("CARGO_MANIFEST_DIR")
            .map_err(|_| "start it as `cargo xtask …`, so that it knows its repository".to_owned())?;
        let root = Path::new(&xtask).parent().ok_or_else(|| format!("{xtask} has no folder above it"))?;
        Ok(Self { root: root.to_owned() })
    }

    /// The repository in a folder.
    pub(crate) fn at(root: PathBuf) -> Self {
        Self { root }
    }

    pub(crate) fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        self.root.join(below)
    }

    /// The `cargo` that runs this program, in the root. It does not see what it told this program about xtask: build scripts watch these
    /// variables, so a step would build again what `cargo` by hand has built, and the other way round.
    pub(crate) fn cargo<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Step {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut step = self.step(cargo, words);
        for (name, _) in std::env::vars_os() {
            let own = name.to_string_lossy();
            if own.starts_with("CARGO_PKG_") || own.starts_with("CARGO_MANIFEST_") {
                step.command.env_remove(&name);
            }
        }
        step
    }

    /// Any program, in the root.
    pub(crate) fn step<S: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        words: impl IntoIterator<Item = S>,
    ) -> Step {
        let mut command = Command::new(program);
        command.args(words).current_dir(&self.root);
        Step { command }
    }

    /// All files that git tracks or would add, relative to the root and sorted; deleted files that are still tracked
    /// are left out.
    pub(crate) fn files(&self) -> Result<Vec<String>, String> {
        let listing =
            self.step("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).stdout()?;
        let mut files: Vec<String> = listing
            .split('\0')
            .filter(|name| !name.is_empty() && self.path(name).is_file())
            .map(str::to_owned)
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// A file's text; invalid UTF-8 is replaced, since nothing here depends on it.
    pub(crate) fn read(&self, below: impl AsRef<Path>) -> Result<String, String> {
        let path = self.path(below);
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// A command to run; its failures are described in words.
pub(crate) struct Step {
    command: Command,
}

impl Step {
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs it with our output; a non-zero exit code is an error.
    pub(crate) fn run(mut self) -> Done {
        let status = self.command.status().map_err(|error| format!("{}: {error}", self.words()))?;
        if status.success() { Ok(()) } else { Err(format!("`{}` failed: {status}", self.words())) }
    }

    /// Like [`Step::run`], but records the lines that report something as skipped.
    pub(crate) fn run_heard(mut self) -> Done {
        let words = self.words();
        let failed = |error| format!("{words}: {error}");
        let mut child = self.command.stdout(Stdio::piped()).spawn().map_err(failed)?;
        let output = child.stdout.take().expect("its output is a pipe");
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            println!("{line}");
            skipped::hear(&line);
        }
        let status = child.wait().map_err(failed)?;
        if status.success() { Ok(()) } else { Err(format!("`{words}` failed: {status}")) }
    }

    /// Runs it with our output and returns its exit code; only being killed is an error.
    pub(crate) fn code(mut self) -> Result<i32, String> {
        let status = self.command.status().map_err(|error| format!("{}: {error}", self.words()))?;
        status.code().ok_or_else(|| format!("`{}` was killed", self.words()))
    }

    /// Runs it and returns its standard output; standard error is ours.
    pub(crate) fn stdout(mut self) -> Result<String, String> {
        self.command.stderr(Stdio::inherit());
        let output = self.output()?;
        if !output.status.success() {
            return Err(format!("`{}` failed: {}", self.words(), output.status));
        }
        String::from_utf8(output.stdout).map_err(|_| format!("`{}` wrote no UTF-8", self.words()))
    }

    /// Runs it and returns its output and exit status; `Err` means that it did not start.
    pub(crate) fn output(&mut self) -> Result<Output, String> {
        self.command.output().map_err(|error| format!("{}: {error}", self.words()))
    }

    /// Whether it starts and succeeds. Its output is not shown.
    pub(crate) fn works(mut self) -> bool {
        self.output().is_ok_and(|output| output.status.success())
    }

    /// The command itself, for a caller that needs its child process.
    pub(crate) fn into_command(self) -> Command {
        self.command
    }

    fn words(&self) -> String {
        let program = Path::new(self.command.get_program());
        let mut words = vec![program.file_name().unwrap_or_default().to_string_lossy()];
        words.extend(self.command.get_args().map(OsStr::to_string_lossy));
        words.join(" ")
    }
}

/// The line in a failed download's output that says that the registry was out of reach, if there is one.
///
/// Anything else (a version that does not exist, a failed build) is a real failure.
pub(crate) fn unreachable(said: &str) -> Option<&str> {
    const SIGNS: [&str; 16] = [
        "could not resolve",
        "couldn't resolve",
        "name resolution",
        "name or service not known",
        "failed to establish a new connection",
        "could not connect",
        "couldn't connect",
        "failed to connect",
        "connection refused",
        "connection reset",
        "network is unreachable",
        "timed out",
        "proxyerror",
        "spurious network error",
        "tunnel failed",
        // The message of pip for an index that it could not read.
        "(from versions: none)",
    ];
    let mut lines = said.lines().map(str::trim);
    lines.find(|line| SIGNS.iter().any(|sign| line.to_lowercase().contains(sign)))
}

/// The end of a command's output for an error message: ten lines of limited length.
pub(crate) fn tail(said: &str) -> String {
    let lines: Vec<String> = said.lines().map(|line| line.chars().take(200).collect()).collect();
    lines.get(lines.len().saturating_sub(10)..).unwrap_or_default().join("\n")
}

/// The last line with text, for a one-line explanation.
pub(crate) fn last_line(said: &str) -> &str {
    said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it did not say why")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_out_of_reach_is_told_from_a_wrong_version() {
        let gone = "WARNING: Retrying\nERROR: no such ccxt==4.5.90 (from versions: none)\nERROR: No match";
        assert_eq!(unreachable(gone), Some("ERROR: no such ccxt==4.5.90 (from versions: none)"));
        assert_eq!(unreachable("ERROR: no such ccxt==4.5.99 (from versions: 1.0.0, 4.5.90)"), None);
        let cargo = "error: failed to query\n  [6] Could not resolve hostname (index.crates.io)";
        assert_eq!(unreachable(cargo), Some("[6] Could not resolve hostname (index.crates.io)"));
    }
}
