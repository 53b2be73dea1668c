//! The page of operators: halts and statuses with a reason, the audit, and the health of the exchange. `two_operators` has the acts that
//! take two.

use buttonwood_accept::{Answer, Browser, Dec, Exchange, Value, json};

const EMAIL: &str = "operator@house.test";

#[track_caller]
fn refused(answer: &Answer, reason: &str, parts: &[&str]) {
    let message = answer.refused(400, reason).message;
    assert!(parts.iter().all(|part| message.contains(part)), "{message}");
}

/// Rows of the audit.
fn audit(browser: &Browser<'_>, query: &str) -> Vec<Value> {
    browser.get(&format!("/site/operator/audit{query}")).ok().as_array().expect("rows").clone()
}

/// A halt stops orders and a resume lets them go on; the audit names the address and the reason of each, the newest first.
#[test]
fn an_operator_halts_and_resumes() {
    let x = Exchange::start();
    let operator = Browser::of(&x, EMAIL);
    let halted = operator.post("/site/operator/halt", &json!({ "reason": "prices look wrong" })).ok();
    assert_eq!(halted, json!({ "result": "ok", "halted": true }));
    let order =
        json!({ "symbol": "btcusd", "amount": "1", "price": "100", "side": "buy", "type": "exchange limit" });
    let place = || x.as_("trader").call("/v1/order/new", order.clone());
    assert!(place().status() >= 400);
    let health = operator.get("/site/operator/health").ok();
    assert_eq!(
        (&health["ready"], &health["halted"], &health["reasons"]),
        (&json!(false), &json!(true), &json!(["trading is halted"]))
    );
    let resumed = operator.post("/site/operator/resume", &json!({ "reason": "they are right" })).ok();
    assert_eq!(resumed, json!({ "result": "ok", "halted": false }));
    place().ok();
    let rows = audit(&operator, "?limit=2");
    let shown: Vec<_> = rows.iter().map(|row| (&row["who"], &row["what"], &row["why"])).collect();
    let email = json!(EMAIL);
    assert_eq!(
        shown,
        [
            (&email, &json!("resume"), &json!("they are right")),
            (&email, &json!("halt"), &json!("prices look wrong"))
        ]
    );
    assert!(rows[0]["seq"].as_u64() > rows[1]["seq"].as_u64());
    assert_eq!(rows[0]["time_ms"].as_u64(), Some(x.now_ms()));
    assert_eq!(rows[0].as_object().map(serde_json::Map::len), Some(5), "{}", rows[0]);
    assert_eq!(rows, x.admin(&["audit", "--limit", "2"]).list());
}

/// A scope halts all withdrawals or one asset, as it does in the command.
#[test]
fn a_scope_halts_a_part() {
    let x = Exchange::start();
    let operator = Browser::of(&x, EMAIL);
    let halt = |fields: Value| operator.post("/site/operator/halt", &fields);
    halt(json!({ "reason": "r", "scope": "withdrawals" })).ok();
    halt(json!({ "reason": "r", "scope": "asset", "currency": "btc" })).ok();
    let health = operator.get("/site/operator/health").ok();
    assert_eq!(
        (&health["halted"], &health["withdrawals_halted"], &health["assets_halted"]),
        (&json!(false), &json!(true), &json!(["BTC"]))
    );
    refused(&halt(json!({ "reason": "r", "scope": "all" })), "InvalidParameterValue", &["'scope'", "all"]);
    let none = halt(json!({ "reason": "r", "scope": "asset", "currency": "xyz" }));
    assert!(none.status() == 400 && none.to_string().contains("xyz"), "{none}");
}

/// A symbol's status is set by name; an unknown symbol and an unknown status are refused with their values.
#[test]
fn an_operator_sets_a_status() {
    let x = Exchange::start();
    let operator = Browser::of(&x, EMAIL);
    let set = |symbol: &str, status: &str| {
        let fields = json!({ "symbol": symbol, "status": status, "reason": "maintenance" });
        operator.post("/site/operator/symbols/status", &fields)
    };
    let done = set("btcusd", "cancel_only").ok();
    assert_eq!(done, json!({ "result": "ok", "symbol": "BTCUSD", "status": "cancel_only" }));
    assert_eq!(x.get("/v1/symbols/details/btcusd").ok()["status"], "cancel_only");
    let health = operator.get("/site/operator/health").ok();
    let symbols = health["symbols"].as_array().expect("symbols");
    assert!(symbols.contains(&json!({ "symbol": "BTCUSD", "status": "cancel_only" })), "{symbols:?}");
    assert_eq!(audit(&operator, "")[0]["what"], "symbol status symbol=btcusd status=cancel_only");
    refused(&set("nosuch", "open"), "InvalidSymbol", &["symbol", "nosuch"]);
    refused(&set("btcusd", "asleep"), "InvalidParameterValue", &["'status'", "asleep"]);
}

/// An act needs a reason that is one, and does nothing without.
#[test]
fn an_act_needs_a_reason() {
    let x = Exchange::start();
    let operator = Browser::of(&x, EMAIL);
    for (path, fields) in [
        ("/site/operator/halt", json!({})),
        ("/site/operator/resume", json!({})),
        ("/site/operator/symbols/status", json!({ "symbol": "btcusd", "status": "closed" })),
    ] {
        refused(&operator.post(path, &fields), "MissingPayloadKey", &["'reason'"]);
        for wrong in
            [json!(""), json!(" x"), json!("x".repeat(501)), json!("a\u{202e}b"), json!(7), json!(null)]
        {
            let mut fields = fields.clone();
            fields["reason"] = wrong;
            refused(&operator.post(path, &fields), "InvalidParameterValue", &["'reason'"]);
        }
    }
    assert_eq!(operator.get("/site/operator/health").ok()["halted"], false);
    assert_eq!(x.get("/v1/symbols/details/btcusd").ok()["status"], "open");
}

/// The number of acts has bounds, and each wrong one is refused with its value.
#[test]
fn the_audit_has_bounds() {
    let x = Exchange::start();
    let operator = Browser::of(&x, EMAIL);
    for number in 0..105 {
        x.control(
            "/sandbox/symbols/btcusd/status",
            &json!({ "status": "open", "reason": number.to_string() }),
        )
        .ok();
    }
    assert_eq!(audit(&operator, "").len(), 100);
    assert_eq!(audit(&operator, "?limit=1")[0]["why"], "104");
    assert_eq!(audit(&operator, "?limit=1")[0]["who"], "control");
    assert_eq!(audit(&operator, "?limit=500").len(), x.admin(&["audit", "--limit", "500"]).list().len());
    for wrong in ["0", "501", "-1", "x", "1.5", ""] {
        let answer = operator.get(&format!("/site/operator/audit?limit={wrong}"));
        refused(&answer, "InvalidParameterValue", &["'limit'", wrong]);
    }
}

/// The page's figures: what the house has and owes, transfers, apps and orders.
#[test]
fn health_shows_the_exchange() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let operator = Browser::of(&x, EMAIL);
    let app =
        json!({ "name": "Lens", "scopes": ["orders:read"], "redirect_uris": ["https://lens.example/cb"] });
    let made = Browser::of(&x, "trader@one.test").post("/site/apps", &app).ok();
    let health = || operator.get("/site/operator/health").ok();
    let before = health();
    assert_eq!(
        (&before["ready"], &before["reasons"], &before["mode"], &before["approvals"]),
        (&json!(true), &json!([]), &json!("sandbox"), &json!(1))
    );
    assert_eq!(before["orders"], json!({ "count": 0, "p50_us": null, "p99_us": null }));
    let waiting = before["apps"].as_array().expect("apps");
    let waits = |app: &&Value| app["client_id"] == made["client_id"];
    assert_eq!(waiting.iter().filter(waits).count(), 1, "{waiting:?}");
    for price in ["100", "101", "102"] {
        x.as_("trader").limit("btcusd", "buy", "1", price);
    }
    let after = health();
    assert_eq!(after["orders"]["count"], 3, "{after}");
    let time = |name: &str| after["orders"][name].as_u64().expect("a time");
    assert!(time("p50_us") > 0 && time("p99_us") >= time("p50_us"), "{after}");
    assert!(
        after["sync"]["count"].as_u64() > Some(0)
            && after["seq"].as_u64() >= before["seq"].as_u64().map(|seq| seq + 3)
    );
    assert!(after["connections"].as_u64() > Some(0), "{after}");
    let reserves = after["reserves"].as_array().expect("currencies");
    let btc = reserves.iter().find(|row| row["currency"] == "BTC").expect("bitcoin");
    assert!(Dec::wire(&btc["assets"]) >= Dec::wire(&btc["liabilities"]) && btc["short"] == false, "{btc}");
    assert_eq!((&after["transfers_count"], &after["transfers"]), (&json!(0), &json!([])));
    for field in ["time_ms", "uptime_s", "queue", "views_lag", "history_lag", "refusals"] {
        assert!(after[field].as_u64().is_some(), "{field}: {after}");
    }
    assert_eq!((&after["hour"], &after["proposals"]), (&json!([]), &json!([])));
}

/// Transfers under way are listed as many as asked for, up to a bound; another number is refused with its value.
#[test]
fn transfers_under_way_are_listed_in_parts() {
    let x = Exchange::start();
    let operator = Browser::of(&x, EMAIL);
    let health = operator.get("/site/operator/health?transfers=1000").ok();
    assert_eq!(health["transfers_count"], 0);
    for wrong in ["0", "1001"] {
        let answer = operator.get(&format!("/site/operator/health?transfers={wrong}"));
        refused(&answer, "InvalidParameterValue", &["'transfers'", wrong]);
    }
}

/// Both reads are for operators who have given both factors, and need no fresh code; the acts do.
#[test]
fn the_page_is_for_operators() {
    let x = Exchange::start();
    let operator = Browser::of(&x, EMAIL);
    for path in ["/site/operator/audit", "/site/operator/health"] {
        Browser::new(&x).get(path).refused(401, "SignInRequired");
        Browser::of(&x, "trader@one.test").get(path).refused(403, "MissingRole");
        assert_eq!(operator.post(path, &json!({})).status(), 405);
    }
    x.advance(5 * 60);
    for path in ["/site/operator/audit", "/site/operator/health"] {
        operator.get(path).ok();
    }
    for path in ["/site/operator/halt", "/site/operator/resume", "/site/operator/symbols/status"] {
        operator.post(path, &json!({ "reason": "r" })).refused(403, "CodeRequired");
    }
}

/// The page of operators is no page for others, and the console of a sandbox is one for its own machine.
#[test]
fn pages_are_guarded() {
    let x = Exchange::start();
    let status = |browser: &Browser<'_>, path: &str| browser.get(path).status();
    assert_eq!(status(&Browser::new(&x), "/operator"), 404);
    assert_eq!(status(&Browser::of(&x, "trader@one.test"), "/operator"), 404);
    assert_eq!(status(&Browser::of(&x, EMAIL), "/operator"), 200);
    let anyone = Browser::new(&x);
    for path in ["/console", "/console/calls", "/console/requests"] {
        assert_eq!(status(&anyone, path), 200, "{path}");
        for (header, value) in
            [("Host", "exchange.example"), ("X-Forwarded-For", "192.0.2.1"), ("Via", "1.1 proxy")]
        {
            let answer = anyone.send("GET", path, &[(header, value)], b"");
            let page = String::from_utf8_lossy(&answer.reply.body);
            assert!(answer.status() == 403 && page.contains(value), "{header}: {page}");
        }
        // A link from another site leads here.
        assert_eq!(anyone.send("GET", path, &[("Sec-Fetch-Site", "cross-site")], b"").status(), 200);
    }
    let odd = anyone.send("GET", "/console", &[("Host", "<b>.example")], b"");
    let page = String::from_utf8_lossy(&odd.reply.body);
    assert!(odd.status() >= 400 && !page.contains("<b>"), "{page}");
}

/// The names that the console offers are for its own machine too, and no secret is among them.
#[test]
fn the_console_has_names() {
    let x = Exchange::start();
    let anyone = Browser::new(&x);
    let names = anyone.get("/site/console.json").ok();
    let found = |list: &str, field: &str, value: &str| {
        names[list].as_array().unwrap().iter().any(|one| one[field] == value)
    };
    assert!(
        found("keys", "api_key", &x.key("trader").credentials.api_key) && found("keys", "name", "master")
    );
    assert!(found("users", "email", EMAIL) && found("groups", "name", "one"));
    assert!(found("symbols", "symbol", "btcusd") && found("events", "ticker", "DEMOBTC"));
    let secret = x.key("trader").entry["api_secret"].as_str().unwrap().to_owned();
    assert!(!names.to_string().contains(&secret));
    let proxied = anyone.send("GET", "/site/console.json", &[("Via", "1.1 proxy")], b"");
    proxied.refused(403, "RemoteAddressForbidden");
}
