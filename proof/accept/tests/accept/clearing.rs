//! Clearing orders between two accounts: clauses CLR-001 to CLR-017, ORD-020.

use buttonwood_accept::{Answer, Dec, Exchange, NewOrder, Value, dec, json, laws, same_keys};

/// Seconds in an hour.
pub(crate) const HOUR: u64 = 3_600;

/// The counterparty id of a key's account.
pub(crate) fn id_of(x: &Exchange, key: &str) -> String {
    x.key(key).entry["counterparty_id"].as_str().expect("an account key shows it").to_owned()
}

/// An object with the fields of both; those of the second count.
pub(crate) fn with(mut fields: Value, more: Value) -> Value {
    let all = fields.as_object_mut().expect("an object");
    all.extend(more.as_object().expect("an object").clone());
    fields
}

/// A sale of 2 BTC at 30,000.
pub(crate) fn terms() -> Value {
    json!({ "symbol": "btcusd", "amount": "2", "price": "30000", "side": "sell" })
}

/// Enters an order of the trader's and returns its id.
#[track_caller]
pub(crate) fn enter(x: &Exchange, more: Value) -> String {
    enter_as(x, "trader", more)
}

#[track_caller]
pub(crate) fn enter_as(x: &Exchange, key: &str, more: Value) -> String {
    let entered = x.as_(key).call("/v1/clearing/new", with(terms(), more)).ok();
    assert_eq!(entered["result"], "AwaitConfirm");
    entered["clearing_id"].as_str().unwrap().to_owned()
}

/// Confirms an order with the standard terms and this side.
pub(crate) fn confirm(x: &Exchange, key: &str, id: &str, side: &str) -> Answer {
    let fields = with(terms(), json!({ "clearing_id": id, "side": side }));
    x.as_(key).call("/v1/clearing/confirm", fields)
}

/// Confirms an order that can be confirmed.
#[track_caller]
pub(crate) fn confirmed(x: &Exchange, key: &str, id: &str, side: &str) {
    assert_eq!(confirm(x, key, id, side).ok(), json!({ "result": "confirmed" }));
}

/// Cancels an order; returns the word of the result.
#[track_caller]
pub(crate) fn cancel(x: &Exchange, key: &str, id: &str) -> String {
    let answer = x.as_(key).call("/v1/clearing/cancel", json!({ "clearing_id": id })).ok();
    same_keys(&answer, &["result", "details"], "a cancel");
    assert!(answer["details"].as_str().unwrap().contains(id), "{answer}");
    answer["result"].as_str().unwrap().to_owned()
}

/// The order as a key sees it.
#[track_caller]
pub(crate) fn order(x: &Exchange, key: &str, id: &str) -> Value {
    x.as_(key).call("/v1/clearing/status", json!({ "clearing_id": id })).ok()
}

/// The status of an order as a key sees it.
#[track_caller]
pub(crate) fn status(x: &Exchange, key: &str, id: &str) -> String {
    order(x, key, id)["status"].as_str().unwrap().to_owned()
}

/// The balance of a key's account in BTC and in USD, of which nothing is held.
#[track_caller]
pub(crate) fn money(x: &Exchange, key: &str) -> [Dec; 2] {
    ["BTC", "USD"].map(|currency| {
        let (amount, available) = x.as_(key).balance(currency);
        assert_eq!(amount, available, "{key} has nothing held in {currency}");
        amount
    })
}

/// The trades of a key's account.
pub(crate) fn trades(x: &Exchange, key: &str) -> Vec<Value> {
    x.as_(key).call("/v1/mytrades", json!({})).ok().as_array().unwrap().clone()
}

/// A new order awaits its confirmation and is read with the fields of an order, typed as there. Proves CLR-001, CLR-003, CLR-007.
#[test]
fn a_new_order_is_shown() {
    let x = Exchange::start();
    let before = money(&x, "trader");
    let entered = x.as_("trader").call("/v1/clearing/new", terms()).ok();
    same_keys(&entered, &["result", "clearing_id"], "new");
    let id = entered["clearing_id"].as_str().unwrap();
    let is_code =
        |id: &str| id.len() == 8 && id.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    assert!(is_code(id), "{id}");
    let now = x.now_ms();
    let expected = json!({
        "result": "ok", "clearing_id": id, "symbol": "btcusd", "price": "30000.00", "amount": "2", "side": "sell",
        "status": "AwaitConfirm", "timestamp": (now / 1_000).to_string(), "timestampms": now, "is_confirmed": false,
        "expiration": now + 24 * 3_600_000,
    });
    assert_eq!(order(&x, "trader", id), expected);
    // All keys of the account see it, an auditor too.
    assert_eq!(order(&x, "auditor", id), expected);
    assert_eq!(order(&x, "second-session", id), expected);
    assert_eq!(order(&x, "counterparty", id), with(expected, json!({ "side": "buy" })));
    assert_eq!(money(&x, "trader"), before, "nothing is held");
    let others: Vec<String> = (0..20).map(|_| enter(&x, json!({}))).collect();
    assert!(others.iter().all(|other| is_code(other) && other != id), "{others:?}");
    laws::check(&x);
}

/// The confirmation settles both legs at once, and one trade appears for both sides and nowhere else.
/// Proves CLR-007, CLR-008, CLR-015, CLR-017, ORD-020.
#[test]
fn a_confirmed_order_settles() {
    let x = Exchange::start();
    let before = [money(&x, "trader"), money(&x, "counterparty")];
    let (tape, ticker) = (x.get("/v1/trades/btcusd").ok(), x.get("/v2/ticker/btcusd").ok());
    let (candles, feed) = (x.get("/v2/candles/btcusd/1m").ok(), x.get("/v1/pricefeed").ok());
    let id = enter(&x, json!({ "counterparty_id": id_of(&x, "counterparty") }));
    x.advance(60);
    assert_eq!([money(&x, "trader"), money(&x, "counterparty")], before, "nothing moves before");
    let fields =
        json!({ "symbol": "BTCusd", "amount": 2.000, "price": "30000.0", "side": "buy", "clearing_id": id });
    assert_eq!(
        x.as_("counterparty").call("/v1/clearing/confirm", fields).ok(),
        json!({ "result": "confirmed" })
    );
    for (key, side) in [("trader", "sell"), ("counterparty", "buy")] {
        let shown = order(&x, key, &id);
        assert_eq!(
            (&shown["status"], &shown["side"], &shown["is_confirmed"]),
            (&json!("Settled"), &json!(side), &json!(true))
        );
    }
    let [[btc, usd], [other_btc, other_usd]] = before;
    assert_eq!(money(&x, "trader"), [btc - dec("2"), usd + dec("60000")]);
    assert_eq!(money(&x, "counterparty"), [other_btc + dec("2"), other_usd - dec("60000")]);
    let (sold, bought) = (trades(&x, "trader"), trades(&x, "counterparty"));
    assert_eq!((sold.len(), bought.len()), (1, 1));
    for (trade, kind) in [(&sold[0], "Sell"), (&bought[0], "Buy")] {
        for (field, expected) in [
            ("is_clearing_fill", json!(true)),
            ("is_auction_fill", json!(false)),
            ("aggressor", json!(false)),
            ("price", json!("30000.00")),
            ("amount", json!("2")),
            ("symbol", json!("BTCUSD")),
            ("type", json!(kind)),
            ("fee_amount", json!("0")),
            ("fee_currency", json!("USD")),
            ("timestampms", json!(x.now_ms())),
        ] {
            assert_eq!(trade[field], expected, "{field} of {trade}");
        }
        assert_eq!(trade["tid"], sold[0]["tid"]);
    }
    assert_ne!(sold[0]["order_id"], bought[0]["order_id"]);
    // No order of the book, nothing public, no volume; it is found by its id alone (D-287).
    for (key, trade) in [("trader", &sold[0]), ("counterparty", &bought[0])] {
        let named = json!({ "order_id": trade["order_id"] });
        assert_eq!(x.as_(key).call("/v1/order/status", named).ok()["is_live"], false);
        assert_eq!(x.as_(key).call("/v1/orders/history", json!({})).ok(), json!([]));
        assert_eq!(x.as_(key).call("/v1/tradevolume", json!({})).ok(), json!([[]]));
    }
    assert_eq!((x.get("/v1/trades/btcusd").ok(), x.get("/v2/ticker/btcusd").ok()), (tape, ticker));
    assert_eq!((x.get("/v2/candles/btcusd/1m").ok(), x.get("/v1/pricefeed").ok()), (candles, feed));
    x.restart();
    assert_eq!((trades(&x, "trader"), trades(&x, "counterparty")), (sold, bought));
    assert_eq!(status(&x, "trader", &id), "Settled");
    laws::check(&x);
}

/// The group's transactions and the statement show the settlement, with the id of the order. Proves XFER-033, D-171.
#[test]
fn a_settlement_is_in_every_listing_of_the_account() {
    let x = Exchange::start();
    let id = enter(&x, json!({}));
    confirmed(&x, "counterparty", &id, "buy");
    let all = x.as_("master").call("/v1/transactions", json!({ "timestamp_nanos": 1, "limit": 300 })).ok();
    let row = all["results"].as_array().unwrap().iter().find(|row| row["type"] == "trade").unwrap().clone();
    assert_eq!((&row["isClearingFill"], &row["isAggressor"]), (&json!(true), &json!(false)));
    for (key, btc, usd) in [("trader", "-2", "60000"), ("counterparty", "2", "-60000")] {
        let rows = x.as_(key).call("/v1/statement", json!({ "limit_entries": 500 })).ok();
        let rows = rows.as_array().unwrap();
        let of = |currency: &str| {
            let own = rows.iter().filter(|row| row["currency"] == currency);
            let cleared = own.clone().filter(|row| row["cause"] == "clearing");
            let cleared: Vec<_> =
                cleared.map(|row| (row["amount"].clone(), row["clearing_id"].clone())).collect();
            let sum = own.fold(Dec::ZERO, |sum, row| sum + Dec::wire(&row["amount"]));
            (cleared, sum)
        };
        for (currency, amount) in [("BTC", btc), ("USD", usd)] {
            let (cleared, sum) = of(currency);
            assert_eq!(cleared, [(json!(amount), json!(id))], "{key} {currency}");
            assert_eq!(sum, x.as_(key).balance(currency).0, "{key} {currency}");
        }
    }
    laws::check(&x);
}

/// A term that differs is refused by its name, and the order stays as it was. Proves CLR-009.
#[test]
fn differing_terms_confirm_nothing() {
    let x = Exchange::start();
    let id = enter(&x, json!({}));
    for (field, value, reason) in [
        ("symbol", json!("ethusd"), "InvalidSymbol"),
        ("symbol", json!("nosuch"), "InvalidSymbol"),
        ("symbol", json!("btcgusdperp"), "InvalidSymbol"),
        ("amount", json!("2.00000001"), "InvalidQuantity"),
        ("amount", json!("1"), "InvalidQuantity"),
        ("amount", json!("0"), "InvalidQuantity"),
        ("amount", json!("2.000000000000000001"), "InvalidQuantity"),
        ("price", json!("30000.01"), "InvalidPrice"),
        ("price", json!("30000.001"), "InvalidPrice"),
        ("price", json!("0"), "InvalidPrice"),
        ("side", json!("sell"), "InvalidSide"),
    ] {
        let right = with(terms(), json!({ "clearing_id": id, "side": "buy" }));
        let answer = x.as_("counterparty").call("/v1/clearing/confirm", with(right, json!({ field: value })));
        answer.refused(400, reason);
        let shown = order(&x, "counterparty", &id);
        assert_eq!((&shown["status"], &shown["is_confirmed"]), (&json!("AwaitConfirm"), &json!(false)));
    }
    confirmed(&x, "counterparty", &id, "buy");
    laws::check(&x);
}

/// Only the named counterparty confirms, and without one anyone but the initiator, who has the id. An id of others and one of no order
/// are answered alike but for the id. Proves CLR-005, CLR-010, INV-AUTH-7.
#[test]
fn the_named_counterparty_confirms() {
    let x = Exchange::start();
    let named = enter(&x, json!({ "counterparty_id": id_of(&x, "counterparty") }));
    let open = enter(&x, json!({}));
    let unknown = "AAAAAAAA";
    let without = |answer: &Answer, id: &str| (answer.status(), answer.reply.text().replace(id, "ID"));
    for key in ["broker", "empty", "savings-trader"] {
        assert_eq!(order(&x, key, &named), json!({ "result": "ok", "status": "Not Found" }));
        assert_eq!(order(&x, key, unknown), json!({ "result": "ok", "status": "Not Found" }));
        assert_eq!(status(&x, key, &open), "AwaitConfirm");
        let foreign = confirm(&x, key, &named, "buy");
        foreign.refused(404, "ClearingOrderNotFound");
        for other in [unknown, "aaaaaaaa", "x", "", "ÄÖ"] {
            let answer = confirm(&x, key, other, "buy");
            if other.len() == 8 && other.is_ascii() {
                assert_eq!(without(&answer, other), without(&foreign, &named));
            } else {
                answer.refused(404, "ClearingOrderNotFound");
            }
        }
        // Terms that fit nothing do not tell more.
        let wrong =
            with(terms(), json!({ "clearing_id": named, "symbol": "nosuch", "price": "7", "side": "buy" }));
        x.as_(key).call("/v1/clearing/confirm", wrong).refused(404, "ClearingOrderNotFound");
        assert_eq!(cancel(&x, key, &named), "failed");
    }
    for id in [&named, &open] {
        let refusal = confirm(&x, "trader", id, "buy").refused(400, "InvalidClearingId");
        assert!(refusal.message.contains("AwaitConfirm"), "{refusal:?}");
        confirm(&x, "second-session", id, "sell").refused(400, "InvalidClearingId");
    }
    confirmed(&x, "counterparty", &named, "buy");
    // Another account of the same group may be the other side.
    confirmed(&x, "savings-trader", &open, "buy");
    // Afterwards the parties alone see it.
    assert_eq!(status(&x, "counterparty", &open), "Not Found");
    assert_eq!(
        (status(&x, "savings-trader", &open), status(&x, "trader", &open)),
        ("Settled".into(), "Settled".into())
    );
    confirm(&x, "counterparty", &open, "buy").refused(404, "ClearingOrderNotFound");
    for (key, id) in [("counterparty", &named), ("trader", &named), ("savings-trader", &open)] {
        let refusal = confirm(&x, key, id, "buy").refused(400, "InvalidClearingId");
        assert!(refusal.message.contains("Settled"), "{refusal:?}");
    }
    laws::check(&x);
}

/// The initiator cancels until the order is confirmed; every other cancel fails and changes nothing. Proves CLR-011, CLR-012, CLR-013.
#[test]
fn the_initiator_cancels() {
    let x = Exchange::start();
    let id = enter(&x, json!({ "counterparty_id": id_of(&x, "counterparty") }));
    for key in ["counterparty", "broker", "savings-trader"] {
        assert_eq!(cancel(&x, key, &id), "failed");
        assert_eq!(status(&x, "trader", &id), "AwaitConfirm");
    }
    let answer = x.as_("trader").call("/v1/clearing/cancel", json!({ "clearing_id": id })).ok();
    assert_eq!(answer, json!({ "result": "ok", "details": format!("{id} order canceled") }));
    for key in ["trader", "counterparty"] {
        let shown = order(&x, key, &id);
        assert_eq!((&shown["status"], &shown["is_confirmed"]), (&json!("Canceled"), &json!(false)));
        assert_eq!(cancel(&x, key, &id), "failed");
        let refusal = confirm(&x, key, &id, "buy").refused(400, "InvalidClearingId");
        assert!(refusal.message.contains("Canceled"), "{refusal:?}");
    }
    // The texts of failures differ in the id alone.
    let failed = |id: &str| {
        let answer = x.as_("trader").call("/v1/clearing/cancel", json!({ "clearing_id": id })).ok();
        answer.to_string().replace(id, "ID")
    };
    assert_eq!(failed(&id), failed("AAAAAAAA"));
    assert_eq!(failed(&id), failed("no id"));
    // An open order without a counterparty that is cancelled is shown to its initiator alone.
    let open = enter(&x, json!({}));
    assert_eq!(cancel(&x, "counterparty", &open), "failed");
    assert_eq!(cancel(&x, "second-session", &open), "ok");
    assert_eq!(status(&x, "counterparty", &open), "Not Found");
    confirm(&x, "counterparty", &open, "buy").refused(404, "ClearingOrderNotFound");
    // A confirmed order is not cancelled, whether it has settled or waits.
    let settled = enter(&x, json!({}));
    confirmed(&x, "counterparty", &settled, "buy");
    assert_eq!(cancel(&x, "trader", &settled), "failed");
    let waits = enter(&x, json!({ "counterparty_id": id_of(&x, "empty") }));
    confirmed(&x, "empty", &waits, "buy");
    for key in ["trader", "empty"] {
        assert_eq!(cancel(&x, key, &waits), "failed");
        assert_eq!(status(&x, key, &waits), "AttemptSettlement");
    }
    laws::check(&x);
}

/// An order expires to the second, after 24 hours or those that it names. Proves CLR-013, CLR-014.
#[test]
fn orders_expire_to_the_second() {
    let x = Exchange::start();
    for (hours, fields) in [
        (24, json!({})),
        (24, json!({ "expires_in_hrs": null })),
        (1, json!({ "expires_in_hrs": 1.0 })),
        (3, json!({ "expires_in_hrs": "3" })),
        (8_760, json!({ "expires_in_hrs": 8_760 })),
    ] {
        let id = enter(&x, with(fields, json!({ "counterparty_id": id_of(&x, "counterparty") })));
        x.advance(hours * HOUR - 1);
        assert_eq!(status(&x, "trader", &id), "AwaitConfirm");
        x.advance(1);
        for key in ["trader", "counterparty"] {
            let shown = order(&x, key, &id);
            assert_eq!(
                (&shown["status"], &shown["is_confirmed"]),
                (&json!("Expired"), &json!(false)),
                "{hours}"
            );
            let refusal = confirm(&x, key, &id, "buy").refused(400, "InvalidClearingId");
            assert!(refusal.message.contains("Expired"), "{refusal:?}");
            assert_eq!(cancel(&x, key, &id), "failed");
        }
    }
    assert!(trades(&x, "trader").is_empty());
    laws::check(&x);
}

/// A confirmed order without money waits, and settles as soon as the money is there, through any of these: a credit, a fill, a released
/// hold, another settlement. Proves CLR-016.
#[test]
fn a_confirmed_order_waits_for_money() {
    let x = Exchange::start();
    let to_empty =
        || enter(&x, json!({ "counterparty_id": id_of(&x, "empty"), "amount": "1", "price": "100" }));
    let confirm = |id: &str| {
        let fields =
            json!({ "clearing_id": id, "symbol": "btcusd", "amount": "1", "price": "100", "side": "buy" });
        assert_eq!(
            x.as_("empty").call("/v1/clearing/confirm", fields).ok(),
            json!({ "result": "confirmed" })
        );
    };
    let waits = |id: &str| {
        for key in ["trader", "empty"] {
            let shown = order(&x, key, id);
            assert_eq!(
                (&shown["status"], &shown["is_confirmed"]),
                (&json!("AttemptSettlement"), &json!(true))
            );
        }
    };
    // A credit; less than enough changes nothing.
    let (first, second) = (to_empty(), to_empty());
    confirm(&second);
    confirm(&first);
    waits(&second);
    x.credit("empty", "USD", "99.99");
    waits(&second);
    x.credit("empty", "USD", "0.01");
    // The one that was confirmed first is the first.
    assert_eq!(
        (status(&x, "trader", &second), status(&x, "trader", &first)),
        ("Settled".into(), "AttemptSettlement".into())
    );
    assert_eq!(money(&x, "empty"), [dec("1"), Dec::ZERO]);
    // A fill: the coin is sold on the book.
    x.as_("counterparty").limit("btcusd", "buy", "1", "200");
    x.as_("empty").limit("btcusd", "sell", "1", "200");
    assert_eq!(status(&x, "empty", &first), "Settled");
    // A released hold.
    let third = to_empty();
    x.credit("empty", "USD", "200");
    let usd = x.as_("empty").balance("USD").1;
    let bid = x.as_("empty").place(&NewOrder::limit("btcusd", "buy", "1.9", "150"));
    assert!(x.as_("empty").balance("USD").1 < dec("100"), "of {usd} most is held");
    confirm(&third);
    waits(&third);
    x.as_("empty").cancel(bid["order_id"].as_str().unwrap());
    assert_eq!(status(&x, "trader", &third), "Settled");
    // The sandbox shows what a side lacks.
    let shown = |id: &str| x.get(&format!("/sandbox/clearing/{id}")).ok();
    let settled = json!({
        "result": "ok", "clearing_id": third, "status": "Settled", "source": id_of(&x, "trader"), "target": id_of(&x, "empty"),
        "missing": [],
    });
    assert_eq!(shown(&third), settled);
    let open = enter_as(&x, "empty", json!({ "amount": "100" }));
    let mut missing = json!({
        "result": "ok", "clearing_id": open, "status": "AwaitConfirm", "source": id_of(&x, "empty"),
        "missing": [{ "counterparty_id": id_of(&x, "empty"), "currency": "BTC", "amount": "98" }],
    });
    assert_eq!(shown(&open), missing);
    cancel(&x, "empty", &open);
    (missing["status"], missing["missing"]) = (json!("Canceled"), json!([]));
    assert_eq!(shown(&open), missing);
    for unknown in ["AAAAAAAA", "x"] {
        x.get(&format!("/sandbox/clearing/{unknown}")).refused(404, "ClearingOrderNotFound");
    }
    // Another settlement.
    let fourth = enter_as(
        &x,
        "counterparty",
        json!({ "counterparty_id": id_of(&x, "empty"), "price": "1000", "amount": "1" }),
    );
    let fields =
        json!({ "clearing_id": fourth, "symbol": "btcusd", "amount": "1", "price": "1000", "side": "buy" });
    x.as_("empty").call("/v1/clearing/confirm", fields).ok();
    assert_eq!(status(&x, "empty", &fourth), "AttemptSettlement");
    let fifth = enter_as(&x, "empty", json!({ "amount": "1", "price": "1000" }));
    let fields =
        json!({ "clearing_id": fifth, "symbol": "btcusd", "amount": "1", "price": "1000", "side": "buy" });
    x.as_("savings-trader").call("/v1/clearing/confirm", fields).ok();
    assert_eq!(
        (status(&x, "empty", &fifth), status(&x, "empty", &fourth)),
        ("Settled".into(), "Settled".into())
    );
    laws::check(&x);
}

/// An order that waits expires at its time, and the money that comes then settles nothing. Proves CLR-014, CLR-016.
#[test]
fn a_waiting_order_expires() {
    let x = Exchange::start();
    let early = enter(&x, json!({ "counterparty_id": id_of(&x, "empty"), "expires_in_hrs": 1 }));
    let late = enter(&x, json!({ "counterparty_id": id_of(&x, "empty"), "expires_in_hrs": 2 }));
    let now = x.now_ms();
    for id in [&early, &late] {
        confirmed(&x, "empty", id, "buy");
    }
    // Neither party can cancel it, and both see how long it binds them.
    for (id, hours) in [(&early, 1), (&late, 2)] {
        for key in ["trader", "empty"] {
            assert_eq!(order(&x, key, id)["expiration"], now + hours * 3_600_000, "{key}");
        }
    }
    x.advance(HOUR);
    let shown = order(&x, "empty", &early);
    assert_eq!((&shown["status"], &shown["is_confirmed"]), (&json!("Expired"), &json!(true)));
    x.credit("empty", "USD", "200000");
    assert_eq!(
        (status(&x, "trader", &early), status(&x, "trader", &late)),
        ("Expired".into(), "Settled".into())
    );
    assert_eq!(trades(&x, "empty").len(), 1);
    laws::check(&x);
}

/// A credit for which more than a hundred orders wait settles all of them, the oldest confirmations first, and another account's order does
/// not wait for these. Proves CLR-016.
#[test]
fn many_orders_that_wait_settle_in_turns() {
    let x = Exchange::start();
    let to_empty = |amount: &str, price: &str| {
        let id =
            enter(&x, json!({ "counterparty_id": id_of(&x, "empty"), "amount": amount, "price": price }));
        let fields =
            json!({ "clearing_id": id, "symbol": "btcusd", "amount": amount, "price": price, "side": "buy" });
        assert_eq!(
            x.as_("empty").call("/v1/clearing/confirm", fields).ok(),
            json!({ "result": "confirmed" })
        );
        id
    };
    // 130 orders wait for the dollars of one account; with all but the last ten's the last ten wait on.
    let ids: Vec<String> = (0..130).map(|_| to_empty("0.001", "10000")).collect();
    let other = enter_as(&x, "counterparty", json!({ "amount": "1", "price": "1000" }));
    x.credit("empty", "USD", "1200");
    let fields =
        json!({ "clearing_id": other, "symbol": "btcusd", "amount": "1", "price": "1000", "side": "buy" });
    x.as_("trader").call("/v1/clearing/confirm", fields).ok();
    assert_eq!(status(&x, "counterparty", &other), "Settled");
    x.advance(1);
    let settled = ids.iter().map(|id| status(&x, "trader", id) == "Settled").collect::<Vec<bool>>();
    assert_eq!(settled, (0..130).map(|number| number < 120).collect::<Vec<bool>>());
    x.credit("empty", "USD", "100");
    x.advance(1);
    assert!(ids.iter().all(|id| status(&x, "empty", id) == "Settled"));
    laws::check(&x);
}

/// The order of a clearing trade is found by both parties as a closed market order, and the statement leads from the clearing to the trade;
/// one that has not traded says where it is. Proves D-287.
#[test]
fn the_order_of_a_clearing_trade_is_found() {
    let x = Exchange::start();
    let id = enter(&x, json!({ "counterparty_id": id_of(&x, "counterparty") }));
    let listed = |key: &str| x.as_(key).call("/v1/clearing/list", json!({})).ok()["orders"][0].clone();
    let status = |key: &str, order: &Value| {
        x.as_(key).call("/v1/order/status", json!({ "order_id": order, "include_trades": true }))
    };
    let order = listed("trader")["order_id"].clone();
    let refusal = status("trader", &order).refused(404, "OrderNotFound");
    assert!(refusal.message.contains("/v1/clearing/status") && refusal.message.contains(&id), "{refusal:?}");
    confirmed(&x, "counterparty", &id, "buy");
    x.advance(1);
    for (key, side) in [("trader", "sell"), ("counterparty", "buy")] {
        let trade = x.as_(key).call("/v1/mytrades", json!({ "symbol": "btcusd" })).ok()[0].clone();
        assert_eq!(trade["is_clearing_fill"], true, "{trade}");
        let found = status(key, &trade["order_id"]).ok();
        let names = [
            "order_id",
            "symbol",
            "side",
            "type",
            "executed_amount",
            "remaining_amount",
            "avg_execution_price",
        ];
        let kind = format!("market {side}");
        let own = trade["order_id"].as_str().unwrap();
        assert_eq!(
            names.map(|name| found[name].as_str().unwrap()),
            [own, "btcusd", side, &kind, "2", "0", "30000"]
        );
        assert_eq!((&found["is_live"], &found["is_cancelled"]), (&json!(false), &json!(false)));
        assert_eq!(found["trades"][0]["tid"], trade["tid"]);
        let lines = x.as_(key).call("/v1/statement", json!({ "limit_entries": 50 })).ok();
        let own: Vec<&Value> =
            lines.as_array().unwrap().iter().filter(|line| line["clearing_id"] == json!(id)).collect();
        assert!(own.len() >= 2 && own.iter().all(|line| line["tid"] == trade["tid"]), "{own:?}");
        // No other account has it.
        status("broker", &trade["order_id"]).refused(404, "OrderNotFound");
        x.restart();
        assert_eq!(status(key, &trade["order_id"]).ok(), found);
    }
    let other = enter(&x, json!({ "counterparty_id": id_of(&x, "counterparty") }));
    let order = listed("trader")["order_id"].clone();
    cancel(&x, "trader", &other);
    let refusal = status("trader", &order).refused(404, "OrderNotFound");
    assert!(refusal.message.contains(&other), "{refusal:?}");
    laws::check(&x);
}
