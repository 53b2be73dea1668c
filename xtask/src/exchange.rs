//! A freshly built sandbox, started for one chore and stopped after it.
//!
//! Relies on the launch contract alone: one `ready URL` line on standard output, `credentials.json` in the
//! data directory, a clean exit on SIGTERM that removes an ephemeral directory.

use std::fs::{self, DirBuilder, File};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Done;
use crate::repo::Repo;

const READY_WITHIN: Duration = Duration::from_secs(45);
const STOPPED_WITHIN: Duration = Duration::from_secs(30);

/// A running sandbox. Dropped without [`Exchange::stop`], it is killed.
pub(crate) struct Exchange {
    child: Child,
    /// Replaces the system's temporary folder, so that files left there by the sandbox are noticed.
    pub(crate) scratch: PathBuf,
    pub(crate) url: String,
    pub(crate) credentials: PathBuf,
}

impl Exchange {
    /// Builds the binary and starts it as `buttonwood sandbox --listen 127.0.0.1:0 --ephemeral FLAGS…`.
    pub(crate) fn start(repo: &Repo, flags: &[&str]) -> Result<Self, String> {
        let binary = build(repo)?;
        let scratch = std::env::temp_dir().join(format!("buttonwood-xtask-{}", std::process::id()));
        let failed = |error: std::io::Error| format!("{}: {error}", scratch.display());
        if scratch.exists() {
            fs::remove_dir_all(&scratch).map_err(failed)?;
        }
        // The binary refuses a temporary folder that other users may write.
        DirBuilder::new().mode(0o700).create(&scratch).map_err(failed)?;
        let log = File::create(scratch.join("stderr.log")).map_err(failed)?;

        let head = ["sandbox", "--listen", "127.0.0.1:0", "--ephemeral"];
        let step = repo.step(&binary, head.iter().chain(flags)).env("TMPDIR", &scratch);
        let mut child = step
            .into_command()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(|error| format!("{}: {error}", binary.display()))?;
        let stdout = child.stdout.take();
        let mut exchange = Self { child, scratch, url: String::new(), credentials: PathBuf::new() };
        let url = stdout.and_then(wait_ready).ok_or_else(|| exchange.trouble("was not ready"))?;
        exchange.url = url;
        exchange.credentials = find_credentials(&exchange.scratch)
            .ok_or_else(|| exchange.trouble("wrote no credentials.json under its temporary folder"))?;
        Ok(exchange)
    }

    /// Stops it like an operator, and checks that it left nothing behind.
    pub(crate) fn stop(mut self) -> Done {
        let pid = self.child.id();
        let asked = std::process::Command::new("sh").args(["-c", &format!("kill -TERM {pid}")]).status();
        if !asked.is_ok_and(|status| status.success()) {
            return Err(self.trouble("was gone before it was told to stop"));
        }
        let start = Instant::now();
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if start.elapsed() < STOPPED_WITHIN => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Ok(None) => return Err(self.trouble("did not stop on SIGTERM")),
                Err(error) => return Err(self.trouble(&format!("cannot be waited for: {error}"))),
            }
        };
        if !status.success() {
            return Err(self.trouble(&format!("stopped with {status}")));
        }
        if find_credentials(&self.scratch).is_some() {
            return Err(self.trouble("left its ephemeral directory behind"));
        }
        Ok(())
    }

    /// Its standard error so far.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.scratch.join("stderr.log")).unwrap_or_default()
    }

    /// A sentence about this process, with the end of its standard error.
    pub(crate) fn trouble(&self, what: &str) -> String {
        let log = self.log();
        let lines: Vec<&str> = log.lines().collect();
        let tail = lines.get(lines.len().saturating_sub(20)..).unwrap_or_default();
        format!("the sandbox {what}; the end of its standard error:\n{}", tail.join("\n"))
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        // Both fail if nothing is left to do, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.scratch);
    }
}

/// Builds with the features of the tests, and gets the program's path from cargo.
fn build(repo: &Repo) -> Result<PathBuf, String> {
    let words =
        ["build", "--workspace", "--bin", "buttonwood", "--message-format", "json-render-diagnostics"];
    repo.cargo(words)
        .stdout()?
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message.pointer("/target/name").and_then(Value::as_str) == Some("buttonwood"))
        .find_map(|message| Some(PathBuf::from(message.get("executable")?.as_str()?)))
        .ok_or_else(|| "cargo built no program called `buttonwood`".to_owned())
}

fn wait_ready(stdout: ChildStdout) -> Option<String> {
    let (sender, receiver) = mpsc::channel();
    // Reads to the end, so that the exchange's standard output is never closed.
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if let Some(url) = line.strip_prefix("ready ") {
                let _ = sender.send(url.trim().to_owned());
            }
        }
    });
    receiver.recv_timeout(READY_WITHIN).ok()
}

/// Looks in the folder and its subfolders, the depth of a data directory.
fn find_credentials(folder: &Path) -> Option<PathBuf> {
    let inside = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    inside.map(|path| path.join("credentials.json")).find(|path| path.is_file())
}
