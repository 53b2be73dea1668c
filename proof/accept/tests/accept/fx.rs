//! Foreign exchange rates: clauses FX-001 to FX-009.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use buttonwood_accept::{Actor, Answer, Exchange, Value, binary, json, private_folder, same_keys};
use rustix::process::{Pid, Signal, kill_process};

/// 2026-01-01T00:00:00Z, the start of the manual clock.
const START: u64 = 1_767_225_600_000;
const DAY: u64 = 86_400_000;
const PAIRS: [&str; 14] = [
    "AUDUSD", "CADUSD", "COPUSD", "EURUSD", "CHFUSD", "HKDUSD", "NZDUSD", "GBPUSD", "BRLUSD", "INRUSD",
    "SGDUSD", "KRWUSD", "JPYUSD", "CNYUSD",
];

fn rate(actor: &Actor, pair: &str, time: impl std::fmt::Display) -> Answer {
    actor.signed_get(&format!("/v2/fxrate/{pair}/{time}"), json!({}))
}

fn add(x: &Exchange, pair: &str, rate: &str, time_ms: u64) -> Answer {
    x.control("/sandbox/fx", &json!({ "pair": pair, "rate": rate, "time_ms": time_ms }))
}

/// Without headers 401, without the role 403; a master key with the role may call too, without an account.
///
/// Proves FX-001.
#[test]
fn only_auditors_read_rates() {
    let x = Exchange::start();
    let path = format!("/v2/fxrate/gbpusd/{START}");
    x.anyone().get(&path).refused(401, "MissingSecurityHeaders");
    for key in ["trader", "master"] {
        x.as_(key).signed_get(&path, json!({})).refused(403, "MissingRole");
    }
    for key in ["auditor", "master-auditor"] {
        x.as_(key).signed_get(&path, json!({})).ok();
    }
    // The role is checked before the parameters.
    x.as_("trader").signed_get("/v2/fxrate/nowhere/never", json!({})).refused(403, "MissingRole");
    x.as_("auditor").call(&path, json!({})).refused(405, "EndpointNotFound");
}

/// The fields of the reply and their types; every pair has sample rates, in dollars for one unit.
///
/// Proves FX-002, FX-003, FX-004.
#[test]
fn every_pair_has_a_rate() {
    let x = Exchange::start();
    let auditor = x.as_("auditor");
    for (pair, low, high) in PAIRS.map(|pair| match pair {
        "EURUSD" | "GBPUSD" | "CHFUSD" => (pair, 0.9, 1.5),
        "JPYUSD" => (pair, 0.005, 0.008),
        "COPUSD" | "KRWUSD" => (pair, 0.0002, 0.0009),
        _ => (pair, 0.01, 0.9),
    }) {
        let answer = rate(&auditor, pair, START + 1);
        let body = answer.ok();
        same_keys(&body, &["fxPair", "rate", "asOf", "timestamp", "provider", "benchmark"], &answer);
        assert_eq!(body["fxPair"], pair);
        assert!((low..high).contains(&body["rate"].as_f64().expect("a number")), "{body}");
        assert_eq!((&body["asOf"], &body["timestamp"]), (&json!(START), &json!(START)));
        assert_eq!((&body["provider"], &body["benchmark"]), (&json!("sandbox-sample"), &json!("Spot")));
    }
    // Every digit of a rate arrives.
    add(&x, "EURUSD", "1.123456789012", START - 5).ok();
    let text = rate(&auditor, "EURUSD", START - 5).reply.text();
    assert!(text.contains(r#""rate":1.123456789012,"#), "{text}");
}

/// Pairs in any letter case; every other pair and every currency alone is refused by name.
///
/// Proves FX-004, FX-005.
#[test]
fn pairs_in_any_case() {
    let x = Exchange::start();
    let auditor = x.as_("auditor");
    for pair in ["gbpusd", "GBPUSD", "GbpUsd"] {
        assert_eq!(rate(&auditor, pair, START).ok()["fxPair"], "GBPUSD");
    }
    for pair in ["usdgbp", "btcusd", "gbp", "GBPEUR", "MXNUSD", "USDUSD", "gbp-usd"] {
        let message = rate(&auditor, pair, START).refused(400, "InvalidSymbol").message;
        assert!(message.contains(&format!("'{pair}'")), "{message}");
    }
}

/// One moment in milliseconds, in seconds and in ISO 8601; what is no time is refused by name.
///
/// Proves FX-006, FX-007.
#[test]
fn times_have_three_forms() {
    let x = Exchange::start();
    let auditor = x.as_("auditor");
    // 2025-04-16T23:07:27.189Z
    let at = 1_744_844_847_189_u64;
    add(&x, "EURUSD", "1.5", at).ok();
    for time in
        ["1744844847189", "1744844847.189", "2025-04-16T23:07:27.189Z", "2025-04-17T01:07:27.189%2B02:00"]
    {
        assert_eq!(rate(&auditor, "EURUSD", time).ok()["asOf"], at, "{time}");
    }
    let day = at / DAY * DAY;
    for time in ["1744844847", "1744844847188", "2025-04-16T23:07:27Z"] {
        assert_eq!(rate(&auditor, "EURUSD", time).ok()["asOf"], day, "{time}");
    }
    for time in
        ["yesterday", "-1", "1e12", "2025-04-16", "2025-13-16T00:00:00Z", "99999999999999999999", "0x10"]
    {
        let message = rate(&auditor, "EURUSD", time).refused(400, "InvalidTimestampInPayload").message;
        assert!(message.contains(&format!("'{time}'")), "{message}");
    }
}

/// The rate of a time is the newest that is not later: other times have other rates, and a rate of the future is not known yet.
///
/// Proves FX-008.
#[test]
fn a_rate_is_never_later_than_its_time() {
    let x = Exchange::start();
    let auditor = x.as_("auditor");
    let get = |time: u64| {
        let body = rate(&auditor, "gbpusd", time).ok();
        (body["asOf"].as_u64().unwrap(), body["rate"].clone())
    };
    let mut last = Value::Null;
    for day in 0..365 {
        let midnight = START - day * DAY;
        let (as_of, value) = get(midnight + day * 997);
        assert_eq!(as_of, midnight);
        assert_ne!(value, last, "two days have different rates");
        last = value;
    }
    for (value, time) in [("1.31", START - 7_000), ("1.32", START - 5_000)] {
        add(&x, "GBPUSD", value, time).ok();
    }
    for (time, as_of, value) in [
        (START - 5_001, START - 7_000, json!(1.31)),
        (START - 5_000, START - 5_000, json!(1.32)),
        (START - 1, START - 5_000, json!(1.32)),
    ] {
        assert_eq!(get(time), (as_of, value));
    }
    // Sample rates of later days are stored, and known once their day has come.
    assert_eq!(get(START + 2 * DAY).0, START);
    x.advance(2 * 86_400);
    assert_eq!(get(START + 2 * DAY).0, START + 2 * DAY);
    x.restart();
    let again = rate(&x.as_("auditor"), "gbpusd", START - 1).ok();
    assert_eq!((&again["rate"], &again["asOf"]), (&json!(1.32), &json!(START - 5_000)));
    // Before the first rate there is none.
    let message =
        rate(&x.as_("auditor"), "gbpusd", 1_000_000_000).refused(400, "InvalidParameterValue").message;
    assert!(message.contains("2001-09-09T01:46:40") && message.contains("2025-01-01T00:00:00"), "{message}");
}

/// The signed request of a GET is its path as it is called, with the query string.
///
/// Proves FX-009.
#[test]
fn a_signed_get_names_its_query() {
    let x = Exchange::start();
    let auditor = x.as_("auditor");
    let path = format!("/v2/fxrate/gbpusd/{START}");
    let with = |query: &str, request: &str| {
        auditor.signed_get(&format!("{path}{query}"), json!({ "request": request }))
    };
    with("", &path).ok();
    with("?a=b", &format!("{path}?a=b")).ok();
    // The leading slash may be left out, as in other calls.
    with("?a=b", &format!("{path}?a=b")[1..]).ok();
    for (query, request) in [
        ("", format!("{path}?a=b")),
        ("?a=b", path.clone()),
        ("?a=b", format!("{path}?a=c")),
        ("", path.to_uppercase()),
        ("", format!("/v2/fxrate/GBPUSD/{START}")),
        ("", "/v2/fxrate/:symbol/:timestamp".to_owned()),
    ] {
        with(query, &request).refused(400, "EndpointMismatch");
    }
    // The nonce of a GET is used like that of any call.
    let once = |nonce: u64| auditor.signed_get(&path, json!({ "nonce": nonce }));
    once(1 << 52).ok();
    once(1 << 52).refused(400, "InvalidNonce");
}

/// A control call adds a rate, for now unless it names a time; a stored rate stays.
#[test]
fn rates_are_added() {
    let x = Exchange::start();
    x.advance(60);
    let auditor = x.as_("auditor");
    let added =
        x.control("/sandbox/fx", &json!({ "pair": "krwusd", "rate": 0.0007, "provider": "b\u{e4}nk" })).ok();
    let now = START + 60_000;
    assert_eq!(
        (&added["pair"], &added["rate"], &added["time_ms"]),
        (&json!("KRWUSD"), &json!("0.0007"), &json!(now))
    );
    let known = rate(&auditor, "KRWUSD", now).ok();
    assert_eq!((&known["provider"], &known["asOf"]), (&json!("b\u{e4}nk"), &json!(now)));
    let refused = |fields: Value, reason: &str, named: &str| {
        let message = x.control("/sandbox/fx", &fields).refused(400, reason).message;
        assert!(message.contains(named), "{message}");
    };
    refused(json!({ "pair": "KRWUSD", "rate": "1", "time_ms": now }), "InvalidParameterValue", "time_ms");
    refused(
        json!({ "pair": "KRWUSD", "rate": "1", "time_ms": 200_000_000_000_000_u64 }),
        "InvalidParameterValue",
        "time_ms",
    );
    refused(json!({ "pair": "btcusd", "rate": "1" }), "InvalidSymbol", "btcusd");
    for wrong in ["0", "-1", "1e3", "0.0000000000001", "99999999999"] {
        refused(json!({ "pair": "KRWUSD", "rate": wrong }), "InvalidParameterValue", wrong);
    }
    for wrong in ["", "a\nb", &"p".repeat(51)] {
        refused(
            json!({ "pair": "KRWUSD", "rate": "1", "provider": wrong }),
            "InvalidParameterValue",
            "provider",
        );
    }
    refused(json!({ "rate": "1" }), "MissingPayloadKey", "pair");
    assert_eq!(rate(&auditor, "KRWUSD", now).ok(), known, "refusals change nothing");
}

/// The venue's file of rates in a folder.
const RATES: &str = "rates.csv";

fn serve(home: &Path, lines: &str) -> Command {
    fs::write(home.join(RATES), lines).unwrap();
    fs::write(home.join("key"), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n").unwrap();
    let settings = format!(
        "listen = \"127.0.0.1:0\"\ndata = \"data\"\nvault_key_file = \"key\"\nfx_rates = \"{RATES}\"\n"
    );
    fs::write(home.join("venue.toml"), settings).unwrap();
    let mut command = Command::new(binary());
    command.args(["serve", "--config", "venue.toml"]).current_dir(home);
    command
}

fn serves(home: &Path, lines: &str) {
    let mut child = serve(home, lines).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success() && ready.starts_with("ready"), "{lines}: {ready}");
}

fn refused(home: &Path, lines: &str) -> String {
    let output = serve(home, lines).output().unwrap();
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
    line
}

/// A venue reads a file of rates at each start and adds what is new. A wrong line is refused before anything is made, and a line
/// that contradicts a stored rate changes nothing.
#[test]
fn a_venue_imports_a_file() {
    let home = private_folder();
    let home = home.path();
    let line = refused(home, "time,pair,rate,provider\n1,EURUSD,one,bank\n");
    assert!(line.contains("--fx-rates rates.csv: line 2: ") && line.contains("'one'"), "{line}");
    assert!(line.contains("--config venue.toml"), "{line}");
    assert!(!home.join("data").exists(), "{line}");
    let first = "time,pair,rate,provider\n2026-01-01T00:00:00Z,EURUSD,1.1,bank\n1767312000,EURUSD,1.2,bank\n";
    serves(home, first);
    let more = format!("{first}1767398400000,gbpusd,1.3,other\n");
    serves(home, &more);
    // Each rate was stored: another value for its time is refused with the stored one.
    for (line, stored) in [
        ("2026-01-01T00:00:00Z,EURUSD,1.15,bank", "1.1 from bank"),
        ("2026-01-02T00:00:00Z,EURUSD,1.2,other", "1.2 from bank"),
        ("2026-01-03T00:00:00Z,GBPUSD,1.31,other", "1.3 from other"),
    ] {
        let refusal = refused(home, &format!("2026-02-01T00:00:00Z,EURUSD,1,bank\n{line}\n"));
        assert!(refusal.contains("line 2: ") && refusal.contains(stored), "{refusal}");
    }
    serves(home, "2026-02-01T00:00:00Z,EURUSD,1.4,bank\n");
    fs::remove_file(home.join(RATES)).unwrap();
    let output =
        Command::new(binary()).args(["serve", "--config", "venue.toml"]).current_dir(home).output().unwrap();
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && line.contains("--fx-rates rates.csv"), "{line}");
}
