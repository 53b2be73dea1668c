//! `buttonwood admin` against a data directory.

use crate::binary::run_to_end;
use crate::exchange::Exchange;
use crate::setup::text;
use serde_json::Value;
use std::path::Path;

/// The end of an `admin` command.
#[derive(Clone, Debug, PartialEq)]
pub struct Admin {
    /// The exit code.
    pub code: i32,
    /// The objects on standard output.
    pub lines: Vec<Value>,
    /// Standard error.
    pub error: String,
}

impl Admin {
    /// Runs a command on a data directory.
    #[track_caller]
    pub fn run(data: &Path, arguments: &[&str]) -> Self {
        let data = text(data);
        let output = run_to_end(&[&["admin", "--data", &data], arguments].concat());
        let shown = String::from_utf8_lossy(&output.stdout);
        let object = |line: &str| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{arguments:?}: {error} in {line}"))
        };
        Self {
            code: output.status.code().expect("no signal ends it"),
            lines: shown.lines().map(object).collect(),
            error: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The one object of a command that was done.
    #[track_caller]
    pub fn done(self) -> Value {
        assert_eq!((self.code, self.lines.len(), self.error.as_str()), (0, 1, ""), "{self:?}");
        self.lines.into_iter().next().expect("one object")
    }

    /// The objects of a list.
    #[track_caller]
    pub fn list(self) -> Vec<Value> {
        assert_eq!((self.code, self.error.as_str()), (0, ""), "{self:?}");
        self.lines
    }

    /// The line of a refusal, whose exit code is 1.
    #[track_caller]
    pub fn refused(self) -> String {
        assert_eq!((self.code, self.lines.len()), (1, 0), "{self:?}");
        assert_eq!(self.error.trim_end().lines().count(), 1, "one line, not {}", self.error);
        self.error
    }
}

impl Exchange {
    /// Runs an `admin` command on this exchange's directory.
    #[track_caller]
    pub fn admin(&self, arguments: &[&str]) -> Admin {
        Admin::run(self.data(), arguments)
    }
}
