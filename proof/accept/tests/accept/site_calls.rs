//! Calls of the pages beside signing in: tickets of sockets, preferences, aliases, the statement as a file, and QR codes.

use crate::clearing::{enter, id_of};
use buttonwood_accept::{Browser, Dec, Exchange, Socket, SocketError, Value, dec, json, same_keys};
use std::collections::{BTreeMap, BTreeSet};

/// A user of the group of the key `trader`, signed in.
#[track_caller]
fn trader(x: &Exchange) -> Browser<'_> {
    user(x, "a@people.test", &["Administrator", "Trader", "Fund Manager"]);
    Browser::of(x, "a@people.test")
}

#[track_caller]
fn user(x: &Exchange, email: &str, roles: &[&str]) {
    let body =
        json!({ "email": email, "password": "seven green turtles sing", "group": "one", "roles": roles });
    x.control("/sandbox/users", &body).ok();
}

#[track_caller]
fn ticket(browser: &Browser<'_>) -> String {
    let answer = browser.post("/site/stream", &json!({})).ok();
    same_keys(&answer, &["ticket"], &answer);
    answer["ticket"].as_str().expect("a text").to_owned()
}

fn open(x: &Exchange, ticket: &str) -> Result<Socket, SocketError> {
    x.try_socket(&format!("/?ticket={ticket}"))
}

#[track_caller]
fn unauthorized(refused: Result<Socket, SocketError>, words: &str) {
    match refused {
        Err(SocketError::Refused { status: 401, body }) => assert!(body.contains(words), "{body}"),
        other => panic!("{other:?}"),
    }
}

/// A ticket opens one socket, which reads the chosen account and sends no order.
#[test]
fn a_ticket_opens_a_socket_to_read() {
    let x = Exchange::start();
    let browser = trader(&x);
    let ticket = ticket(&browser);
    assert_eq!(ticket.len(), 43, "256 bits in base64url");
    let mut socket = open(&x, &ticket).expect("a ticket opens a socket");
    unauthorized(open(&x, &ticket), "ticket");
    socket.ok(
        "subscribe",
        json!(["orders@account", "balances@account@1s", "positions@account", "btcusd@trade"]),
    );
    let order = json!({
        "request": "/v1/order/new", "symbol": "btcusd", "amount": "0.01", "price": "100", "side": "buy", "type": "exchange limit"
    });
    let placed = browser.post("/site/call", &order).ok();
    let update = socket.next_that(|frame| frame["X"] == "NEW");
    assert_eq!(
        update["i"].to_string().trim_matches('"'),
        placed["order_id"].as_str().expect("an id"),
        "{update}"
    );
    let sent = json!({
        "symbol": "btcusd", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "price": "100", "quantity": "0.01"
    });
    for (method, params) in [
        ("order.place", sent),
        ("order.cancel", json!({ "orderId": placed["order_id"] })),
        ("order.cancel_all", Value::Null),
        ("order.cancel_session", Value::Null),
    ] {
        assert!(socket.refused(method, params, 403, -1002).contains("only reads"), "{method}");
    }
    let active = browser.post("/site/call", &json!({ "request": "/v1/orders" })).ok();
    assert_eq!(active.as_array().map(Vec::len), Some(1), "{active}");
    let shown = x.get("/sandbox/streams").ok();
    assert_eq!(shown["streams"][0]["key"], "UI", "{shown}");
    socket.close();
}

/// A ticket lives 30 seconds. An unknown one, one of a session that has ended and one beside a key's fields open nothing.
#[test]
fn other_tickets_are_refused() {
    let x = Exchange::start();
    let browser = trader(&x);
    let [old, late, beside] = [(); 3].map(|()| ticket(&browser));
    let secret =
        [("X-SVC-APIKEY", "key"), ("X-SVC-PAYLOAD", "MQ=="), ("X-SVC-SIGNATURE", "00"), ("X-SVC-NONCE", "1")];
    let refused = x.try_socket_with(&format!("/?ticket={beside}"), &secret);
    assert!(matches!(refused, Err(SocketError::Refused { status: 401, .. })), "{refused:?}");
    x.advance(29);
    open(&x, &late).expect("it lives 30 seconds").close();
    x.advance(1);
    unauthorized(open(&x, &old), "30 seconds");
    for unknown in ["", "x", &"A".repeat(43), &"%00".repeat(43)] {
        unauthorized(open(&x, unknown), "unknown");
    }
    let ended = ticket(&browser);
    browser.post("/site/signout", &json!({})).ok();
    unauthorized(open(&x, &ended), "has ended");
    browser.post("/site/stream", &json!({})).refused(401, "SignInRequired");
    let killed = ticket(&Browser::of(&x, "a@people.test"));
    x.restart();
    unauthorized(open(&x, &killed), "unknown");
}

/// The socket ends with the session, whatever ends that, and when another account is chosen.
#[test]
fn a_socket_ends_with_its_session() {
    let x = Exchange::start();
    let browser = trader(&x);
    let opened = |browser: &Browser<'_>| {
        let mut socket = open(&x, &ticket(browser)).expect("a ticket opens a socket");
        socket.ok("subscribe", json!(["balances@account"]));
        socket
    };
    let mut chosen = opened(&browser);
    let session = browser.get("/site/session").ok();
    let accounts = session["accounts"].as_array().expect("accounts");
    let other = accounts.iter().find(|name| **name != session["account"]).expect("another account");
    browser.post("/site/account", &json!({ "account": other })).ok();
    assert_eq!(chosen.close_code(), Some(1008));
    // That of a page that names its account goes on (D-289).
    let numbers = browser.get("/site/accounts").ok();
    let own = numbers.as_array().expect("accounts").iter().find(|one| one["name"] == session["account"]);
    let own = own.expect("the account")["number"].as_u64().expect("a number");
    let drawn = browser.post(&format!("/site/stream?account={own}"), &json!({})).ok();
    let mut named = open(&x, drawn["ticket"].as_str().expect("a ticket")).expect("a ticket opens a socket");
    named.ok("subscribe", json!(["balances@account"]));
    browser.post("/site/account", &json!({ "account": session["account"] })).ok();
    browser.post("/site/account", &json!({ "account": other })).ok();
    named.ok("ping", Value::Null);
    let mut out = opened(&browser);
    browser.post("/site/signout", &json!({})).ok();
    assert_eq!(out.close_code(), Some(1008));
    assert_eq!(named.close_code(), Some(1008));
    let again = Browser::of(&x, "a@people.test");
    let mut idle = opened(&again);
    x.advance(31 * 60);
    assert_eq!(idle.close_code(), Some(1008));
    let again = Browser::of(&x, "a@people.test");
    let mut demoted = opened(&again);
    user(&x, "a@people.test", &["Administrator"]);
    assert_eq!(demoted.close_code(), Some(1008));
}

/// Preferences are kept as they were sent, for all browsers of the user, over a kill.
#[test]
fn preferences_are_kept() {
    let x = Exchange::start();
    let browser = trader(&x);
    user(&x, "b@people.test", &["Auditor"]);
    assert_eq!(browser.get("/site/preferences").ok(), json!({ "value": {} }));
    let value =
        json!({ "theme": "dark", "layout": [{ "book": "</script>", "rows": 1.50 }, null], "\u{e4}": "\"" });
    assert_eq!(browser.post("/site/preferences", &json!({ "value": value })).ok(), json!({ "result": "ok" }));
    assert_eq!(Browser::of(&x, "a@people.test").get("/site/preferences").ok(), json!({ "value": value }));
    assert_eq!(Browser::of(&x, "b@people.test").get("/site/preferences").ok(), json!({ "value": {} }));
    x.kill9();
    x.restart();
    assert_eq!(browser.get("/site/preferences").ok(), json!({ "value": value }));
    let page = browser.get("/account").reply.text();
    let data =
        page.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>")).expect("data").0;
    let data: Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(data["preferences"], value);
}

/// One change in five seconds and 200 in a day, by the exchange's clock, over a kill too; a refused change changes nothing.
#[test]
fn preferences_are_limited() {
    let x = Exchange::start();
    let browser = trader(&x);
    let set =
        |browser: &Browser<'_>, n: u32| browser.post("/site/preferences", &json!({ "value": { "n": n } }));
    let waits = |answer: &buttonwood_accept::Answer| {
        answer.refused(429, "RateLimit");
        answer.reply.header("retry-after").and_then(|seconds| seconds.parse::<u64>().ok()).expect("seconds")
    };
    set(&browser, 0).ok();
    assert_eq!(waits(&set(&browser, 1)), 5);
    x.advance(4);
    let other = Browser::of(&x, "a@people.test");
    assert_eq!(waits(&set(&other, 1)), 1);
    x.kill9();
    x.restart();
    assert_eq!(waits(&set(&browser, 1)), 1);
    assert_eq!(browser.get("/site/preferences").ok(), json!({ "value": { "n": 0 } }));
    x.advance(1);
    set(&other, 1).ok();
    for n in 2..200 {
        x.advance(5);
        set(&browser, n).ok();
    }
    x.advance(5);
    let used = 200 * 5;
    assert_eq!(waits(&set(&browser, 200)), 86_400 - used);
    x.advance(86_400 - used - 1);
    let later = Browser::of(&x, "a@people.test");
    assert_eq!(waits(&set(&later, 200)), 1);
    x.advance(1);
    set(&later, 200).ok();
    x.advance(4);
    assert_eq!(waits(&set(&later, 201)), 1);
}

/// A value that is no object or too long, and a browser that has not signed in, are refused.
#[test]
fn other_preferences_are_refused() {
    let x = Exchange::start();
    let browser = trader(&x);
    let longest = json!({ "a": "x".repeat(8 * 1024 - 8) });
    let longer = json!({ "a": "x".repeat(8 * 1024 - 7) });
    assert_eq!(longest.to_string().len(), 8_192);
    for value in [json!(null), json!([]), json!("{}"), json!(1), json!(true), longer] {
        let refusal = browser
            .post("/site/preferences", &json!({ "value": value }))
            .refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains("'value'"), "{refusal:?}");
    }
    browser.post("/site/preferences", &json!({})).refused(400, "MissingPayloadKey");
    browser.post("/site/preferences", &json!({ "value": longest })).ok();
    assert_eq!(browser.get("/site/preferences").ok(), json!({ "value": longest }));
    let nobody = Browser::new(&x);
    nobody.get("/site/preferences").refused(401, "SignInRequired");
    nobody.post("/site/preferences", &json!({ "value": {} })).refused(401, "SignInRequired");
    browser.set_csrf(Some("x"));
    browser.post("/site/preferences", &json!({ "value": {} })).refused(403, "CsrfMismatch");
}

/// The chosen account names a counterparty, and its lists show the name.
#[test]
fn an_account_names_a_counterparty() {
    let x = Exchange::start();
    let browser = trader(&x);
    let id = id_of(&x, "counterparty");
    let set = |id: &str, alias: &str| {
        browser.post("/site/alias", &json!({ "counterparty_id": id, "alias": alias }))
    };
    assert_eq!(set(&id, "=Desk \u{e4}").ok(), json!({ "result": "ok" }));
    enter(&x, json!({ "counterparty_id": id }));
    let listed = browser.post("/site/call", &json!({ "request": "/v1/clearing/list" })).ok();
    assert_eq!(listed["orders"][0]["counterparty_alias"], "=Desk \u{e4}", "{listed}");
    for (id, alias, field) in [
        (&*id, "", "'alias'"),
        (&*id, &*"x".repeat(51), "'alias'"),
        ("NOSUCH00", "a", "'counterparty_id'"),
        (&*id_of(&x, "trader"), "a", "'counterparty_id'"),
    ] {
        let refusal = set(id, alias).refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains(field), "{refusal:?}");
    }
    for (body, field) in
        [(json!({ "alias": "a" }), "counterparty_id"), (json!({ "counterparty_id": id }), "alias")]
    {
        let refusal = browser.post("/site/alias", &body).refused(400, "MissingPayloadKey");
        assert!(refusal.message.contains(field), "{refusal:?}");
    }
    user(&x, "b@people.test", &["Auditor"]);
    let auditor = Browser::of(&x, "b@people.test");
    auditor.post("/site/alias", &json!({ "counterparty_id": id, "alias": "a" })).refused(403, "MissingRole");
}

/// A time in milliseconds as a date of UTC.
fn iso(millis: &str) -> String {
    let millis: u64 = millis.parse().expect("milliseconds");
    // Every test begins on 2026-01-01.
    let of_day = millis - 1_767_225_600_000;
    assert!(of_day < 86_400_000, "of the first day");
    let seconds = of_day / 1_000;
    let [hour, minute, second] = [seconds / 3_600, seconds / 60 % 60, seconds % 60];
    format!("2026-01-01T{hour:02}:{minute:02}:{second:02}.{:03}Z", of_day % 1_000)
}

/// The lines of a file, each as its cells by their names.
#[track_caller]
fn file(browser: &Browser<'_>, query: &str) -> Vec<BTreeMap<String, String>> {
    let answer = browser.get(&format!("/site/statement.csv{query}"));
    assert_eq!(answer.status(), 200, "{answer}");
    assert_eq!(answer.reply.header("content-type"), Some("text/csv; charset=utf-8"), "{answer}");
    assert_eq!(
        answer.reply.header("content-disposition"),
        Some("attachment; filename=statement.csv"),
        "{answer}"
    );
    let text = answer.reply.text();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let head = lines.next().expect("a head");
    assert_eq!(head.len(), 13);
    lines.map(|cells| head.iter().cloned().zip(cells).collect()).collect()
}

/// Checks that opening, rows and others sum to the closing of each currency; returns the rows.
#[track_caller]
fn rows(lines: &[BTreeMap<String, String>]) -> Vec<&BTreeMap<String, String>> {
    let is_sum = |line: &&BTreeMap<String, String>| line["entry_id"].is_empty();
    let mut sums: BTreeMap<&str, Dec> = BTreeMap::new();
    for line in lines {
        let sum = sums.entry(&line["currency"]).or_insert(Dec::ZERO);
        match &*line["cause"] {
            "closing" => assert_eq!(*sum, dec(&line["balance"]), "{line:?}"),
            _ => *sum = *sum + dec(&line["amount"]),
        }
    }
    let closings = lines.iter().filter(|line| line["cause"] == "closing").count();
    assert_eq!(
        (closings, lines.iter().filter(|line| line["cause"] == "opening").count()),
        (sums.len(), sums.len())
    );
    lines.iter().filter(|line| !is_sum(line)).collect()
}

/// The file has every row of the statement with every digit, by currency, cause and time, and its sums come out.
#[test]
fn a_statement_is_a_file() {
    let x = Exchange::start();
    let browser = trader(&x);
    let (own, other) = (x.as_("trader"), x.as_("counterparty"));
    x.advance(10);
    let from = x.now_ms();
    for round in 0..12 {
        other.limit("btcusd", "sell", "0.12345678", "100.01");
        own.limit("btcusd", "buy", "0.12345678", "100.01");
        if round == 5 {
            x.advance(10);
        }
    }
    let to = x.now_ms() - 1;
    let all = own.call("/v1/statement", json!({ "since_entry_id": 0, "limit_entries": 500 })).ok();
    let all = all.as_array().expect("an array");
    let whole = file(&browser, "");
    let found = rows(&whole);
    assert_eq!(found.len(), all.len());
    for (row, line) in found.iter().zip(all) {
        for name in ["currency", "amount", "balance", "cause"] {
            assert_eq!(row[name], line[name].as_str().expect("a text"), "{line}");
        }
        assert_eq!(row["entry_id"], line["entry_id"].to_string());
        assert_eq!(row["timestampms"], line["timestampms"].to_string());
        assert_eq!(row["date"], iso(&row["timestampms"]), "{line}");
        assert_eq!(row["tid"], line.get("tid").map_or(String::new(), Value::to_string));
        assert_eq!(row["order_id"], line["order_id"].as_str().unwrap_or_default());
    }
    for line in &whole {
        assert_eq!(line["date"], iso(&line["timestampms"]), "every row has its time: {line:?}");
    }
    let sums = |query: &str, name: &str| {
        let lines = file(&browser, query);
        lines
            .into_iter()
            .filter(|line| line["cause"] == name)
            .map(|line| line["timestampms"].clone())
            .collect::<BTreeSet<_>>()
    };
    let one = |time: u64| BTreeSet::from([time.to_string()]);
    assert_eq!(sums(&format!("?from={from}&to={to}"), "opening"), one(from), "where the filter begins");
    assert_eq!(sums(&format!("?from={from}&to={to}"), "closing"), one(to));
    assert_eq!(sums("", "closing"), one(x.now_ms()), "now");
    let count = |query: &str| rows(&file(&browser, query)).len();
    let meant = |fits: &dyn Fn(&Value) -> bool| all.iter().filter(|line| fits(line)).count();
    assert_eq!(count("?currency=BTC"), meant(&|line| line["currency"] == "BTC"));
    assert_eq!(count("?cause=fee"), 12);
    assert_eq!(count("?currency=USD&cause=trade"), 12);
    let at = |line: &Value| line["timestampms"].as_u64().expect("a time");
    assert_eq!(count(&format!("?from={from}")), 36);
    assert_eq!(count(&format!("?from={from}&to={to}")), meant(&|line| (from..=to).contains(&at(line))));
    assert_eq!(count(&format!("?to={}", from - 1)), all.len() - 36);
    assert_eq!(count(&format!("?from={}", to + 1_000_000)), 0);
    for (query, words) in [
        ("?currency=XYZ", "'currency'"),
        ("?currency=", "'currency'"),
        ("?cause=theft", "'cause'"),
        ("?from=x", "'from'"),
        ("?to=-1", "'to'"),
        ("?from=5&to=4", "'to'"),
    ] {
        let answer = browser.get(&format!("/site/statement.csv{query}"));
        assert!(answer.status() == 400 && answer.error().message.contains(words), "{answer}");
    }
    Browser::new(&x).get("/site/statement.csv").refused(401, "SignInRequired");
    user(&x, "b@people.test", &["Administrator"]);
    Browser::of(&x, "b@people.test").get("/site/statement.csv").refused(403, "MissingRole");
}

/// A text of at most 300 bytes is a picture for signed-in users.
#[test]
fn a_text_is_a_qr_code() {
    let x = Exchange::start();
    let browser = trader(&x);
    let answer = browser.get("/site/qr.svg?text=bc1qxy%3Famount%3D0.1%26label%3D%3Cb%3E");
    assert_eq!(
        (answer.status(), answer.reply.header("content-type")),
        (200, Some("image/svg+xml")),
        "{answer}"
    );
    let picture = answer.reply.text();
    assert!(
        picture.starts_with("<svg xmlns=") && picture.ends_with("</svg>\n") && !picture.contains("<b>"),
        "{picture}"
    );
    let long = |bytes: usize| browser.get(&format!("/site/qr.svg?text={}", "x".repeat(bytes)));
    assert_eq!(long(300).status(), 200);
    for refused in
        [long(301), long(0), browser.get("/site/qr.svg?text=%"), browser.get("/site/qr.svg?text=%FF")]
    {
        assert!(refused.status() == 400 && refused.error().message.contains("'text'"), "{refused}");
    }
    let missing = browser.get("/site/qr.svg");
    assert!(missing.status() == 400 && missing.error().message.contains("'text'"), "{missing}");
    Browser::new(&x).get("/site/qr.svg?text=x").refused(401, "SignInRequired");
}
