//! How an exchange under test is started: its flags, and the program around it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output};

use crate::binary::run_to_end;
use crate::exchange::Exchange;

/// How an exchange is started. The defaults suit most tests: nothing moves but what the test moves.
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
    /// Sets a flag, in place of the default if it had one.
    #[must_use]
    pub fn flag(mut self, name: &str, value: &str) -> Self {
        self.flags.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Leaves a flag out, so that the exchange's own default holds.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.flags.remove(name);
        self
    }

    /// Adds arguments as they are, for repeatable flags and switches.
    #[must_use]
    pub fn argument(mut self, argument: &str) -> Self {
        self.extra.push(argument.to_owned());
        self
    }

    /// The clock of the wall in place of one that only tests move.
    #[must_use]
    pub fn real_time(self) -> Self {
        self.flag("--clock", "real")
    }

    /// Has another program run the binary, say a tracer: its name and its own arguments. It must become the binary
    /// or end with it, since it is what signals go to.
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

    /// Appends its standard error to a file that stays.
    #[must_use]
    pub fn log_at(mut self, path: &Path) -> Self {
        self.log = Some(path.to_owned());
        self
    }

    /// Starts it in a directory of its own.
    #[track_caller]
    pub fn start(self) -> Exchange {
        Exchange::open(self, None)
    }

    /// Starts it in a directory that is already there and stays.
    #[track_caller]
    pub fn start_in(self, data: &Path) -> Exchange {
        Exchange::open(self, Some(data))
    }

    /// Starts it in a directory where it may refuse or die instead.
    pub fn try_start_in(self, data: &Path) -> Result<Exchange, Ended> {
        let exchange = Exchange::prepare(self, Some(data));
        exchange.try_launch().map(|()| exchange)
    }

    /// All arguments for a directory.
    pub fn arguments(&self, data: &Path) -> Vec<String> {
        let mut arguments = vec!["sandbox".to_owned(), "--data".to_owned(), text(data)];
        for (name, value) in &self.flags {
            arguments.extend([name.clone(), value.clone()]);
        }
        arguments.extend(self.extra.iter().cloned());
        arguments
    }

    /// Starts it in a directory where it must refuse, and checks the manner: no ready line, a failing exit
    /// code, one line on standard error. Gives that line.
    #[track_caller]
    pub fn refuses_in(&self, data: &Path) -> String {
        let arguments = self.arguments(data);
        let borrowed: Vec<&str> = arguments.iter().map(String::as_str).collect();
        refusal(&run_to_end(&borrowed))
    }
}

/// How a start ended that did not become ready.
#[derive(Clone, Debug)]
pub struct Ended {
    /// How the process ended; none when it said nothing for so long, or left no keys to be read, that it was killed.
    pub status: Option<ExitStatus>,
    /// What it wrote to standard error from that start on.
    pub stderr: String,
}

/// Checks that the binary refused in the house's manner, and gives the line it said.
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
