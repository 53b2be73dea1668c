//! The table of rights: roles, scopes, rate limits and kinds of accounts of every endpoint and stream. The contract has the
//! product's table; here it is compared with the specification's own tables, and tried in full.

mod table;

use std::collections::BTreeSet;

use buttonwood_accept::{Answer, Exchange, SocketError, Value, json};
use table::{Row, by_path, rows, set, spec};

/// Every path of the specification has its row, under its own method. Proves VER-007.
#[test]
fn every_path_of_the_specification_has_a_row() {
    let rows = rows();
    let calls = spec::calls();
    assert!(calls.len() > 90, "the specification's paths are not found: {}", calls.len());
    for (method, path) in calls {
        let row = rows.iter().find(|row| row.shape() == spec::shape(&path));
        let row = row.unwrap_or_else(|| panic!("{path} has no row"));
        assert!(method.is_none_or(|method| method == row.method), "{path} answers to {}", row.method);
    }
}

/// The specification's table of roles, cell by cell; AUTH-025 to AUTH-040.
#[test]
fn roles_are_those_of_the_table() {
    let rows = rows();
    let mut covered = BTreeSet::new();
    for (path, roles) in spec::roles() {
        let row = by_path(&rows, path);
        assert_eq!(row.roles, roles, "{path}");
        assert!(covered.insert(path), "{path} has two rows in the specification");
    }
    for (path, by, roles) in spec::MASTER {
        let row = by_path(&rows, path);
        assert_eq!((row.by.as_str(), &row.roles), (*by, &set(roles)), "{path}");
        covered.insert(*path);
    }
    // Beyond the tables: the texts of the endpoints and the facts.
    for (path, roles) in spec::BEYOND {
        assert_eq!(by_path(&rows, path).roles, set(roles), "{path}");
        assert!(covered.insert(*path), "{path} is in the specification's table");
    }
    for row in rows.iter().filter(|row| row.is_private()) {
        assert!(covered.contains(row.path.as_str()), "{row:?} has roles from nowhere");
        let is_master = spec::MASTER.iter().any(|(path, ..)| *path == row.path);
        assert_eq!(matches!(row.by.as_str(), "master" | "group"), is_master, "{row:?}");
    }
}

/// The specification's table of scopes, and the facts' additions to it.
#[test]
fn scopes_are_those_of_the_table() {
    let mut expected = spec::scopes();
    for (path, scope) in spec::SCOPES_BEYOND {
        expected.entry((*path).to_owned()).or_default().insert((*scope).to_owned());
    }
    for row in rows() {
        assert_eq!(row.scopes, expected.remove(&row.path).unwrap_or_default(), "{row:?}");
    }
    assert!(expected.is_empty(), "no rows: {expected:?}");
}

/// The specification's limits by account.
#[test]
fn limits_are_those_of_the_table() {
    for row in rows() {
        let limit = match (row.path.as_str(), row.by.as_str()) {
            (
                "/v1/transfers" | "/v2/transfers" | "/v1/custody/fee-transfers" | "/v1/custodyaccountfees",
                _,
            ) => "transfers",
            ("/v1/addresses/{network}" | "/v1/deposit/{network}/newAddress", _) => "addresses",
            (
                "/v1/order/cancel"
                | "/v1/order/cancel/session"
                | "/v1/order/cancel/all"
                | "/v1/heartbeat"
                | "/v1/clearing/cancel"
                | "/v1/prediction-markets/order/cancel"
                | "/v1/prediction-markets/order/batch/cancel",
                _,
            ) => "reserve",
            (_, "public") => "public",
            (_, "control") => "unlimited",
            _ => "key",
        };
        assert_eq!(row.limit, limit, "{row:?}");
        let kinds: &[&str] = match row.path.as_str() {
            "/v1/margin" => &["derivatives"],
            path if path.starts_with("/v1/margin/") => &["margin"],
            path if path.starts_with("/v1/clearing/") && row.by == "account" => &["exchange"],
            "/v1/order/new" | "/v1/prediction-markets/order" | "/v1/prediction-markets/order/batch" => {
                &["exchange", "derivatives", "margin"]
            }
            "/v1/staking/rates" => &[],
            path if path.starts_with("/v1/wrap/") || path.starts_with("/v1/instant/") => {
                &["exchange", "derivatives", "margin"]
            }
            path if !path.starts_with("/sandbox/") && path.contains("/staking") => &["exchange"],
            _ if matches!(row.by.as_str(), "account" | "master") => {
                &["exchange", "custody", "derivatives", "margin"]
            }
            _ => &[],
        };
        assert_eq!(row.kinds, set(kinds), "{row:?}");
    }
}

/// Names and roles of the sandbox's keys, master keys last.
const KEYS: [(&str, &[&str]); 7] = [
    ("trader", &["Trader"]),
    ("fund-manager", &["Fund Manager"]),
    ("auditor", &["Auditor"]),
    ("trader-fund-manager", &["Trader", "Fund Manager"]),
    ("master", &["Administrator", "Trader", "Fund Manager"]),
    ("master-auditor", &["Auditor"]),
    ("master-administrator", &["Administrator"]),
];

fn call(x: &Exchange, key: &str, row: &Row) -> Answer {
    let mut params = json!({});
    if key.starts_with("master") && matches!(row.by.as_str(), "account" | "master") {
        let kind = row.kinds.iter().next().map_or("custody", String::as_str);
        params["account"] = json!(format!("a-{kind}"));
    }
    match row.method.as_str() {
        "GET" => x.as_(key).signed_get(&row.example(), params),
        _ => x.as_(key).call(&row.example(), params),
    }
}

/// Every row with every key, in both ways: what is allowed passes the gate, what is not is refused and the refusal names the
/// roles needed and those of the key. Proves AUTH-020, AUTH-021, AUTH-022, AUTH-023, AUTH-025, AUTH-026, AUTH-027, AUTH-028, AUTH-029, AUTH-030, AUTH-031, AUTH-032,
/// AUTH-033, AUTH-035, AUTH-036,
/// AUTH-037, AUTH-038, AUTH-039, AUTH-040, ERR-002.
#[test]
fn every_row_with_every_key() {
    let x = Exchange::start();
    // No key of the sandbox is an administrator's alone. The start writes the new one to the file of credentials.
    let alone = json!({ "group": "one", "roles": ["Administrator"], "name": "master-administrator" });
    x.control("/sandbox/keys", &alone).ok();
    x.restart();
    for kind in ["exchange", "custody", "derivatives", "margin"] {
        let account = json!({ "group": "one", "name": format!("a-{kind}"), "kind": kind });
        x.control("/sandbox/accounts", &account).ok();
    }
    // An account without the mark of a broker lacks the role too (D-94).
    for account in ["primary", "a-exchange"] {
        let mark = json!({ "group": "one", "account": account, "broker": true });
        x.control("/sandbox/accounts/broker", &mark).ok();
    }
    for row in rows().iter().filter(|row| row.is_private()) {
        if row.is_stream {
            streams_need_their_roles(&x, row);
            continue;
        }
        for (key, roles) in KEYS {
            let is_master = key.starts_with("master");
            let may = match row.by.as_str() {
                "master" | "group" => is_master,
                "token" => false,
                _ => true,
            };
            let has_role = row.roles.is_empty() || roles.iter().any(|role| row.roles.contains(*role));
            let answer = call(&x, key, row);
            let refused = (answer.status() >= 400).then(|| answer.error());
            if may && has_role {
                let reason = refused.map(|refusal| refusal.reason).unwrap_or_default();
                assert_ne!(reason, "MissingRole", "{row:?}: {answer}");
                continue;
            }
            let message = answer.refused(403, "MissingRole").message;
            let list = |roles: Vec<&str>| format!("[{}]", roles.join(", "));
            let in_order = ["Administrator", "Trader", "Fund Manager", "Auditor"];
            let needed = in_order.into_iter().filter(|role| row.roles.contains(*role)).collect();
            for part in [list(needed), list(roles.to_vec())] {
                assert!(message.contains(&part), "{row:?}: {message} without {part}");
            }
        }
    }
}

/// The same of a socket, whose roles are looked at when it is opened.
fn streams_need_their_roles(x: &Exchange, row: &Row) {
    assert_eq!(row.path, "/v1/order/events", "the only private path of its kind");
    for (key, roles) in KEYS {
        let opened = x.try_order_events(&x.as_(key), "", json!({}));
        if roles.iter().any(|role| row.roles.contains(*role)) {
            opened.unwrap_or_else(|refused| panic!("{key}: {refused}")).close();
            continue;
        }
        let Err(SocketError::Refused { status: 403, body }) = opened else { panic!("{key}: {opened:?}") };
        for part in ["MissingRole", "[Trader, Auditor]", &format!("[{}]", roles.join(", "))] {
            assert!(body.contains(part), "{key}: {body} without {part}");
        }
    }
}

/// No path answers its own method with 404 `EndpointNotFound` or 405; a call without credentials to a private one is refused
/// for that. Proves VER-005, VER-007, FX-017.
#[test]
fn every_row_is_routed() {
    let x = Exchange::start();
    for row in rows().iter().filter(|row| row.by != "control") {
        let answer = x.anyone().send(&row.method, &row.example(), &[], b"");
        assert_ne!(answer.status(), 405, "{row:?}: {answer}");
        match (row.is_private(), row.is_stream) {
            (_, true) => drop(answer.refused(426, "UpgradeRequired")),
            (true, false) => drop(answer.refused(401, "MissingSecurityHeaders")),
            (false, false) if answer.status() >= 400 => {
                assert!(!answer.reply.text().contains("EndpointNotFound"), "{row:?}: {answer}");
            }
            (false, false) => {}
        }
        let other = if row.method == "GET" { "POST" } else { "DELETE" };
        let answer = x.anyone().send(other, &row.example(), &[], b"");
        assert_eq!(answer.status(), 405, "{row:?} {other}: {answer}");
    }
}

/// A path under another version is unknown, unless it is listed: of VER-001, the other versions. Proves STK-022.
#[test]
fn other_versions_and_removed_paths_are_unknown() {
    let x = Exchange::start();
    let rows = rows();
    let unlisted = rows.iter().filter_map(|row| {
        let rest = row.path.strip_prefix("/v1/")?;
        let other = format!("/v2/{rest}");
        let is_listed = rows.iter().any(|row| spec::shape(&row.path) == spec::shape(&other));
        (!is_listed).then(|| row.example().replacen("/v1/", "/v2/", 1))
    });
    let removed = ["/v1/balances/earn", "/v1/earn/rates", "/v1/earn/interest"].map(str::to_owned);
    for path in unlisted.chain(removed) {
        for method in ["GET", "POST"] {
            x.anyone().send(method, &path, &[], b"").refused(404, "EndpointNotFound");
        }
    }
}

/// The limits of an account hold for all of its keys and for all endpoints that share them (of LIM-009, the limit), and for no
/// other account. Proves LIM-007, LIM-008, LIM-010.
#[test]
fn accounts_have_limits_of_their_own() {
    let x = Exchange::builder().flag("--rate-limits", "on").start();
    let master = x.as_("master");
    let call = |path: &str, account: &str| master.call(path, json!({ "account": account }));
    let limited = |answer: Answer, seconds: u64| {
        let wait = answer.reply.header("retry-after").and_then(|wait| wait.parse::<u64>().ok());
        assert!(wait.is_some_and(|wait| (1..=seconds).contains(&wait)), "{answer}");
        answer.refused(429, "RateLimit");
    };
    call("/v2/transfers", "primary").ok();
    for path in ["/v2/transfers", "/v1/transfers", "/v1/custody/fee-transfers", "/v1/custodyaccountfees"] {
        limited(call(path, "primary"), 5);
    }
    limited(x.as_("auditor").call("/v1/transfers", json!({})), 5);
    call("/v1/transfers", "savings").ok();
    call("/v1/deposit/bitcoin/newAddress", "primary").refused(400, "InvalidFundTransfer");
    limited(call("/v1/addresses/bitcoin", "primary"), 2);
    call("/v1/addresses/ethereum", "savings").ok();
    // A key without the role takes nothing from the account.
    x.as_("counterparty").call("/v1/transfers", json!({})).ok();
}

#[test]
fn the_rows_are_complete() {
    let rows = rows();
    let count = |stream| rows.iter().filter(|row| row.is_stream == stream).count();
    assert!(count(false) > 80 && count(true) == 4, "{} and {}", count(false), count(true));
    let text: Value = serde_json::from_str(table::CONTRACT).unwrap();
    assert!(text["paths"].as_object().unwrap().len() > 130);
}
