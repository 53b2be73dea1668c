//! Metrics and logs: counts equal what was sent, labels are bounded, every reply has a request id, and no line holds a secret.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use buttonwood_accept::{Exchange, Setup, Value, json, private_folder, wait_until};

/// Where the log says that the metrics are.
fn address_of_metrics(x: &Exchange) -> String {
    let log = x.log();
    let (_, rest) = log.split_once("metrics are at http://").unwrap_or_else(|| panic!("no metrics: {log}"));
    rest.split_once("/metrics").expect("a path").0.to_owned()
}

/// The reply to a request that closes its connection.
fn fetch(address: &str, line: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .write_all(format!("{line} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes())
        .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

/// The samples of a scrape: each name with its labels, and its value.
fn scrape(x: &Exchange) -> BTreeMap<String, String> {
    let text = fetch(&address_of_metrics(x), "GET /metrics");
    let (head, page) = text.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("text/plain; version=0.0.4"), "{head}");
    let samples = page.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (name, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("no sample: {line}"));
        (name.to_owned(), value.to_owned())
    });
    let (count, samples) = (page.lines().filter(|line| !line.starts_with('#')).count(), samples.collect());
    assert_eq!(count, BTreeMap::len(&samples), "no sample stands twice: {page}");
    samples
}

/// The samples once the journal's thread has counted its last batch: it answers a command first, and counts after that, one figure after
/// another.
fn scrape_at_rest(x: &Exchange) -> BTreeMap<String, String> {
    let mut samples = BTreeMap::new();
    wait_until("the count of the last batch", || {
        samples = scrape(x);
        let stage = |stage| format!("buttonwood_stage_seconds_count{{stage=\"{stage}\"}}");
        let figures = [stage("commit"), stage("publish"), "buttonwood_batch_commands_sum".to_owned()];
        let [committed, published, of_batches] = figures.map(|name| count(&samples, &name));
        let batches = count(&samples, "buttonwood_batch_commands_count");
        committed == of_batches
            && published == of_batches
            && count(&samples, "buttonwood_sync_seconds_count") == batches
    });
    samples
}

/// A sample that is a whole number; 0 if there is none.
fn count(samples: &BTreeMap<String, String>, name: &str) -> u64 {
    samples.get(name).map_or(0, |value| value.parse().unwrap_or_else(|_| panic!("{name} {value}")))
}

fn requests(samples: &BTreeMap<String, String>, route: &str, method: &str, status: u16) -> u64 {
    let labels = format!("{{route=\"{route}\",method=\"{method}\",status=\"{status}\"}}");
    count(samples, &format!("buttonwood_requests_total{labels}"))
}

fn with_metrics() -> Setup {
    Exchange::builder().flag("--metrics-listen", "127.0.0.1:0")
}

/// Each request and each refusal is counted once, under the route of the table, and each stage counts every command.
#[test]
fn counts_are_what_was_sent() {
    let x = with_metrics().start();
    let trader = x.as_("trader");
    for _ in 0..5 {
        trader.limit("btcusd", "buy", "1", "100");
    }
    let order =
        json!({ "symbol": "nosuch", "amount": "1", "price": "1", "side": "buy", "type": "exchange limit" });
    for _ in 0..3 {
        trader.call("/v1/order/new", order.clone()).refused(400, "InvalidSymbol");
    }
    trader.balances();
    for symbol in ["btcusd", "ethusd"] {
        x.get(&format!("/v1/book/{symbol}")).ok();
    }
    assert_eq!(fetch(&x.address(), "HEAD /v1/book/btcusd").lines().next(), Some("HTTP/1.1 200 OK"));
    let samples = scrape_at_rest(&x);
    for (route, method, status, sent) in [
        ("/v1/order/new", "POST", 200, 5),
        ("/v1/order/new", "POST", 400, 3),
        ("/v1/balances", "POST", 200, 1),
        ("/v1/book/{symbol}", "GET", 200, 2),
        ("/v1/book/{symbol}", "HEAD", 200, 1),
        ("/v1/book/btcusd", "GET", 200, 0),
    ] {
        assert_eq!(requests(&samples, route, method, status), sent, "{method} {route} {status}: {samples:?}");
    }
    assert_eq!(count(&samples, "buttonwood_refusals_total{reason=\"InvalidSymbol\"}"), 3);
    assert_eq!(count(&samples, "buttonwood_refusals_total{reason=\"RateLimit\"}"), 0);
    let stage =
        |stage: &str| count(&samples, &format!("buttonwood_stage_seconds_count{{stage=\"{stage}\"}}"));
    // Refused orders use their nonces, which is a command too; a read passes the gate alone.
    assert_eq!((stage("gate"), stage("queue")), (9, 8), "{samples:?}");
    assert!(stage("commit") >= 8, "{samples:?}");
    let batches = count(&samples, "buttonwood_batch_commands_count");
    assert_eq!(count(&samples, "buttonwood_sync_seconds_bucket{le=\"+Inf\"}"), batches);
    for (name, least) in [
        ("buttonwood_sessions", u64::try_from(x.key_names().len()).unwrap()),
        ("buttonwood_connections", 1),
        ("buttonwood_journal_bytes", 65_536),
        ("buttonwood_history_bytes", 1),
        ("buttonwood_last_seq", 8),
        ("buttonwood_ready", 1),
        ("process_resident_memory_bytes", 1_000_000),
        ("process_open_fds", 3),
    ] {
        assert!(count(&samples, name) >= least, "{name}: {samples:?}");
    }
    for name in ["buttonwood_queue_depth", "buttonwood_views_lag_commands", "buttonwood_rate_refusals_total"]
    {
        assert_eq!(samples.get(name).map(String::as_str), Some("0"), "{name}");
    }
    assert!(samples.contains_key("buttonwood_history_lag_commands"), "{samples:?}");
}

/// Unknown paths, methods and hosts add no label, and no label holds a name, a key or a value of a client.
#[test]
fn labels_are_bounded() {
    let x = with_metrics().start();
    let names = |samples: &BTreeMap<String, String>| samples.keys().cloned().collect::<BTreeSet<_>>();
    let send = |word: &str| {
        fetch(&x.address(), &format!("GET /{word}"));
        fetch(&x.address(), &format!("GET /v1/book/{word}"));
        fetch(&x.address(), &format!("{word} /v1/symbols"));
        fetch(&x.address(), &format!("POST /v1/order/new?{word}"));
        fetch(&x.address(), &format!("GET /trade/{word}"));
    };
    send("FIRST");
    let before = names(&scrape(&x));
    for number in 0..20 {
        send(&format!("WORD{number}"));
    }
    let samples = scrape(&x);
    assert_eq!(names(&samples), before);
    assert_eq!(requests(&samples, "unknown", "GET", 404), 21);
    assert_eq!(requests(&samples, "/v1/order/new", "POST", 401), 21, "{samples:?}");
    let shown = format!("{samples:?}");
    for name in x.key_names() {
        let key = x.key(&name);
        assert!(!shown.contains(&key.credentials.api_key), "{name}");
    }
    assert!(!shown.contains("WORD") && !shown.contains("FIRST"), "{shown}");
}

/// Sessions that are disabled or ended do not count; one that is enabled again does.
#[test]
fn sessions_that_may_call_are_counted() {
    let x = with_metrics().start();
    let sessions = || count(&scrape(&x), "buttonwood_sessions");
    let all = sessions();
    let keys = ["load-000", "load-001"].map(|name| x.key(name).credentials.api_key.clone());
    for (what, key, expected) in [
        ("disable", &keys[0], all - 1),
        ("end", &keys[1], all - 2),
        ("enable", &keys[0], all - 1),
        ("enable", &keys[0], all - 1),
    ] {
        x.control(&format!("/sandbox/keys/{what}"), &json!({ "api_key": key })).ok();
        assert_eq!(sessions(), expected, "{what}");
    }
    x.admin(&["key", "add", "--group", "one", "--role", "Auditor"]).done();
    assert_eq!(sessions(), all);
}

/// The limits count what they refuse.
#[test]
fn rate_refusals_are_counted() {
    let x = with_metrics().flag("--rate-limits", "on").start();
    let (address, path) = (x.address(), "GET /v1/symbols");
    let send = || (0..3).filter(|_| fetch(&address, path).starts_with("HTTP/1.1 429 ")).count();
    let refused: usize = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..60).map(|_| scope.spawn(send)).collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    let samples = scrape(&x);
    let refused = u64::try_from(refused).unwrap();
    assert!(refused > 0, "60 clients at once are more than may wait");
    assert_eq!(count(&samples, "buttonwood_rate_refusals_total"), refused);
    assert_eq!(requests(&samples, "/v1/symbols", "GET", 429), refused);
}

/// The listener serves one path, is off by default, and takes its address from flag, environment or file.
#[test]
fn the_listener_is_its_own() {
    let x = with_metrics().start();
    let address = address_of_metrics(&x);
    for (line, status) in [
        ("GET /metrics", "200"),
        ("HEAD /metrics", "200"),
        ("POST /metrics", "405"),
        ("GET /", "404"),
        ("GET /v1/symbols", "404"),
    ] {
        assert!(fetch(&address, line).starts_with(&format!("HTTP/1.1 {status} ")), "{line}");
    }
    assert!(fetch(&x.address(), "GET /metrics").starts_with("HTTP/1.1 404 "), "clients do not see it");
    assert!(!Exchange::start().log().contains("metrics are at"));
    let home = private_folder();
    let file = home.path().join("metrics.toml");
    fs::write(&file, "metrics_listen = \"127.0.0.1:0\"\nlog_format = \"json\"\n").unwrap();
    let x = Exchange::builder().flag("--config", file.to_str().unwrap()).start();
    assert!(x.log().contains("{\"level\":\"INFO\",\"message\":\"metrics are at"), "{}", x.log());
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let data = home.path().join("data");
    let line =
        Exchange::builder().env("BUTTONWOOD_METRICS_LISTEN", &taken).try_start_in(&data).unwrap_err().stderr;
    assert!(line.contains(&taken) && line.contains("--metrics-listen takes another"), "{line}");
    assert!(!data.exists(), "nothing was created");
}

/// Every reply carries an id: the client's own if it is plain, otherwise a new one.
#[test]
fn every_reply_has_an_id() {
    let x = Exchange::start();
    let id = |reply: &str| {
        let field = reply.lines().find_map(|line| line.strip_prefix("x-request-id: "));
        field.unwrap_or_else(|| panic!("no id: {reply}")).to_owned()
    };
    let mut seen = BTreeSet::new();
    for line in [
        "GET /v1/symbols",
        "HEAD /v1/symbols",
        "GET /nowhere",
        "PUT /v1/symbols",
        "POST /v1/balances",
        "GET /",
        "GET  /",
    ] {
        assert!(seen.insert(id(&fetch(&x.address(), line))), "{line}: each has another");
    }
    let reply = x.as_("trader").call("/v1/balances", json!({})).reply;
    assert!(seen.insert(reply.header("x-request-id").expect("signed calls have one").to_owned()));
    for (own, is_taken) in [("order-7.retry_2", true), ("a b", false), ("", false), (&"x".repeat(65), false)]
    {
        let got = x.anyone().send("GET", "/v1/symbols", &[("X-Request-Id", own)], b"").reply;
        let got = got.header("x-request-id").expect("an id").to_owned();
        assert_eq!(got == own, is_taken, "{own:?}: {got}");
    }
}

/// The log as JSON parses line by line. A line about a request has its id, and no line holds a secret or a client's own line.
#[test]
fn the_log_is_structured() {
    let x = Exchange::builder().flag("--log-format", "json").flag("--log-level", "debug").start();
    let welcome = x.log().len();
    let body = json!({ "symbol": "btcusd", "status": "bad\nstatus" }).to_string();
    let headers = [("Content-Type", "application/json"), ("X-Request-Id", "mine-1")];
    x.anyone().send("POST", "/sandbox/symbols/btcusd/status", &headers, body.as_bytes()).error();
    x.as_("trader").limit("btcusd", "buy", "1", "100");
    x.stop();
    let log = x.log();
    let (_, log) = log.split_at(welcome);
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    assert!(lines.iter().all(|line| ["time", "level", "message"].iter().all(|name| line[*name].is_string())));
    let of_request = |line: &&Value| line["request_id"] == "mine-1";
    let refused =
        lines.iter().filter(of_request).find(|line| line["message"] == "a control call was refused");
    let refused = refused.unwrap_or_else(|| panic!("no line: {log}"));
    assert_eq!(refused["route"], "/sandbox/symbols/{symbol}/status");
    let answered = lines.iter().find(|line| line["route"] == "/v1/order/new").expect("debug shows requests");
    assert_eq!((&answered["status"], answered["request_id"].is_string()), (&json!(200), true));
    assert!(lines.iter().any(|line| line["message"] == "stopped"), "{log}");
    for entry in x.credentials()["keys"].as_array().unwrap() {
        assert!(!log.contains(entry["api_secret"].as_str().unwrap()), "a secret is logged");
    }
}

/// As text, a line is a line whatever a client sends; the level decides which lines there are.
#[test]
fn the_log_has_levels() {
    for (level, shown) in [("info", true), ("warn", false), ("off", false)] {
        let x = Exchange::builder().flag("--log-level", level).start();
        x.control("/sandbox/symbols/btcusd/status", &json!({ "status": "a\nINFO b" })).error();
        x.stop();
        let log = x.log();
        assert_eq!(log.contains(" INFO a control call was refused"), shown, "{level}: {log}");
        assert!(!log.lines().any(|line| line.starts_with("INFO b")), "{log}");
    }
}
