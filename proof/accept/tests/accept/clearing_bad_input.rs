//! The catalogue of bad input for clearing orders: each row is refused by its field, and nothing is entered or changed.
//! Clauses CLR-002, CLR-004; TYPE-004, ERR-001.

use crate::clearing::{HOUR, confirm, confirmed, enter, id_of, order, terms, with};
use buttonwood_accept::{Answer, Exchange, Value, json, laws};

/// The calls that write, with all of their fields.
fn calls(x: &Exchange, id: &str) -> [(&'static str, &'static str, Value); 4] {
    let sides = json!({
        "source_counterparty_id": id_of(x, "trader"), "target_counterparty_id": id_of(x, "counterparty"), "expires_in_hrs": 1,
    });
    [
        ("trader", "/v1/clearing/new", terms()),
        ("broker", "/v1/clearing/broker/new", with(terms(), sides)),
        ("counterparty", "/v1/clearing/confirm", with(terms(), json!({ "clearing_id": id, "side": "buy" }))),
        ("trader", "/v1/clearing/cancel", json!({ "clearing_id": id })),
    ]
}

/// Orders, trades and balances of those who take part.
fn state(x: &Exchange) -> Vec<Value> {
    let mut all = Vec::new();
    for key in ["trader", "counterparty", "broker"] {
        all.push(x.as_(key).call("/v1/clearing/trades", json!({})).ok());
        for row in x.as_(key).balances() {
            all.push(json!([row["currency"], row["amount"], row["available"]]));
        }
    }
    all
}

/// A call whose payload has this text in one field.
fn call_raw(x: &Exchange, key: &str, path: &str, fields: &Value, name: &str, raw: &str) -> Answer {
    let mut fields = fields.clone();
    fields.as_object_mut().unwrap().remove(name);
    let rest = fields.to_string();
    let comma = if rest == "{}" { "" } else { "," };
    let actor = x.as_(key);
    let nonce = actor.client().next_nonce();
    let payload = format!(r#"{{"request":"{path}","nonce":{nonce},"{name}":{raw}{comma}{}"#, &rest[1..]);
    actor.call_payload(path, payload.as_bytes())
}

/// Every field that a call needs is missed by its name. Proves CLR-002, CLR-004.
#[test]
fn missing_fields() {
    let x = Exchange::start();
    let id = enter(&x, json!({}));
    let before = state(&x);
    for (key, path, fields) in calls(&x, &id) {
        for name in fields.as_object().unwrap().keys() {
            let mut fields = fields.clone();
            fields.as_object_mut().unwrap().remove(name);
            let refusal = x.as_(key).call(path, fields).refused(400, "MissingPayloadKey");
            assert!(refusal.message.contains(name), "{path} {name}: {refusal:?}");
        }
    }
    x.as_("trader").call("/v1/clearing/status", json!({})).refused(400, "MissingPayloadKey");
    assert_eq!(state(&x), before);
    laws::check(&x);
}

/// Values that fit no field are refused with the reason of the field. Proves CLR-002, CLR-004, TYPE-004.
#[test]
fn wrong_values() {
    let x = Exchange::start();
    let id = enter(&x, json!({}));
    let before = state(&x);
    let long = format!("\"{}\"", "1".repeat(10_000));
    let decimals = [
        "\"1e5\"",
        "\"NaN\"",
        "\"Infinity\"",
        "\"-1\"",
        "\"+1\"",
        "\".5\"",
        "\"5.\"",
        "\"01\"",
        "\"0x10\"",
        "\"1,000\"",
        "\" 1\"",
        "\"\"",
        "\"abc\"",
        "\"1\\u0000\"",
        "\"\u{661}\"",
        "\"0\"",
        "0",
        "-1",
        "1e5",
        "true",
        "false",
        "null",
        "[]",
        "{}",
        "[\"1\"]",
        "\"0.00000000000000000001\"",
        "\"340282366920938463463374607431768211456\"",
        long.as_str(),
    ];
    let texts = [
        "5",
        "null",
        "true",
        "[]",
        "{}",
        "\"\"",
        "\"nosuch\"",
        "\"btcusd \"",
        "\"btc\\u0000usd\"",
        "\"ｂtcusd\"",
        long.as_str(),
    ];
    let sides = ["5", "null", "true", "[]", "{}", "\"\"", "\"BUY\"", "\"hold\"", "\"buy \""];
    for (key, path, fields) in calls(&x, &id) {
        if path == "/v1/clearing/cancel" {
            continue;
        }
        for (name, values, reason) in [
            ("amount", &decimals[..], "InvalidQuantity"),
            ("price", &decimals[..], "InvalidPrice"),
            ("symbol", &texts[..], "InvalidSymbol"),
            ("side", &sides[..], "InvalidSide"),
        ] {
            for raw in values {
                let answer = call_raw(&x, key, path, &fields, name, raw);
                let refusal = answer.refused(400, reason);
                assert!(refusal.message.len() < 500, "{path} {name} {raw}: {refusal:?}");
            }
        }
    }
    assert_eq!(state(&x), before);
    laws::check(&x);
}

/// Ids, hours, client ids and counterparties of other types and forms, and terms off the symbol's steps. Proves CLR-002, CLR-004.
#[test]
fn wrong_ids_and_hours() {
    let x = Exchange::start();
    let id = enter(&x, json!({}));
    let before = state(&x);
    let long = format!("\"{}\"", "1".repeat(10_000));
    for raw in ["5", "null", "true", "[]", "{}", "1.5"] {
        for (key, path, fields) in calls(&x, &id).into_iter().skip(2) {
            call_raw(&x, key, path, &fields, "clearing_id", raw).refused(400, "GTSTradeIDMustBeString");
        }
        call_raw(&x, "trader", "/v1/clearing/status", &json!({}), "clearing_id", raw)
            .refused(400, "GTSTradeIDMustBeString");
    }
    for (key, path, fields) in calls(&x, &id).into_iter().take(2) {
        for raw in [
            "0",
            "-1",
            "1.5",
            "8761",
            "1e1",
            "\"1.0\"",
            "\"one\"",
            "\"\"",
            "\"+1\"",
            "true",
            "false",
            "[]",
            "{}",
            "18446744073709551617",
        ] {
            let refusal =
                call_raw(&x, key, path, &fields, "expires_in_hrs", raw).refused(400, "InvalidParameterValue");
            assert!(
                refusal.message.contains("expires_in_hrs") && refusal.message.contains("8760"),
                "{refusal:?}"
            );
        }
        for spelling in ["client_transfer_id", "clientTransferId"] {
            for raw in
                ["\"\"", "\"a b\"", "5", "true", "[]", "{}", "\"é\"", &format!("\"{}\"", "x".repeat(101))]
            {
                let refusal =
                    call_raw(&x, key, path, &fields, spelling, raw).refused(400, "InvalidParameterValue");
                assert!(refusal.message.contains(spelling), "{refusal:?}");
            }
        }
    }
    for raw in ["null", "5", "true", "[]", "{}", "\"\"", "\"AAAAAAAA\"", "\"aaaaaaaa\"", long.as_str()] {
        let refusal = call_raw(&x, "trader", "/v1/clearing/new", &terms(), "counterparty_id", raw);
        let refusal = refusal.refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains("counterparty_id"), "{refusal:?}");
    }
    // The smallest amounts and steps are those of the symbol.
    for (name, value, reason) in [
        ("amount", "0.000001", "InvalidQuantity"),
        ("amount", "0.000000001", "InvalidQuantity"),
        ("price", "100.001", "InvalidPrice"),
        ("amount", "99999999999999999", "InvalidQuantity"),
    ] {
        let fields = with(terms(), json!({ name: value }));
        x.as_("trader").call("/v1/clearing/new", fields).refused(400, reason);
    }
    for symbol in ["btcgusdperp", "BTCGUSDPERP"] {
        let fields = with(terms(), json!({ "symbol": symbol }));
        x.as_("trader").call("/v1/clearing/new", fields).refused(400, "InvalidSymbol");
    }
    assert_eq!(state(&x), before);
    laws::check(&x);
}

/// A counterparty is another open account of kind `exchange`; all others are refused in the same words. Proves CLR-002, INV-AUTH-7.
#[test]
fn counterparties_are_other_exchange_accounts() {
    let x = Exchange::start();
    x.control("/sandbox/accounts", &json!({ "group": "one", "name": "old", "kind": "exchange" })).ok();
    let accounts = x.as_("master").call("/v1/account/list", json!({})).ok();
    let named = |name: &str| {
        let row = accounts.as_array().unwrap().iter().find(|row| row["account"] == name);
        row.unwrap_or_else(|| panic!("{accounts}"))["counterparty_id"].clone()
    };
    let old = named("old");
    x.control("/sandbox/accounts/close", &json!({ "group": "one", "account": "old" })).ok();
    for id in [
        json!(id_of(&x, "trader")),
        json!(id_of(&x, "perp-000")),
        json!(id_of(&x, "margin-000")),
        old.clone(),
        json!("AAAAAAAA"),
    ] {
        let fields = with(terms(), json!({ "counterparty_id": id }));
        let refusal = x.as_("trader").call("/v1/clearing/new", fields).refused(400, "InvalidParameterValue");
        let same = refusal.message.replace(id.as_str().unwrap(), "ID");
        assert!(same.contains("counterparty_id") && same.contains("another exchange account"), "{refusal:?}");
    }
    // An unknown id is refused after the same checks as a closed account's, so no reply tells which of them exist.
    x.control("/sandbox/halt", &json!({})).ok();
    for id in [&old, &json!("AAAAAAAA")] {
        let fields = with(terms(), json!({ "counterparty_id": id }));
        x.as_("trader").call("/v1/clearing/new", fields).refused(503, "System");
    }
    x.control("/sandbox/resume", &json!({})).ok();
    // Accounts of other kinds take no part.
    for key in ["perp-000", "margin-000"] {
        for path in ["new", "confirm", "cancel", "status", "list", "trades", "broker/new", "broker/list"] {
            let fields = with(terms(), json!({ "clearing_id": "AAAAAAAA" }));
            x.as_(key).call(&format!("/v1/clearing/{path}"), fields).refused(400, "AccountNotOfTypeRequired");
        }
    }
    laws::check(&x);
}

/// The roles of every call: a missing one is named. Proves AUTH-029, AUTH-030, ERR-002.
#[test]
fn roles() {
    let x = Exchange::start();
    let id = enter(&x, json!({}));
    let fields = with(terms(), json!({ "clearing_id": id, "side": "buy" }));
    for path in ["new", "confirm", "cancel", "list", "trades", "broker/new", "broker/list"] {
        for key in ["auditor", "fund-manager"] {
            let refusal =
                x.as_(key).call(&format!("/v1/clearing/{path}"), fields.clone()).refused(403, "MissingRole");
            assert!(refusal.message.contains("Trader"), "{refusal:?}");
        }
    }
    assert_eq!(order(&x, "auditor", &id)["status"], "AwaitConfirm");
    x.as_("fund-manager")
        .call("/v1/clearing/status", json!({ "clearing_id": id }))
        .refused(403, "MissingRole");
    // A master key names the account.
    let own = with(terms(), json!({ "account": "savings" }));
    let entered = x.as_("master").call("/v1/clearing/new", own).ok();
    let id = entered["clearing_id"].as_str().unwrap();
    x.as_("master").call("/v1/clearing/status", json!({ "clearing_id": id })).refused(400, "MissingAccounts");
    assert_eq!(order(&x, "savings-trader", id)["side"], "sell");
    confirmed(&x, "counterparty", id, "buy");
    laws::check(&x);
}

/// A symbol that is closed takes no entry and no confirmation; cancels and expiries go on, and no other status matters.
/// Proves CLR-002, D-85.
#[test]
fn a_closed_symbol() {
    let x = Exchange::start();
    let (first, second, third) =
        (enter(&x, json!({})), enter(&x, json!({})), enter(&x, json!({ "expires_in_hrs": 1 })));
    let waits = enter(&x, json!({ "counterparty_id": id_of(&x, "empty") }));
    confirmed(&x, "empty", &waits, "buy");
    x.set_status("btcusd", "closed");
    x.as_("trader").call("/v1/clearing/new", terms()).refused(400, "MarketClosed");
    confirm(&x, "counterparty", &first, "buy").refused(400, "MarketClosed");
    assert_eq!(crate::clearing::cancel(&x, "trader", &second), "ok");
    x.credit("empty", "USD", "60000");
    assert_eq!(order(&x, "trader", &waits)["status"], "Settled");
    x.advance(HOUR);
    assert_eq!(order(&x, "trader", &third)["status"], "Expired");
    for status in ["cancel_only", "post_only", "limit_only"] {
        x.set_status("btcusd", status);
        let id = enter(&x, json!({ "amount": "0.1" }));
        let fields = with(terms(), json!({ "amount": "0.1", "clearing_id": id, "side": "buy" }));
        x.as_("counterparty").call("/v1/clearing/confirm", fields).ok();
    }
    laws::check(&x);
}
