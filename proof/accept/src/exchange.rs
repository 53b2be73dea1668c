//! One running exchange: the process, its directory, its keys and the sandbox's control calls.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Output, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use buttonwood_client::{Client, Credentials};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::actor::Actor;
use crate::answer::Answer;
use crate::binary::{PATIENCE, binary, command_through, run_to_end, wait};
use crate::setup::{Ended, Setup, text};

/// One entry of `credentials.json`.
#[derive(Clone, Debug)]
pub struct Key {
    /// The entry's name.
    pub name: String,
    /// Key and secret.
    pub credentials: Credentials,
    /// The account's group.
    pub group: String,
    /// The account's short name.
    pub account: String,
    /// The whole entry.
    pub entry: Value,
}

/// A running exchange with its own directory. Dropping it ends the process and removes the directory. After a panic
/// the directory stays, and its path is printed.
#[derive(Debug)]
pub struct Exchange {
    setup: Setup,
    // Removes the directory when it is dropped.
    home: RefCell<Option<TempDir>>,
    data: PathBuf,
    stderr: PathBuf,
    process: RefCell<Option<Child>>,
    stdout: RefCell<Option<mpsc::Receiver<String>>>,
    base_url: RefCell<String>,
    keys: RefCell<BTreeMap<String, Key>>,
    actors: RefCell<BTreeMap<String, Arc<Actor>>>,
    starts: Cell<u32>,
    /// The address of the next start; none for that of its flags.
    fixed: RefCell<Option<String>>,
    /// Handshakes of the newest socket so far: each has a nonce of its own.
    handshakes: Cell<u64>,
}

impl Exchange {
    /// An exchange with the default setup.
    #[track_caller]
    pub fn start() -> Self {
        Setup::default().start()
    }

    /// A setup that can be changed before the start.
    pub fn builder() -> Setup {
        Setup::default()
    }

    #[track_caller]
    pub(crate) fn open(setup: Setup, data: Option<&Path>) -> Self {
        let exchange = Self::prepare(setup, data);
        exchange.launch();
        exchange
    }

    pub(crate) fn prepare(setup: Setup, data: Option<&Path>) -> Self {
        let home = tempfile::Builder::new().prefix("buttonwood-").tempdir().expect("a temporary directory");
        let data = data.map_or_else(|| home.path().join("data"), Path::to_path_buf);
        Self {
            stderr: setup.log.clone().unwrap_or_else(|| home.path().join("stderr.log")),
            setup,
            home: RefCell::new(Some(home)),
            data,
            process: RefCell::default(),
            stdout: RefCell::default(),
            base_url: RefCell::default(),
            keys: RefCell::default(),
            actors: RefCell::default(),
            starts: Cell::new(0),
            fixed: RefCell::new(None),
            handshakes: Cell::new(0),
        }
    }

    #[track_caller]
    fn launch(&self) {
        if let Err(ended) = self.try_launch() {
            panic!("no ready line from {:?}\n{}", self.setup.arguments(&self.data), ended.stderr);
        }
    }

    pub(crate) fn try_launch(&self) -> Result<(), Ended> {
        let log = File::options().create(true).append(true).open(&self.stderr).expect("a log file");
        let before = self.log().len();
        let mut arguments = self.setup.arguments(&self.data);
        if let Some(address) = self.fixed.borrow().as_ref() {
            let at = arguments.iter().position(|word| word == "--listen").expect("every setup names it");
            arguments[at + 1].clone_from(address);
        }
        let mut child = command_through(&self.setup.through, &arguments)
            .envs(&self.setup.env)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", binary().display()));
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let (lines, received) = mpsc::channel();
        // Reads to the end, so that the exchange never blocks on a full pipe.
        std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| lines.send(line))
        });
        let Ok(ready) = received.recv_timeout(PATIENCE) else {
            // The process closed its end of the pipe, or hangs.
            let status = wait(&mut child, Duration::from_secs(5));
            child.kill().ok();
            child.wait().expect("a killed child ends");
            return Err(Ended { status, stderr: self.log().split_off(before) });
        };
        // A disk that was cut off cannot be read any more.
        if let Err(error) = fs::read(self.credentials_path()) {
            child.kill().ok();
            child.wait().expect("a killed child ends");
            let stderr = format!("{}credentials.json: {error}", self.log().split_off(before));
            return Err(Ended { status: None, stderr });
        }
        *self.process.borrow_mut() = Some(child);
        let url = ready.strip_prefix("ready ").unwrap_or_else(|| panic!("not a ready line: {ready:?}"));
        url.clone_into(&mut self.base_url.borrow_mut());
        *self.stdout.borrow_mut() = Some(received);
        self.actors.borrow_mut().clear();
        *self.keys.borrow_mut() = self.read_keys();
        self.starts.set(self.starts.get() + 1);
        Ok(())
    }

    /// Reads `credentials.json` again, after keys were changed.
    pub(crate) fn read_keys_again(&self) {
        *self.keys.borrow_mut() = self.read_keys();
    }

    fn read_keys(&self) -> BTreeMap<String, Key> {
        let file = self.credentials();
        let field = |entry: &Value, name: &str| {
            entry[name].as_str().unwrap_or_else(|| panic!("no {name} in {entry}")).to_owned()
        };
        let rows = file["keys"].as_array().expect("credentials.json lists keys");
        rows.iter()
            .map(|entry| {
                let name = field(entry, "name");
                let credentials = Credentials::new(field(entry, "api_key"), field(entry, "api_secret"));
                let (group, account) =
                    (field(entry, "group"), entry["account"].as_str().unwrap_or_default().to_owned());
                (name.clone(), Key { name, credentials, group, account, entry: entry.clone() })
            })
            .collect()
    }

    /// The current `credentials.json`.
    #[track_caller]
    pub fn credentials(&self) -> Value {
        let path = self.credentials_path();
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_json::from_slice(&bytes).expect("credentials.json is JSON")
    }

    fn credentials_path(&self) -> PathBuf {
        self.data.join("credentials.json")
    }

    /// The data directory.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The setup it was started with.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Its standard error so far.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.stderr).unwrap_or_default()
    }

    /// Lines on standard output after the ready line.
    pub fn later_output(&self) -> Vec<String> {
        self.stdout.borrow().as_ref().map(|lines| lines.try_iter().collect()).unwrap_or_default()
    }

    /// `http://127.0.0.1:PORT`.
    pub fn base_url(&self) -> String {
        self.base_url.borrow().clone()
    }

    /// `127.0.0.1:PORT`.
    pub fn address(&self) -> String {
        self.base_url().trim_start_matches("http://").to_owned()
    }

    /// A key of `credentials.json`.
    #[track_caller]
    pub fn key(&self, name: &str) -> Key {
        let keys = self.keys.borrow();
        keys.get(name).unwrap_or_else(|| panic!("no key named {name}")).clone()
    }

    /// The names of all keys.
    pub fn key_names(&self) -> Vec<String> {
        self.keys.borrow().keys().cloned().collect()
    }

    /// A new client with this key.
    #[track_caller]
    pub fn client(&self, name: &str) -> Client {
        self.anonymous_client().with_key(self.key(name).credentials)
    }

    pub(crate) fn anonymous_client(&self) -> Client {
        Client::new(&self.base_url()).expect("the ready line names an address")
    }

    /// The actor of a key; always the same connection.
    #[track_caller]
    pub fn as_(&self, name: &str) -> Arc<Actor> {
        if let Some(actor) = self.actors.borrow().get(name) {
            return Arc::clone(actor);
        }
        let actor = Arc::new(self.fresh(name));
        self.actors.borrow_mut().insert(name.to_owned(), Arc::clone(&actor));
        actor
    }

    /// The actor of a key on its own connection, for threads.
    #[track_caller]
    pub fn fresh(&self, name: &str) -> Actor {
        Actor::new(name, self.client(name))
    }

    /// The actor of a key that is not in the file that the start wrote, on its own connection.
    pub fn actor_of(&self, key: &Credentials) -> Actor {
        Actor::new(&key.api_key, self.anonymous_client().with_key(key.clone()))
    }

    /// An actor without a key.
    pub fn anyone(&self) -> Arc<Actor> {
        let mut actors = self.actors.borrow_mut();
        let anyone = || Arc::new(Actor::new("anyone", self.anonymous_client()));
        Arc::clone(actors.entry(String::new()).or_insert_with(anyone))
    }

    /// A public GET.
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.anyone().get(path)
    }

    /// A sandbox control call.
    #[track_caller]
    pub fn control(&self, path: &str, body: &Value) -> Answer {
        let body = body.to_string();
        let mut answer =
            self.anyone().send("POST", path, &[("Content-Type", "application/json")], body.as_bytes());
        answer.sent = format!("{} {body}", answer.sent);
        answer
    }

    /// A time in seconds for a handshake of the newest socket, which no handshake before had.
    #[track_caller]
    pub fn next_handshake(&self) -> u64 {
        let count = self.handshakes.get();
        self.handshakes.set(count + 1);
        self.now_ms() / 1_000 + count % 30
    }

    /// Moves the manual clock, as if time had passed by itself: sessions of browsers end by it too.
    #[track_caller]
    pub fn advance(&self, seconds: u64) {
        self.control("/sandbox/clock/advance", &json!({ "seconds": seconds, "sessions": true })).ok();
    }

    /// The exchange's time in milliseconds.
    #[track_caller]
    pub fn now_ms(&self) -> u64 {
        self.get("/sandbox/clock").ok()["now_ms"].as_u64().expect("now_ms is a number")
    }

    /// Credits the account of a key.
    #[track_caller]
    pub fn credit(&self, key: &str, currency: &str, amount: &str) {
        let Key { group, account, .. } = self.key(key);
        let body = json!({ "group": group, "account": account, "currency": currency, "amount": amount });
        self.control("/sandbox/accounts/credit", &body).ok();
    }

    /// Sets a symbol's status.
    #[track_caller]
    pub fn set_status(&self, symbol: &str, status: &str) {
        self.control(&format!("/sandbox/symbols/{symbol}/status"), &json!({ "status": status })).ok();
    }

    /// Schedules a symbol's auction in this many seconds; `fields` has the other parameters.
    #[track_caller]
    pub fn schedule_auction(&self, symbol: &str, fields: &Value, seconds: u64) {
        let mut body = fields.clone();
        body["auction_time_ms"] = (self.now_ms() + 1_000 * seconds).into();
        self.control(&format!("/sandbox/symbols/{symbol}/auctions"), &body).ok();
    }

    /// The process id.
    #[track_caller]
    pub fn pid(&self) -> Pid {
        Pid::from_child(self.process.borrow().as_ref().expect("the exchange runs"))
    }

    /// Waits for the process to end by itself; `None` if it still runs after `patience`.
    #[track_caller]
    pub fn wait_for_end(&self, patience: Duration) -> Option<ExitStatus> {
        let mut process = self.process.borrow_mut();
        let status = wait(process.as_mut().expect("the exchange runs"), patience)?;
        *process = None;
        Some(status)
    }

    /// Whether the process runs, unless it ended by itself.
    pub fn is_running(&self) -> bool {
        self.process.borrow().is_some()
    }

    /// Kills it at once.
    #[track_caller]
    pub fn kill9(&self) {
        if let Some(mut child) = self.process.borrow_mut().take() {
            child.kill().expect("our own child can be killed");
            child.wait().expect("a killed child ends");
        }
    }

    /// Kills it and keeps its directory for analysis; returns the path.
    pub fn keep(&self) -> PathBuf {
        if let Some(mut child) = self.process.borrow_mut().take() {
            child.kill().ok();
            child.wait().ok();
        }
        if let Some(home) = self.home.borrow_mut().take()
            && self.data.starts_with(home.path())
        {
            let _stays = home.keep();
        }
        self.data.clone()
    }

    /// Ends it with a signal and waits; returns the exit code.
    #[track_caller]
    pub fn signal(&self, signal: Signal) -> Option<i32> {
        let mut child = self.process.borrow_mut().take().expect("the exchange runs");
        kill_process(Pid::from_child(&child), signal).expect("our own child can be signalled");
        let Some(status) = wait(&mut child, PATIENCE) else {
            child.kill().expect("our own child can be killed");
            child.wait().expect("a killed child ends");
            panic!("did not stop on {signal:?}\n{}", self.log());
        };
        status.code()
    }

    /// Stops it cleanly, if it runs.
    #[track_caller]
    pub fn stop(&self) {
        if self.is_running() {
            let code = self.signal(Signal::TERM);
            assert_eq!(code, Some(0), "a clean stop exits 0\n{}", self.log());
        }
    }

    /// Starts it again on the same directory. The address changes.
    #[track_caller]
    pub fn restart(&self) {
        self.stop();
        self.launch();
    }

    /// Starts it again at the address that it had, which pages and passkeys know it by.
    pub fn restart_in_place(&self) {
        *self.fixed.borrow_mut() = Some(self.address());
        self.restart();
    }

    /// Runs `verify` on the directory of a stopped exchange.
    pub fn verify(&self) -> Output {
        assert!(!self.is_running(), "verify wants a stopped exchange");
        run_to_end(&["verify", "--data", &text(&self.data)])
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if let Some(mut child) = self.process.borrow_mut().take() {
            child.kill().ok();
            child.wait().ok();
        }
        if std::thread::panicking() {
            let log = self.log();
            let tail: Vec<&str> = log.lines().rev().take(20).collect();
            eprintln!("setup {:?}\nend of its standard error:", self.setup);
            tail.iter().rev().for_each(|line| eprintln!("  {line}"));
            eprintln!("its directory is left: {}", self.keep().display());
        }
    }
}
