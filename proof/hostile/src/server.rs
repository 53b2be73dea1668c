//! The exchange under attack: its process, its directory, and calls to it.

use buttonwood_client::{Client, Error, Reply};
use bytes::Bytes;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// How long a start may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// How long a call may take before it is nudged.
const HASTE: Duration = Duration::from_millis(2);

/// A running exchange. Its process ends with this value, and its directory is removed unless it is kept.
pub(crate) struct Server {
    binary: PathBuf,
    home: TempDir,
    seed: u64,
    flags: &'static str,
    child: Child,
    pub(crate) base_url: String,
    runtime: Runtime,
    anyone: Client,
    /// A call that is journaled and changes nothing, over a connection of its own.
    nudge: Option<(Client, Request)>,
}

/// The method, target, headers and body of a request.
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Server {
    /// Starts the exchange in a new directory, with a clock that stands still and without limits of rates.
    pub(crate) fn start(binary: &Path, seed: u64) -> Result<Self, String> {
        Self::start_with(binary, seed, "--clock manual --funds simulated --rate-limits off")
    }

    /// Starts a sandbox in a new directory, with more flags.
    pub(crate) fn start_with(binary: &Path, seed: u64, flags: &'static str) -> Result<Self, String> {
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        let home = tempfile::Builder::new().prefix("buttonwood-hostile-").permissions(private).tempdir();
        let home = home.map_err(|error| format!("no temporary directory: {error}"))?;
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
        let (child, base_url) = launch(binary, home.path(), (seed, flags))?;
        let anyone = Client::new(&base_url).map_err(|error| error.to_string())?;
        Ok(Self {
            binary: binary.to_owned(),
            home,
            seed,
            flags,
            child,
            base_url,
            runtime,
            anyone,
            nudge: None,
        })
    }

    /// Kills the exchange at once and starts it again in its directory; its address changes.
    pub(crate) fn crash_and_restart(&mut self) -> Result<(), String> {
        self.kill();
        let (child, base_url) = launch(&self.binary, self.home.path(), (self.seed, self.flags))?;
        self.child = child;
        self.base_url = base_url;
        self.anyone = Client::new(&self.base_url).map_err(|error| error.to_string())?;
        if let Some((client, _)) = &mut self.nudge {
            *client = self.anyone.clone();
        }
        Ok(())
    }

    /// From now on a call that waits is nudged: the exchange keeps the nonce of a refused call back for 40 ms or until another command is
    /// journaled, and a run has thousands of those. `api_key` is a key that makes no calls of its own.
    pub(crate) fn nudge_with(&mut self, api_key: &str) {
        let body = format!("{{\"api_key\":\"{api_key}\"}}");
        self.nudge = Some((self.anyone.clone(), control("/sandbox/nonces/reset", body)));
    }

    /// Kills the exchange, if it runs.
    pub(crate) fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The exit status of the process, if it has ended.
    pub(crate) fn ended(&mut self) -> Option<String> {
        self.child.try_wait().ok().flatten().map(|status| status.to_string())
    }

    /// Sends a request; with a client of another key, over its connection.
    pub(crate) fn send(&self, client: Option<&Client>, request: &Request) -> Result<Reply, Error> {
        let client = client.unwrap_or(&self.anyone);
        self.runtime.block_on(async {
            let mut call = pin!(send(client, request));
            match (tokio::time::timeout(HASTE, &mut call).await, &self.nudge) {
                (Ok(reply), _) => reply,
                (Err(_), Some((other, nudge))) => {
                    // Whether it is answered shows in the answer of the call.
                    let (reply, _) = tokio::join!(call, send(other, nudge));
                    reply
                }
                (Err(_), None) => call.await,
            }
        })
    }

    /// A public GET, or a reading control call, that must succeed.
    pub(crate) fn get(&self, path: &str) -> Result<Value, String> {
        let request = Request {
            method: "GET".to_owned(),
            target: path.to_owned(),
            headers: Vec::new(),
            body: String::new(),
        };
        accepted(path, self.send(None, &request))
    }

    /// A control call that must succeed.
    pub(crate) fn control(&self, path: &str, body: &Value) -> Result<Value, String> {
        accepted(&format!("{path} {body}"), self.send(None, &control(path, body.to_string())))
    }

    /// A signed POST that must succeed.
    pub(crate) fn call(&self, client: &Client, path: &str, fields: Value) -> Result<Value, String> {
        accepted(&format!("{path} {fields}"), self.try_call(client, path, fields))
    }

    /// A signed POST.
    pub(crate) fn try_call(&self, client: &Client, path: &str, fields: Value) -> Result<Reply, Error> {
        self.runtime.block_on(client.call(path, fields))
    }

    /// Runs `buttonwood admin` on the directory.
    pub(crate) fn admin(&self, words: &[&str]) -> Result<(), String> {
        let data = self.data();
        let head = ["admin", "--data", &data, "--reason", "hostile"];
        run_to_end(&self.binary, &[&head[..], words].concat())
    }

    /// Runs `buttonwood verify` on the directory of the exchange, which is killed first.
    pub(crate) fn verify(&mut self) -> Result<(), String> {
        self.kill();
        run_to_end(&self.binary, &["verify", "--data", &self.data()])
    }

    /// The id of its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The data directory.
    pub(crate) fn data(&self) -> String {
        self.home.path().join("data").display().to_string()
    }

    /// The end of its standard error.
    pub(crate) fn log_tail(&self) -> String {
        let log = std::fs::read_to_string(self.home.path().join("stderr.log")).unwrap_or_default();
        let tail: Vec<&str> = log.lines().rev().take(12).collect();
        tail.into_iter().rev().collect::<Vec<_>>().join("\n")
    }

    /// The file in which every call is kept, for the analysis of a finding.
    pub(crate) fn calls_log(&self) -> PathBuf {
        self.home.path().join("calls.log")
    }

    /// Keeps the directory for analysis.
    pub(crate) fn keep(&mut self) {
        self.home.disable_cleanup(true);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn send(client: &Client, request: &Request) -> Result<Reply, Error> {
    let body = Bytes::from(request.body.clone());
    client.send_raw(&request.method, &request.target, &request.headers, body).await
}

/// The request of a control call.
pub(crate) fn control(path: &str, body: String) -> Request {
    let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    Request { method: "POST".to_owned(), target: path.to_owned(), headers, body }
}

/// The body of a 200.
fn accepted(what: &str, reply: Result<Reply, Error>) -> Result<Value, String> {
    let reply = reply.map_err(|error| format!("{what}: {error}"))?;
    if reply.status != 200 {
        return Err(format!("{what}: {} {}", reply.status, reply.text()));
    }
    reply.json().map_err(|error| format!("{what}: {error}"))
}

fn launch(binary: &Path, home: &Path, (seed, flags): (u64, &str)) -> Result<(Child, String), String> {
    let log = File::options().create(true).append(true).open(home.join("stderr.log"));
    let log = log.map_err(|error| format!("no log: {error}"))?;
    let mut command = Command::new(binary);
    command.args(["sandbox", "--listen", "127.0.0.1:0", "--activity", "off"]).args(flags.split(' '));
    command.arg("--seed").arg(seed.to_string()).arg("--data").arg(home.join("data"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    let mut child = command.spawn().map_err(|error| format!("{}: {error}", binary.display()))?;
    let ready = first_line(&mut child).and_then(|line| line.strip_prefix("ready ").map(str::to_owned));
    let Some(base_url) = ready else {
        // Its log says why.
        let _ = child.kill();
        let _ = child.wait();
        return Err("the exchange did not become ready".to_owned());
    };
    Ok((child, base_url))
}

/// The first line on its standard output; a thread reads on, so that it never blocks on a full pipe.
fn first_line(child: &mut Child) -> Option<String> {
    let output = BufReader::new(child.stdout.take()?);
    let (lines, received) = mpsc::channel();
    std::thread::spawn(move || {
        output.lines().map_while(Result::ok).for_each(|line| drop(lines.send(line)));
    });
    received.recv_timeout(PATIENCE).ok()
}

fn run_to_end(binary: &Path, words: &[&str]) -> Result<(), String> {
    let output = Command::new(binary).args(words).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{}: {error}", binary.display()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    Err(format!("`buttonwood {}`: {} {}", words.join(" "), output.status, String::from_utf8_lossy(&said)))
}
