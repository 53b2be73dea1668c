//! Accounts of a group: opening, listing, reading and closing them. Clauses ACCT-003 to ACCT-008 and
//! ACCT-011 to ACCT-013.

use buttonwood_accept::{Answer, Exchange, Value, dec, json, laws, same_keys};

/// The accounts of the group at first, the newest first.
const FOUNDED: [&str; 4] = ["margin", "perps", "savings", "primary"];

fn create(x: &Exchange, params: Value) -> Answer {
    x.as_("master").call("/v1/account/create", params)
}

fn list(x: &Exchange, params: Value) -> Vec<Value> {
    x.as_("master").call("/v1/account/list", params).ok().as_array().unwrap().clone()
}

/// The short names of the group's accounts, the newest first.
fn names(x: &Exchange) -> Vec<String> {
    list(x, json!({})).iter().map(|row| row["account"].as_str().unwrap().to_owned()).collect()
}

fn set_terms(x: &Exchange, accounts_max: u64, custody: bool) {
    let terms = json!({ "group": "one", "accounts_max": accounts_max, "custody_terms": custody });
    x.control("/sandbox/groups", &terms).ok();
}

fn is_code(text: &str, len: usize) -> bool {
    text.len() == len && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// The answer has the short name that follows from the name, and the type. Proves ACCT-005, ACCT-008.
#[test]
fn a_created_account_is_named_after_its_name() {
    let x = Exchange::start();
    for (name, kind, account) in [
        ("My Secondary Account", None, "my-secondary-account"),
        ("Alpha (2nd) Fund!", Some("exchange"), "alpha-2nd-fund"),
        ("R&D", Some("custody"), "rd"),
        ("load-7", None, "load-7"),
        ("S\u{f8}n \"&\" \\ 9", None, "sn---9"),
    ] {
        let mut params = json!({ "name": name });
        if let Some(kind) = kind {
            params["type"] = json!(kind);
        }
        let expected = json!({ "account": account, "type": kind.unwrap_or("exchange") });
        assert_eq!(create(&x, params).ok(), expected, "{name}");
        let row = &list(&x, json!({}))[0];
        assert_eq!((&row["name"], &row["account"]), (&json!(name), &json!(account)));
    }
    let longest = "\u{e9}".repeat(49) + "x";
    assert_eq!(create(&x, json!({ "name": longest, "account": "savings" })).ok()["account"], "x");
    laws::check(&x);
}

/// It has nothing, and the master key trades on it at once; a custody account does not trade. Proves ACCT-006.
#[test]
fn a_created_account_is_usable_at_once() {
    let x = Exchange::start();
    let master = x.as_("master");
    create(&x, json!({ "name": "Desk 2" })).ok();
    let on = |path: &str, mut params: Value| {
        params["account"] = json!("desk-2");
        master.call(path, params)
    };
    assert_eq!(on("/v1/balances", json!({})).ok(), json!([]));
    assert_eq!(on("/v1/orders", json!({})).ok(), json!([]));
    assert_eq!(on("/v1/mytrades", json!({})).ok(), json!([]));
    let order =
        json!({ "symbol": "btcusd", "side": "buy", "type": "exchange limit", "amount": "1", "price": "100" });
    on("/v1/order/new", order.clone()).refused(406, "InsufficientFunds");
    let credit = json!({ "group": "one", "account": "desk-2", "currency": "USD", "amount": "1000" });
    x.control("/sandbox/accounts/credit", &credit).ok();
    let placed = on("/v1/order/new", order.clone()).ok();
    x.as_("counterparty").limit("btcusd", "sell", "0.25", "100");
    let status = on("/v1/order/status", json!({ "order_id": placed["order_id"] })).ok();
    assert_eq!(status["executed_amount"], "0.25");
    assert_eq!(
        on("/v1/order/cancel/all", json!({})).ok()["details"]["cancelledOrders"].as_array().unwrap().len(),
        1
    );
    assert_eq!(x.as_("trader").balance("USD").0, dec("100000"), "the group's other account");
    create(&x, json!({ "name": "Vault", "type": "custody" })).ok();
    let mut order = order;
    order["account"] = json!("vault");
    master.call("/v1/order/new", order).refused(400, "AccountNotOfTypeRequired");
    laws::check(&x);
}

/// Every documented refusal, with the field and the value; none of them opens anything. Proves ACCT-007, ACCT-008.
#[test]
fn what_cannot_be_created_is_refused() {
    let x = Exchange::start();
    create(&x, json!({ "name": "Cash & Co" })).ok();
    let before = names(&x);
    let refused = |params: Value, reason: &str, part: &str| {
        let message = create(&x, params.clone()).refused(400, reason).message;
        assert!(message.contains(part), "{params}: {message}");
        assert_eq!(names(&x), before, "{params}");
    };
    refused(json!({}), "MissingName", "'name'");
    refused(json!({ "type": "custody" }), "MissingName", "'name'");
    // The name, in any letter case, and its short name.
    for name in ["Cash & Co", "CASH & CO", "Cash  Co!", "cash--co", "Primary", "savings"] {
        refused(json!({ "name": name }), "ConflictingAccountName", name);
    }
    for kind in [json!("margin"), json!("Exchange"), json!(""), json!(5), json!(["custody"])] {
        refused(json!({ "name": "Free", "type": kind }), "BadAccountType", "'type'");
    }
    let long = "x".repeat(51);
    for name in ["", " a", "a ", "a\nb", "& - !", "\u{65e5}\u{672c}", &long] {
        refused(json!({ "name": name }), "InvalidParameterValue", "'name'");
    }
    for name in [json!(null), json!(5), json!(true), json!(["a"]), json!({ "a": "b" })] {
        refused(json!({ "name": name }), "InvalidParameterValue", "'name'");
    }
    set_terms(&x, 500, false);
    refused(json!({ "name": "Vault", "type": "custody" }), "HasNotAgreedToCustodyTerms", "custody");
    set_terms(&x, 5, true);
    refused(json!({ "name": "Vault", "type": "custody" }), "ExceededMaxAccountsInGroup", "5 accounts");
    refused(json!({ "name": "Vault" }), "ExceededMaxAccountsInGroup", "5 accounts");
    set_terms(&x, 6, true);
    create(&x, json!({ "name": "Vault", "type": "custody" })).ok();
    create(&x, json!({ "name": "Free" })).refused(400, "ExceededMaxAccountsInGroup");
    laws::check(&x);
}

/// A row for each account of the group and of no other, the newest first, with its names as they are now. Proves ACCT-011.
#[test]
fn the_list_has_the_accounts_of_the_group() {
    let x = Exchange::start();
    let founded = x.now_ms();
    assert_eq!(names(&x), FOUNDED);
    x.advance(60);
    create(&x, json!({ "name": "Desk 2" })).ok();
    create(&x, json!({ "name": "Vault", "type": "custody" })).ok();
    x.control("/sandbox/accounts", &json!({ "group": "two", "name": "other", "kind": "margin" })).ok();
    x.control("/sandbox/accounts", &json!({ "group": "one", "name": "Lent", "kind": "margin" })).ok();
    let rename = json!({ "account": "savings", "newName": "Gold \"1\"", "newAccount": "gold" });
    x.as_("master").call("/v1/account/rename", rename).ok();
    let rows = list(&x, json!({}));
    let expected = [
        ("Lent", "lent", "exchange"),
        ("Vault", "vault", "custody"),
        ("Desk 2", "desk-2", "exchange"),
        ("margin", "margin", "exchange"),
        ("perps", "perps", "exchange"),
        ("Gold \"1\"", "gold", "exchange"),
        ("primary", "primary", "exchange"),
    ];
    assert_eq!(rows.len(), expected.len(), "{rows:?}");
    let mut ids = Vec::new();
    for (row, (name, account, kind)) in rows.iter().zip(expected) {
        same_keys(row, &["name", "account", "type", "counterparty_id", "created", "status"], row);
        let of = |field: &str| row[field].as_str().unwrap();
        assert_eq!((of("name"), of("account"), of("type"), of("status")), (name, account, kind, "open"));
        let is_old = ["margin", "perps", "gold", "primary"].contains(&account);
        let created = row["created"].as_u64().unwrap();
        assert_eq!(created, if is_old { founded } else { founded + 60_000 }, "{row}");
        match row["counterparty_id"].as_str() {
            Some(id) => ids.push(id.to_owned()),
            None => assert!(row["counterparty_id"].is_null() && kind == "custody", "{row}"),
        }
    }
    assert!(ids.len() == 6 && ids.iter().all(|id| is_code(id, 8)), "{ids:?}");
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 6, "no two accounts have the same");
    laws::check(&x);
}

/// 500 rows at most, and 500 unless the call asks for fewer; accounts opened at `timestamp` or before. Proves ACCT-012.
#[test]
fn the_list_is_limited() {
    let x = Exchange::start();
    let founded = x.now_ms();
    x.advance(60);
    for number in 1..=500 {
        let account = json!({ "group": "one", "name": format!("a{number}"), "kind": "exchange" });
        x.control("/sandbox/accounts", &account).ok();
        if number == 250 {
            x.advance(60);
        }
    }
    let shown = |params: Value| -> (usize, String, String) {
        let rows = list(&x, params);
        let of = |row: Option<&Value>| {
            row.map_or(String::new(), |row| row["account"].as_str().unwrap().to_owned())
        };
        (rows.len(), of(rows.first()), of(rows.last()))
    };
    let rows = |count, first: &str, last: &str| (count, first.to_owned(), last.to_owned());
    assert_eq!(shown(json!({})), rows(500, "a500", "a1"));
    for limit in [json!(500), json!(501), json!("1000"), json!(u64::MAX)] {
        assert_eq!(shown(json!({ "limit_accounts": limit })), rows(500, "a500", "a1"), "{limit}");
    }
    assert_eq!(shown(json!({ "limit_accounts": 3 })), rows(3, "a500", "a498"));
    for (millis, expected) in [
        (founded + 120_000, rows(500, "a500", "a1")),
        (founded + 119_999, rows(254, "a250", "primary")),
        (founded + 60_000, rows(254, "a250", "primary")),
        (founded + 59_999, rows(4, "margin", "primary")),
        (founded, rows(4, "margin", "primary")),
        (founded - 1, rows(0, "", "")),
        (0, rows(0, "", "")),
    ] {
        assert_eq!(shown(json!({ "timestamp": millis })), expected, "{millis}");
        assert_eq!(shown(json!({ "timestamp": millis.to_string() })), expected, "{millis}");
    }
    let seconds = founded / 1_000 + 61;
    assert_eq!(shown(json!({ "timestamp": seconds, "limit_accounts": 2 })), rows(2, "a250", "a249"));
    let refused = |params: Value, reason: &str, field: &str| {
        let message = x.as_("master").call("/v1/account/list", params).refused(400, reason).message;
        assert!(message.contains(&format!("'{field}'")), "{message}");
    };
    for limit in [json!(0), json!(-1), json!("many"), json!(1.5), json!([1])] {
        refused(json!({ "limit_accounts": limit }), "InvalidParameterValue", "limit_accounts");
    }
    for time in [json!("soon"), json!(-1), json!([1])] {
        refused(json!({ "timestamp": time }), "InvalidTimestampInPayload", "timestamp");
    }
}

/// The account of the key, or the one that a master key names; no one has signed up to use it, and it has no number of its own.
/// Proves ACCT-003, ACCT-004.
#[test]
fn an_account_is_shown() {
    let x = Exchange::start();
    let founded = x.now_ms();
    let rename = json!({ "account": "savings", "newName": "S\u{f8}n \"1\"", "newAccount": "gold" });
    x.as_("master").call("/v1/account/rename", rename).ok();
    x.advance(5);
    create(&x, json!({ "name": "Vault", "type": "custody" })).ok();
    let mut codes = Vec::new();
    for (key, named, name, account, kind, created) in [
        ("trader", None, "primary", "primary", "exchange", founded),
        ("auditor", Some("primary"), "primary", "primary", "exchange", founded),
        ("savings-trader", None, "S\u{f8}n \"1\"", "gold", "exchange", founded),
        ("master", Some("gold"), "S\u{f8}n \"1\"", "gold", "exchange", founded),
        ("master", Some("vault"), "Vault", "vault", "custody", founded + 5_000),
        ("counterparty", None, "primary", "primary", "exchange", founded),
    ] {
        let params = named.map_or_else(|| json!({}), |named| json!({ "account": named }));
        let answer = x.as_(key).call("/v1/account", params);
        let shown = answer.ok();
        same_keys(&shown, &["account", "users", "memo_reference_code"], &answer);
        let created = created.to_string();
        let expected = json!({ "accountName": name, "shortName": account, "type": kind, "created": created });
        assert_eq!(shown["account"], expected, "{answer}");
        let people: &[&str] = if key == "counterparty" {
            &["Otto Owner"]
        } else {
            &["Olivia Owner", "Tom Trader", "Ada Auditor"]
        };
        let user = |name: &&str| json!({ "name": name, "status": "Active", "isVerified": true });
        assert_eq!(shown["users"], people.iter().map(user).collect::<Value>(), "{answer}");
        let code = shown["memo_reference_code"].as_str().unwrap().to_owned();
        assert!(code.starts_with("BTW") && is_code(&code, 9), "{answer}");
        codes.push(code);
    }
    assert_eq!((&codes[0], &codes[2]), (&codes[1], &codes[3]), "an account has one code");
    let mut once = codes.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), 4, "no two accounts have the same: {codes:?}");
    let master = |params: Value| x.as_("master").call("/v1/account", params);
    master(json!({})).refused(400, "MissingAccounts");
    master(json!({ "account": "savings" })).refused(400, "InvalidAccountName");
    master(json!({ "account": ["gold", "vault"] })).refused(400, "MoreThanOneAccount");
    x.as_("trader").call("/v1/account", json!({ "account": "gold" })).refused(400, "AccountsOnGroupOnlyApi");
}

/// Only a master key with the role Administrator creates; every master key lists. Of AUTH-037 and AUTH-039, the endpoints that
/// there are yet. Neither call acts on an account, but one that is named must be the group's. Proves AUTH-036.
#[test]
fn accounts_of_a_group_are_for_master_keys() {
    let x = Exchange::start();
    for path in ["/v1/account/create", "/v1/account/list"] {
        for key in ["trader", "fund-manager", "trader-fund-manager", "auditor", "savings-trader"] {
            for params in [json!({ "name": "Mine" }), json!({ "name": "Mine", "account": "nobody" })] {
                let message = x.as_(key).call(path, params).refused(403, "MissingRole").message;
                assert!(message.contains("account key"), "{message}");
            }
        }
        for account in ["broker", "nobody", ""] {
            let params = json!({ "name": "Mine", "account": account });
            x.as_("master").call(path, params).refused(400, "InvalidAccountName");
        }
    }
    let auditor = |path: &str| x.as_("master-auditor").call(path, json!({ "name": "Mine" }));
    let message = auditor("/v1/account/create").refused(403, "MissingRole").message;
    assert!(message.contains("[Administrator]") && message.contains("[Auditor]"), "{message}");
    let rename = json!({ "account": "savings", "newName": "Mine" });
    x.as_("master-auditor").call("/v1/account/rename", rename).refused(403, "MissingRole");
    assert_eq!(auditor("/v1/account/list").ok().as_array().unwrap().len(), FOUNDED.len());
    // A refused call has used its nonce.
    let trader = x.as_("trader");
    let payload = trader.payload("/v1/account/create", json!({ "name": "Mine" }));
    trader.call_payload("/v1/account/create", payload.as_bytes()).refused(403, "MissingRole");
    trader.call_payload("/v1/account/create", payload.as_bytes()).refused(400, "InvalidNonce");
    assert_eq!(names(&x), FOUNDED);
    laws::check(&x);
}

/// Accounts and terms outlive a kill, and a start from a snapshot. Proves ACCT-005, ACCT-006.
#[test]
fn created_accounts_survive() {
    let x = Exchange::start();
    create(&x, json!({ "name": "Desk 2" })).ok();
    set_terms(&x, 5, false);
    let before = list(&x, json!({}));
    let ends: [fn(&Exchange); 2] = [Exchange::kill9, |x| {
        x.stop();
    }];
    for end in ends {
        end(&x);
        x.restart();
        assert_eq!(list(&x, json!({})), before);
        assert_eq!(x.as_("master").call("/v1/orders", json!({ "account": "desk-2" })).ok(), json!([]));
        create(&x, json!({ "name": "Free", "type": "custody" })).refused(400, "HasNotAgreedToCustodyTerms");
        create(&x, json!({ "name": "Free" })).refused(400, "ExceededMaxAccountsInGroup");
    }
    laws::check(&x);
}

/// Terms that the control call does not take are refused by their field.
#[test]
fn bad_terms_are_refused() {
    let x = Exchange::start();
    let good = json!({ "group": "one", "accounts_max": 5, "custody_terms": false });
    for (field, value, reason) in [
        ("group", json!("nobody"), "InvalidParameterValue"),
        ("group", json!(5), "InvalidParameterValue"),
        ("accounts_max", json!(-1), "InvalidParameterValue"),
        ("accounts_max", json!(4_294_967_296_u64), "InvalidParameterValue"),
        ("accounts_max", json!("many"), "InvalidParameterValue"),
        ("custody_terms", json!("yes"), "InvalidParameterValue"),
    ] {
        let mut terms = good.clone();
        terms[field] = value.clone();
        let message = x.control("/sandbox/groups", &terms).refused(400, reason).message;
        assert!(message.contains(&format!("'{field}'")), "{value}: {message}");
        terms.as_object_mut().unwrap().remove(field);
        let message = x.control("/sandbox/groups", &terms).refused(400, "MissingPayloadKey").message;
        assert!(message.contains(&format!("'{field}'")), "{message}");
    }
    create(&x, json!({ "name": "Vault", "type": "custody" })).ok();
}

fn close(x: &Exchange, group: &str, account: &str) -> Answer {
    x.control("/sandbox/accounts/close", &json!({ "group": group, "account": account }))
}

/// A closed account places no order, by its own key or by its group's, and gets no money; reading goes on, and the list shows it. Of
/// ACCT-013, the part without transfers. Proves ACCT-011.
#[test]
fn a_closed_account_does_not_trade() {
    let x = Exchange::start();
    create(&x, json!({ "name": "Desk 2" })).ok();
    create(&x, json!({ "name": "Vault", "type": "custody" })).ok();
    let order =
        json!({ "symbol": "btcusd", "side": "buy", "type": "exchange limit", "amount": "1", "price": "100" });
    for (group, account) in [("one", "desk-2"), ("one", "vault"), ("five", "primary")] {
        assert_eq!(close(&x, group, account).ok(), json!({ "result": "ok", "account": account }));
    }
    let check = || {
        let on = |path: &str, account: &str, mut params: Value| {
            params["account"] = json!(account);
            x.as_("master").call(path, params)
        };
        for account in ["desk-2", "vault"] {
            let message = on("/v1/order/new", account, order.clone()).refused(400, "AccountClosed").message;
            assert!(message.contains(account), "{message}");
            let wrong = json!({ "symbol": "nosuch" });
            on("/v1/order/new", account, wrong.clone()).refused(400, "AccountClosed");
            for path in ["/v1/balances", "/v1/orders", "/v1/mytrades"] {
                assert_eq!(on(path, account, json!({})).ok(), json!([]), "{path}");
            }
            assert_eq!(on("/v1/account", account, json!({})).ok()["account"]["shortName"], account);
            on("/v1/order/cancel/all", account, json!({})).ok();
        }
        let empty = x.as_("empty");
        empty.call("/v1/order/new", order.clone()).refused(400, "AccountClosed");
        let mut named = order.clone();
        named["account"] = json!("primary");
        empty.call("/v1/order/new", named).refused(400, "AccountClosed");
        assert_eq!(empty.call("/v1/balances", json!({})).ok(), json!([]));
        empty.call("/v1/order/cancel/all", json!({})).ok();
        let credit = json!({ "group": "five", "account": "primary", "currency": "USD", "amount": "1" });
        x.control("/sandbox/accounts/credit", &credit).refused(400, "AccountClosed");
        close(&x, "five", "primary").refused(400, "AccountClosed");
        let rows = list(&x, json!({}));
        let shown =
            rows.iter().map(|row| (row["account"].as_str().unwrap(), row["status"].as_str().unwrap()));
        let expected = FOUNDED.map(|name| (name, "open"));
        let expected: Vec<_> =
            [("vault", "closed"), ("desk-2", "closed")].into_iter().chain(expected).collect();
        assert_eq!(shown.collect::<Vec<_>>(), expected);
        let other = x.as_("savings-trader").limit("btcusd", "buy", "1", "100");
        x.as_("savings-trader").cancel(other["order_id"].as_str().unwrap());
    };
    check();
    for end in [Exchange::kill9 as fn(&Exchange), |x| x.stop()] {
        end(&x);
        x.restart();
        check();
    }
    // A closed account keeps its names, and takes no one's place.
    create(&x, json!({ "name": "Desk 2" })).refused(400, "ConflictingAccountName");
    set_terms(&x, 5, true);
    create(&x, json!({ "name": "Desk 3" })).ok();
    create(&x, json!({ "name": "Desk 4" })).refused(400, "ExceededMaxAccountsInGroup");
    laws::check(&x);
}

/// An account with live orders or money stays open; the refusal names them. Of ACCT-013, what comes before.
#[test]
fn an_account_in_use_is_not_closed() {
    let x = Exchange::start();
    let refused = |account: &str, parts: &[&str]| {
        let message = close(&x, "five", account).refused(400, "InvalidParameterValue").message;
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    };
    x.credit("empty", "USD", "1000.5");
    let empty = x.as_("empty");
    let orders = [100, 101].map(|price| empty.limit("btcusd", "buy", "1", &price.to_string()));
    let ids = orders.map(|order| order["order_id"].as_str().unwrap().to_owned());
    refused("primary", &["'account'", "primary", &ids[0], &ids[1]]);
    for id in &ids {
        empty.cancel(id);
    }
    refused("primary", &["'account'", "primary", "USD 1000.5"]);
    x.credit("empty", "BTC", "0.0000000000000000001");
    refused("primary", &["USD 1000.5", "BTC 0.0000000000000000001"]);
    empty.limit("btcusd", "buy", "1", "100");
    for _ in 0..11 {
        empty.limit("btcusd", "buy", "0.1", "10");
    }
    refused("primary", &[" and 2 more"]);
    close(&x, "five", "nobody").refused(400, "InvalidAccountName");
    close(&x, "nobody", "primary").refused(400, "InvalidParameterValue");
    x.control("/sandbox/accounts/close", &json!({ "group": "five" })).refused(400, "MissingPayloadKey");
    assert_eq!(empty.live_ids().len(), 12, "nothing was changed");
    laws::check(&x);
}
