//! Trades and transfers of a group: clauses XFER-031 to XFER-034.

use buttonwood_accept::{Exchange, NewOrder, Value, json, laws, same_keys};

const PATH: &str = "/v1/transactions";

fn page(x: &Exchange, params: Value) -> Value {
    x.as_("master").call(PATH, params).ok()
}

fn results(page: &Value) -> Vec<Value> {
    page["results"].as_array().unwrap().clone()
}

fn transfer(x: &Exchange, from: &str, to: &str, currency: &str, amount: &str) {
    let params = json!({ "sourceAccount": from, "targetAccount": to, "amount": amount });
    x.as_("master").call(&format!("/v1/account/transfer/{currency}"), params).ok();
}

/// Everything, by pages of this many; `between` happens after each page.
fn all(x: &Exchange, limit: usize, mut between: impl FnMut()) -> Vec<Value> {
    let (mut reached, mut token) = (Vec::new(), None);
    for number in 0.. {
        assert!(number < 1_000, "paging does not come to an end");
        let mut params = json!({ "limit": limit });
        if let Some(token) = &token {
            params["continuation_token"] = Value::clone(token);
        }
        let page = page(x, params);
        let items = results(&page);
        assert!(items.len() <= limit, "{page}");
        reached.extend(items.iter().cloned());
        match page.get("continuationToken") {
            Some(next) => token = Some(next.clone()),
            None => return reached,
        }
        assert_eq!(items.len(), limit, "only the last page is short");
        between();
    }
    unreachable!("the loop has no end");
}

/// A group with trades of two accounts, transfers between them, and credits, some of them in one moment.
fn busy() -> Exchange {
    let x = Exchange::start();
    let other = x.as_("counterparty");
    for round in 0..6_u64 {
        transfer(&x, "primary", "savings", "btc", "0.5");
        x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "1", "3000").named(&format!("mine-{round}")));
        other.limit("btcusd", "sell", "0.4", "3000");
        x.credit("trader", "USD", "1");
        // Both sides of this trade belong to the group.
        x.as_("savings-trader").limit("btcusd", "sell", "0.6", "3000");
        if round % 2 == 0 {
            x.advance(10);
        }
    }
    x
}

/// A trade has these fields, once for each account of the group that is part of it. Proves XFER-033.
#[test]
fn trades() {
    let x = busy();
    let items = results(&page(&x, json!({})));
    let trades: Vec<&Value> = items.iter().filter(|item| item["type"] == "trade").collect();
    assert_eq!(trades.len(), 18);
    for trade in &trades {
        same_keys(
            trade,
            &[
                "type",
                "account",
                "amount",
                "clientOrderId",
                "price",
                "timestampms",
                "side",
                "isAggressor",
                "feeAssetCode",
                "feeAmount",
                "orderId",
                "exchange",
                "isAuctionFill",
                "isClearingFill",
                "symbol",
                "tid",
            ],
            "a trade",
        );
    }
    let [first, second, third] = [trades[0], trades[1], trades[2]];
    assert_eq!([&first["account"], &first["side"], &first["symbol"]], ["primary", "SIDE_TYPE_BUY", "BTCUSD"]);
    assert_eq!([&first["amount"], &first["price"], &first["clientOrderId"]], ["0.4", "3000.00", "mine-0"]);
    assert_eq!((&first["isAggressor"], &first["isAuctionFill"]), (&json!(false), &json!(false)));
    assert_eq!([&first["feeAssetCode"], &first["exchange"]], ["USD", "svc"]);
    assert_eq!(second["tid"], third["tid"], "both parts are the group's");
    let mut accounts = [second["account"].clone(), third["account"].clone()];
    accounts.sort_by_key(ToString::to_string);
    assert_eq!(accounts, ["primary", "savings"]);
    let own = x.as_("trader").call("/v1/mytrades", json!({ "limit_trades": 500 })).ok();
    let own = own.as_array().unwrap().iter().rev();
    let of_primary = trades.iter().filter(|trade| trade["account"] == "primary");
    for (trade, own) in of_primary.zip(own) {
        assert_eq!((&trade["tid"], &trade["amount"]), (&own["tid"], &own["amount"]));
        assert_eq!((&trade["feeAmount"], &trade["timestampms"]), (&own["fee_amount"], &own["timestampms"]));
        assert_eq!(trade["orderId"].as_u64().unwrap().to_string(), own["order_id"].as_str().unwrap());
        assert_eq!(trade["isAggressor"], own["aggressor"]);
    }
    laws::check(&x);
}

/// A transfer has these fields, and the ids that it has. Proves XFER-034.
#[test]
fn transfers() {
    let x = Exchange::start();
    let params = json!({ "sourceAccount": "primary", "targetAccount": "savings", "amount": "1.5", "clientTransferId": "my-1" });
    let moved = x.as_("master").call("/v1/account/transfer/btc", params).ok();
    x.control(
        "/sandbox/accounts/credit",
        &json!({ "group": "one", "account": "savings", "currency": "USD", "amount": "2", "reference": "gift" }),
    )
    .ok();
    let items = results(&page(&x, json!({})));
    let always = [
        "type",
        "timestampms",
        "source",
        "destination",
        "operationReason",
        "status",
        "eid",
        "currency",
        "amount",
        "method",
    ];
    let [out, into, gift] = [&items[0], &items[1], &items[2]];
    same_keys(out, &[&always[..], &["correlationId", "transferId", "clientTransferId"]].concat(), "out");
    same_keys(into, &[&always[..], &["correlationId", "transferId", "withdrawalEid"]].concat(), "into");
    same_keys(gift, &[&always[..], &["purpose"]].concat(), "a credit");
    for (item, reason) in [(out, "Withdrawal"), (into, "Deposit")] {
        assert_eq!(
            [&item["type"], &item["source"], &item["destination"]],
            ["transfer", "primary", "savings"]
        );
        assert_eq!(
            [&item["operationReason"], &item["status"], &item["method"]],
            [reason, "Complete", "Internal"]
        );
        assert_eq!([&item["currency"], &item["amount"]], ["BTC", "1.5"]);
        assert_eq!((&item["transferId"], &item["correlationId"]), (&moved["uuid"], &out["eid"]));
    }
    assert_eq!((&out["clientTransferId"], &into["withdrawalEid"]), (&json!("my-1"), &out["eid"]));
    assert_eq!([&gift["source"], &gift["destination"], &gift["method"]], ["svc", "savings", "Admin"]);
    assert_eq!([&gift["operationReason"], &gift["purpose"], &gift["amount"]], ["AdminCredit", "gift", "2"]);
    laws::check(&x);
}

/// All accounts of the group and no other's, the oldest first; 100 by default, 300 at most. Proves XFER-031.
#[test]
fn the_whole_group_in_order() {
    let x = busy();
    for _ in 0..150 {
        transfer(&x, "primary", "savings", "eth", "0.01");
    }
    let items = results(&page(&x, json!({ "limit": 300 })));
    assert_eq!(items.len(), 300);
    let times: Vec<u64> = items.iter().map(|item| item["timestampms"].as_u64().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(results(&page(&x, json!({}))), items[..100]);
    for limit in [json!(301), json!("1000"), json!(u64::MAX)] {
        assert_eq!(results(&page(&x, json!({ "limit": limit }))), items);
    }
    assert_eq!(results(&page(&x, json!({ "limit": 1 }))), items[..1]);
    // Rows of one moment are in the order in which they happened.
    let kinds: Vec<&Value> = items[..6].iter().map(|item| &item["type"]).collect();
    assert_eq!(kinds, ["transfer", "transfer", "trade", "transfer", "trade", "trade"]);
    for key in ["trader", "auditor", "fund-manager"] {
        x.as_(key).call(PATH, json!({})).refused(403, "MissingRole");
    }
    assert_eq!(results(&x.as_("master-auditor").call(PATH, json!({ "limit": 300 })).ok()), items);
}

/// Following the token reaches every item once, whatever happens between the pages, and after a restart; the end has no token.
/// Proves XFER-032.
#[test]
fn tokens_reach_everything_once() {
    let x = busy();
    let whole = results(&page(&x, json!({ "limit": 300 })));
    assert_eq!(whole.len(), 36);
    assert!(page(&x, json!({ "limit": 36 })).get("continuationToken").is_none(), "nothing is left");
    for limit in [1, 2, 5, 7, 35, 36, 100] {
        assert_eq!(all(&x, limit, || ()), whole, "by {limit}");
    }
    // A row that is added in the same moment comes once too, at the end.
    let mut added = 0;
    let reached = all(&x, 5, || {
        if added < 3 {
            transfer(&x, "savings", "primary", "ltc", "1");
            x.as_("trader").limit("ethusd", "buy", "1", "2000");
            x.as_("counterparty").limit("ethusd", "sell", "1", "2000");
            added += 1;
        }
    });
    assert_eq!(reached[..36], whole);
    assert_eq!(reached, results(&page(&x, json!({ "limit": 300 }))));
    assert_eq!(reached.len(), 45);
    let first = page(&x, json!({ "limit": 10 }));
    let next = json!({ "limit": 300, "continuation_token": first["continuationToken"] });
    x.restart();
    assert_eq!(results(&page(&x, next.clone())), reached[10..]);
    x.kill9();
    x.restart();
    assert_eq!(results(&page(&x, next)), reached[10..]);
    laws::check(&x);
}

/// From a time on, in nanoseconds, inclusive. Proves XFER-032.
#[test]
fn from_a_time_on() {
    let x = busy();
    let whole = results(&page(&x, json!({ "limit": 300 })));
    let mut times: Vec<u64> = whole.iter().map(|item| item["timestampms"].as_u64().unwrap()).collect();
    times.dedup();
    assert_eq!(times.len(), 4);
    for time in times {
        let later = |from: u64| -> Vec<Value> {
            whole.iter().filter(|item| item["timestampms"].as_u64().unwrap() >= from).cloned().collect()
        };
        let nanos = time * 1_000_000;
        let from = |nanos: u64| results(&page(&x, json!({ "timestamp_nanos": nanos, "limit": 300 })));
        assert_eq!(from(nanos), later(time));
        assert_eq!(from(nanos + 1), later(time + 1));
        let text = json!({ "timestamp_nanos": nanos.to_string(), "limit": 2 });
        assert_eq!(results(&page(&x, text)), later(time)[..2]);
    }
    assert_eq!(page(&x, json!({ "timestamp_nanos": u64::MAX })), json!({ "results": [] }));
    assert_eq!(results(&page(&x, json!({ "timestamp_nanos": 0, "limit": 300 }))), whole);
}

/// Bad tokens, both starts at once, and what cannot be read: 400 with the field. Proves XFER-032.
#[test]
fn wrong_parameters() {
    let x = busy();
    let token = page(&x, json!({ "limit": 3 }))["continuationToken"].as_str().unwrap().to_owned();
    let params = json!({ "continuation_token": token, "timestamp_nanos": 0 });
    x.as_("master").call(PATH, params).refused(400, "InvalidParameterValue");
    for (field, value) in [
        ("continuation_token", json!("")),
        ("continuation_token", json!("nonsense")),
        ("continuation_token", json!(token[1..])),
        ("continuation_token", json!(format!("{token}0"))),
        ("continuation_token", json!(token.replacen("0000000", "00000+0", 1))),
        ("continuation_token", json!(format!("ffffffff{}", &token[8..]))),
        ("continuation_token", json!("\u{e9}".repeat(21))),
        ("continuation_token", json!(7)),
        ("timestamp_nanos", json!("soon")),
        ("timestamp_nanos", json!(-1)),
        ("timestamp_nanos", json!(1.5)),
        ("limit", json!(0)),
        ("limit", json!("x")),
        ("limit", json!(-3)),
    ] {
        let mut params = json!({});
        params[field] = value;
        let message = x.as_("master").call(PATH, params).refused(400, "InvalidParameterValue").message;
        assert!(message.contains(field), "{message}");
    }
    x.as_("master").call(PATH, json!({ "account": "nobody" })).refused(400, "InvalidAccountName");
}
