//! The launch contract: commands, flags, ready line, health, credentials, and refusals to start.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use buttonwood_accept::{
    Exchange, Setup, Value, binary, comes_within, json, laws, let_pass, private_folder, run_to_end,
    same_keys, wait_until,
};
use rustix::process::{Pid, Signal, kill_process};

/// Time limit for a start or a stop on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// One ready line with the real address, nothing else on standard output, and working health checks.
#[test]
fn ready_line_and_health() {
    let x = Exchange::start();
    assert!(x.base_url().starts_with("http://127.0.0.1:"), "{}", x.base_url());
    assert!(!x.base_url().ends_with(":0"));
    for path in ["/health/live", "/health/ready"] {
        assert_eq!(x.get(path).status(), 200, "{path}");
    }
    x.as_("trader").limit("btcusd", "buy", "1", "100");
    x.stop();
    assert_eq!(x.later_output(), [""; 0], "standard output carries the ready line only");
    laws::verified(&x);
}

/// Both signals stop it cleanly, and a restart has the same state.
#[test]
fn signals_stop_cleanly() {
    for signal in [Signal::TERM, Signal::INT] {
        let x = Exchange::start();
        let order = x.as_("trader").limit("btcusd", "buy", "1", "100");
        assert_eq!(x.signal(signal), Some(0), "{}", x.log());
        laws::verified(&x);
        x.restart();
        assert_eq!(x.as_("trader").live_ids(), [order["order_id"].as_str().unwrap()]);
    }
}

/// A signal ends a start immediately, like a kill, and the next start works as usual.
#[test]
fn a_signal_ends_a_start() {
    let x = Exchange::start();
    let order = x.as_("trader").limit("btcusd", "buy", "1", "100");
    x.stop();
    // A vault that cannot be read yet: the start has read its journal, and waits.
    let (vault, kept) = (x.data().join("vault"), x.data().join("kept"));
    for signal in [Signal::TERM, Signal::INT] {
        fs::rename(&vault, &kept).unwrap();
        assert!(Command::new("mkfifo").arg(&vault).status().unwrap().success());
        let mut child = Command::new(binary())
            .args(["--listen", "127.0.0.1:0", "--clock", "manual", "--data", text(x.data())])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (tell, told) = mpsc::channel();
        let pipe = vault.clone();
        // Opening it waits for the reader.
        std::thread::spawn(move || tell.send(fs::File::options().write(true).open(pipe)));
        let held = told.recv_timeout(PATIENCE).expect("the start reads its vault").unwrap();
        kill_process(Pid::from_child(&child), signal).unwrap();
        let mut ended = None;
        comes_within(PATIENCE, || {
            ended = child.try_wait().unwrap();
            ended.is_some()
        });
        child.kill().ok();
        let printed = std::io::read_to_string(child.stdout.take().unwrap()).unwrap();
        child.wait().unwrap();
        assert_eq!((ended.and_then(|ended| ended.code()), printed.as_str()), (Some(0), ""), "{signal:?}");
        drop(held);
        fs::rename(&kept, &vault).unwrap();
    }
    laws::verified(&x);
    x.restart();
    assert_eq!(x.as_("trader").live_ids(), [order["order_id"].as_str().unwrap()]);
}

/// A second signal ends a slow stop, and everything acknowledged is there. One that comes together with the first, as
/// from a terminal and a wrapper, does not. This test needs real time.
#[test]
fn a_second_signal_ends_a_stop() {
    for (pause, code) in [(0, Some(0)), (700, None)] {
        let x = Exchange::start();
        let order = x.as_("trader").limit("btcusd", "buy", "1", "100");
        let mut slow = TcpStream::connect(x.address()).unwrap();
        // A request that the stop waits for, for up to three seconds; it gets a first reply once the server has begun
        // to read it.
        let request = format!(
            "POST /v1/heartbeat HTTP/1.1\r\nHost: {}\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n",
            x.address()
        );
        slow.write_all(request.as_bytes()).unwrap();
        slow.read_exact(&mut [0; 12]).unwrap();
        kill_process(x.pid(), Signal::TERM).unwrap();
        let_pass("signals within half a second are one", Duration::from_millis(pause));
        kill_process(x.pid(), Signal::TERM).unwrap();
        let ended = x.wait_for_end(PATIENCE).expect("it ends");
        assert_eq!((ended.code(), ended.success()), (code, code.is_some()), "after {pause} ms: {}", x.log());
        x.restart();
        assert_eq!(x.as_("trader").live_ids(), [order["order_id"].as_str().unwrap()]);
    }
}

/// Keys of `credentials.json`: name, group, account and roles.
const LISTED: [(&str, &str, &str, &[&str]); 27] = [
    ("trader", "one", "primary", &["Trader"]),
    ("fund-manager", "one", "primary", &["Fund Manager"]),
    ("trader-fund-manager", "one", "primary", &["Trader", "Fund Manager"]),
    ("auditor", "one", "primary", &["Auditor"]),
    ("heartbeat", "one", "primary", &["Trader"]),
    ("time-nonce", "one", "primary", &["Trader"]),
    ("second-session", "one", "primary", &["Trader"]),
    ("savings-trader", "one", "savings", &["Trader"]),
    ("master", "one", "", &["Administrator", "Trader", "Fund Manager"]),
    ("master-auditor", "one", "", &["Auditor"]),
    ("counterparty", "two", "primary", &["Trader", "Fund Manager"]),
    ("broker", "three", "broker", &["Trader"]),
    ("restricted", "four", "primary", &["Trader"]),
    ("empty", "five", "primary", &["Trader", "Fund Manager"]),
    ("perp-000", "perp", "perp-000", &["Trader"]),
    ("perp-031", "perp", "perp-031", &["Trader"]),
    ("perp-auditor", "perp", "perp-000", &["Auditor"]),
    ("perp-fund-manager", "perp", "perp-000", &["Fund Manager"]),
    ("margin-000", "margin", "margin-000", &["Trader"]),
    ("margin-007", "margin", "margin-007", &["Trader"]),
    ("margin-auditor", "margin", "margin-000", &["Auditor"]),
    ("time-auditor", "one", "primary", &["Auditor"]),
    ("time-savings", "one", "savings", &["Trader"]),
    ("time-counterparty", "two", "primary", &["Trader"]),
    ("time-heartbeat", "one", "primary", &["Trader"]),
    ("socket-000", "load", "load-000", &["Trader"]),
    ("socket-063", "load", "load-063", &["Trader"]),
];

/// The file's format and mode; every entry works as listed. Proves AUTH-015.
#[test]
fn credentials_file() {
    let x = Exchange::start();
    let path = x.data().join("credentials.json");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(x.data())), (0o600, 0o700), "the directory is its owner's alone too");
    let entries =
        |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let inside = entries(x.data())
        .into_iter()
        .flat_map(|path| if path.is_dir() { entries(&path) } else { vec![path] });
    let open: Vec<_> = inside.filter(|path| mode(path) & 0o077 != 0).collect();
    assert!(open.is_empty(), "so is every file, should somebody open the directory: {open:?}");
    let page = x.get("/").reply.text();
    assert!(page.contains("<b>sandbox</b>") && page.contains("credentials.json"), "says where it is: {page}");
    let file = x.credentials();
    same_keys(&file, &["base_url", "auth_url", "keys", "users", "oauth_clients"], &file);
    assert_eq!(file["base_url"], json!(x.base_url()));
    assert_eq!(file["auth_url"], json!(x.base_url()));
    let owner = ["Administrator", "Trader", "Fund Manager"];
    let expected: [(&str, Value, &str, &[&str]); 5] = [
        ("owner@one.test", json!("one"), "Administrator", &owner),
        ("trader@one.test", json!("one"), "Trader", &["Trader"]),
        ("auditor@one.test", json!("one"), "Auditor", &["Auditor"]),
        ("owner@two.test", json!("two"), "Administrator", &owner),
        ("operator@house.test", Value::Null, "Operator", &[]),
    ];
    for (at, (email, group, role, roles)) in expected.into_iter().enumerate() {
        let user = &file["users"][at];
        assert_eq!((&user["email"], &user["group"], &user["role"]), (&json!(email), &group, &json!(role)));
        assert_eq!(user["roles"], json!(roles), "{user}");
        assert_eq!([&user["password"], &user["totp_secret"]].map(|it| it.as_str().unwrap().len()), [32; 2]);
    }
    for (at, (name, is_public)) in
        [("app", false), ("native", true), ("implicit", false), ("narrow", false)].into_iter().enumerate()
    {
        let app = &file["oauth_clients"][at];
        assert_eq!((&app["name"], &app["public"]), (&json!(name), &json!(is_public)));
        assert_eq!(app["client_secret"].as_str().map(str::len), (!is_public).then_some(43), "{app}");
        let scopes = if name == "narrow" { 1 } else { 13 };
        assert_eq!(app["scopes"].as_array().unwrap().len(), scopes);
    }
    let keys = [
        "name",
        "api_key",
        "api_secret",
        "group",
        "account",
        "counterparty_id",
        "roles",
        "require_heartbeat",
        "time_based_nonce",
    ];
    for (name, group, account, roles) in LISTED {
        let key = x.key(name);
        for field in keys {
            let may_be_absent = ["account", "counterparty_id"].contains(&field) && account.is_empty();
            assert!(key.entry.get(field).is_some() || may_be_absent, "{name} has no {field}");
        }
        assert_eq!((key.group.as_str(), key.account.as_str()), (group, account), "{name}");
        let mut found: Vec<&str> =
            key.entry["roles"].as_array().unwrap().iter().map(|r| r.as_str().unwrap()).collect();
        let mut expected = roles.to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{name}");
        assert_eq!(key.entry["require_heartbeat"], json!(name.ends_with("heartbeat")), "{name}");
        let is_timed = name.starts_with("time-") || name.starts_with("socket-");
        assert_eq!(key.entry["time_based_nonce"], json!(is_timed), "{name}");
    }
    let names = x.key_names();
    for number in [0, 1, 63, 127] {
        assert!(names.contains(&format!("load-{number:03}")), "load-{number:03}");
    }
    assert_eq!(names.iter().filter(|name| name.starts_with("load-")).count(), 128);
    assert_eq!(names.iter().filter(|name| name.starts_with("socket-")).count(), 64);
    for name in names {
        let is_timed = x.key(&name).entry["time_based_nonce"] == true;
        let nonce = if is_timed { json!(x.now_ms() / 1000) } else { json!(1) };
        x.as_(&name).call("/v1/roles", json!({ "nonce": nonce })).ok();
    }
}

/// A listener on every address reports this machine's own, where control calls are accepted too.
#[test]
fn listening_everywhere() {
    let x = Exchange::builder().flag("--listen", "0.0.0.0:0").start();
    assert!(x.base_url().starts_with("http://127.0.0.1:"), "{}", x.base_url());
    assert_eq!(x.credentials()["base_url"], json!(x.base_url()));
    assert!(x.log().contains(&format!("pages and REST   {}", x.base_url())), "{}", x.log());
    x.credit("empty", "USD", "1");
    x.advance(1);
    laws::check(&x);
}

/// Keys survive a restart; the address in the file is rewritten.
#[test]
fn credentials_are_rewritten() {
    let x = Exchange::builder().without("--seed").start();
    let before = x.credentials();
    fs::write(x.data().join("credentials.json"), "{}").unwrap();
    x.restart();
    let after = x.credentials();
    assert_eq!(after["keys"], before["keys"]);
    assert_eq!(after["base_url"], json!(x.base_url()));
    x.as_("trader").call("/v1/balances", json!({})).ok();
}

/// Only the owner can read the file, and it is never written through a link at its path.
#[test]
fn credentials_replace_links() {
    let x = Exchange::start();
    x.stop();
    let target = x.data().join("target");
    fs::write(&target, "precious").unwrap();
    for name in ["credentials.json", "credentials.json.tmp", "credentials.json.new"] {
        let _ = fs::remove_file(x.data().join(name));
        std::os::unix::fs::symlink(&target, x.data().join(name)).unwrap();
    }
    x.restart();
    assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
    let file = fs::symlink_metadata(x.data().join("credentials.json")).unwrap();
    assert!(file.is_file());
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    x.as_("trader").call("/v1/balances", json!({})).ok();
}

/// The same seed gives the same keys; without a seed they are new.
#[test]
fn seeds() {
    let keys = |setup: Setup| setup.start().credentials()["keys"].clone();
    let (first, second) = (keys(Exchange::builder()), keys(Exchange::builder()));
    assert_eq!(first, second);
    let secret = |keys: &Value| keys[0]["api_secret"].clone();
    let drawn = keys(Exchange::builder().without("--seed"));
    assert_ne!(secret(&drawn), secret(&first));
    assert_ne!(secret(&drawn), secret(&keys(Exchange::builder().without("--seed"))));
}

/// The constant in the `exchange` field is a setting, and the same in orders and trades. Proves ORD-003.
#[test]
fn service_name() {
    let x = Exchange::builder().flag("--service-name", "curb").start();
    let order = x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    assert_eq!(order["exchange"], "curb");
    x.as_("trader").limit("btcusd", "buy", "1", "30000");
    assert_eq!(x.get("/v1/trades/btcusd").ok()[0]["exchange"], "curb");
    assert_eq!(x.as_("trader").call("/v1/mytrades", json!({})).ok()[0]["exchange"], "curb");
}

/// The first part of the symbols of contracts is a setting of 1 to 8 upper-case letters and digits.
#[test]
fn contract_prefix() {
    let x = Exchange::builder().flag("--contract-prefix", "CURB1").start();
    let expiry = x.now_ms() + 3_600_000;
    let event = json!({ "ticker": "RAIN", "title": "Rain", "category": "weather", "expiry_ms": expiry });
    let symbols = json!(["CURB1-RAIN"]);
    assert_eq!(x.control("/sandbox/predictions/events", &event).ok()["symbols"], symbols);
    let legs =
        ["RAIN", "DEMOBTC"].map(|ticker| json!({ "symbol": format!("CURB1-{ticker}"), "outcome": "yes" }));
    let combo = x.control("/sandbox/predictions/combos", &json!({ "legs": legs })).ok();
    assert!(combo["symbol"].as_str().unwrap().starts_with("CURB1-CMB-"), "{combo}");
    for prefix in ["", "svc", "A-B", "ABCDEFGHI"] {
        let home = private_folder();
        let line =
            Exchange::builder().flag("--contract-prefix", prefix).refuses_in(&home.path().join("data"));
        assert!(line.contains(&format!("--contract-prefix '{prefix}' must be 1 to 8")), "{line}");
    }
}

/// The front page is for people, and has the block that ccxt reads.
#[test]
fn front_page() {
    let x = Exchange::start();
    let answer = x.get("/");
    assert_eq!(answer.status(), 200, "{answer}");
    assert!(answer.reply.header("content-type").unwrap_or_default().starts_with("text/html"), "{answer}");
    let page = answer.reply.text();
    let (_, rest) = page.split_once("=\"currencyData\">").expect("the block that ccxt looks for");
    let (block, _) = rest.split_once("</script>").expect("the block ends");
    let block: Value = serde_json_from(block);
    let pairs = block["tradingPairs"].as_array().expect("tradingPairs");
    let pair = |symbol: &str| {
        pairs.iter().find(|row| row[0] == symbol).unwrap_or_else(|| panic!("{symbol}")).clone()
    };
    let btc = pair("BTCUSD");
    assert_eq!((&btc[1], &btc[2]), (&json!(2), &json!(8)), "price and quantity decimals: {btc}");
    assert_eq!((&pair("ETHBTC")[1], &pair("ETHBTC")[2]), (&json!(5), &json!(6)));
    let currencies = block["currencies"].as_array().expect("currencies");
    for code in ["BTC", "USD", "ETH", "GUSD"] {
        let row = currencies.iter().find(|row| row[0] == code).unwrap_or_else(|| panic!("no {code}"));
        assert!(row[5].is_number(), "precision: {row}");
    }
}

fn serde_json_from(text: &str) -> Value {
    text.trim().parse().unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Help names every flag.
#[test]
fn help() {
    for arguments in [&["--help"][..], &["sandbox", "--help"]] {
        let output = run_to_end(arguments);
        assert!(output.status.success());
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        for word in ["sandbox", "serve", "verify", "backup", "export"] {
            assert!(arguments.len() > 1 || shown.contains(word), "{word}: {shown}");
        }
        for flag in [
            "--listen",
            "--data",
            "--ephemeral",
            "--header-prefix",
            "--service-name",
            "--seed",
            "--activity",
            "--clock",
            "--start-time",
            "--rate-limits",
            "--connections-per-address",
            "--trusted-proxy",
            "--control-from",
            "--control-host",
            "--funds",
            "--segment-bytes",
            "--ballast-bytes",
            "--vault-key-file",
            "--vault-key-command",
            "--vault-new-keys",
            "--core-dumps",
            "--config",
        ] {
            assert!(arguments.len() == 1 || shown.contains(flag), "{flag}: {shown}");
        }
    }
    assert!(!run_to_end(&["sandbox", "--no-such-flag"]).status.success());
    assert!(!run_to_end(&["no-such-command"]).status.success());
}

/// `verify` accepts a directory, and refuses one that is none.
#[test]
fn verify_command() {
    let x = Exchange::start();
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    x.as_("trader").limit("btcusd", "buy", "0.4", "30000");
    x.stop();
    let output = x.verify();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!output.stdout.is_empty(), "says what it found");
    let nowhere = private_folder();
    for (data, words) in
        [(nowhere.path().join("missing"), "No such file"), (nowhere.path().into(), "no journal")]
    {
        let output = run_to_end(&["verify", "--data", text(&data)]);
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && line.contains(text(&data)) && line.contains(words), "{line}");
    }
}

/// It verifies the rows of the history too; a start would report a damaged one only when it is read. A start rebuilds
/// missing and short files, so `verify` only mentions them.
#[test]
fn verify_reads_the_history() {
    let x = Exchange::start();
    for _ in 0..5 {
        x.as_("counterparty").limit("btcusd", "sell", "0.1", "30000");
        x.as_("trader").limit("btcusd", "buy", "0.1", "30000");
    }
    x.stop();
    for name in ["trades.log", "orders.log", "public.log", "order_events.log"] {
        let path = x.data().join("history").join(name);
        let whole = fs::read(&path).unwrap();
        for place in [8, whole.len() / 2, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            fs::write(&path, damaged).unwrap();
            let output = x.verify();
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success() && told.lines().count() == 1, "{name} at {place}: {told}");
            assert!(told.contains("damaged row") && told.contains(name), "{name} at {place}: {told}");
        }
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        let output = x.verify();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(told.contains("note: ") && told.contains(name) && told.contains("too short"), "{told}");
        fs::write(&path, whole).unwrap();
    }
    let output = x.verify();
    assert!(output.status.success());
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    // Each of the five trades closed two orders, was published once, and is a row of both accounts; its orders have five rows of
    // events. Opening balances are rows too.
    let table = run_to_end(&["export", "--data", x.data().to_str().unwrap(), "--table", "statement"]).stdout;
    let opening =
        String::from_utf8(table).unwrap().lines().filter(|line| line.contains(",adjustment,")).count();
    assert!(told.contains(&format!("{} rows of history", 50 + opening)), "{opening}: {told}");
}

/// Invalid values are refused, each with its flag's name.
#[test]
fn bad_flags() {
    let home = private_folder();
    for (flag, value) in [
        ("--listen", "nowhere"),
        ("--activity", "perhaps"),
        ("--clock", "sundial"),
        ("--rate-limits", "some"),
        ("--connections-per-address", "0"),
        ("--connections-per-address", "101"),
        ("--seed", "seven"),
        ("--start-time", "yesterday"),
        ("--snapshot-every", "0"),
        ("--segment-bytes", "65535"),
        ("--segment-bytes", "1073741825"),
        ("--ballast-bytes", "1073741825"),
    ] {
        let data = home.path().join("data");
        let arguments = Exchange::builder().flag(flag, value).arguments(&data);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run_to_end(&arguments);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{flag} {value}");
        assert!(stderr.contains(flag) || stderr.contains(value), "{flag} {value}: {stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
}

/// A small disk can use small segments, which hold as much as large ones do in total.
#[test]
fn small_segments() {
    let x = Exchange::builder().flag("--segment-bytes", "65536").flag("--ballast-bytes", "0").start();
    for _ in 0..20 {
        x.as_("trader").limit("btcusd", "buy", "0.001", "100");
    }
    x.stop();
    let journal = x.data().join("journal");
    assert!(!journal.join("ballast").exists());
    let sizes: Vec<u64> = (1..=3)
        .map(|number| fs::metadata(journal.join(format!("{number:010}.segment"))).unwrap().len())
        .collect();
    // The founding is one batch, for which a segment is made large enough.
    assert!(sizes.iter().all(|bytes| *bytes < 256 * 1024) && sizes.contains(&65_536), "{sizes:?}");
    x.restart();
    assert_eq!(x.as_("trader").live_ids().len(), 20);
    laws::check(&x);
}

/// All files of the journal with their bytes.
fn journal_of(x: &Exchange) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(x.data().join("journal")).unwrap();
    entries.map(|entry| entry.unwrap().path()).map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// Standard error is on a full disk: the exchange serves, logs nothing, and still refuses what it must.
#[test]
fn a_full_log() {
    let full = || Exchange::builder().through(&["sh", "-c", "exec \"$@\" 2>/dev/full", "sh"]);
    let x = full().start();
    x.as_("trader").limit("btcusd", "buy", "1", "100");
    let ended = full().try_start_in(x.data()).expect_err("it is in use");
    assert_eq!(ended.status.and_then(|status| status.code()), Some(2));
    laws::check(&x);
}

/// Another seed for an existing directory is an error and changes nothing; the same seed is accepted.
#[test]
fn wrong_seed() {
    let x = Exchange::start();
    x.stop();
    let before = journal_of(&x);
    let line = Exchange::builder().flag("--seed", "8").refuses_in(x.data());
    assert!(line.contains("seed"), "{line}");
    assert!(journal_of(&x) == before, "a refused start wrote to the journal");
    x.restart();
    laws::check(&x);
}

/// A changed vault, its log too, is refused before anything is written.
#[test]
fn damaged_vault() {
    let x = Exchange::start();
    x.stop();
    let before = journal_of(&x);
    let [vault, log] = ["vault", "vault.log"].map(|name| x.data().join(name));
    // A restart does not mend it, so a supervisor must not try.
    let refused = || {
        let ended = Exchange::builder().try_start_in(x.data()).expect_err("it is refused");
        assert_eq!(ended.status.and_then(|status| status.code()), Some(2), "{}", ended.stderr);
        ended.stderr
    };
    for file in [&vault, &log] {
        let mut bytes = fs::read(file).unwrap();
        for place in [6, bytes.len() / 2, bytes.len() - 20] {
            bytes[place] ^= 0x10;
            fs::write(file, &bytes).unwrap();
            let line = refused();
            assert!(line.contains(&format!("{} does not open: it is damaged", text(file))), "{line}");
            bytes[place] ^= 0x10;
        }
        fs::remove_file(file).unwrap();
        let line = refused();
        assert!(line.contains("'vault'") && !file.exists(), "none is made in its place: {line}");
        fs::write(file, &bytes).unwrap();
    }
    assert!(journal_of(&x) == before, "a refused start wrote to the journal");
    x.restart();
    laws::check(&x);
}

/// Makes a key file, and returns the configuration of a venue with it.
fn venue(key: &Path, data: &Path) -> String {
    fs::write(key, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n").unwrap();
    let [key, data] = [key, data].map(text);
    format!("listen = \"127.0.0.1:0\"\ndata = \"{data}\"\nvault_key_file = \"{key}\"\n")
}

/// A sandbox directory cannot be used as a venue, and vice versa. Proves SBX-001.
#[test]
fn wrong_mode() {
    let x = Exchange::start();
    x.stop();
    let home = private_folder();
    let config = home.path().join("venue.toml");
    fs::write(&config, venue(&home.path().join("key"), x.data())).unwrap();
    let output = run_to_end(&["serve", "--config", text(&config)]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{stderr}");
    assert!(stderr.contains("sandbox"), "{stderr}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("ready"));
    x.restart();
    laws::check(&x);
}

/// A second process on one directory is refused, and the first is not affected.
#[test]
fn second_process() {
    let x = Exchange::start();
    let line = Exchange::builder().refuses_in(x.data());
    assert!(line.contains(text(x.data())) || line.contains("use"), "{line}");
    x.as_("trader").limit("btcusd", "buy", "1", "100");
    laws::check(&x);
}

/// A busy port is refused; the first exchange continues to serve.
#[test]
fn busy_port() {
    let x = Exchange::start();
    let home = private_folder();
    let line = Exchange::builder().flag("--listen", &x.address()).refuses_in(&home.path().join("data"));
    let port = x.address().rsplit(':').next().unwrap().to_owned();
    assert!(line.contains(&port) && line.contains("--listen"), "names the address, and what to do: {line}");
    x.get("/health/ready");
}

/// Paths that cannot be directories.
#[test]
fn impossible_directories() {
    let home = private_folder();
    let file = home.path().join("file");
    fs::write(&file, "in the way").unwrap();
    // Not even root can make a directory under /proc.
    for data in [file.clone(), file.join("below"), "/proc/buttonwood-data".into()] {
        let line = Exchange::builder().refuses_in(&data);
        assert!(line.contains(text(&data)), "names the directory: {line}");
        assert!(!data.starts_with(&file) || line.contains("not a directory"), "{line}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "in the way");
}

/// A data directory or a vault key that other users own or may write to is refused by its name, and nothing changes.
#[test]
fn directories_open_to_others() {
    let x = Exchange::start();
    x.stop();
    let before = journal_of(&x);
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let refused = |path: &Path, words: &str| {
        let ended = Exchange::builder().try_start_in(x.data()).expect_err("it is refused");
        assert_eq!(ended.status.and_then(|status| status.code()), Some(2), "{}", ended.stderr);
        let line = ended.stderr.trim_end();
        assert!(!line.contains('\n') && line.contains(text(path)) && line.contains(words), "{line}");
    };
    for (path, own) in [(x.data().to_owned(), 0o700), (x.data().join("vault.key"), 0o400)] {
        for open in [0o722, 0o702, 0o770, 0o1777] {
            mode(&path, open);
            refused(&path, "other users may write it");
        }
        mode(&path, own);
        // Only root may change the owner.
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&path, Some(65_534), None).unwrap();
            refused(&path, "belongs to user 65534");
            std::os::unix::fs::chown(&path, Some(0), None).unwrap();
        }
    }
    assert!(journal_of(&x) == before, "a refused start wrote to the journal");
    mode(x.data(), 0o755);
    x.restart();
    laws::check(&x);
}

/// A directory that contains something other than an exchange is not touched.
#[test]
fn foreign_directory() {
    let home = private_folder();
    fs::create_dir(home.path().join("mine")).unwrap();
    fs::write(home.path().join("mine/thesis.txt"), "precious").unwrap();
    let x = Exchange::builder().start_in(home.path());
    x.stop();
    assert_eq!(fs::read_to_string(home.path().join("mine/thesis.txt")).unwrap(), "precious");
}

/// A real clock is refused on a directory from the future.
#[test]
fn real_clock_on_a_future_directory() {
    let x = Exchange::builder().flag("--start-time", "2090-01-01T00:00:00Z").start();
    x.as_("trader").limit("btcusd", "buy", "1", "100");
    x.stop();
    let before = journal_of(&x);
    let line = Exchange::builder().real_time().refuses_in(x.data());
    assert!(
        line.contains("clock shows 20") && line.contains("last command is of 2090-01-01T00:00:00Z"),
        "{line}"
    );
    assert!(journal_of(&x) == before, "a refused start wrote to the journal");
    x.restart();
    laws::check(&x);
}

/// Starts a server and waits for its first line.
fn until_ready(command: &mut std::process::Command) -> (std::process::Child, String) {
    let command = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut stdout, &mut line).unwrap();
    (child, line)
}

/// Starts an exchange with an ephemeral directory in `temporary`: TMPDIR sets the system's temporary folder.
fn ephemeral_in(temporary: &Path) -> std::process::Child {
    let mut command = std::process::Command::new(buttonwood_accept::binary());
    command
        .args(["sandbox", "--ephemeral", "--listen", "127.0.0.1:0", "--activity", "off", "--seed", "7"])
        .env("TMPDIR", temporary)
        .current_dir(temporary);
    let (child, line) = until_ready(&mut command);
    assert!(line.starts_with("ready http://"), "{line}");
    child
}

fn names_in(dir: &Path) -> BTreeSet<OsString> {
    fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

fn terminated(mut child: std::process::Child) -> bool {
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), Signal::TERM).unwrap();
    child.wait().unwrap().success()
}

/// An ephemeral directory is removed at a clean exit.
#[test]
fn ephemeral() {
    let temporary = private_folder();
    let child = ephemeral_in(temporary.path());
    assert_eq!(names_in(temporary.path()).len(), 1);
    assert!(terminated(child));
    assert!(names_in(temporary.path()).is_empty());
}

/// Something else at the path of an ephemeral directory stays at a clean exit, and so does the moved directory.
#[test]
fn a_link_in_an_ephemeral_directory_s_place() {
    let temporary = private_folder();
    let precious = temporary.path().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("thesis.txt"), "precious").unwrap();
    let before = names_in(temporary.path());
    let child = ephemeral_in(temporary.path());
    let name = names_in(temporary.path()).difference(&before).next().unwrap().clone();
    let (dir, moved) = (temporary.path().join(name), temporary.path().join("moved"));
    fs::rename(&dir, &moved).unwrap();
    std::os::unix::fs::symlink(&precious, &dir).unwrap();
    // The stop itself fails: its snapshot cannot be written.
    terminated(child);
    assert_eq!(fs::read_to_string(precious.join("thesis.txt")).unwrap(), "precious");
    assert!(moved.join("journal").exists() && dir.is_symlink());
}

/// An ephemeral directory is only made where no other user can replace it: in a sticky directory, or in the user's
/// own.
#[test]
fn ephemeral_wants_a_safe_parent() {
    let temporary = private_folder();
    let parent = temporary.path();
    for mode in [0o777, 0o770] {
        fs::set_permissions(parent, fs::Permissions::from_mode(mode)).unwrap();
        let output = Command::new(binary())
            .args(["--ephemeral", "--listen", "127.0.0.1:0"])
            .env("TMPDIR", parent)
            .output()
            .unwrap();
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{mode:o}: {line}");
        assert!(line.contains("--ephemeral") && line.contains(text(parent)), "{line}");
        assert!(names_in(parent).is_empty(), "{mode:o}");
    }
    for mode in [0o1777, 0o755] {
        fs::set_permissions(parent, fs::Permissions::from_mode(mode)).unwrap();
        assert!(terminated(ephemeral_in(parent)), "{mode:o}");
    }
}

/// The next ephemeral start removes a directory that a killed process left, but neither that of a running process nor
/// one with just a similar name.
#[test]
fn a_killed_one_s_ephemeral_directory_is_removed() {
    let temporary = private_folder();
    let names = || names_in(temporary.path());
    let killed = || {
        let before = names();
        let mut child = ephemeral_in(temporary.path());
        child.kill().unwrap();
        child.wait().unwrap();
        let name = names().difference(&before).next().expect("it leaves its directory").clone();
        temporary.path().join(name)
    };
    // Directories of other programs with such a name, with a file named like the marker, and with additional content.
    for path in
        ["buttonwood-plain1/journal", "buttonwood-folder/ephemeral", "buttonwood-folde1/ephemeral/results"]
    {
        fs::create_dir_all(temporary.path().join(path)).unwrap();
    }
    fs::create_dir(temporary.path().join("buttonwood-notes1")).unwrap();
    fs::write(temporary.path().join("buttonwood-notes1/ephemeral"), "").unwrap();
    let used = killed();
    fs::write(used.join("notes"), "").unwrap();
    // A directory that its owner has since used by name.
    let own = killed();
    let named = Setup::default().start_in(&own);
    let kept = names();

    let left = killed();
    // As if killed while writing these; earlier builds used the second name.
    for unfinished in ["credentials.json.tmp", "credentials.json.new"] {
        fs::write(left.join(unfinished), "{").unwrap();
    }
    let running = ephemeral_in(temporary.path());
    let next = ephemeral_in(temporary.path());
    wait_until("the removal of what a killed exchange left", || !left.exists());
    assert_eq!(names().len(), kept.len() + 2, "nobody's is removed while he runs");
    assert!(terminated(running) && terminated(next));
    assert_eq!(names(), kept);
    named.stop();
    assert!(terminated(ephemeral_in(temporary.path())));
    assert_eq!(names(), kept, "who goes on with one keeps it");
    assert!(used.join("journal").exists() && own.join("journal").exists());
}

/// A flag overrides the environment, which overrides the file; commands without a configuration file do not read one.
#[test]
fn settings_have_ranks() {
    let home = private_folder();
    let config = home.path().join("sandbox.toml");
    let lines =
        "listen = \"127.0.0.1:0\"\nactivity = \"off\"\nseed = 42\nservice_name = \"file\"\ndata = \"file\"\n";
    fs::write(&config, lines).unwrap();
    let serve = |arguments: &[&str], environment: &[(&str, &str)]| {
        let mut child = std::process::Command::new(buttonwood_accept::binary())
            .args(arguments)
            .envs(environment.iter().copied())
            .env("BUTTONWOOD_CONFIG", &config)
            .current_dir(home.path())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        std::io::BufRead::read_line(&mut stdout, &mut line).unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_child(&child), Signal::TERM).unwrap();
        assert!(child.wait().unwrap().success() && line.starts_with("ready"), "{arguments:?}: {line:?}");
        let mut made: Vec<String> = fs::read_dir(home.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "sandbox.toml")
            .collect();
        made.sort();
        made
    };
    assert_eq!(serve(&[], &[]), ["file"]);
    assert_eq!(serve(&["sandbox"], &[("BUTTONWOOD_DATA", "env")]), ["env", "file"]);
    assert_eq!(serve(&["--data", "flag"], &[("BUTTONWOOD_DATA", "env")]), ["env", "file", "flag"]);
    let verify = std::process::Command::new(buttonwood_accept::binary())
        .args(["verify", "--data", "flag"])
        .env("BUTTONWOOD_CONFIG", &config)
        .current_dir(home.path())
        .output()
        .unwrap();
    assert!(verify.status.success(), "{}", String::from_utf8_lossy(&verify.stderr));
    let line = Exchange::builder().flag("--seed", "41").refuses_in(&home.path().join("flag"));
    assert!(line.contains("seed 42"), "the file's seed was taken: {line}");
}

/// Logs contain no secrets; only the welcome text shows two keys.
#[test]
fn logs_hold_no_secret() {
    let x = Exchange::start();
    let actor = x.as_("second-session");
    actor.limit("btcusd", "buy", "1", "100");
    actor.call("/v1/order/new", json!({})).error();
    let mut signed = actor.sign(b"{}");
    signed.signature = "00".to_owned();
    actor.call_signed("/v1/balances", &signed).error();
    x.stop();
    let log = x.log();
    let shown: Vec<String> = x
        .key_names()
        .into_iter()
        .filter(|name| log.contains(x.key(name).credentials.api_secret.as_str()))
        .collect();
    assert!(shown.len() <= 2 && !shown.contains(&"second-session".to_owned()), "{shown:?} are in the log");
}

/// A venue is empty, without test money and control calls, and no sandbox key works there. Proves SBX-001.
#[test]
fn serve_is_an_empty_venue() {
    let home = private_folder();
    let config = home.path().join("venue.toml");
    let data = home.path().join("data");
    fs::write(&config, venue(&home.path().join("key"), &data)).unwrap();
    let mut command = std::process::Command::new(buttonwood_accept::binary());
    let (mut child, line) = until_ready(command.args(["serve", "--config", text(&config)]));
    let outcome = std::panic::catch_unwind(|| {
        let url = line.trim().strip_prefix("ready ").expect("a ready line");
        let actor = buttonwood_accept::Actor::new("anyone", buttonwood_accept::Client::new(url).unwrap());
        actor.get("/v1/symbols").ok();
        actor.get("/sandbox/clock").refused(404, "EndpointNotFound");
        let x = Exchange::start();
        let trader = x.as_("trader");
        let signed = trader.sign(trader.payload("/v1/balances", json!({})).as_bytes());
        actor.call_signed("/v1/balances", &signed).refused(403, "InvalidApiKey");
        trader.call_signed("/v1/balances", &signed).ok();
        assert!(!data.join("credentials.json").exists(), "a venue has no test keys");
        let page = actor.get("/").reply.text();
        assert!(page.contains("<b>venue</b>") && !page.contains("credentials.json"), "{page}");
    });
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), Signal::TERM).unwrap();
    let status = child.wait().unwrap();
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
    assert!(status.success());
    let output = run_to_end(&["verify", "--data", text(&data)]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let line = Exchange::builder().refuses_in(&data);
    assert!(!line.is_empty());
}
