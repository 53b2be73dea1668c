//! One running exchange: the process, its directory, its keys and the sandbox's control calls.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use buttonwood_client::{Client, Credentials};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::actor::Actor;
use crate::answer::Answer;

/// How long a start, a stop or a `verify` may take on a busy machine before a test gives up.
const PATIENCE: Duration = Duration::from_mins(1);

/// The binary under test: built by cargo beside the tests, or what `BUTTONWOOD_UNDER_TEST` names.
pub fn binary() -> PathBuf {
    for name in ["BUTTONWOOD_UNDER_TEST", "CARGO_BIN_EXE_buttonwood-under-test"] {
        if let Some(path) = std::env::var_os(name) {
            return path.into();
        }
    }
    // target/<profile>/deps/<test>, so the binary lies one folder up, or beside another binary of ours.
    let own = std::env::current_exe().expect("a program knows where it is");
    let folder = own.parent().expect("a program lies in a folder");
    let folder =
        if folder.ends_with("deps") { folder.parent().expect("deps lies in a profile") } else { folder };
    folder.join("buttonwood-under-test")
}

/// The binary with these arguments, and nothing of the tester's own settings.
fn command(arguments: &[String]) -> Command {
    command_through(&[], arguments)
}

/// The same, run by another program whose own arguments come first.
fn command_through(program: &[String], arguments: &[String]) -> Command {
    let mut command = match program {
        [] => Command::new(binary()),
        [program, own @ ..] => {
            let mut command = Command::new(program);
            command.args(own).arg(binary());
            command
        }
    };
    command.args(arguments).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("BUTTONWOOD_") {
            command.env_remove(name);
        }
    }
    command
}

/// Runs the binary until it ends by itself; one that does not end is killed, and the test fails.
pub fn run_to_end(arguments: &[&str]) -> Output {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let mut child = command(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary under test starts");
    let out = drain(child.stdout.take().expect("stdout is piped"));
    let err = drain(child.stderr.take().expect("stderr is piped"));
    let Some(status) = wait(&mut child, PATIENCE) else {
        child.kill().expect("our own child can be killed");
        child.wait().expect("a killed child ends");
        panic!("did not end by itself: {arguments:?}\nstdout: {:?}\nstderr: {:?}", out.join(), err.join());
    };
    let text = |reader: std::thread::JoinHandle<Vec<u8>>| reader.join().expect("a pipe can be read");
    Output { status, stdout: text(out), stderr: text(err) }
}

fn drain(mut pipe: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

fn wait(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait().expect("our own child can be waited for") {
            return Some(status);
        }
        if Instant::now() > deadline {
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// How an exchange is started. The defaults suit most tests: nothing moves but what the test moves.
#[derive(Clone, Debug)]
pub struct Setup {
    flags: BTreeMap<String, String>,
    extra: Vec<String>,
    through: Vec<String>,
    env: BTreeMap<String, String>,
    log: Option<PathBuf>,
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
    /// How the process ended; none when it said nothing for so long that it was killed.
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

fn text(path: &Path) -> String {
    path.to_str().expect("temporary paths are plain text").to_owned()
}

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

/// A running exchange with a directory of its own; gone, process and directory, when dropped.
#[derive(Debug)]
pub struct Exchange {
    setup: Setup,
    // Held for its drop: removes the directory.
    _home: Option<TempDir>,
    data: PathBuf,
    stderr: PathBuf,
    process: RefCell<Option<Child>>,
    stdout: RefCell<Option<mpsc::Receiver<String>>>,
    base_url: RefCell<String>,
    keys: RefCell<BTreeMap<String, Key>>,
    actors: RefCell<BTreeMap<String, Arc<Actor>>>,
    starts: Cell<u32>,
}

impl Exchange {
    /// An exchange with the default setup.
    #[track_caller]
    pub fn start() -> Self {
        Setup::default().start()
    }

    /// A setup to change before starting.
    pub fn builder() -> Setup {
        Setup::default()
    }

    #[track_caller]
    fn open(setup: Setup, data: Option<&Path>) -> Self {
        let exchange = Self::prepare(setup, data);
        exchange.launch();
        exchange
    }

    fn prepare(setup: Setup, data: Option<&Path>) -> Self {
        let home = tempfile::Builder::new().prefix("buttonwood-").tempdir().expect("a temporary directory");
        let data = data.map_or_else(|| home.path().join("data"), Path::to_path_buf);
        Self {
            stderr: setup.log.clone().unwrap_or_else(|| home.path().join("stderr.log")),
            setup,
            _home: Some(home),
            data,
            process: RefCell::default(),
            stdout: RefCell::default(),
            base_url: RefCell::default(),
            keys: RefCell::default(),
            actors: RefCell::default(),
            starts: Cell::new(0),
        }
    }

    #[track_caller]
    fn launch(&self) {
        if let Err(ended) = self.try_launch() {
            panic!("no ready line from {:?}\n{}", self.setup.arguments(&self.data), ended.stderr);
        }
    }

    fn try_launch(&self) -> Result<(), Ended> {
        let log = File::options().create(true).append(true).open(&self.stderr).expect("a log file");
        let before = self.log().len();
        let mut child = command_through(&self.setup.through, &self.setup.arguments(&self.data))
            .envs(&self.setup.env)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", binary().display()));
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let (lines, received) = mpsc::channel();
        // Reads on to the end, so that the exchange never blocks on a full pipe.
        std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| lines.send(line))
        });
        let Ok(ready) = received.recv_timeout(PATIENCE) else {
            // Its end of the pipe is closed, or it hangs.
            let status = wait(&mut child, Duration::from_secs(5));
            child.kill().ok();
            child.wait().expect("a killed child ends");
            return Err(Ended { status, stderr: self.log().split_off(before) });
        };
        *self.process.borrow_mut() = Some(child);
        let url = ready.strip_prefix("ready ").unwrap_or_else(|| panic!("not a ready line: {ready:?}"));
        url.clone_into(&mut self.base_url.borrow_mut());
        *self.stdout.borrow_mut() = Some(received);
        self.actors.borrow_mut().clear();
        *self.keys.borrow_mut() = self.read_keys();
        self.starts.set(self.starts.get() + 1);
        Ok(())
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

    /// `credentials.json` as it now is.
    #[track_caller]
    pub fn credentials(&self) -> Value {
        let path = self.data.join("credentials.json");
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_json::from_slice(&bytes).expect("credentials.json is JSON")
    }

    /// The data directory.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The setup it was started with.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// What it wrote to standard error so far.
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

    /// A new client with a key.
    #[track_caller]
    pub fn client(&self, name: &str) -> Client {
        self.anonymous_client().with_key(self.key(name).credentials)
    }

    fn anonymous_client(&self) -> Client {
        Client::new(&self.base_url()).expect("the ready line names an address")
    }

    /// The holder of a key; the same connection every time.
    #[track_caller]
    pub fn as_(&self, name: &str) -> Arc<Actor> {
        if let Some(actor) = self.actors.borrow().get(name) {
            return Arc::clone(actor);
        }
        let actor = Arc::new(self.fresh(name));
        self.actors.borrow_mut().insert(name.to_owned(), Arc::clone(&actor));
        actor
    }

    /// The holder of a key on a connection of its own, for threads.
    #[track_caller]
    pub fn fresh(&self, name: &str) -> Actor {
        Actor::new(name, self.client(name))
    }

    /// Someone without a key.
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

    /// Moves a manual clock.
    #[track_caller]
    pub fn advance(&self, seconds: u64) {
        self.control("/sandbox/clock/advance", &json!({ "seconds": seconds })).ok();
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

    /// The process's number.
    #[track_caller]
    pub fn pid(&self) -> Pid {
        Pid::from_child(self.process.borrow().as_ref().expect("the exchange runs"))
    }

    /// Waits for it to end by itself; `None` if it still runs after `patience`.
    #[track_caller]
    pub fn wait_for_end(&self, patience: Duration) -> Option<ExitStatus> {
        let mut process = self.process.borrow_mut();
        let status = wait(process.as_mut().expect("the exchange runs"), patience)?;
        *process = None;
        Some(status)
    }

    /// Whether the process runs, as far as we ended it.
    pub fn is_running(&self) -> bool {
        self.process.borrow().is_some()
    }

    /// Ends it at once, as a power cut would.
    #[track_caller]
    pub fn kill9(&self) {
        if let Some(mut child) = self.process.borrow_mut().take() {
            child.kill().expect("our own child can be killed");
            child.wait().expect("a killed child ends");
        }
    }

    /// Asks it to end with a signal and waits; gives the exit code.
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
        }
    }
}
