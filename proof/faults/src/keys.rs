//! Keys that are made, changed and sealed anew while the exchange is struck between the vault and the journal.
//!
//! A new key is two writes: its secret goes into the vault, then its name into the journal. [`strikes`] kills the exchange at
//! every call of both, or makes one fail; [`cuts`] takes the power away. After each restart every acknowledged key signs or is
//! refused as its last acknowledged change says, and every key of the journal has its secret. The start also meets the other
//! order, which no crash makes: a vault older than the journal is refused by name.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use buttonwood_accept::{Credentials, Exchange, Value, json};
use rustix::process::Signal;

use crate::calls::one_line;
use crate::round::{Round, verified};
use crate::sweep::Next;
use crate::trace::{Harm, Strike, thread_named};
use crate::volume::{Kind, Volume};

/// The act during which a call is struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Add,
    Disable,
    Enable,
    Rotate,
}

/// Which calls are struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Those on the vault, on a new key's file and on the directory.
    Vault,
    /// Those on `credentials.json`, which is written after the journal.
    Credentials,
    /// Those of the journal's thread.
    Journal,
}

const FILES: &[&str] = &["unlink", "openat", "pwrite64", "fsync", "rename"];
const LOG: &[&str] = &["unlink", "openat", "pwrite64", "ftruncate", "fdatasync", "fsync", "rename"];
const JOURNAL: &[&str] = &["pwrite64", "fdatasync"];

/// Each act with the places that it writes to, in its order.
const POINTS: [(Act, Place, &[&str]); 9] = [
    (Act::Add, Place::Vault, LOG),
    (Act::Add, Place::Journal, JOURNAL),
    (Act::Add, Place::Credentials, FILES),
    (Act::Disable, Place::Journal, JOURNAL),
    (Act::Disable, Place::Credentials, FILES),
    (Act::Enable, Place::Journal, JOURNAL),
    (Act::Enable, Place::Credentials, FILES),
    (Act::Rotate, Place::Vault, FILES),
    (Act::Rotate, Place::Journal, JOURNAL),
];

const HARMS: [Harm; 2] = [Harm::Kill, Harm::Error("EIO")];

/// Percentage of points that a quick round strikes.
const QUICK_SHARE: u64 = 20;

/// Time limit for a struck process to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// Cuts of one file system.
const CUTS: u64 = 10;

/// Bytes of a file system to cut off.
const BYTES: u64 = 320 * 1024 * 1024;

/// Strikes the Nth call of every kind within each act, N being the round's number.
pub fn strikes(round: &mut Round) -> Next {
    let mut ring = Ring::new(round);
    let mut hits = 0;
    for (act, place, calls) in POINTS {
        for call in calls {
            for harm in HARMS {
                let is_left_out = round.quick && !round.draw.chance(QUICK_SHARE);
                if !is_left_out && !round.is_told_to_stop() && ring.strike(round, act, place, call, harm) {
                    round.count(&format!("{act:?} struck at {place:?}"), 1);
                    hits += 1;
                }
            }
        }
    }
    ring.meet_an_older_vault(round);
    ring.x.stop();
    verified(&ring.data);
    assert!(hits > 0 || round.number > 1 || round.quick, "no call was struck");
    if hits == 0 && !round.quick { Next::Done } else { Next::More }
}

/// Power cuts of an ext4 while keys are made one after another.
pub fn cuts(round: &mut Round) -> Next {
    let mut volume = Volume::create(&round.dir, Kind::Ext4, BYTES);
    let data = volume.path().join("data");
    let mut ring = Ring::in_folder(round, data);
    for _ in 0..if round.quick { 3 } else { CUTS } {
        if round.is_told_to_stop() {
            break;
        }
        let moment = Duration::from_micros(round.draw.between(1, 250_000));
        std::thread::scope(|scope| {
            let volume = &volume;
            scope.spawn(move || {
                std::thread::sleep(moment);
                volume.shut_down();
            });
            // A process that outlives its disk refuses, since it cannot store a secret.
            while ring.act(Act::Add) == Ended::Done {}
        });
        ring.x.kill9();
        round.count("power cuts", 1);
        volume.unmount();
        volume.mount();
        ring.restart(round);
    }
    round.count("keys acknowledged", u64::try_from(ring.keys.len()).expect("a count is a number"));
    ring.x.stop();
    verified(&ring.data);
    drop(ring);
    volume.unmount();
    Next::More
}

/// The state of a key by the answers.
#[derive(Clone, Debug)]
struct Known {
    credentials: Credentials,
    /// Whether it is enabled; `None` after a change without an answer.
    enabled: Option<bool>,
}

/// How an act ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// It was acknowledged.
    Done,
    /// It was refused, and has changed nothing.
    Refused,
    /// No answer came.
    Gone,
}

/// A running exchange, and all that is known of its keys.
struct Ring {
    x: Exchange,
    data: PathBuf,
    /// The folder of the key-encryption keys that rotations make.
    sealing: PathBuf,
    rotations: u64,
    keys: Vec<Known>,
    /// How many keys the journal had at the last check, ours and the sandbox's.
    listed: usize,
    /// Whether a key was requested without an answer since the last check.
    perhaps: bool,
}

/// Starts an exchange that makes its new keys in a folder of its own.
fn start(round: &mut Round, data: &Path, sealing: &Path) -> Exchange {
    round.count("starts", 1);
    round.setup().flag("--vault-new-keys", &sealing.to_string_lossy()).start_in(data)
}

impl Ring {
    fn new(round: &mut Round) -> Self {
        let data = round.data();
        Self::in_folder(round, data)
    }

    fn in_folder(round: &mut Round, data: PathBuf) -> Self {
        let sealing = round.dir.join("sealing");
        fs::create_dir_all(&sealing).expect("a folder can be made");
        let x = start(round, &data, &sealing);
        let mut ring = Self { x, data, sealing, rotations: 0, keys: Vec::new(), listed: 0, perhaps: false };
        ring.listed = ring.rows().len();
        ring
    }

    /// Does one act.
    fn act(&mut self, act: Act) -> Ended {
        match act {
            Act::Add => self.add(),
            Act::Disable => self.switch(false),
            Act::Enable => self.switch(true),
            Act::Rotate => self.rotate(),
        }
    }

    fn add(&mut self) -> Ended {
        self.perhaps = true;
        let fields = json!({ "group": "one", "account": "savings", "roles": ["Trader"] });
        let (ended, answer) = self.post("/sandbox/keys", &fields);
        self.perhaps &= ended == Ended::Gone;
        if ended == Ended::Done {
            let text = |name: &str| answer[name].as_str().expect("a key and its secret").to_owned();
            let credentials = Credentials::new(text("api_key"), text("api_secret"));
            self.keys.push(Known { credentials, enabled: Some(true) });
            self.listed += 1;
        }
        ended
    }

    /// Disables or enables the first key that stands the other way.
    fn switch(&mut self, enable: bool) -> Ended {
        let place = self.keys.iter().position(|key| key.enabled == Some(!enable)).expect("made before");
        let api_key = self.keys[place].credentials.api_key.clone();
        let path = if enable { "/sandbox/keys/enable" } else { "/sandbox/keys/disable" };
        let (ended, _) = self.post(path, &json!({ "api_key": api_key }));
        self.keys[place].enabled = match ended {
            Ended::Done => Some(enable),
            Ended::Refused => Some(!enable),
            Ended::Gone => None,
        };
        ended
    }

    fn rotate(&mut self) -> Ended {
        self.rotations += 1;
        let to = self.sealing.join(format!("key-{}", self.rotations));
        let done = self.x.admin(&["vault", "rotate", "--to", &to.to_string_lossy()]);
        match done.code {
            0 => Ended::Done,
            _ if self.x.anyone().try_send("GET", "/v1/symbols", &[], b"").is_ok() => Ended::Refused,
            _ => Ended::Gone,
        }
    }

    fn post(&self, path: &str, body: &Value) -> (Ended, Value) {
        let headers = [("Content-Type", "application/json")];
        match self.x.anyone().try_send("POST", path, &headers, body.to_string().as_bytes()) {
            Ok(answer) if answer.status() == 200 => (Ended::Done, answer.ok()),
            Ok(answer) => {
                assert_eq!(answer.status(), 500, "{answer}");
                (Ended::Refused, answer.json())
            }
            Err(_) => (Ended::Gone, Value::Null),
        }
    }

    /// Strikes one call within one act; returns whether there was such a call.
    fn strike(&mut self, round: &mut Round, act: Act, place: Place, call: &'static str, harm: Harm) -> bool {
        self.prepare(act);
        let log = round.dir.join("strace.log");
        let _ = fs::remove_file(&log);
        let note = format!("{act:?} at {place:?}, {call} number {}, {harm:?}", round.number);
        fs::write(round.dir.join("strike.txt"), &note).expect("a note can be written");
        let within = self.files(place);
        let strike = Strike { call, harm, when: round.number, log, within };
        let (thread, all) = match place {
            Place::Journal => (thread_named(self.x.pid(), "journal"), false),
            Place::Vault | Place::Credentials => (self.x.pid(), true),
        };
        let tracer = strike.attach(thread, all);
        let ended = self.act(act);
        if ended == Ended::Gone {
            let status = self.x.wait_for_end(PATIENCE).expect("what no longer answers has ended");
            let expected = if harm == Harm::Kill { Signal::KILL } else { Signal::ABORT };
            assert_eq!(
                std::os::unix::process::ExitStatusExt::signal(&status),
                Some(expected.as_raw()),
                "{note}"
            );
        }
        let hit = ended == Ended::Gone || tracer.has_struck();
        drop(tracer);
        if !hit {
            assert_eq!(ended, Ended::Done, "{note}: not struck, and not done");
            return false;
        }
        assert!(harm != Harm::Kill || ended == Ended::Gone, "{note}: killed, and {ended:?}");
        if place == Place::Credentials && harm != Harm::Kill {
            assert_eq!(ended, Ended::Done, "{note}: the file follows the journal, which has the change");
        }
        if ended == Ended::Refused {
            assert_eq!(self.rows().len(), self.listed, "{note}: refused, and a key was made");
            assert_eq!(self.act(act), Ended::Done, "{note}: the next try");
        }
        self.x.kill9();
        self.restart(round);
        true
    }

    /// Makes what the act needs.
    fn prepare(&mut self, act: Act) {
        let wanted = match act {
            Act::Add | Act::Rotate => return,
            Act::Disable => true,
            Act::Enable => false,
        };
        if !self.keys.iter().any(|key| key.enabled == Some(true)) {
            assert_eq!(self.add(), Ended::Done);
        }
        if !wanted && !self.keys.iter().any(|key| key.enabled == Some(false)) {
            assert_eq!(self.switch(false), Ended::Done);
        }
    }

    fn files(&self, place: Place) -> Vec<PathBuf> {
        let file = |name: &str| self.data.join(name);
        match place {
            Place::Journal => Vec::new(),
            Place::Credentials => vec![file("credentials.json"), file("credentials.json.tmp")],
            Place::Vault => {
                let new = self.sealing.join(format!("key-{}", self.rotations + 1));
                let own = ["vault", "vault.tmp", "vault.log", "vault.log.tmp"].map(file);
                own.into_iter().chain([new, self.sealing.clone(), self.data.clone()]).collect()
            }
        }
    }

    /// Verifies and starts the directory of an ended exchange, and checks every key.
    fn restart(&mut self, round: &mut Round) {
        verified(&self.data);
        self.x = start(round, &self.data, &self.sealing);
        self.check();
    }

    /// The keys of the journal, without those of the simulated traders, whose secrets are in no file for users.
    fn rows(&self) -> Vec<Value> {
        let mut rows = self.x.admin(&["key", "list"]).list();
        rows.retain(|row| row["group"] != "simulated");
        rows
    }

    /// No acknowledged key is lost, none of the journal is without its secret, and a disabled one signs nothing. A change
    /// of unknown outcome is settled.
    fn check(&mut self) {
        let rows = self.rows();
        let file = self.x.credentials();
        let usable = file["keys"].as_array().expect("credentials.json lists keys");
        let entry = |api_key: &str| usable.iter().find(|entry| entry["api_key"] == api_key);
        for known in &mut self.keys {
            let api_key = known.credentials.api_key.as_str();
            let row = rows.iter().find(|row| row["api_key"] == api_key);
            let row = row.unwrap_or_else(|| panic!("{api_key} was acknowledged and is gone"));
            let enabled = row["enabled"].as_bool().expect("enabled is a flag");
            assert!(known.enabled.is_none_or(|known| known == enabled), "{known:?} is listed as {row}");
            known.enabled = Some(enabled);
            assert_eq!(entry(api_key).is_some(), enabled, "{row}: entries of the file work");
            check_signs(&self.x, &known.credentials, enabled);
        }
        assert!(rows.len() == self.listed || self.perhaps && rows.len() == self.listed + 1, "{rows:?}");
        self.listed = rows.len();
        self.perhaps = false;
        for row in rows {
            let api_key = row["api_key"].as_str().expect("a key has a text");
            if self.keys.iter().any(|known| known.credentials.api_key == api_key) {
                continue;
            }
            let entry = entry(api_key).unwrap_or_else(|| panic!("half a key: {row} has no secret"));
            let secret = entry["api_secret"].as_str().expect("a key has a secret");
            let credentials = Credentials::new(api_key.to_owned(), secret.to_owned());
            // The key of the act without an answer; a sandbox's own have names.
            if row["name"] == api_key {
                check_signs(&self.x, &credentials, true);
                self.keys.push(Known { credentials, enabled: Some(true) });
            }
        }
    }

    /// A vault older than the journal is refused by the name of the key that it lacks, and changes nothing.
    fn meet_an_older_vault(&mut self, round: &mut Round) {
        let (older, newer) = (round.dir.join("older"), round.dir.join("newer"));
        copy_vault(&self.data, &older);
        assert_eq!(self.add(), Ended::Done);
        self.x.kill9();
        copy_vault(&self.data, &newer);
        copy_vault(&older, &self.data);
        let ended = round.setup().try_start_in(&self.data).expect_err("a key has no secret");
        let line = one_line(&ended.stderr);
        let api_key = &self.keys.last().expect("just made").credentials.api_key;
        assert!(line.contains(api_key.as_str()) && line.contains("no secret"), "{line}");
        copy_vault(&newer, &self.data);
        self.restart(round);
        round.count("older vaults refused", 1);
    }
}

/// Puts the vault of one folder, base and log, in the place of another's.
fn copy_vault(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for name in ["vault", "vault.log"] {
        let _ = fs::remove_file(to.join(name));
        if from.join(name).exists() {
            fs::copy(from.join(name), to.join(name)).expect("a file can be copied");
        }
    }
}

fn check_signs(x: &Exchange, credentials: &Credentials, enabled: bool) {
    let answer = x.actor_of(credentials).call("/v1/balances", json!({}));
    if enabled {
        answer.ok();
    } else {
        answer.refused(403, "InvalidApiKey");
    }
}
