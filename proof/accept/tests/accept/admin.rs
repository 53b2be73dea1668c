//! `buttonwood admin`: the socket, exit codes, dry runs, and the audit of who did what and why.

use buttonwood_accept::{Admin, Exchange, Setup, Value, binary, dec, json, private_folder, run_to_end};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The user that runs the tests.
fn user() -> String {
    let output = Command::new("id").arg("-un").output().expect("every system has id");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn seq(exchange: &Exchange) -> u64 {
    exchange.get("/sandbox/ledger").ok()["seq"].as_u64().expect("a number")
}

/// A command is done, answers with one object, and its effect is there at once.
#[test]
fn a_credit_is_done() {
    let exchange = Exchange::start();
    let done =
        exchange.admin(&["credit", "five", "primary", "BTC", "1.5", "--reason", "deposit by wire"]).done();
    assert_eq!(done, json!({ "result": "ok", "currency": "BTC", "amount": "1.5" }));
    assert_eq!(exchange.as_("empty").balance("BTC").0, dec("1.5"));
    let rates = exchange.admin(&["fees", "set", "--maker-bps", "7", "--taker-bps", "11"]).done();
    assert_eq!((&rates["maker_bps"], &rates["taker_bps"]), (&json!(7), &json!(11)));
    exchange.stop();
}

/// A debit takes what is available, never what orders hold; a reference is used once, by credits and debits together.
#[test]
fn a_debit_takes_what_is_available() {
    let exchange = Exchange::start();
    let adjust = |what: &str, amount: &str, reference: &str| {
        exchange.admin(&[what, "five", "primary", "USD", amount, "--reason", "x", "--reference", reference])
    };
    let done = adjust("credit", "100", "wire-1").done();
    assert_eq!(done, json!({ "result": "ok", "currency": "USD", "amount": "100", "reference": "wire-1" }));
    let line = adjust("credit", "100", "wire-1").refused();
    assert!(
        line.contains("Field 'reference' must be one that no credit and no debit has used: wire-1"),
        "{line}"
    );
    // Orders hold 40 dollars and a fee.
    exchange.admin(&["fees", "set", "--maker-bps", "0", "--taker-bps", "0"]).done();
    let order = json!({
        "symbol": "btcusd", "amount": "0.01", "price": "4000", "side": "buy", "type": "exchange limit"
    });
    exchange.as_("empty").call("/v1/order/new", order);
    let line = adjust("debit", "60.01", "wire-2").refused();
    assert!(
        line.contains("Field 'amount' must be at most what account 'primary' has available, 60 USD: 60.01"),
        "{line}"
    );
    let line = adjust("debit", "10", "wire-1").refused();
    assert!(line.contains("'reference'"), "{line}");
    adjust("debit", "60", "wire-2").done();
    let line = adjust("debit", "1", "wire-3").refused();
    assert!(line.contains("available, 0 USD: 1"), "{line}");
    exchange.kill9();
    exchange.restart();
    assert!(adjust("credit", "1", "wire-2").refused().contains("'reference'"), "also after a restart");
    assert_eq!(exchange.as_("empty").balance("USD"), (dec("40"), dec("0")));
    exchange.stop();
    buttonwood_accept::laws::verified(&exchange);
}

/// A house account is paid from `source`, which cannot pay itself. The pool of staking holds exactly what clients have there.
#[test]
fn a_house_account_is_funded() {
    let exchange = Exchange::start();
    let done = exchange.admin(&["house", "fund", "rounding", "USD", "2.5", "--reason", "x"]).done();
    assert_eq!(done, json!({ "result": "ok", "house": "rounding", "currency": "USD", "amount": "2.5" }));
    let ledger = exchange.get("/sandbox/ledger").ok();
    let rows = ledger["currencies"].as_array().unwrap();
    let dollars = rows.iter().find(|row| row["currency"] == "USD").unwrap();
    assert_eq!((&dollars["house"]["rounding"], &dollars["sum"]), (&json!("2.5"), &json!("0")));
    for name in ["source", "attic", "staking_pool"] {
        let line = exchange.admin(&["house", "fund", name, "USD", "1", "--reason", "x"]).refused();
        assert!(line.contains("Field 'name' must be one of fees, rounding, "), "{line}");
    }
    exchange.stop();
}

/// A dry run checks as the command does, shows what it would answer, and changes nothing, wherever the flag stands.
#[test]
fn a_dry_run_changes_nothing() {
    let exchange = Exchange::start();
    let before = seq(&exchange);
    for arguments in [
        ["--dry-run", "credit", "five", "primary", "BTC", "1", "--reason", "x"],
        ["credit", "five", "--dry-run", "primary", "BTC", "1", "--reason", "x"],
        ["credit", "five", "primary", "BTC", "1", "--reason", "x", "--dry-run"],
    ] {
        let shown = exchange.admin(&arguments).done();
        assert_eq!(shown, json!({ "dry_run": true, "result": "ok", "currency": "BTC", "amount": "1" }));
    }
    let most = "170141183460469231731";
    let line =
        exchange.admin(&["credit", "five", "primary", "BTC", most, "--reason", "x", "--dry-run"]).refused();
    assert!(line.contains("'amount'") && line.contains(most), "{line}");
    assert_eq!((seq(&exchange), exchange.admin(&["audit"]).list()), (before, Vec::new()));
    exchange.stop();
}

/// Who, what and why of every act, newest first: of operators and of control calls, with and without a process.
#[test]
fn the_audit_tells_who_did_what_and_why() {
    let exchange = Exchange::start();
    let after = seq(&exchange);
    exchange.admin(&["credit", "five", "primary", "BTC", "1", "--reason", "a gift \"for\" you"]).done();
    exchange.credit("empty", "ETH", "2");
    exchange.control("/sandbox/symbols/btcusd/status", &json!({ "status": "cancel_only" })).ok();
    // A refused act is none.
    exchange.admin(&["credit", "five", "nobody", "BTC", "1", "--reason", "x"]).refused();
    let me = user();
    let expected = [
        json!({ "seq": after + 3, "who": "control", "what": "symbol status symbol=btcusd status=cancel_only", "why": "" }),
        json!({
            "seq": after + 2, "who": "control",
            "what": "credit group=five account=primary currency=ETH amount=2", "why": ""
        }),
        json!({
            "seq": after + 1, "who": me,
            "what": "credit group=five account=primary currency=BTC amount=1", "why": "a gift \"for\" you"
        }),
    ];
    let check = |exchange: &Exchange| {
        let mut acts = exchange.admin(&["audit"]).list();
        for act in &mut acts {
            let time = act.as_object_mut().and_then(|act| act.remove("time_ms"));
            assert_eq!(time, Some(json!(1_767_225_600_000_u64)));
        }
        assert_eq!(acts, expected);
        let two = exchange.admin(&["audit", "--limit", "2"]).list();
        assert_eq!(
            two.iter().map(|act| &act["seq"]).collect::<Vec<_>>(),
            [&json!(after + 3), &json!(after + 2)]
        );
        assert!(exchange.admin(&["audit", "--limit", "0"]).refused().contains("'limit' must be at least 1"));
        assert!(exchange.admin(&["audit", "--limit", "x"]).refused().contains("'limit'"));
    };
    check(&exchange);
    exchange.kill9();
    check(&exchange);
    let line = exchange.admin(&["audit", "--follow"]).refused();
    assert!(line.contains("no exchange is running"), "{line}");
    exchange.restart();
    check(&exchange);
    exchange.stop();
    check(&exchange);
}

/// A followed audit prints the acts so far, and then each new one.
#[test]
fn the_audit_can_be_followed() {
    let exchange = Exchange::start();
    let credit = |amount: &str| {
        exchange.admin(&["credit", "five", "primary", "BTC", amount, "--reason", "x"]).done();
    };
    credit("1");
    credit("2");
    let mut follower = Command::new(binary())
        .args(["admin", "audit", "--follow", "--limit", "1", "--data"])
        .arg(exchange.data())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert!(next().contains("amount=2"));
    credit("3");
    assert!(next().contains("amount=3"));
    credit("4");
    assert!(next().contains("amount=4"));
    exchange.stop();
    assert_eq!(follower.wait().unwrap().code(), Some(1), "the end of the exchange ends it");
}

/// A command that cannot be parsed exits 2, one that the exchange refuses exits 1 and names the field, and nothing is changed.
#[test]
fn wrong_input_changes_nothing() {
    let exchange = Exchange::start();
    let before = seq(&exchange);
    for arguments in [
        &["fly"][..],
        &[],
        &["credit", "one", "primary", "BTC", "1"],
        &["credit", "one", "primary", "BTC", "--reason", "x"],
        &["fees", "set", "--maker", "1"],
        &["fees"],
        &["fees", "schedule", "--file", "/nowhere/at/all"],
    ] {
        let ended = exchange.admin(arguments);
        assert_eq!((ended.code, ended.lines.len()), (2, 0), "{arguments:?}: {ended:?}");
    }
    let reason = "x".repeat(501);
    for (arguments, words) in [
        (
            &["credit", "none", "primary", "BTC", "1", "--reason", "x"][..],
            "Field 'group' must be the name of a group: none",
        ),
        (
            &["credit", "one", "none", "BTC", "1", "--reason", "x"],
            "Field 'account' names no account of group 'one': 'none'",
        ),
        (
            &["credit", "one", "primary", "XYZ", "1", "--reason", "x"],
            "Field 'currency' names no listed currency: 'XYZ'",
        ),
        (
            &["credit", "one", "primary", "BTC", "-1", "--reason", "x"],
            "Field 'amount' must be a positive decimal",
        ),
        (
            &["credit", "one", "primary", "BTC", "1", "--reason", " "],
            "Field 'reason' must be 1 to 500 characters",
        ),
        (&["credit", "one", "primary", "BTC", "1", "--reason", &reason], "Field 'reason' must be"),
        (&["credit", "one", "primary", "BTC", "1", "--reason", "a "], "Field 'reason' must be"),
        (
            &["credit", "one", "primary", "BTC", "1", "--reason", "a\u{200b}b"],
            "no blank at either end: a\\u{200b}b",
        ),
        (&["credit", "one", "primary", "BTC", "1", "--reason", "a\u{2028}b"], "Field 'reason' must be"),
        (
            &["credit", "one", "primary", "BTC", "1", "--reason", "x", "--reference", "wire-1 "],
            "Field 'reference' must be 1 to 100 printable ASCII characters without blanks: wire-1 ",
        ),
        (
            &["debit", "one", "primary", "BTC", "1", "--reason", "x", "--reference", "w\u{ef}re"],
            "Field 'reference' must be",
        ),
        (
            &["credit", "one", "primary", "BTC", "1", "--reason", "x", "--reference", ""],
            "Field 'reference' must be",
        ),
        (
            &["group", "add", "No\u{ad}rth"],
            "Field 'name' must be 1 to 50 characters without control and format",
        ),
        (&["group", "add", "North "], "Field 'name' must be"),
        (&["currency", "add", "NTH", "--decimals", "2", "--name", "North\u{202e}"], "Field 'name' must be"),
        (
            &["key", "add", "--group", "one", "--account", "primary", "--role", "Trader", "--name", " a"],
            "Field 'name' must be",
        ),
        (
            &["fx", "add", "EURUSD", "1", "1767225600000", "--provider", "b\u{200b}"],
            "Field 'provider' must be",
        ),
        (&["fees", "set", "--maker-bps", "1"], "'taker_bps'"),
        (&["fees", "set", "--maker-bps", "x", "--taker-bps", "1"], "'maker_bps'"),
        (&["fees", "set", "--maker-bps", "1", "--taker-bps", "1", "--group", "one"], "'account'"),
        (&["fees", "promote", "nonesuch"], "Received unsupported symbol 'nonesuch'"),
        (&["fx", "add", "EURUSD", "0", "1767225600000"], "Field 'rate' must be a positive decimal"),
        (&["fx", "add", "EURXYZ", "1", "1767225600000"], "Received unsupported symbol 'EURXYZ'"),
        (&["fx", "add", "EURUSD", "1", "later"], "'time_ms'"),
        (&["trade", "break", "1", "full", "--reason", "x"], "Field 'tid' must be the id of a trade: 1"),
        (&["trade", "break", "1", "half", "--reason", "x"], "Field 'kind' must be one of manual, full: half"),
    ] {
        let line = exchange.admin(arguments).refused();
        assert!(line.contains(words), "{arguments:?}: {line}");
    }
    assert_eq!(seq(&exchange), before);
    exchange.stop();
}

/// The help of a command and of a group of commands shows arguments in the order in which they are typed.
#[test]
fn the_help_keeps_the_order() {
    let shown = |words: &[&str]| {
        let output = run_to_end(&[&["admin"], words, &["--help"]].concat());
        String::from_utf8(output.stdout).unwrap()
    };
    let in_order = |text: &str, arguments: &[&str]| {
        let at = |argument: &&str| {
            text.find(&format!("\n  {argument}")).or_else(|| text.find(&format!("\n      {argument}")))
        };
        let places: Vec<_> = arguments
            .iter()
            .map(|argument| at(argument).unwrap_or_else(|| panic!("{argument}: {text}")))
            .collect();
        assert!(places.is_sorted(), "{arguments:?}: {text}");
    };
    let group = shown(&["account"]);
    let (_, close) = group.split_once("account close:").unwrap();
    in_order(close, &["<GROUP>", "<ACCOUNT>"]);
    let (_, add) = group.split_once("account add:").unwrap();
    in_order(add, &["<GROUP>", "<NAME>", "--kind", "--jurisdiction"]);
    in_order(
        &shown(&["symbol", "add"]),
        &["<SYMBOL>", "--base", "--quote ", "--tick", "--quote-increment", "--min", "--data"],
    );
}

/// A line that is no request is refused in the form of every refusal, and a silent client harms nobody.
#[test]
fn the_socket_speaks_lines() {
    let exchange = Exchange::start();
    let path = exchange.data().join("admin.sock");
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "its owner alone may connect");
    let silent = UnixStream::connect(&path).unwrap();
    let said = |request: &[u8]| {
        let mut stream = UnixStream::connect(&path).unwrap();
        stream.write_all(request).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    };
    for (request, words) in [
        ("\n", "InvalidJson"),
        ("[]\n", "InvalidJson"),
        ("{}\n", "Missing required field 'command'"),
        ("{\"command\":\"fly\"}\n", "names no command: 'fly'"),
        ("{\"command\":\"credit\",\"arguments\":{}}\n", "Missing required field 'reason'"),
    ] {
        let reply = said(request.as_bytes());
        assert!(reply.starts_with(r#"{"result":"error","reason":""#) && reply.contains(words), "{reply}");
        assert!(reply.ends_with("}\n\n"), "{reply:?}");
    }
    let long = format!("{}\n", "x".repeat(20_000));
    assert!(said(long.as_bytes()).contains("longer than 12288 bytes"));
    assert_eq!(said(b"{\"command\":\"audit\"}\n"), "\n");
    drop(silent);
    exchange.stop();
    assert!(!path.exists(), "a clean stop removes it");
}

/// A connection that sends a request, and its lines.
fn connect(exchange: &Exchange, request: &str) -> BufReader<UnixStream> {
    let mut stream = UnixStream::connect(exchange.data().join("admin.sock")).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    BufReader::new(stream)
}

fn line(reader: &mut BufReader<UnixStream>) -> String {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    line
}

const FOLLOW: &str = "{\"command\":\"audit\",\"arguments\":{\"follow\":true}}\n";
const HALT: &str = "{\"command\":\"halt\",\"reason\":\"x\"}\n";

/// Readers that follow the audit take no place of a command, and have places of their own with an end.
#[test]
fn readers_take_no_place_of_a_command() {
    let exchange = Exchange::start();
    exchange.admin(&["credit", "five", "primary", "BTC", "1", "--reason", "x"]).done();
    let follow = || {
        let mut reader = connect(&exchange, FOLLOW);
        let first = line(&mut reader);
        (reader, first)
    };
    let mut readers: Vec<_> = (0..40).map(|_| follow()).collect();
    assert!(readers.iter().all(|(_, first)| first.contains("credit group=five")));
    assert!(line(&mut connect(&exchange, HALT)).contains("\"halted\":true"));
    assert_eq!(exchange.admin(&["resume", "--reason", "x"]).done()["halted"], false);
    for (reader, _) in &mut readers {
        assert!(line(reader).contains("halt"), "they go on");
    }
    readers.extend((40..64).map(|_| follow()));
    let (_, refused) = follow();
    assert!(refused.contains("64 readers follow already") && refused.contains("System"), "{refused}");
    exchange.admin(&["halt", "--reason", "x"]).done();
    assert_eq!(exchange.admin(&["audit", "--limit", "1"]).list().len(), 1, "a list has other places");
    readers.pop();
    let start = Instant::now();
    while !follow().1.contains("\"seq\"") {
        assert!(start.elapsed() < Duration::from_secs(30), "a reader that has gone leaves its place");
    }
}

/// Connections that have sent nothing, or half a request, take no place of a command; where many wait, they make room after two seconds.
#[test]
fn silent_connections_take_no_place() {
    let exchange = Exchange::start();
    let path = exchange.data().join("admin.sock");
    let silent = |count: usize, part: &str| -> Vec<UnixStream> {
        let open = |_| {
            let mut stream = UnixStream::connect(&path).unwrap();
            stream.write_all(part.as_bytes()).unwrap();
            stream
        };
        (0..count).map(open).collect()
    };
    let _few = silent(63, "");
    let start = Instant::now();
    assert!(line(&mut connect(&exchange, HALT)).contains("\"halted\":true"));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    let _many = silent(60, "{\"command\":");
    let start = Instant::now();
    assert!(line(&mut connect(&exchange, HALT)).contains("\"halted\":true"));
    assert!(start.elapsed() < Duration::from_secs(9), "{:?}", start.elapsed());
    exchange.admin(&["resume", "--reason", "x"]).done();
}

/// Without a process it says so; a socket that a killed process left is replaced.
#[test]
fn a_stopped_exchange_is_named() {
    let exchange = Exchange::start();
    exchange.kill9();
    assert!(exchange.data().join("admin.sock").exists(), "a killed process leaves it");
    let credit = ["credit", "five", "primary", "BTC", "1", "--reason", "x"];
    let line = exchange.admin(&credit).refused();
    assert!(line.contains("no exchange is running on"), "{line}");
    exchange.restart();
    exchange.admin(&credit).done();
    exchange.stop();
    let line = exchange.admin(&credit).refused();
    assert!(line.contains("no exchange is running on"), "{line}");
    let line = Admin::run(Path::new("/nowhere/at/all"), &credit).refused();
    assert!(line.contains("/nowhere/at/all"), "{line}");
}

/// A data directory may have a longer path than the address of a socket; the group of operators must exist.
#[test]
fn a_long_path_is_no_trouble() {
    let home = private_folder();
    let data = home.path().join("d".repeat(120));
    let exchange = Setup::default().start_in(&data);
    exchange.admin(&["credit", "five", "primary", "BTC", "1", "--reason", "x"]).done();
    exchange.stop();
    let line = Setup::default().flag("--admin-group", "no such group").refuses_in(&data);
    assert!(line.contains("--admin-group no such group: this machine has no such group"), "{line}");
}

/// An operator sees a payment without a memo, and gives it to an account once; a dry run gives nothing, and the audit has the act.
/// Proves XFER-010.
#[test]
fn an_unclaimed_deposit_is_assigned_once() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    assert_eq!(x.admin(&["deposit", "unclaimed"]).list(), Vec::<Value>::new());
    let address =
        x.as_("fund-manager").call("/v1/deposit/xrpl/newAddress", json!({})).ok()["address"].clone();
    let chain = |call: &str, body: Value| x.control(&format!("/sandbox/chains/xrpl/{call}"), &body).ok();
    let sent = chain("send", json!({ "address": address, "currency": "XRP", "amount": "7" }));
    let confirmations = x.get("/sandbox/chains/xrpl").ok()["confirmations"].clone();
    chain("mine", json!({ "blocks": confirmations }));
    let rows = x.admin(&["deposit", "unclaimed"]).list();
    let index = sent["outputIdx"].as_u64().unwrap_or_default().to_string();
    let hash = sent["txHash"].as_str().unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(
        (&rows[0]["txHash"], &rows[0]["amount"], &rows[0]["memo"]),
        (&json!(hash), &json!("7"), &Value::Null)
    );
    assert_eq!(Value::from(rows), x.get("/sandbox/deposits/unclaimed").ok());
    let assign = |tx: &str, account: &str, more: &[&str]| {
        x.admin(
            &[
                &["deposit", "assign", "xrpl", tx, &index, "five", account, "--reason", "memo forgotten"],
                more,
            ]
            .concat(),
        )
    };
    assert!(assign(hash, "nobody", &[]).refused().contains("'account'"));
    assert!(assign("00", "primary", &[]).refused().contains("is not known: '00' on 'xrpl'"));
    assign(hash, "primary", &["--dry-run"]).done();
    assert_eq!(x.as_("empty").balance("XRP").0, dec("0"));
    assert_eq!(assign(hash, "primary", &[]).done(), json!({ "result": "ok" }));
    assert_eq!(x.as_("empty").balance("XRP").0, dec("7"));
    assert!(assign(hash, "primary", &[]).refused().contains("belongs to an account already"));
    assert_eq!(x.admin(&["deposit", "unclaimed"]).list(), Vec::<Value>::new());
    let act = x.admin(&["audit", "--limit", "1"]).list().remove(0);
    let what =
        format!("deposit assign network=xrpl txHash={hash} outputIdx={index} group=five account=primary");
    assert_eq!((&act["what"], &act["why"]), (&json!(what), &json!("memo forgotten")));
    let body = json!({ "network": "xrpl", "txHash": hash, "outputIdx": index, "group": "five", "account": "primary" });
    x.control("/sandbox/deposits/assign", &body).refused(400, "InvalidParameterValue");
}

/// An operator makes the withdrawals of an account free, and ends that. Proves XFER-023.
#[test]
fn a_fee_override_is_set_and_ended() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let is_free = || {
        let fields = json!({ "address": "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "amount": "0.01" });
        x.as_("fund-manager").call("/v2/withdraw/bitcoin/btc/feeEstimate", fields).ok()["isOverride"].clone()
    };
    let set = |group: &str, more: &[&str]| {
        x.admin(
            &[&["account", "fee-override", group, "primary", "--reason", "a good customer"], more].concat(),
        )
    };
    assert_eq!(is_free(), false);
    set("one", &["--dry-run"]).done();
    assert_eq!(is_free(), false);
    assert_eq!(set("one", &[]).done(), json!({ "result": "ok" }));
    assert_eq!(is_free(), true);
    assert!(set("none", &["--off"]).refused().contains("'group'"));
    assert_eq!(is_free(), true);
    set("one", &["--off"]).done();
    assert_eq!(is_free(), false);
    let act = x.admin(&["audit", "--limit", "1"]).list().remove(0);
    assert_eq!(act["what"], "account fee-override group=one account=primary off=true");
}

/// A list of approved addresses has a limit over all networks, which counts what waits; deposit addresses have one too. A longer list stays
/// and cannot grow. Proves D-185.
#[test]
fn lists_of_addresses_have_limits() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let set = |approved: &str, deposit: &str| {
        let limits = ["--approved-addresses", approved, "--deposit-addresses", deposit];
        x.admin(&[&["limits", "set"], limits.as_slice()].concat())
    };
    let unset = x.admin(&["limits", "set", "--dry-run"]).done();
    assert_eq!((&unset["approved_addresses"], &unset["deposit_addresses"]), (&json!(1_000), &json!(1_000)));
    for (approved, deposit, field) in [("0", "1", "approved_addresses"), ("1", "100001", "deposit_addresses")]
    {
        assert!(set(approved, deposit).refused().contains(field));
    }
    set("2", "2").done();
    let owner = x.as_("fund-manager");
    let request = |actor: &buttonwood_accept::Actor, network: &str, address: &str| {
        let path = format!("/v1/approvedAddresses/{network}/request");
        actor.call(&path, json!({ "address": address, "label": "a" }))
    };
    let (bitcoin, ether) =
        ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
    let third = "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3";
    request(&owner, "bitcoin", bitcoin).ok();
    request(&owner, "ethereum", ether).ok();
    let refusal = request(&owner, "bitcoin", third).refused(400, "InvalidParameterValue");
    assert!(refusal.message.contains("at most 2 entries"), "{refusal:?}");
    request(&x.as_("master"), "bitcoin", third).ok();
    for network in ["bitcoin", "xrpl"] {
        owner.call(&format!("/v1/deposit/{network}/newAddress"), json!({})).ok();
    }
    let refusal =
        owner.call("/v1/deposit/bitcoin/newAddress", json!({})).refused(400, "InvalidParameterValue");
    assert!(refusal.message.contains("at most 2 deposit addresses"), "{refusal:?}");
    set("1", "3").done();
    owner.call("/v1/deposit/bitcoin/newAddress", json!({})).ok();
    let listed = owner.call("/v1/approvedAddresses/account/ethereum", json!({})).ok();
    assert_eq!(listed["approvedAddresses"].as_array().unwrap().len(), 1, "it stays");
    let full = |address: &str| {
        let refusal = request(&owner, "bitcoin", address).refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains("at most 1 entries"), "{refusal:?}");
    };
    full(third);
    owner.call("/v1/approvedAddresses/ethereum/remove", json!({ "address": ether })).ok();
    full(third);
    let act = x.admin(&["audit", "--limit", "1"]).list().remove(0);
    assert_eq!(act["what"], "limits set approved_addresses=1 deposit_addresses=3");
}

/// Control calls are in the audit with the `reason` that they carry, maintenance and moves of the clock too. A text that is no
/// reason is refused by field and changes nothing; a refused call is no act.
#[test]
fn control_calls_carry_a_reason() {
    let exchange = Exchange::start();
    let acts = || {
        let list = exchange.admin(&["audit", "--limit", "1000"]).list();
        let texts = |act: Value| ["who", "what", "why"].map(|field| act[field].as_str().unwrap().to_owned());
        list.into_iter().map(texts).collect::<Vec<_>>()
    };
    let latest = |what: &str, why: &str| {
        assert_eq!(acts()[0], ["control", what, why].map(str::to_owned));
    };
    let call = |path: &str, fields: Value| exchange.control(path, &fields);
    call("/sandbox/clock/advance", json!({ "seconds": 5, "reason": "a test" })).ok();
    latest("clock advance seconds=5", "a test");
    call("/sandbox/clock/advance", json!({ "seconds": 1 })).ok();
    latest("clock advance seconds=1", "");
    call("/sandbox/maintenance", json!({ "on": true, "reason": "drill" })).ok();
    latest("maintenance on=true", "drill");
    call("/sandbox/maintenance", json!({ "on": false })).ok();
    latest("maintenance on=false", "");
    call("/sandbox/symbols/btcusd/status", json!({ "status": "post_only", "reason": "calm" })).ok();
    latest("symbol status symbol=btcusd status=post_only", "calm");
    let credit = json!({ "group": "five", "account": "primary", "currency": "BTC", "amount": "1", "reason": "\u{e9}t\u{e9}" });
    call("/sandbox/accounts/credit", credit.clone()).ok();
    latest("credit group=five account=primary currency=BTC amount=1", "\u{e9}t\u{e9}");
    let (before, now) = (acts(), exchange.now_ms());
    for bad in [json!(""), json!(" "), json!("a\nb"), json!("x".repeat(501)), json!(5), json!(["why"])] {
        for (path, mut fields) in [
            ("/sandbox/clock/advance", json!({ "seconds": 5 })),
            ("/sandbox/maintenance", json!({ "on": true })),
            ("/sandbox/accounts/credit", credit.clone()),
        ] {
            fields["reason"] = bad.clone();
            let refused = call(path, fields).refused(400, "InvalidParameterValue");
            assert!(refused.message.contains("'reason'"), "{refused:?}");
        }
    }
    call("/sandbox/clock/advance", json!({ "seconds": u64::MAX })).refused(400, "InvalidParameterValue");
    call("/sandbox/maintenance", json!({ "on": "perhaps" })).refused(400, "InvalidParameterValue");
    assert_eq!((acts(), exchange.now_ms()), (before, now));
    assert_eq!(exchange.as_("empty").balance("BTC").0, dec("1"));
}

/// Everything can be listed: all of it, or the part of a group or an account. A name that is none is refused by its field.
#[test]
fn what_there_is_is_listed() {
    let x = Exchange::start();
    let list = |arguments: &[&str]| x.admin(arguments).list();
    let groups = list(&["group", "list"]);
    assert!(
        groups.iter().any(|row| row["group"] == "one" && row["accounts_max"] == 500 && row["accounts"] == 4),
        "{groups:?}"
    );
    let accounts = list(&["account", "list", "--group", "one"]);
    assert!(accounts.iter().all(|row| row["group"] == "one" && row["closed"] == false), "{accounts:?}");
    assert!(
        accounts.iter().any(|row| row["account"] == "primary" && row["kind"] == "exchange"),
        "{accounts:?}"
    );
    assert!(list(&["account", "list"]).len() > accounts.len());
    let balances = list(&["balance", "list", "--group", "one", "--account", "primary"]);
    let usd = balances.iter().find(|row| row["currency"] == "USD").unwrap();
    assert_eq!((&usd["account"], &usd["amount"]), (&json!("primary"), &usd["available"]));
    x.admin(&["credit", "five", "primary", "USD", "0.0000000000000000001", "--reason", "x"]).done();
    assert_eq!(list(&["balance", "list", "--group", "five"])[0]["amount"], "0.0000000000000000001");
    let symbols = list(&["symbol", "list"]);
    let btcusd = symbols.iter().find(|row| row["symbol"] == "BTCUSD").unwrap();
    assert_eq!((&btcusd["status"], &btcusd["tick_size"]), (&json!("open"), &json!("0.00000001")));
    x.admin(&["fees", "set", "--maker-bps", "7", "--taker-bps", "11"]).done();
    let own =
        ["fees", "set", "--maker-bps", "1", "--taker-bps", "2", "--group", "one", "--account", "primary"];
    x.admin(&own).done();
    let fees = list(&["fees", "list"]);
    assert_eq!((&fees[0]["product"], &fees[0]["maker_bps"]), (&json!("spot"), &json!(7)));
    assert!(fees.iter().any(|row| row["account"] == "primary" && row["taker_bps"] == 2), "{fees:?}");
    assert!(list(&["transfer", "list"]).is_empty());
    for (arguments, words) in [
        (&["account", "list", "--group", "none"][..], "Field 'group' must be the name of a group: none"),
        (&["balance", "list", "--group", "one", "--account", "none"], "Field 'account' names no account"),
        (&["balance", "list", "--account", "primary"], "'group'"),
        (&["order", "list", "--symbol", "nonesuch"], "nonesuch"),
    ] {
        let line = x.admin(arguments).refused();
        assert!(line.contains(words), "{arguments:?}: {line}");
    }
    x.stop();
}

/// A transfer under way is listed until it is done.
#[test]
fn transfers_under_way_are_listed() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let wire = ["bank", "wire", "five", "primary", "USD", "5", "--method", "ACH", "--reason", "x"];
    let eid = x.admin(&wire).done()["eid"].clone();
    let rows = x.admin(&["transfer", "list", "--group", "five"]).list();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(
        (&rows[0]["eid"], &rows[0]["status"], &rows[0]["amount"]),
        (&eid, &json!("Advanced"), &json!("5"))
    );
    x.admin(&["bank", "settle", "--eid", &eid.to_string(), "--reason", "x"]).done();
    assert!(x.admin(&["transfer", "list"]).list().is_empty());
    x.stop();
}

/// All live orders of an account, of a symbol, or of both are listed and cancelled, those that wait for a stop price too, and no others.
#[test]
fn orders_are_cancelled_by_account_and_symbol() {
    let x = Exchange::start();
    let place = |key: &str, symbol: &str, price: &str| {
        x.as_(key).limit(symbol, "buy", "0.01", price)["order_id"].clone()
    };
    let ours = place("trader", "btcusd", "100");
    let ether = place("trader", "ethusd", "100");
    let theirs = place("counterparty", "btcusd", "101");
    let stop = json!({ "symbol": "btcusd", "amount": "0.01", "price": "90000", "stop_price": "89000", "side": "buy", "type": "exchange stop limit" });
    let stop = x.as_("trader").call("/v1/order/new", stop).ok()["order_id"].clone();
    let ids = |arguments: &[&str]| -> Vec<Value> {
        let rows = x.admin(&[&["order", "list"], arguments].concat()).list();
        rows.iter().map(|row| row["order_id"].clone()).collect()
    };
    let own = ["--group", "one", "--account", "primary"];
    assert_eq!(ids(&own), [stop.clone(), ether.clone(), ours.clone()]);
    assert_eq!(ids(&["--symbol", "btcusd"]).len(), 3);
    let cancel = |arguments: &[&str]| x.admin(&[&["order", "cancel", "--reason", "x"], arguments].concat());
    for (arguments, field) in
        [(&[][..], "'symbol'"), (&own[..2], "'account'"), (&["--symbol", "none"], "none")]
    {
        let line = cancel(arguments).refused();
        assert!(line.contains(field), "{line}");
    }
    assert_eq!(cancel(&[&own[..], &["--symbol", "ethusd", "--dry-run"]].concat()).done()["live_orders"], 1);
    assert_eq!(ids(&own).len(), 3, "a dry run changes nothing");
    assert_eq!(cancel(&[&own[..], &["--symbol", "ethusd"]].concat()).done()["live_orders"], 1);
    assert_eq!(ids(&own), [stop, ours]);
    assert_eq!(cancel(&["--symbol", "btcusd"]).done(), json!({ "result": "ok", "live_orders": 3 }));
    assert!(ids(&[]).is_empty());
    let status = x.as_("counterparty").status(theirs.as_str().unwrap());
    assert_eq!((&status["is_cancelled"], &status["reason"]), (&json!(true), &json!("Requested")));
    place("trader", "btcusd", "100");
    place("trader", "ethusd", "100");
    assert_eq!(cancel(&own).done()["live_orders"], 2);
    x.kill9();
    x.restart();
    assert!(ids(&[]).is_empty(), "also after a crash");
    x.stop();
    buttonwood_accept::laws::verified(&x);
}
