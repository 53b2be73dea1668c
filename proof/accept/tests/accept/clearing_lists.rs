//! Lists of clearing orders: clauses CLR-006, CLR-018 to CLR-021, CLR-025, CLR-026, CLR-028.

use crate::clearing::{HOUR, cancel, confirmed, enter, enter_as, id_of, status, terms, trades, with};
use buttonwood_accept::{Dec, Exchange, Value, json, laws, same_keys};

/// The orders that a list shows.
#[track_caller]
fn list(x: &Exchange, key: &str, fields: Value) -> Vec<Value> {
    rows(x, key, "/v1/clearing/list", fields)
}

#[track_caller]
fn rows(x: &Exchange, key: &str, path: &str, fields: Value) -> Vec<Value> {
    let answer = x.as_(key).call(path, fields).ok();
    same_keys(&answer, &["result", "orders"], path);
    assert_eq!(answer["result"], "success");
    answer["orders"].as_array().unwrap().clone()
}

#[track_caller]
fn results(x: &Exchange, key: &str, fields: Value) -> Vec<Value> {
    let answer = x.as_(key).call("/v1/clearing/trades", fields).ok();
    same_keys(&answer, &["results"], "trades");
    answer["results"].as_array().unwrap().clone()
}

fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["clearing_id"].as_str().or(row["clearingId"].as_str()).unwrap()).collect()
}

fn broker_order(x: &Exchange, more: Value) -> String {
    let fields = json!({
        "source_counterparty_id": id_of(x, "trader"), "target_counterparty_id": id_of(x, "counterparty"), "expires_in_hrs": 5,
    });
    let entered = x.as_("broker").call("/v1/clearing/broker/new", with(with(terms(), fields), more)).ok();
    entered["clearing_id"].as_str().unwrap().to_owned()
}

/// A row has these fields, and both parties list the order, each with its own side; no other account lists it. Proves CLR-018, CLR-021.
#[test]
fn both_parties_list_an_order() {
    let x = Exchange::start();
    let other = id_of(&x, "counterparty");
    let id = enter(&x, json!({ "counterparty_id": other }));
    let now = x.now_ms();
    let [row] = &list(&x, "trader", json!({}))[..] else { panic!("one order") };
    let own = row["order_id"].as_str().unwrap().to_owned();
    assert!(own.parse::<u64>().unwrap() > 0);
    let expected = json!({
        "clearing_id": id, "order_id": own, "counterparty_id": other, "symbol": "BTCUSD", "side": "sell", "status": "AwaitConfirm",
        "submission": now, "expiration": now + 24 * 3_600_000, "price": row["price"], "quantity": row["quantity"],
    });
    assert_eq!(*row, expected);
    assert_eq!((row["price"].as_f64(), row["quantity"].as_f64()), (Some(30_000.0), Some(2.0)));
    assert!(row["price"].is_number() && row["quantity"].is_number());
    let [row] = &list(&x, "counterparty", json!({}))[..] else { panic!("one order") };
    assert_eq!((&row["side"], &row["counterparty_id"]), (&json!("buy"), &json!(id_of(&x, "trader"))));
    assert!(row.get("order_id").is_none(), "it has none before it confirms: {row}");
    for key in ["broker", "savings-trader", "empty"] {
        assert!(list(&x, key, json!({})).is_empty());
    }
    confirmed(&x, "counterparty", &id, "buy");
    let [row] = &list(&x, "counterparty", json!({}))[..] else { panic!("one order") };
    assert_eq!(
        (&row["status"], &row["order_id"]),
        (&json!("Settled"), &trades(&x, "counterparty")[0]["order_id"])
    );
    assert_eq!(trades(&x, "trader")[0]["order_id"], own);
    // An open order without a counterparty is listed by its initiator alone, without the field.
    let open = enter(&x, json!({}));
    let rows = list(&x, "trader", json!({}));
    assert_eq!(ids(&rows), [open.as_str(), id.as_str()]);
    assert!(rows[0].get("counterparty_id").is_none());
    assert_eq!(list(&x, "counterparty", json!({})).len(), 1);
    x.restart();
    assert_eq!(list(&x, "trader", json!({})), rows);
    laws::check(&x);
}

/// Every filter narrows the list, of open and closed orders alike. Proves CLR-006, CLR-019, CLR-020.
#[test]
fn filters_narrow_the_list() {
    let x = Exchange::start();
    let (other, empty) = (id_of(&x, "counterparty"), id_of(&x, "empty"));
    let start = x.now_ms();
    let hour = 1_000 * HOUR;
    let settled = enter(&x, json!({ "counterparty_id": other, "amount": "2" }));
    confirmed(&x, "counterparty", &settled, "buy");
    x.advance(HOUR);
    let cancelled = enter(&x, json!({ "symbol": "ethusd", "price": "2000", "expires_in_hrs": 100 }));
    cancel(&x, "trader", &cancelled);
    x.advance(HOUR);
    let expired = enter(&x, json!({ "side": "buy", "expires_in_hrs": 1 }));
    x.advance(HOUR);
    let waiting = enter(&x, json!({ "counterparty_id": empty }));
    confirmed(&x, "empty", &waiting, "buy");
    let large = enter(&x, json!({ "counterparty_id": other, "amount": "5000" }));
    let entered =
        enter_as(&x, "counterparty", json!({ "counterparty_id": id_of(&x, "trader"), "side": "sell" }));
    let all = [&entered, &large, &waiting, &expired, &cancelled, &settled].map(String::as_str);
    let found = |fields: Value| list(&x, "trader", fields);
    assert_eq!(ids(&found(json!({}))), all);
    for (fields, expected) in [
        (json!({ "symbol": "ETHusd" }), vec![all[4]]),
        (json!({ "symbol": "ltcusd" }), vec![]),
        (json!({ "counterparty": other }), vec![all[0], all[1], all[5]]),
        (json!({ "counterparty": empty }), vec![all[2]]),
        (json!({ "counterparty": "AAAAAAAA" }), vec![]),
        (json!({ "counterparty": "" }), vec![]),
        (json!({ "side": "buy" }), vec![all[0], all[3]]),
        (json!({ "side": "sell" }), vec![all[1], all[2], all[4], all[5]]),
        (json!({ "status": "Settled" }), vec![all[5]]),
        (json!({ "status": "Canceled" }), vec![all[4]]),
        (json!({ "status": "Expired" }), vec![all[3]]),
        (json!({ "status": "AttemptSettlement" }), vec![all[2]]),
        (json!({ "status": "AwaitConfirm" }), vec![all[0], all[1]]),
        (json!({ "status": "Confirmed" }), vec![]),
        (json!({ "status": "Not Found" }), vec![]),
        (json!({ "status": "AwaitTargetConfirm" }), vec![]),
        // The trader can pay 2 BTC and 60,000 USD, and not 5,000 BTC.
        (json!({ "funded": true }), vec![all[0], all[2]]),
        (json!({ "funded": false }), all.to_vec()),
        (json!({ "timestamp": start }), vec![all[0], all[1], all[2], all[3], all[4]]),
        (json!({ "timestamp": start - 1 }), all.to_vec()),
        (json!({ "timestamp": (start + hour) / 1_000 }), vec![all[0], all[1], all[2], all[3]]),
        (
            json!({ "submission_start": start + hour, "submission_end": start + 2 * hour }),
            vec![all[3], all[4]],
        ),
        (json!({ "submission_start": start + hour + 1, "submission_end": start + 2 * hour - 1 }), vec![]),
        (json!({ "submission_start": start + 2, "submission_end": start }), vec![]),
        (
            json!({ "expiration_start": start + 24 * hour, "expiration_end": start + 27 * hour }),
            vec![all[0], all[1], all[2], all[5]],
        ),
        (json!({ "expiration_start": start + 3 * hour, "expiration_end": start + 3 * hour }), vec![all[3]]),
        (json!({ "limit_orders": 2 }), vec![all[0], all[1]]),
        (json!({ "limit_orders": "1" }), vec![all[0]]),
        (json!({ "limit_orders": 100_000 }), all.to_vec()),
        (
            json!({ "symbol": "btcusd", "side": "sell", "status": "Settled", "counterparty": other }),
            vec![all[5]],
        ),
    ] {
        assert_eq!(ids(&found(fields.clone())), expected, "{fields}");
    }
    for (fields, reason) in [
        (json!({ "symbol": "nosuch" }), "InvalidSymbol"),
        (json!({ "side": "hold" }), "InvalidSide"),
        (json!({ "side": 1 }), "InvalidSide"),
        (json!({ "status": "settled" }), "InvalidParameterValue"),
        (json!({ "status": true }), "InvalidParameterValue"),
        (json!({ "funded": 1 }), "InvalidParameterValue"),
        (json!({ "funded": "true" }), "InvalidParameterValue"),
        (json!({ "limit_orders": 0 }), "InvalidParameterValue"),
        (json!({ "limit_orders": -1 }), "InvalidParameterValue"),
        (json!({ "limit_orders": 1.5 }), "InvalidParameterValue"),
        (json!({ "timestamp": "yesterday" }), "InvalidTimestampInPayload"),
        (json!({ "submission_start": start }), "MissingPayloadKey"),
        (json!({ "submission_end": start }), "MissingPayloadKey"),
        (json!({ "expiration_start": start }), "MissingPayloadKey"),
        (json!({ "expiration_end": start, "expiration_start": null }), "MissingPayloadKey"),
        (json!({ "expiration_end": "x", "expiration_start": start }), "InvalidTimestampInPayload"),
    ] {
        for path in ["/v1/clearing/list", "/v1/clearing/broker/list"] {
            if path.contains("broker") && fields.get("side").is_some() {
                continue;
            }
            x.as_("trader").call(path, fields.clone()).refused(400, reason);
        }
    }
    laws::check(&x);
}

/// An alias stands for a counterparty in the list of the account that gave it, and in no other. Proves CLR-018, CLR-019, D-93.
#[test]
fn an_alias_names_a_counterparty() {
    let x = Exchange::start();
    let other = id_of(&x, "counterparty");
    let id = enter(&x, json!({ "counterparty_id": other }));
    let name = |alias: &str| {
        let body = json!({ "group": "one", "account": "primary", "counterparty_id": other, "alias": alias });
        assert_eq!(x.control("/sandbox/clearing/alias", &body).ok()["result"], "ok");
    };
    name("Desk \"B\"");
    let rows = list(&x, "trader", json!({ "counterparty": "Desk \"B\"" }));
    assert_eq!((ids(&rows), &rows[0]["counterparty_alias"]), (vec![id.as_str()], &json!("Desk \"B\"")));
    assert!(list(&x, "counterparty", json!({}))[0].get("counterparty_alias").is_none());
    assert!(list(&x, "counterparty", json!({ "counterparty": "Desk \"B\"" })).is_empty());
    name("B");
    assert!(list(&x, "trader", json!({ "counterparty": "Desk \"B\"" })).is_empty());
    x.restart();
    assert_eq!(list(&x, "trader", json!({ "counterparty": "B" })).len(), 1);
    laws::check(&x);
}

/// A broker's orders are in its own list, with both sides, and in the lists of both sides with the broker. Proves CLR-021, CLR-025, CLR-026.
#[test]
fn a_broker_lists_its_orders() {
    let x = Exchange::start();
    let now = x.now_ms();
    let first = broker_order(&x, json!({}));
    let [row] = &rows(&x, "broker", "/v1/clearing/broker/list", json!({}))[..] else { panic!("one order") };
    let expected = json!({
        "clearing_id": first, "source_counterparty_id": id_of(&x, "trader"), "source_order_id": row["source_order_id"],
        "target_counterparty_id": id_of(&x, "counterparty"), "symbol": "BTCUSD", "source_side": "sell", "price": row["price"],
        "quantity": row["quantity"], "status": "AwaitSourceTargetConfirm", "submission": now, "expiration": now + 5 * 3_600_000,
    });
    assert_eq!(*row, expected);
    let source_order = row["source_order_id"].clone();
    assert!(source_order.as_str().unwrap().parse::<u64>().is_ok());
    assert!(list(&x, "broker", json!({})).is_empty(), "they are in the broker's list alone");
    for (key, side, other) in [("trader", "sell", "counterparty"), ("counterparty", "buy", "trader")] {
        let [row] = &list(&x, key, json!({}))[..] else { panic!("one order") };
        assert_eq!((&row["side"], &row["broker_id"]), (&json!(side), &json!(id_of(&x, "broker"))));
        assert_eq!(row["counterparty_id"], json!(id_of(&x, other)));
    }
    confirmed(&x, "counterparty", &first, "buy");
    let shown = rows(&x, "broker", "/v1/clearing/broker/list", json!({}));
    let target_order = shown[0]["target_order_id"].clone();
    assert!(target_order.is_string() && target_order != source_order, "{shown:?}");
    confirmed(&x, "trader", &first, "sell");
    assert_eq!(
        (&trades(&x, "trader")[0]["order_id"], &trades(&x, "counterparty")[0]["order_id"]),
        (&source_order, &target_order)
    );
    x.advance(1);
    let second = broker_order(&x, json!({ "symbol": "ethusd", "price": "2000", "amount": "100000" }));
    let found = |fields: Value| rows(&x, "broker", "/v1/clearing/broker/list", fields);
    for (fields, expected) in [
        (json!({}), vec![second.as_str(), first.as_str()]),
        (json!({ "symbol": "btcusd" }), vec![first.as_str()]),
        (json!({ "status": "Settled" }), vec![first.as_str()]),
        (json!({ "status": "AwaitSourceTargetConfirm" }), vec![second.as_str()]),
        // It shows nothing about the money of the sides.
        (json!({ "funded": true }), vec![second.as_str()]),
        (json!({ "timestamp": now }), vec![second.as_str()]),
        (json!({ "limit_orders": 1 }), vec![second.as_str()]),
        (json!({ "submission_start": now, "submission_end": now }), vec![first.as_str()]),
    ] {
        assert_eq!(ids(&found(fields.clone())), expected, "{fields}");
    }
    for key in ["trader", "counterparty", "empty"] {
        assert!(rows(&x, key, "/v1/clearing/broker/list", json!({})).is_empty());
    }
    laws::check(&x);
}

/// The trades of an account, of a group, and of a broker; newest first, from a time on. Proves CLR-028.
#[test]
fn trades_list_orders_of_all_accounts() {
    let x = Exchange::start();
    let now = x.now_ms();
    let open = enter(&x, json!({}));
    let [row] = &results(&x, "trader", json!({}))[..] else { panic!("one order") };
    let expected = json!({
        "sourceAccount": id_of(&x, "trader"), "pair": "BTCUSD", "sourceSide": "sell", "price": "30000.00", "quantity": "2",
        "clearingId": open, "status": "AwaitConfirm", "expirationTimeMs": now + 24 * 3_600_000, "createdMs": now,
        "lastUpdatedMs": now, "hasBroker": false, "wasNotified": false,
    });
    assert_eq!(*row, expected);
    x.advance(10);
    let brokered = broker_order(&x, json!({ "symbol": "ethusd", "price": "2000" }));
    x.advance(10);
    confirmed(&x, "savings-trader", &open, "buy");
    let settled = x.now_ms();
    let [first, last] = &results(&x, "trader", json!({}))[..] else { panic!("two orders") };
    assert_eq!((&first["clearingId"], &first["hasBroker"]), (&json!(brokered), &json!(true)));
    assert_eq!(first["targetAccount"], json!(id_of(&x, "counterparty")));
    assert_eq!(
        (&last["status"], &last["lastUpdatedMs"], &last["createdMs"]),
        (&json!("Settled"), &json!(settled), &json!(now))
    );
    assert_eq!(last["targetAccount"], json!(id_of(&x, "savings-trader")));
    assert_eq!(ids(&results(&x, "broker", json!({}))), [brokered.as_str()]);
    assert_eq!(ids(&results(&x, "savings-trader", json!({}))), [open.as_str()]);
    // A master key reads one account, or all of its group: an order between two of them is one.
    let of_group = |fields: Value| results(&x, "master", fields);
    assert_eq!(ids(&of_group(json!({}))), [brokered.as_str(), open.as_str()]);
    assert_eq!(ids(&of_group(json!({ "account": "savings" }))), [open.as_str()]);
    assert_eq!(ids(&of_group(json!({ "limit_per_account": 1 }))), [brokered.as_str(), open.as_str()]);
    for (fields, expected) in [
        (json!({ "symbol": "ethusd" }), vec![brokered.as_str()]),
        (json!({ "timestamp_nanos": settled * 1_000_000 }), vec![open.as_str()]),
        (json!({ "timestamp_nanos": (settled - 1) * 1_000_000 }), vec![open.as_str()]),
        (json!({ "timestamp_nanos": settled * 1_000_000 + 1_000 }), vec![]),
        (json!({ "timestamp_nanos": (now + 10_000) * 1_000_000 }), vec![brokered.as_str(), open.as_str()]),
        (json!({ "timestamp": now }), vec![brokered.as_str()]),
        (json!({ "limit_per_account": 1 }), vec![brokered.as_str()]),
        (json!({ "limit_trades": 1 }), vec![brokered.as_str()]),
        (
            json!({ "limit_trades": 1, "limit_per_account": 1_000_000 }),
            vec![brokered.as_str(), open.as_str()],
        ),
    ] {
        assert_eq!(ids(&results(&x, "trader", fields.clone())), expected, "{fields}");
    }
    for (fields, reason) in [
        (json!({ "symbol": "nosuch" }), "InvalidSymbol"),
        (json!({ "limit_per_account": 0 }), "InvalidParameterValue"),
        (json!({ "limit_trades": "x" }), "InvalidParameterValue"),
        (json!({ "timestamp_nanos": -1 }), "InvalidTimestampInPayload"),
        (json!({ "timestamp_nanos": "now" }), "InvalidTimestampInPayload"),
        (json!({ "timestamp": true }), "InvalidTimestampInPayload"),
    ] {
        x.as_("trader").call("/v1/clearing/trades", fields).refused(400, reason);
    }
    assert_eq!(
        x.as_("perp-000")
            .call("/v1/clearing/trades", json!({}))
            .refused(400, "AccountNotOfTypeRequired")
            .result,
        "error"
    );
    assert_eq!(status(&x, "broker", &brokered), "AwaitSourceTargetConfirm");
    let (bought, _) = x.as_("savings-trader").balance("BTC");
    assert!(bought > Dec::ZERO);
    laws::check(&x);
}

/// Pages have 50 orders by default and 500 at most; trades 100 and 300. Proves CLR-019, CLR-028.
#[test]
fn pages_are_bounded() {
    let x = Exchange::start();
    let oldest = enter(&x, json!({ "symbol": "ethusd" }));
    let all: Vec<String> = (0..540)
        .map(|number| {
            let id = enter(&x, json!({}));
            if number % 20 == 0 {
                cancel(&x, "trader", &id);
            }
            id
        })
        .collect();
    let newest = |count: usize| all.iter().rev().take(count).map(String::as_str).collect::<Vec<_>>();
    assert_eq!(ids(&list(&x, "trader", json!({}))), newest(50));
    assert_eq!(ids(&list(&x, "trader", json!({ "limit_orders": 501 }))), newest(500));
    assert_eq!(ids(&results(&x, "trader", json!({}))), newest(100));
    assert_eq!(ids(&results(&x, "trader", json!({ "limit_per_account": 500 }))), newest(300));
    // More than one look at the open orders is needed to find it.
    assert_eq!(ids(&list(&x, "trader", json!({ "symbol": "ethusd" }))), [&oldest]);
    assert_eq!(ids(&list(&x, "trader", json!({ "symbol": "ethusd", "funded": true }))), [&oldest]);
    laws::check(&x);
}
