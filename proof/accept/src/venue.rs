//! A venue of its own: an exchange without control calls and test accounts, which operators set up.

use crate::actor::Actor;
use crate::admin::Admin;
use crate::answer::Answer;
use crate::binary::{binary, private_folder, run_to_end};
use buttonwood_client::{Client, Credentials};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

/// A running venue; one operator is enough, and no rate limits.
#[derive(Debug)]
pub struct Venue {
    home: tempfile::TempDir,
    child: Child,
    anyone: Actor,
    url: String,
}

impl Venue {
    /// Starts a venue in an empty directory.
    #[must_use]
    pub fn start() -> Self {
        Self::with("")
    }

    /// Starts a venue with further lines of settings.
    #[must_use]
    pub fn with(further: &str) -> Self {
        let home = private_folder();
        fs::write(home.path().join("key"), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n")
            .expect("a key file");
        let settings =
            "listen = \"127.0.0.1:0\"\ndata = \"data\"\nvault_key_file = \"key\"\nrate_limits = \"off\"\n";
        fs::write(home.path().join("venue.toml"), format!("{settings}{further}")).expect("a settings file");
        let log = File::create(home.path().join("log")).expect("a log");
        let mut command = Command::new(binary());
        command.args(["serve", "--config", "venue.toml"]).current_dir(home.path());
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().expect("it starts");
        let mut ready = String::new();
        let out = child.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut ready).expect("a line");
        let url =
            ready.trim().strip_prefix("ready ").unwrap_or_else(|| panic!("no venue: {ready}")).to_owned();
        let anyone = Actor::new("anyone", Client::new(&url).expect("a client"));
        Self { home, child, anyone, url }
    }

    /// The data directory.
    fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    /// Runs an `admin` command.
    #[track_caller]
    pub fn admin(&self, arguments: &[&str]) -> Admin {
        Admin::run(&self.data(), arguments)
    }

    /// Its standard error so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.home.path().join("log")).unwrap_or_default()
    }

    /// An actor without a key.
    pub fn anyone(&self) -> &Actor {
        &self.anyone
    }

    /// Its metrics, from the listener that its log names.
    ///
    /// # Panics
    /// If it has none.
    #[track_caller]
    pub fn metrics(&self) -> String {
        let log = self.log();
        let (_, rest) = log.split_once("metrics are at ").unwrap_or_else(|| panic!("no metrics: {log}"));
        let (url, _) = rest.split_once("/metrics").expect("a path");
        let address = url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).expect("it listens");
        let request = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut page = String::new();
        stream.read_to_string(&mut page).expect("text");
        page
    }

    /// A public GET.
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.anyone.get(path)
    }

    /// Opens a group of this name with an account `primary` of this kind, credits it, and gives it a key with these roles.
    #[track_caller]
    pub fn customer(&self, group: &str, kind: &str, money: &[(&str, &str)], roles: &[&str]) -> Actor {
        self.admin(&["group", "add", group]).done();
        self.admin(&["account", "add", group, "Primary", "--kind", kind]).done();
        for (currency, amount) in money {
            self.admin(&["credit", group, "primary", currency, amount, "--reason", "deposit"]).done();
        }
        let roles = roles.iter().flat_map(|role| ["--role", role]);
        let add = ["key", "add", "--group", group, "--account", "primary"].into_iter().chain(roles);
        self.actor(&self.admin(&add.collect::<Vec<_>>()).done())
    }

    /// The holder of a key, by the answer to `key add`.
    #[track_caller]
    pub fn actor(&self, key: &Value) -> Actor {
        let [api_key, secret] = ["api_key", "api_secret"].map(|field| key[field].as_str().expect("a text"));
        let client = Client::new(&self.url).expect("a client");
        Actor::new(api_key, client.with_key(Credentials::new(api_key, secret)))
    }

    /// The machine's time in milliseconds, which is the venue's.
    pub fn now_ms(&self) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
        u64::try_from(now.as_millis()).expect("it is before the year 500 million")
    }

    /// Stops it, and verifies its directory.
    ///
    /// # Panics
    /// If either fails.
    pub fn stop_and_verify(mut self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).expect("it runs");
        assert!(self.child.wait().expect("it ends").success());
        let output = run_to_end(&["verify", "--data", &crate::setup::text(&self.data())]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

impl Drop for Venue {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
