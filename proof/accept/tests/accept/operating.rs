//! A venue in the hands of its operators: `docs/OPERATING.md` as written, and the commands that it does not show.

use buttonwood_accept::{Actor, Answer, Exchange, Value, binary, json, private_folder, skipped};
use buttonwood_client::{Client, Credentials};
use rustix::process::{Pid, Signal, geteuid, kill_process};
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

const DOCUMENT: &str = include_str!("../../../../docs/OPERATING.md");

/// The blocks of the document that are marked `sh`, as one script.
fn script() -> String {
    let mut script = "set -eu\ntrap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n".to_owned();
    for block in DOCUMENT.split("\n```sh\n").skip(1) {
        script.push_str(block.split_once("\n```\n").expect("a block ends").0);
        script.push('\n');
    }
    script.replace("127.0.0.1:8080", "127.0.0.1:0").replace("127.0.0.1:9100", "127.0.0.1:0")
}

/// An empty directory becomes a venue with two customers that trade, by the script of the document.
#[test]
fn the_document_is_true() {
    let missing = ["bash", "curl", "openssl", "jq"].into_iter().find(|program| {
        let found = Command::new(program).arg("--version").output();
        found.is_err()
    });
    if let Some(program) = missing {
        return skipped("the script of docs/OPERATING.md", &format!("{program} is not installed"));
    }
    let home = private_folder();
    symlink(binary(), home.path().join("buttonwood")).unwrap();
    let path = format!("{}:{}", home.path().display(), std::env::var("PATH").unwrap_or_default());
    let run = Command::new("bash")
        .args(["-c", &script()])
        .current_dir(home.path())
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let log = fs::read_to_string(home.path().join("log")).unwrap_or_default();
    let [out, err] = [run.stdout, run.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(run.status.success(), "{out}\n{err}\n{log}");
}

/// A running venue, stopped at the end.
struct Venue {
    home: tempfile::TempDir,
    child: Child,
}

impl Venue {
    /// Starts a venue in an empty directory with these settings.
    fn start(settings: &str) -> Self {
        let home = private_folder();
        let child = serve(home.path(), settings);
        Self { home, child }
    }

    fn stop(&mut self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        assert!(self.child.wait().unwrap().success());
    }

    fn restart(&mut self, settings: &str) {
        self.stop();
        self.child = serve(self.home.path(), settings);
    }

    fn admin(&self, arguments: &[&str]) -> Command {
        admin(&self.home.path().join("data"), arguments)
    }

    fn object(&self, arguments: &[&str]) -> Value {
        object(&self.admin(arguments).output().unwrap())
    }

    fn refused(&self, arguments: &[&str]) -> String {
        refused(&self.admin(arguments).output().unwrap())
    }
}

impl Drop for Venue {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(home: &Path, settings: &str) -> Child {
    started(&mut venue_in(home, settings))
}

/// `serve` in `home` with a key that lies there and these settings.
fn venue_in(home: &Path, settings: &str) -> Command {
    fs::write(home.join("key"), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n").unwrap();
    with_key(home, settings)
}

/// With the key that lies in `home` already.
fn serve_with_key(home: &Path, settings: &str) -> Child {
    started(&mut with_key(home, settings))
}

fn with_key(home: &Path, settings: &str) -> Command {
    let settings = format!("listen = \"127.0.0.1:0\"\ndata = \"data\"\nvault_key_file = \"key\"\n{settings}");
    fs::write(home.join("venue.toml"), settings).unwrap();
    let mut command = Command::new(binary());
    command.args(["serve", "--config", "venue.toml"]).current_dir(home);
    command
}

/// Waits until the server takes requests.
fn started(command: &mut Command) -> Child {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    assert!(ready.starts_with("ready"), "{ready}");
    child
}

fn admin(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.arg("admin").arg("--data").arg(data).args(arguments).stdin(Stdio::null());
    command
}

/// The only object that a command has printed.
#[track_caller]
fn object(output: &Output) -> Value {
    let shown = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && output.stderr.is_empty(), "{:?}: {shown}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The line of a refusal.
#[track_caller]
fn refused(output: &Output) -> String {
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), line.lines().count()), (Some(1), 1), "{line}");
    assert!(output.stdout.is_empty(), "{line}");
    line
}

/// A sandbox's operator.
fn on(x: &Exchange, arguments: &[&str]) -> Output {
    admin(x.data(), arguments).output().unwrap()
}

/// Groups and accounts of every kind, their terms, and the refusals by field. Proves ACCT-007 (part), ACCT-008 (part).
#[test]
fn groups_and_accounts() {
    let venue = Venue::start("");
    let added = venue.object(&["group", "add", "North & Co", "--max-accounts", "3", "--custody-terms"]);
    let group = json!({ "result": "ok", "group": "North & Co", "accounts_max": 3, "custody_terms": true, "from": [] });
    assert_eq!(added, group);
    assert!(venue.refused(&["group", "add", "North & Co"]).contains("'name' must be one that no group has"));
    assert!(venue.refused(&["group", "add", ""]).contains("'name'"));
    let set = venue.object(&["group", "set", "North & Co", "--max-accounts", "9"]);
    assert_eq!((&set["accounts_max"], &set["custody_terms"]), (&json!(9), &json!(true)));
    let set = venue.object(&["group", "set", "North & Co", "--no-custody-terms"]);
    assert_eq!((&set["accounts_max"], &set["custody_terms"]), (&json!(9), &json!(false)));
    assert!(
        venue.refused(&["group", "set", "nosuch", "--max-accounts", "9"]).contains("name of a group: nosuch")
    );
    assert!(venue.refused(&["group", "set", "North & Co"]).contains("accounts_max"));

    let open = |arguments: &[&str]| venue.object(&[&["account", "add", "North & Co"], arguments].concat());
    let account = |short: &str, kind: &str| json!({ "result": "ok", "group": "North & Co", "account": short, "kind": kind });
    assert_eq!(open(&["Desk 1"]), account("desk-1", "exchange"));
    for kind in ["exchange", "custody", "derivatives", "margin"] {
        assert_eq!(open(&[kind, "--kind", kind]), account(kind, kind));
    }
    assert_eq!(open(&["Far", "--jurisdiction", "us-ny"])["jurisdiction"], "US-NY");
    assert_eq!(open(&["Dry", "--dry-run"])["dry_run"], true);
    assert_eq!(open(&["Dry"])["account"], "dry");
    for (arguments, part) in [
        (["North & Co", "Desk 1", "--kind", "exchange"], "'name' must be one that no account"),
        (["North & Co", "Else", "--kind", "savings"], "'kind' must be one of"),
        (["North & Co", "Else", "--jurisdiction", "USA"], "'jurisdiction' must be"),
        (["North & Co", "a/b", "--kind", "margin"], "'name' must be"),
        (["nosuch", "Else", "--kind", "margin"], "'group' must be"),
    ] {
        let line = venue.refused(&[&["account", "add"], &arguments[..]].concat());
        assert!(line.contains(part), "{line}");
    }
    let usage = venue.admin(&["account", "add"]).output().unwrap();
    assert_eq!(usage.status.code(), Some(2), "a command that cannot be parsed");
}

/// A group is added with its addresses, and they are set alone or with its terms; its keys call from them alone, at once and after
/// a restart. A wrong address changes nothing. Proves AUTH-013 (part).
#[test]
fn a_group_is_restricted_to_addresses() {
    let x = Exchange::start();
    let x_on = |arguments: &[&str]| object(&on(&x, arguments));
    let add = ["group", "add", "far", "--from", "192.0.2.0/24", "--from", "2001:db8::1", "--dry-run"];
    let dry = x_on(&add);
    assert_eq!((&dry["dry_run"], &dry["from"]), (&json!(true), &json!(["192.0.2.0/24", "2001:db8::1/128"])));
    for (from, part) in [("192.0.2.1/24", "192.0.2.1/24"), ("nowhere", "nowhere"), ("", "'from' must be")] {
        let line = refused(&on(&x, &["group", "add", "far", "--from", "127.0.0.1", "--from", from]));
        assert!(line.contains("'from' must be") && line.contains(part), "{line}");
    }
    assert!(
        refused(&on(&x, &["account", "add", "far", "Desk"])).contains("name of a group"),
        "nothing was added"
    );
    x_on(add.split_last().unwrap().1);
    x_on(&["account", "add", "far", "Desk"]);
    let key = x_on(&["key", "add", "--group", "far", "--account", "desk", "--role", "Trader"]);
    let [api_key, secret] = ["api_key", "api_secret"].map(|field| key[field].as_str().unwrap());
    let calls = || x.actor_of(&Credentials::new(api_key, secret)).call("/v1/heartbeat", json!({}));
    calls().refused(403, "RemoteAddressForbidden");
    let set = x_on(&["group", "set", "far", "--from", "127.0.0.0/8", "--max-accounts", "2"]);
    assert_eq!((&set["from"], &set["accounts_max"]), (&json!(["127.0.0.0/8"]), &json!(2)));
    calls().ok();
    let line = refused(&on(&x, &["group", "set", "far", "--max-accounts", "9", "--from", "10.0.0.0/33"]));
    assert!(line.contains("'from' must be") && line.contains("10.0.0.0/33"), "{line}");
    let set = x_on(&["group", "set", "far", "--from", "192.0.2.7"]);
    assert_eq!((&set["from"], &set["accounts_max"]), (&json!(["192.0.2.7/32"]), &json!(2)));
    x.restart();
    calls().refused(403, "RemoteAddressForbidden");
    let set = object(&on(&x, &["group", "set", "far", "--custody-terms"]));
    assert_eq!((&set["from"], &set["custody_terms"]), (&json!(["192.0.2.7/32"]), &json!(true)));
}

/// An account with orders or money stays open, and the refusal names them. A closed one takes nothing new. Proves ACCT-013 (part).
#[test]
fn an_account_closes_when_it_is_empty() {
    let x = Exchange::start();
    let order = x.as_("trader").limit("btcusd", "buy", "1", "100")["order_id"].clone();
    let line = refused(&on(&x, &["account", "close", "one", "primary"]));
    let all = format!("not with live orders {}; money ", order.as_str().unwrap());
    assert!(line.contains(&all) && line.contains("BTC 1000") && line.contains("USD "), "{line}");
    x.as_("trader").cancel(order.as_str().unwrap());
    let line = refused(&on(&x, &["account", "close", "one", "primary"]));
    assert!(line.contains("not with money") && line.contains("USD"), "{line}");
    assert!(refused(&on(&x, &["account", "close", "one", "nosuch"])).contains("'nosuch'"));
    let closed = json!({ "result": "ok", "account": "primary" });
    assert_eq!(object(&on(&x, &["account", "close", "five", "primary"])), closed);
    let line = refused(&on(&x, &["account", "close", "five", "primary"]));
    assert!(line.contains("closed account"), "{line}");
    let order =
        json!({ "symbol": "btcusd", "side": "buy", "type": "exchange limit", "amount": "1", "price": "1" });
    x.as_("empty").call("/v1/order/new", order).refused(400, "AccountClosed");
    assert_eq!(x.as_("empty").call("/v1/orders", json!({})).ok(), json!([]));
}

/// The vault's key is rotated while a venue runs and while it is stopped. A later start needs the new file; the one before is
/// refused in a line that names the new one.
#[test]
fn the_vault_s_key_is_rotated() {
    let mut venue = Venue::start("");
    let home = venue.home.path().to_owned();
    venue.object(&["group", "add", "North"]);
    venue.object(&["account", "add", "North", "Primary"]);
    let add = ["key", "add", "--group", "North", "--account", "primary", "--role", "Trader"];
    let made = venue.object(&add);
    let [second, third] = ["second", "third"].map(|name| home.join(name).to_str().unwrap().to_owned());
    for outside in ["data/second", "data/../../second", "link/second"] {
        let line = venue.refused(&["vault", "rotate", "--to", home.join(outside).to_str().unwrap()]);
        assert!(line.contains("'to' must be a new file in the folder"), "{outside}: {line}");
    }
    symlink(home.join("data/second"), home.join("dangling")).unwrap();
    let dangling = home.join("dangling");
    assert!(
        venue.refused(&["vault", "rotate", "--to", dangling.to_str().unwrap()]).contains("not there yet")
    );
    assert!(!home.join("data/second").exists());
    let key = home.join("key");
    assert!(venue.refused(&["vault", "rotate", "--to", key.to_str().unwrap()]).contains("not there yet"));
    assert_eq!(venue.object(&["vault", "rotate", "--to", &second, "--dry-run"])["to"], second.as_str());
    assert!(!home.join("second").exists(), "a dry run makes nothing");
    let rotated = venue.object(&["vault", "rotate", "--to", &second, "--reason", "each year"]);
    assert_eq!(
        (&rotated["to"], &rotated["secrets"]),
        (&json!(second), &json!(3)),
        "the key's, that of the proofs of reserves, and that of the challenges of passkeys"
    );
    let audit = venue.object(&["audit", "--limit", "1"]);
    assert_eq!(audit["why"], "each year");
    let late = venue.object(&add);
    venue.stop();
    let output =
        Command::new(binary()).args(["serve", "--config", "venue.toml"]).current_dir(&home).output().unwrap();
    let line = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && line.contains(&second), "{line}");
    let line = venue.refused(&["vault", "rotate", "--to", home.join("data/third").to_str().unwrap()]);
    assert!(line.contains("'to' must be a new file in the folder"), "{line}");
    let rotated = venue.object(&["vault", "rotate", "--to", &third]);
    assert_eq!(rotated["secrets"], 4);
    fs::copy(&third, &key).unwrap();
    venue.child = serve_with_key(&home, "");
    let keys = String::from_utf8(venue.admin(&["key", "list"]).output().unwrap().stdout).unwrap();
    for key in [&made, &late] {
        assert!(keys.contains(key["api_key"].as_str().unwrap()), "{keys}");
    }
}

/// New keys are made in the folder that the settings name, and only there; without that setting in the folder of the key file. The folder
/// is checked at the start.
#[test]
fn new_keys_have_a_folder_of_their_own() {
    let mut venue = Venue::start("");
    let home = venue.home.path().to_owned();
    let at = |name: &str| home.join(name).to_str().unwrap().to_owned();
    fs::create_dir(home.join("keys")).unwrap();
    symlink(home.join("keys"), home.join("alias")).unwrap();
    venue.restart("vault_new_keys = \"alias\"\n");
    for outside in ["second", "alias/second", "keys/../second"] {
        let line = venue.refused(&["vault", "rotate", "--to", &at(outside)]);
        assert!(line.contains("'to' must be a new file in the folder") && line.contains("/keys"), "{line}");
    }
    assert_eq!(venue.object(&["vault", "rotate", "--to", &at("keys/second"), "--dry-run"])["dry_run"], true);
    fs::rename(home.join("keys"), home.join("moved")).unwrap();
    fs::create_dir(home.join("elsewhere")).unwrap();
    symlink(home.join("elsewhere"), home.join("keys")).unwrap();
    let line = venue.refused(&["vault", "rotate", "--to", &at("keys/second")]);
    assert!(line.contains("The folder of new keys") && line.contains("cannot be used"), "{line}");
    assert!(!home.join("elsewhere/second").exists(), "a folder that became a link is not followed");
    fs::remove_file(home.join("keys")).unwrap();
    fs::rename(home.join("moved"), home.join("keys")).unwrap();
    assert_eq!(venue.object(&["vault", "rotate", "--to", &at("keys/second")])["to"], at("keys/second"));
    venue.stop();
    for (folder, words) in
        [("nowhere", "No such file"), ("data", "lies in the data directory"), ("open", "may write it")]
    {
        fs::create_dir_all(home.join("open")).unwrap();
        fs::set_permissions(home.join("open"), Permissions::from_mode(0o777)).unwrap();
        let output = Command::new(binary())
            .args(["serve", "--config", "venue.toml", "--vault-new-keys", folder])
            .current_dir(&home)
            .output()
            .unwrap();
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code() == Some(2) && line.contains("--vault-new-keys") && line.contains(words),
            "{line}"
        );
    }

    // The key of a sandbox lies in its data directory.
    let x = Exchange::start();
    let to = x.data().parent().unwrap().join("second");
    let line = refused(&on(&x, &["vault", "rotate", "--to", to.to_str().unwrap()]));
    assert!(line.contains("'to' must be a new file in the folder"), "{line}");
}

/// The systemd unit's command and environment start a venue: with the vault key as systemd lays a credential before it, which the
/// settings' own key file gives way to, and nothing of the unit is misspelt.
#[test]
fn the_unit_s_settings_start_a_venue() {
    const UNIT: &str = include_str!("../../../../ops/buttonwood.service");
    let home = private_folder();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let here = |text: &str| {
        text.replace("/etc/buttonwood", &at("etc"))
            .replace("/var/lib/buttonwood", &at("data"))
            .replace("127.0.0.1:9100", "127.0.0.1:0")
            .replace("%d", &at("credentials"))
    };
    let of = |name: &'static str| {
        UNIT.lines().filter_map(move |line| line.strip_prefix(name)?.strip_prefix('=')).map(here)
    };
    for folder in ["etc", "credentials", "data-keys"] {
        fs::create_dir(home.path().join(folder)).unwrap();
    }
    for credential in of("LoadCredential") {
        let (id, _) = credential.split_once(':').unwrap();
        let file = home.path().join("credentials").join(id);
        fs::write(&file, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n").unwrap();
        fs::set_permissions(file, Permissions::from_mode(0o400)).unwrap();
    }
    fs::write(at("etc/venue.toml"), "listen = \"127.0.0.1:0\"\nvault_key_file = \"nowhere\"\n").unwrap();
    let line = of("ExecStart").next().unwrap();
    let mut words = line.split(' ').skip(1);
    let mut command = Command::new(binary());
    command.args(words.by_ref()).env_clear();
    command.envs(
        of("Environment")
            .map(|line| line.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap()),
    );
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(ready.starts_with("ready") && output.status.success(), "{ready}{log}");
    assert!(log.contains("metrics are at") && log.contains("{\"level\""), "{log}");
    assert!(home.path().join("data/vault").exists() && !home.path().join("data/vault.key").exists());
    assert!(of("Environment").any(|line| line == format!("BUTTONWOOD_VAULT_NEW_KEYS={}", at("data-keys"))));
    assert_eq!(of("PrivateUsers").next(), None, "the exchange sees who its operators are");
    // The unit sets the mode at each start, so it must be the one that the document has for operators.
    let mode = of("StateDirectoryMode").next().unwrap();
    assert!(DOCUMENT.contains(&format!("chmod {mode} venue")), "{mode}");
    let writable = of("StateDirectory").next().unwrap();
    assert_eq!(
        writable, "buttonwood buttonwood-keys",
        "a rotation can make a key outside the data directory"
    );
}

/// A stop of withdrawals has an alert and a panel, and the alert of an exchange that takes no orders names a halt.
#[test]
fn alerts_and_panels_show_what_stops() {
    const ALERTS: &str = include_str!("../../../../ops/alerts.yml");
    let dashboard: Value = serde_json::from_str(include_str!("../../../../ops/dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    for metric in ["buttonwood_reserves_short", "buttonwood_wallet_waiting"] {
        assert!(ALERTS.contains(&format!("expr: {metric} > 0")), "{metric}");
        assert!(panels.iter().any(|panel| panel["targets"][0]["expr"] == metric), "{metric}");
    }
    let alert = ALERTS.split("- alert: ").find(|alert| alert.starts_with("ButtonwoodNotReady")).unwrap();
    assert!(alert.contains("halted"), "{alert}");
}

/// The commands of the document install the unit: each file is where the unit reads it, and root alone may read the key. `useradd`,
/// `systemctl` and `curl` only note that they were called.
#[test]
fn the_unit_is_installed_as_the_document_says() {
    if Command::new("bash").arg("--version").output().is_err() {
        return skipped("the installation of the unit", "bash is not installed");
    }
    let (_, block) = DOCUMENT.split_once("\n```bash\n").unwrap();
    let (block, _) = block.split_once("\n```\n").unwrap();
    let home = private_folder();
    let at = |name: &str| home.path().join(name);
    let here = |text: &str| {
        ["/etc/", "/usr/local/"].iter().fold(text.to_owned(), |text, root| {
            text.replace(&format!(" {root}"), &format!(" {}{root}", home.path().display()))
        })
    };
    symlink(binary(), at("buttonwood")).unwrap();
    symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ops"), at("ops")).unwrap();
    let noted =
        ["useradd", "systemctl", "curl"].map(|name| format!("{name}() {{ echo {name} \"$@\" >> calls; }}\n"));
    let run = Command::new("bash")
        .args(["-c", &format!("set -eu\n{}{}", noted.concat(), here(block))])
        .current_dir(home.path())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("etc/buttonwood/vault.key"), mode("usr/local/bin/buttonwood")), (0o600, 0o755));
    for (file, own) in [
        ("etc/systemd/system/buttonwood.service", "ops/buttonwood.service"),
        ("etc/logrotate.d/buttonwood", "ops/logrotate.conf"),
    ] {
        assert_eq!(fs::read(at(file)).unwrap(), fs::read(at(own)).unwrap(), "{file}");
    }
    let calls = fs::read_to_string(at("calls")).unwrap();
    assert!(calls.contains("--user-group") && calls.contains("systemctl enable --now buttonwood"), "{calls}");
    fs::copy(at("etc/buttonwood/vault.key"), at("key")).unwrap();
    let settings = fs::read_to_string(at("etc/buttonwood/venue.toml")).unwrap();
    assert_eq!(settings, "listen = \"127.0.0.1:8080\"\n");
    let mut venue = Venue { child: serve_with_key(home.path(), ""), home };
    venue.stop();
}

/// The container's health check passes while the exchange serves, also while it is halted, and fails on any other answer and on none.
#[test]
fn the_container_s_health_check_works() {
    const FILE: &str = include_str!("../../../../ops/Containerfile");
    if Command::new("bash").arg("--version").output().is_err() {
        return skipped("the container's health check", "bash is not installed");
    }
    let check = FILE.split_once("HEALTHCHECK").and_then(|(_, rest)| rest.split_once("CMD ")).unwrap().1;
    let words: Vec<String> = serde_json::from_str(check.lines().next().unwrap()).unwrap();
    let x = Exchange::start();
    let port = x.address().rsplit_once(':').unwrap().1.to_owned();
    let passes = |path: &str| {
        let words = words.iter().map(|word| word.replace("8080", &port).replace("/health/live", path));
        let words: Vec<String> = words.collect();
        assert!(words.last().unwrap().contains(&port) && words.last().unwrap().contains(path), "{words:?}");
        Command::new(&words[0]).args(&words[1..]).stderr(Stdio::null()).status().unwrap().success()
    };
    assert!(passes("/health/live"));
    x.control("/sandbox/halt", &json!({})).ok();
    assert!(passes("/health/live") && !passes("/health/ready"), "halted is alive");
    assert!(!passes("/nowhere"));
    // Its settings are those of the image.
    for setting in ["BUTTONWOOD_LISTEN", "BUTTONWOOD_DATA"] {
        assert!(FILE.contains(setting));
        let help = Command::new(binary()).args(["sandbox", "--help"]).output().unwrap();
        assert!(String::from_utf8_lossy(&help.stdout).contains(setting), "{setting}");
    }
    x.stop();
    assert!(!passes("/health/live"));
}

/// A currency and a symbol are listed while the exchange runs, and trade at once; a start knows them too.
#[test]
fn currencies_and_symbols_are_added() {
    let x = Exchange::start();
    let added = object(&on(&x, &["currency", "add", "nth", "--decimals", "8", "--name", "Northcoin"]));
    let expected =
        json!({ "result": "ok", "currency": "NTH", "name": "Northcoin", "decimals": 8, "fiat": false });
    assert_eq!(added, expected);
    for (arguments, part) in [
        (["NTH", "--decimals", "8"], "'currency' must be a code that is not listed yet"),
        (["N", "--decimals", "8"], "'currency' must be 2 to 10"),
        (["1TH", "--decimals", "8"], "'currency' must be 2 to 10"),
        (["OTH", "--decimals", "20"], "'decimals' must be at most 19"),
        (["OTH", "--decimals", "x"], "'decimals'"),
    ] {
        let line = refused(&on(&x, &[&["currency", "add"], &arguments[..]].concat()));
        assert!(line.contains(part), "{line}");
    }
    let symbol = |name| {
        let terms = ["--tick", "0.001", "--quote-increment", "0.01", "--min", "0.1"];
        on(&x, &[&["symbol", "add", name, "--base", "NTH", "--quote", "USD"], &terms[..]].concat())
    };
    assert!(refused(&symbol("nthxyz")).contains("'symbol' must be"));
    assert_eq!(object(&symbol("nthusd")), json!({ "result": "ok", "symbol": "NTHUSD", "status": "open" }));
    assert!(refused(&symbol("NTHUSD")).contains("'symbol' must be a name that is not listed yet"));
    let trade = |price: &str| {
        x.credit("trader", "NTH", "2");
        x.as_("trader").limit("nthusd", "sell", "1.5", price);
        x.as_("counterparty").limit("nthusd", "buy", "1.5", price);
        let trades = x.get("/v1/trades/nthusd").ok();
        assert!(trades.as_array().unwrap().iter().any(|row| row["price"] == price), "{trades}");
        assert!(x.as_("trader").balances().iter().any(|row| row["currency"] == "NTH"));
    };
    trade("10.00");
    let details = x.get("/v1/symbols/details/nthusd").ok();
    assert_eq!((&details["base_currency"], &details["status"]), (&json!("NTH"), &json!("open")));
    x.kill9();
    x.restart();
    trade("10.10");
    let status = object(&on(&x, &["symbol", "status", "nthusd", "cancel_only"]));
    assert_eq!(status, json!({ "result": "ok", "symbol": "NTHUSD", "status": "cancel_only" }));
    assert!(refused(&on(&x, &["symbol", "status", "nthusd", "shut"])).contains("'status' must be one of"));
    assert!(refused(&on(&x, &["symbol", "status", "nosuch", "open"])).contains("nosuch"));
}

/// Halting and resuming want a reason. Where one operator is enough, nothing is proposed.
#[test]
fn halt_and_resume() {
    let x = Exchange::start();
    for command in ["halt", "resume"] {
        let output = on(&x, &[command]);
        let line = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && line.contains("needs --reason"), "{line}");
    }
    assert_eq!(object(&on(&x, &["halt", "--reason", "drill", "--dry-run"]))["dry_run"], true);
    assert_eq!(x.get("/health/ready").status(), 200);
    for _ in 0..2 {
        let halted = json!({ "result": "ok", "halted": true });
        assert_eq!(object(&on(&x, &["halt", "--reason", "drill"])), halted);
        assert_eq!(x.get("/health/ready").status(), 503);
    }
    assert!(
        refused(&on(&x, &["approve", "1"])).contains("'proposal' must be the number of one that waits: 1")
    );
    let resumed = json!({ "result": "ok", "halted": false });
    assert_eq!(object(&on(&x, &["resume", "--reason", "drill ended"])), resumed);
    assert_eq!(x.get("/health/ready").status(), 200);
    assert!(on(&x, &["proposals"]).stdout.is_empty());
}

/// A venue with two approvals resumes and sets a status only when another user of the machine approves, also after a restart.
#[test]
fn a_second_user_approves() {
    let other = "approvals = 2\nadmin_group = \"nogroup\"\n";
    let mut venue = Venue::start(if geteuid().is_root() { other } else { "approvals = 2\n" });
    assert_eq!(venue.object(&["halt", "--reason", "drill"])["halted"], true);
    let proposed = venue.object(&["resume", "--reason", "drill ended"]);
    assert_eq!((&proposed["proposal"], &proposed["halted"]), (&json!(1), &json!(true)));
    let status = venue.object(&["symbol", "status", "btcusd", "post_only"]);
    assert_eq!((&status["proposal"], &status["status"]), (&json!(2), &json!("open")));
    assert_eq!(venue.object(&["resume", "--reason", "again"])["proposal"], 1);
    venue.restart(if geteuid().is_root() { other } else { "approvals = 2\n" });
    let line = venue.refused(&["approve", "1"]);
    assert!(line.contains("'proposal' must be one that another user made: 1"), "{line}");
    let listed = String::from_utf8(venue.admin(&["proposals"]).output().unwrap().stdout).unwrap();
    let rows: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2, "{listed}");
    assert_eq!((&rows[0]["what"], &rows[0]["why"]), (&json!("resume"), &json!("drill ended")));
    assert_eq!(rows[1]["what"], "symbol status btcusd post_only");
    if !geteuid().is_root() {
        return skipped("the approval by another user", "only root can be another user");
    }
    let nobody = 65_534;
    for folder in [venue.home.path().to_owned(), venue.home.path().join("data")] {
        fs::set_permissions(folder, Permissions::from_mode(0o711)).unwrap();
    }
    let as_nobody = |arguments: &[&str]| {
        let mut command = venue.admin(arguments);
        object(&command.uid(nobody).gid(nobody).output().unwrap())
    };
    assert_eq!(as_nobody(&["approve", "1"]), json!({ "result": "ok", "proposal": 1 }));
    assert_eq!(venue.object(&["resume", "--reason", "is it?"])["halted"], false);
    as_nobody(&["approve", "2"]);
    assert_eq!(venue.object(&["symbol", "status", "btcusd", "post_only"])["status"], "post_only");
    assert!(venue.refused(&["approve", "2"]).contains("the number of one that waits"));
    venue.stop();
}

/// A venue is connected to no chain and no bank: its banner, its refusals and the document say so, and name no flag of the sandbox.
#[test]
fn a_venue_takes_no_deposits() {
    let home = private_folder();
    let (child, url) = {
        let mut command = venue_in(home.path(), "rate_limits = \"off\"\n");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut ready = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        (child, ready.trim().strip_prefix("ready ").expect("a ready line").to_owned())
    };
    let mut venue = Venue { home, child };
    venue.object(&["group", "add", "North"]);
    venue.object(&["account", "add", "North", "Primary"]);
    venue.object(&["account", "add", "North", "Vault", "--kind", "custody"]);
    let add = ["key", "add", "--group", "North", "--role", "Fund Manager"];
    let of = |key: Value| {
        let [api_key, secret] = ["api_key", "api_secret"].map(|field| key[field].as_str().unwrap());
        Actor::new("north", Client::new(&url).unwrap().with_key(Credentials::new(api_key, secret)))
    };
    let owner = of(venue.object(&[&add[..], &["--account", "primary"]].concat()));
    let master = of(venue.object(&add));
    let refused = |answer: Answer, message: &str| {
        assert_eq!(answer.refused(400, "InvalidFundTransfer").message, message);
    };
    for (path, message) in [
        ("/v1/deposit/bitcoin/newAddress", "This exchange takes no deposits of BTC"),
        ("/v1/deposit/ethereum/newAddress", "This exchange takes no deposits of ETH"),
        ("/v1/deposit/nowhere/newAddress", "This exchange takes no deposits of currencies on 'nowhere'"),
        ("/v1/withdraw/btc", "This exchange pays no withdrawals of BTC"),
        ("/v2/withdraw/bitcoin/btc", "This exchange pays no withdrawals of BTC"),
        ("/v2/withdraw/bitcoin/btc/feeEstimate", "This exchange pays no withdrawals of BTC"),
        ("/v1/payments/sen/withdraw", "No money enters or leaves this exchange"),
    ] {
        refused(owner.call(path, json!({})), message);
    }
    let moved = json!({ "sourceAccount": "primary", "targetAccount": "vault", "amount": "1" });
    refused(
        master.call("/v1/account/transfer/btc", moved),
        "Nothing moves to or from custody here, so not from account 'primary' to account 'vault'",
    );
    venue.stop();
    let mut banner = String::new();
    venue.child.stderr.take().unwrap().read_to_string(&mut banner).unwrap();
    for text in [banner.as_str(), DOCUMENT] {
        assert!(text.contains("takes no deposits and pays no withdrawals"), "{text}");
    }
    assert!(!banner.contains("not built yet"), "{banner}");
}

/// The setting is one or two.
#[test]
fn approvals_are_one_or_two() {
    let home = private_folder();
    for value in ["0", "3", "\"many\""] {
        let settings = format!(
            "listen = \"127.0.0.1:0\"\ndata = \"data\"\nvault_key_file = \"key\"\napprovals = {value}\n"
        );
        fs::write(home.path().join("venue.toml"), settings).unwrap();
        let mut command = Command::new(binary());
        let output =
            command.args(["serve", "--config", "venue.toml"]).current_dir(home.path()).output().unwrap();
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && line.contains("approvals"), "{line}");
    }
}
