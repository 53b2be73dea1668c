//! API secrets: where the vault's key comes from, and that no file, log or core file holds a secret.

mod people;
mod search;

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use buttonwood_accept::{Exchange, Setup, binary, json, laws, private_folder, skipped};
use rustix::process::{Pid, Signal, kill_process};
use search::{Search, base64, content};

const FIRST_KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n";
const OTHER_KEY: &str = "//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=\n";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// `serve` in `home`, with the data directory `data` and these lines in its configuration.
fn venue(home: &Path, lines: &str) -> Command {
    fs::write(home.join("venue.toml"), format!("listen = \"127.0.0.1:0\"\ndata = \"data\"\n{lines}\n"))
        .unwrap();
    let mut command = Command::new(binary());
    command.args(["serve", "--config", "venue.toml"]).current_dir(home);
    command
}

fn runs(home: &Path, lines: &str) {
    let mut child = venue(home, lines).stdout(Stdio::piped()).spawn().unwrap();
    let ready = first_line(&mut child);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success() && ready.starts_with("ready"), "{lines}: {ready}");
}

fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    let output = child.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line).unwrap();
    line
}

/// The refusal of a start: one line, which holds no key, and nothing else on standard output.
fn refusal(Output { status, stdout, stderr }: Output) -> String {
    let line = String::from_utf8(stderr).unwrap();
    assert!(stdout.is_empty() && line.lines().count() == 1, "{line}");
    // A restart does not mend it, so a supervisor must not try.
    assert_eq!(status.code(), Some(2), "{line}");
    assert!(!line.contains(FIRST_KEY.trim()) && !line.contains(OTHER_KEY.trim()), "{line}");
    line
}

/// A venue takes its key from a file outside its data directory or from a command; anything else is one clear line and
/// changes nothing.
#[test]
fn a_venue_keeps_its_key_elsewhere() {
    let home = private_folder();
    let home = home.path();
    let refused = |lines: &str, words: &str| {
        let before = home.join("data").exists().then(|| content(&home.join("data")));
        let line = refusal(venue(home, lines).output().unwrap());
        assert!(line.contains(words), "{line}");
        assert!(home.join("data").exists().then(|| content(&home.join("data"))) == before, "{line}");
    };
    refused("", "serve needs --vault-key-file FILE or --vault-key-command COMMAND");
    assert!(!home.join("data").exists());
    for (file, key) in [("key", FIRST_KEY), ("other", OTHER_KEY), ("short", "AAEC\n")] {
        fs::write(home.join(file), key).unwrap();
    }
    runs(home, "vault_key_file = \"key\"");
    assert!(!home.join("data/vault.key").exists(), "a venue's directory holds no key");
    runs(home, "vault_key_command = \"cat key\"");
    symlink(home.join("data/inside"), home.join("inward")).unwrap();
    fs::write(home.join("data/inside"), FIRST_KEY).unwrap();
    symlink(home.join("key"), home.join("data/outward")).unwrap();
    for inside in ["data/inside", "inward", "data/outward"] {
        let words =
            format!("--config venue.toml: --vault-key-file {inside}: it lies in the data directory data");
        refused(&format!("vault_key_file = \"{inside}\""), &words);
    }
    refused("vault_key_file = \"other\"", "other: it is sealed under the key in");
    refused("vault_key_file = \"nowhere\"", "the key file nowhere is missing");
    fs::create_dir(home.join("folder")).unwrap();
    refused("vault_key_file = \"folder\"", "cannot read the key file folder: Is a directory");
    refused("vault_key_file = \"key/below\"", "cannot read the vault key key/below: Not a directory");
    refused("vault_key_file = \"short\"", "short gives no key: one line with 32 bytes in Base64 is wanted");
    refused(
        "vault_key_command = \"cat other\"",
        "does not open under the key of the command: it is sealed under the key in",
    );
    refused("vault_key_command = \"exit 3\"", "the key command failed: exit status: 3");
    refused("vault_key_file = \"key\"\nvault_key_command = \"cat key\"", "give one of them");
    fs::write(home.join("data/vault"), "BWVAULT2 and then nothing").unwrap();
    refused("vault_key_file = \"key\"", "data/vault does not open: it is damaged");
}

/// A sandbox makes its key in its directory, or takes one from elsewhere; a flag beats the environment.
#[test]
fn a_sandbox_makes_its_key() {
    let x = Exchange::start();
    let key = fs::read_to_string(x.data().join("vault.key")).unwrap();
    assert_eq!((key.len(), key.ends_with("=\n")), (45, true), "32 bytes in Base64 on one line");
    let mode = |name: &str| fs::metadata(x.data().join(name)).unwrap().mode() & 0o777;
    assert_eq!(["vault.key", "vault"].map(mode), [0o600; 2]);
    x.stop();
    let home = private_folder();
    let (first, other) = (home.path().join("first"), home.path().join("other"));
    fs::write(&first, &key).unwrap();
    fs::write(&other, OTHER_KEY).unwrap();
    let with = |name: &str, value: &str| Exchange::builder().flag(name, value);
    with("--vault-key-file", text(&first)).start_in(x.data()).stop();
    with("--vault-key-command", &format!("cat {}", text(&first)))
        .env("BUTTONWOOD_VAULT_KEY_FILE", text(&other))
        .start_in(x.data())
        .stop();
    let line = with("--vault-key-file", text(&other)).refuses_in(x.data());
    assert!(line.contains("does not open under the key in"), "{line}");
    fs::remove_file(x.data().join("vault.key")).unwrap();
    let line = Exchange::builder().refuses_in(x.data());
    assert!(line.contains("vault.key is missing") && !x.data().join("vault.key").exists(), "{line}");
    with("--vault-key-file", text(&first)).start_in(x.data()).stop();
    laws::verified(&x);
}

/// No byte that a run wrote gives a secret away: every file but `credentials.json`, the log, standard output. Only the
/// welcome shows two keys.
#[test]
fn no_file_holds_a_secret() {
    let x = Exchange::builder().flag("--activity", "on").flag("--snapshot-every", "20").start();
    for name in ["trader", "counterparty", "second-session"] {
        let actor = x.as_(name);
        actor.limit("btcusd", "buy", "1", "100");
        actor.call("/v1/order/new", json!({ "symbol": "none" })).error();
        let mut signed = actor.sign(b"{}");
        signed.signature = "00".to_owned();
        actor.call_signed("/v1/balances", &signed).error();
    }
    x.advance(60);
    let search = Search::of(&x);
    let own: Vec<u8> = [b"..", x.key("trader").credentials.api_secret.as_bytes(), b".."].concat();
    search.finds(&own, &["trader"]);
    search.finds(base64(&own[1..34]).as_bytes(), &["trader"]);
    x.restart();
    x.as_("trader").limit("btcusd", "buy", "1", "100");
    x.stop();
    for (path, bytes) in content(x.data()) {
        if !path.ends_with("credentials.json") {
            assert!(search.found_in(&bytes).is_empty(), "{}", path.display());
        }
    }
    let log = x.log();
    let key = fs::read_to_string(x.data().join("vault.key")).unwrap();
    assert!(!log.contains(key.trim()));
    // A line of the log begins with its time, unlike the welcome's.
    let is_logged = |line: &&str| line.starts_with(|first: char| first.is_ascii_digit());
    let logged: String = log.lines().filter(is_logged).collect();
    assert!(logged.contains("INFO"), "{log}");
    search.finds(logged.as_bytes(), &[]);
    search.finds(log.as_bytes(), &["counterparty", "trader"]);
    assert_eq!(x.later_output(), [""; 0]);
}

/// Whether this machine writes the core file of a process into its working directory.
fn writes_core_files() -> bool {
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
    let limit = rustix::process::getrlimit(rustix::process::Resource::Core).maximum;
    pattern.trim() == "core" && limit.is_none_or(|bytes| bytes > 1 << 30)
}

/// Starts an exchange in a folder, with core files of any size, aborts it once it has served, and returns the core file.
fn aborted(home: &Path, setup: Setup) -> (Exchange, Option<Vec<u8>>) {
    let script = format!("cd '{}' && ulimit -c unlimited && exec \"$@\"", home.display());
    let x = setup.through(&["/bin/sh", "-c", &script, "sh"]).start_in(&home.join("data"));
    x.as_("trader").limit("btcusd", "buy", "1", "100");
    x.signal(Signal::ABORT);
    let names = fs::read_dir(home).unwrap().map(|entry| entry.unwrap().path());
    let core =
        names.filter(|path| path.file_name().is_some_and(|name| text(Path::new(name)).starts_with("core")));
    let core = core.last().map(|path| fs::read(path).unwrap());
    (x, core)
}

/// An aborted exchange leaves no core file. Where a flag allows one, it holds neither a secret nor the vault's key.
#[test]
fn a_core_file_holds_no_secret() {
    if !writes_core_files() {
        return skipped("the search of a core file", "this machine puts none beside the process");
    }
    let home = private_folder();
    let (_, core) = aborted(home.path(), Exchange::builder());
    assert!(core.is_none(), "the default leaves no core file");
    let home = private_folder();
    let (x, core) =
        aborted(home.path(), Exchange::builder().flag("--core-dumps", "on").flag("--activity", "on"));
    let core = core.expect("the flag allows a core file");
    assert!(
        core.windows(9).any(|window| window == b"PRIVATE_0") || core.len() > 1 << 20,
        "it is a core file"
    );
    search_with_key(&x).finds(&core, &[]);
}

/// A search for the secrets, the padded keys of their keyed hashes, and the vault's key.
fn search_with_key(x: &Exchange) -> Search {
    let mut search = Search::of(x);
    for name in x.key_names() {
        for pad in [0x36, 0x5c] {
            let secret = &x.key(&name).credentials.api_secret;
            search.add(&name, secret.bytes().map(|byte| byte ^ pad).collect());
        }
    }
    let key = fs::read_to_string(x.data().join("vault.key")).unwrap();
    search.add("the vault's key", key.trim().as_bytes().to_vec());
    search.add("the vault's key", decoded(key.trim()));
    search
}

/// The memory of a running exchange cannot be read by its own user unless a flag allows core files; then it holds no
/// secret, no padded key of a keyed hash, and not the vault's key.
#[test]
fn memory_holds_no_secret() {
    let x = Exchange::builder().flag("--core-dumps", "on").flag("--activity", "on").start();
    x.as_("trader").limit("btcusd", "buy", "1", "100");
    let pid = x.pid().as_raw_nonzero();
    let Ok(mut memory) = fs::File::open(format!("/proc/{pid}/mem")) else {
        return skipped("the search of the memory", "this machine shows no process's memory");
    };
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let search = search_with_key(&x);
    let mut searched = 0;
    for line in maps.lines().filter(|line| line.split(' ').nth(1).is_some_and(|mode| mode.starts_with("rw")))
    {
        let (start, end) = line.split(' ').next().unwrap().split_once('-').unwrap();
        let [start, end] = [start, end].map(|text| u64::from_str_radix(text, 16).unwrap());
        let mut room = vec![0; usize::try_from(end - start).unwrap()];
        memory.seek(SeekFrom::Start(start)).unwrap();
        // Some ranges cannot be read; they are not in a core file either.
        if memory.read_exact(&mut room).is_ok() {
            searched += room.len();
            let found = search.found_in(&room);
            assert!(found.is_empty(), "{found:?} in {line}");
        }
    }
    assert!(searched > 1 << 20, "only {searched} bytes were searched");
}

fn decoded(line: &str) -> Vec<u8> {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: Vec<usize> = line.chars().filter_map(|letter| LETTERS.find(letter)).collect();
    let groups = digits.chunks(4).flat_map(|four| {
        let bits = four.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - four.len()));
        [16, 8, 0].map(|shift| u8::try_from(bits >> shift & 255).unwrap())
    });
    groups.take(digits.len() * 6 / 8).collect()
}
