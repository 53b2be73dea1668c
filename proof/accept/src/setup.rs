//! The setup of an exchange under test: its flags, and a program that runs it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output};

use crate::binary::run_to_end;
use crate::exchange::Exchange;

/// A setup. The defaults suit most tests: nothing happens that the test does not cause.
#[derive(Clone, Debug)]
pub struct Setup {
    flags: BTreeMap<String, String>,
    extra: Vec<String>,
    pub(crate) through: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) log: Option<PathBuf>,
}

impl Default for Setup {
    fn default() -> Self {
        let flags = [
            ("--listen", "127.0.0.1:0"),
            ("--activity", "off"),
            ("--rate-limits", "off"),
            ("--clock", "manual"),
            ("--seed", "7"),
        ];
        let flags = flags.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { flags, extra: Vec::new(), through: Vec::new(), env: BTreeMap::new(), log: None }
    }
}

impl Setup {
    /// Sets a flag, replacing its default.
    #[must_use]
    pub fn flag(mut self, name: &str, value: &str) -> Self {
        self.flags.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Removes a flag, so that the exchange's own default applies.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.flags.remove(name);
        self
    }

    /// Adds arguments unchanged, for repeatable flags and switches.
    #[must_use]
    pub fn argument(mut self, argument: &str) -> Self {
        self.extra.push(argument.to_owned());
        self
    }

    /// A real clock instead of a manual one.
    #[must_use]
    pub fn real_time(self) -> Self {
        self.flag("--clock", "real")
    }

    /// Runs the binary through another program such as a tracer, given by its name and arguments. That program must
    /// become the binary or end with it, since signals go to it.
    #[must_use]
    pub fn through(mut self, program: &[&str]) -> Self {
        self.through = program.iter().map(|word| (*word).to_owned()).collect();
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Appends its standard error to a file that is kept.
    #[must_use]
    pub fn log_at(mut self, path: &Path) -> Self {
        self.log = Some(path.to_owned());
        self
    }

    /// Starts it in a new directory.
    #[track_caller]
    pub fn start(self) -> Exchange {
        Exchange::open(self, None)
    }

    /// Starts it in an existing directory, which is kept.
    #[track_caller]
    pub fn start_in(self, data: &Path) -> Exchange {
        Exchange::open(self, Some(data))
    }

    /// Starts it in a directory where it may refuse or die.
    pub fn try_start_in(self, data: &Path) -> Result<Exchange, Ended> {
        let exchange = Exchange::prepare(self, Some(data));
        exchange.try_launch().map(|()| exchange)
    }

    /// All arguments for a data directory.
    pub fn arguments(&self, data: &Path) -> Vec<String> {
        let mut arguments = vec!["sandbox".to_owned(), "--data".to_owned(), text(data)];
        for (name, value) in &self.flags {
            arguments.extend([name.clone(), value.clone()]);
        }
        arguments.extend(self.extra.iter().cloned());
        arguments
    }

    /// Starts it in a directory where it must refuse, and checks the form: no ready line, a failing exit code, one
    /// line on standard error. Returns that line.
    #[track_caller]
    pub fn refuses_in(&self, data: &Path) -> String {
        let arguments = self.arguments(data);
        let borrowed: Vec<&str> = arguments.iter().map(String::as_str).collect();
        refusal(&run_to_end(&borrowed))
    }
}

/// The end of a start that did not become ready.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The exit status; `None` if the process was killed because it was silent for too long or left no keys to read.
    pub status: Option<ExitStatus>,
    /// Its standard error since that start.
    pub stderr: String,
}

/// Checks the form of a refusal and returns its line.
#[track_caller]
fn refusal(output: &Output) -> String {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "must fail\nstdout: {stdout}\nstderr: {stderr}");
    assert!(!stdout.contains("ready"), "must not become ready\nstdout: {stdout}\nstderr: {stderr}");
    let lines: Vec<&str> = stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    assert_eq!(lines.len(), 1, "one clear line, not this:\n{stderr}");
    assert!(!lines[0].contains("panicked"), "a refusal, not a panic: {stderr}");
    lines[0].to_owned()
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> String {
    path.to_str().expect("temporary paths are plain text").to_owned()
}
