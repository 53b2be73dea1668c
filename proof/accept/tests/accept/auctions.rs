//! Call auctions, from their schedule to their results.

use buttonwood_accept::{
    Dec, Exchange, NewOrder, Script, Value, check, dec, json, laws, same_keys, wait_until,
};

/// The start time of every exchange in these tests.
const START_MS: u64 = 1_767_225_600_000;

/// An order for an auction is not on the continuous book and trades with nothing before the auction; other orders of
/// the symbol trade as usual. Proves AUCT-001, MKT-013.
#[test]
fn orders_for_an_auction_wait_apart() {
    let x = Exchange::start();
    x.schedule_auction("btcusd", &json!({}), 300);
    let order = NewOrder::limit("btcusd", "sell", "1", "30000").with_option("auction-only");
    let answer = x.as_("counterparty").call("/v1/order/new", order.params());
    let placed = answer.ok();
    assert_eq!(placed["type"], "auction-only exchange limit", "{answer}");
    assert_eq!(placed["options"], json!(["auction-only"]), "{answer}");
    assert_eq!(x.as_("counterparty").status(placed["order_id"].as_str().unwrap())["type"], placed["type"]);
    let mut script = Script::new(&x);
    script.run(
        "
        book btcusd                                         => bids none; asks none
        balance counterparty BTC 1000 available 999
        trader buy btcusd 1 @ 31000 as B1                   => live, executed 0
        trader buy btcusd 1 at market                       => cancelled ImmediateOrCancelWouldPost, executed 0
        trader buy btcusd 1 @ 31000 fill-or-kill            => cancelled FillOrKillWouldNotFill
        trader buy btcusd 1 @ 30999 maker-or-cancel as B2   => live
        broker sell btcusd 0.5 @ 31000                      => filled, average 31000
        book btcusd                                         => bids 0.5 @ 31000, 1 @ 30999; asks none
        trades btcusd                                       => 0.5 @ 31000 sell
        ",
    );
    laws::check(&x);
}

/// Without auctions the option is refused; a symbol that had one auction has none after it. Proves AUCT-002,
/// AUCT-010.
#[test]
fn without_auctions() {
    let x = Exchange::start();
    let refused = |symbol: &str| {
        let order = NewOrder::limit(symbol, "buy", "1", "100").with_option("auction-only");
        let answer = x.as_("trader").call("/v1/order/new", order.params());
        let refusal = answer.refused(400, "UnsupportedOption");
        let why = format!("symbol {} has no auctions", symbol.to_ascii_uppercase());
        assert!(refusal.message.contains(&why), "{answer}");
    };
    refused("btcusd");
    assert_eq!(x.get("/v1/auction/btcusd").ok(), json!({}));
    assert_eq!(x.get("/v1/auction/btcusd/history").ok(), json!([]));
    for path in ["/v1/auction/zzzusd", "/v1/auction/zzzusd/history"] {
        x.get(path).refused(400, "InvalidSymbol");
    }
    x.schedule_auction("btcusd", &json!({}), 60);
    refused("ethusd");
    x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "1", "100").with_option("auction-only"));
    x.advance(60);
    refused("btcusd");
    assert_eq!(x.as_("trader").live_ids(), [""; 0]);
    // A cancelled auction releases its orders.
    x.schedule_auction("btcusd", &json!({}), 60);
    let placed =
        x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "1", "100").with_option("auction-only"));
    x.control("/sandbox/symbols/btcusd/auctions", &json!({ "enabled": false })).ok();
    let order = x.as_("trader").status(placed["order_id"].as_str().unwrap());
    assert_eq!((&order["is_cancelled"], &order["reason"]), (&json!(true), &json!("AuctionCancelled")));
    refused("btcusd");
    x.advance(100);
    assert_eq!(x.get("/v1/auction/btcusd/history").ok().as_array().unwrap().len(), 1, "one was run");
    laws::check(&x);
}

/// Until its last minute an order for an auction can be cancelled, after that it cannot (of AUCT-003, the part
/// without an event stream). Proves ORD-062.
#[test]
fn the_last_minute_binds() {
    check(
        "
        auction btcusd in 120
        trader buy btcusd 1 @ 100 auction-only as B1        => live
        trader buy btcusd 1 @ 101 auction-only as B2        => live
        trader buy btcusd 1 @ 99 as B3                      => live
        advance 59
        trader cancel B1                                    => cancelled Requested
        advance 1
        trader cancel B2                                    => live, executed 0, remaining 1
        trader cancel all                                   => B3 but B2
        trader buy btcusd 1 @ 99 auction-only as B4         => live
        trader cancel session                               => nothing but B2, B4
        balance trader USD 100000 available 100000 - 200 - 0.8
        advance 60
        order B2                                            => cancelled AuctionCancelled, executed 0
        order B4                                            => cancelled AuctionCancelled, executed 0
        trader cancel B2                                    => cancelled AuctionCancelled
        ",
    );
}

/// The auction's price is the one at which the most trades, over both books. All parties trade at it, better limits
/// first, then older orders; the rest of orders for the auction is cancelled. Proves AUCT-004, AUCT-005, AUCT-006,
/// ORD-019.
#[test]
fn one_price_for_all() {
    let x = Exchange::start();
    let mut script = Script::new(&x);
    // At 10,000 three trade; at any other price fewer.
    script.run(
        "
        counterparty buy btcusd 1 @ 9990 as C1              => live
        broker sell btcusd 2 @ 10010 as S1                  => live
        auction btcusd in 600
        trader buy btcusd 2 @ 10020 auction-only as A1      => live
        savings-trader buy btcusd 2 @ 10000 auction-only as A2 => live
        counterparty sell btcusd 3 @ 10000 auction-only as A3 => live
        broker sell btcusd 1 @ 10015 auction-only as A4     => live
        advance 599
        trades btcusd                                       => none
        advance 1
        order A1                                            => filled, average 10000
        order A2                                            => cancelled AuctionCancelled, executed 1, remaining 1, average 10000
        order A3                                            => filled, average 10000
        order A4                                            => cancelled AuctionCancelled, executed 0
        order C1                                            => live, executed 0
        order S1                                            => live, executed 0
        trades btcusd                                       => 1 @ 10000 auction, 2 @ 10000 auction
        balance trader BTC 1002, USD 100000 - 20000 - 40
        balance savings-trader BTC 1001, USD 100000 - 10000 - 20
        balance counterparty BTC 997, USD 100000 + 30000 - 60 available 100000 + 30000 - 60 - 9990 - 39.96
        balance broker BTC 1000 available 998, USD 100000
        ",
    );
    for (key, side, fee) in [("trader", "Buy", "40"), ("savings-trader", "Buy", "20")] {
        let answer = x.as_(key).call("/v1/mytrades", json!({ "symbol": "btcusd" }));
        let trade = &answer.ok()[0];
        assert_eq!(
            (&trade["is_auction_fill"], &trade["aggressor"], &trade["type"]),
            (&json!(true), &json!(false), &json!(side)),
            "{answer}"
        );
        assert_eq!(Dec::wire(&trade["fee_amount"]), dec(fee), "{answer}");
    }
    let both = x.as_("counterparty").call("/v1/mytrades", json!({ "symbol": "btcusd" })).ok();
    assert_eq!(both.as_array().unwrap().len(), 2);
    let order = x
        .as_("trader")
        .call("/v1/order/status", json!({ "order_id": script.id("A1"), "include_trades": true }));
    assert_eq!(order.ok()["trades"][0]["is_auction_fill"], json!(true), "{order}");
    assert_eq!(Dec::wire(&x.get("/v1/pubticker/btcusd").ok()["last"]), dec("10000"));
    // All of it is still there after a restart.
    let before =
        ["/v1/auction/btcusd", "/v1/auction/btcusd/history", "/v1/trades/btcusd", "/v2/ticker/btcusd"]
            .map(|path| (path, x.get(path).ok()));
    x.kill9();
    x.restart();
    for (path, was) in before {
        assert_eq!(x.get(path).ok(), was, "{path}");
    }
    laws::check(&x);
}

/// Resting limit and maker-or-cancel orders take part, and their rest stays on the book. Proves AUCT-004.
#[test]
fn the_continuous_book_takes_part() {
    check(
        "
        counterparty buy btcusd 1 @ 9990 maker-or-cancel as C1  => live
        counterparty buy btcusd 1 @ 9980 as C2              => live
        broker sell btcusd 2 @ 10010 as S1                  => live
        auction btcusd in 60
        trader sell btcusd 1.5 @ 9900 auction-only as A1    => live
        advance 60
        order A1                                            => filled, average 9980
        order C1                                            => filled, average 9980
        order C2                                            => live, executed 0.5
        book btcusd                                         => bids 0.5 @ 9980; asks 2 @ 10010
        trades btcusd                                       => 0.5 @ 9980 auction, 1 @ 9980 auction
        counterparty cancel C2                              => cancelled Requested
        balance counterparty BTC 1001.5, USD 100000 - 14970 - 29.94
        ",
    );
}

/// At more than five percent from the middle of the book nothing trades; at five percent it does. Proves AUCT-007.
#[test]
fn a_price_beyond_the_collar_fails() {
    let x = Exchange::start();
    let mut script = Script::new(&x);
    script.run(
        "
        counterparty buy btcusd 1 @ 9999 as C1
        broker sell btcusd 1 @ 10001 as S1
        auction btcusd in 60
        trader buy btcusd 5 @ 10500.01 auction-only as A1
        savings-trader sell btcusd 3 @ 10500.01 auction-only as A2
        advance 60
        order A1                                            => cancelled AuctionCancelled, executed 0
        order A2                                            => cancelled AuctionCancelled, executed 0
        trades btcusd                                       => none
        auction btcusd in 60
        trader buy btcusd 5 @ 10500 auction-only as A3
        savings-trader sell btcusd 3 @ 10500 auction-only as A4
        advance 60
        order A3                                            => cancelled AuctionCancelled, executed 4, average 10500
        order A4                                            => filled, average 10500
        order S1                                            => filled, average 10500
        order C1                                            => live
        ",
    );
    let history = x.get("/v1/auction/btcusd/history?include_indicative=false");
    let rows = history.ok();
    let shown = |row: &Value| {
        let text = |name: &str| row[name].as_str().map(str::to_owned);
        ["auction_result", "auction_price", "auction_quantity", "unmatched_collar_quantity"].map(text)
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(shown(&rows[0]), [text("success"), text("10500.00"), text("4"), None], "{history}");
    assert_eq!(shown(&rows[1]), [text("failure"), text("0"), text("0"), text("4")], "{history}");
    laws::check(&x);
}

/// An account does not trade with itself in an auction: the later of its two orders is cancelled. Proves ORD-050.
#[test]
fn nobody_meets_himself_in_an_auction() {
    check(
        "
        auction btcusd in 600
        trader sell btcusd 1 @ 10000 auction-only as A1     => live
        trader buy btcusd 1 @ 10000 auction-only            => cancelled SelfCrossPrevented, executed 0
        trader buy btcusd 1 @ 10000                         => cancelled SelfCrossPrevented, executed 0
        trader buy btcusd 1 @ 10000 immediate-or-cancel     => cancelled ImmediateOrCancelWouldPost
        trader buy btcusd 1 @ 9999 as B1                    => live
        trader sell btcusd 1 @ 9999 auction-only            => cancelled SelfCrossPrevented, executed 0
        savings-trader buy btcusd 1 @ 10000 auction-only as A2 => live
        balance trader BTC 1000 available 999, USD 100000 available 100000 - 9999 - 39.996
        advance 600
        order A1                                            => filled
        order A2                                            => filled
        ",
    );
}

/// The reply of `/v1/auction` before an auction opens, while orders wait, after its first indicative price, and after
/// the auction. Proves AUCT-008.
#[test]
fn where_auctions_stand() {
    let x = Exchange::start();
    let schedule = json!({
        "auction_open_ms": START_MS + 60_000,
        "first_indicative_ms": START_MS + 180_000,
        "indicative_every_seconds": 15,
        "last_cancel_time_ms": START_MS + 210_000,
        "every_seconds": 240,
    });
    x.schedule_auction("btcusd", &schedule, 240);
    let stands = |expected: &Value| {
        let answer = x.get("/v1/auction/btcusd");
        assert_eq!(&answer.ok(), expected, "{answer}");
    };
    let mut script = Script::new(&x);
    stands(&json!({
        "closed_until_ms": START_MS + 60_000,
        "next_update_ms": START_MS + 180_000,
        "next_auction_ms": START_MS + 240_000,
    }));
    let early = NewOrder::limit("btcusd", "buy", "1", "100").with_option("auction-only");
    let refusal = x.as_("trader").call("/v1/order/new", early.params()).refused(400, "AuctionNotOpen");
    assert!(refusal.message.contains("it opens at 2026-01-01T00:01:00.000Z"), "{refusal:?}");
    x.advance(60);
    stands(&json!({ "next_update_ms": START_MS + 180_000, "next_auction_ms": START_MS + 240_000 }));
    script.run(
        "
        counterparty buy btcusd 1 @ 9999.99
        broker sell btcusd 1 @ 10000.02
        trader buy btcusd 2 @ 10010 auction-only as A1
        savings-trader sell btcusd 1.5 @ 9990 auction-only as A2
        advance 120
        ",
    );
    let told = json!({
        "most_recent_indicative_price": "10000.02",
        "most_recent_indicative_quantity": "2",
        "most_recent_highest_bid_price": "9999.99",
        "most_recent_lowest_ask_price": "10000.02",
        "most_recent_collar_price": "10000.005",
        "next_update_ms": START_MS + 195_000,
        "next_auction_ms": START_MS + 240_000,
    });
    stands(&told);
    x.advance(45);
    stands(&with(&told, "next_update_ms", START_MS + 240_000));
    x.advance(15);
    let answer = x.get("/v1/auction/btcusd");
    let after = answer.ok();
    let keys = [
        "last_auction_eid",
        "last_auction_price",
        "last_auction_quantity",
        "last_highest_bid_price",
        "last_lowest_ask_price",
        "last_collar_price",
        "next_update_ms",
        "next_auction_ms",
        "closed_until_ms",
    ];
    same_keys(&after, &keys, &answer);
    assert_eq!(after["last_auction_price"], "10000.02");
    assert_eq!(after["last_auction_quantity"], "2");
    assert_eq!(after["last_collar_price"], "10000.005");
    assert!(after["last_auction_eid"].is_u64());
    // The next auction has the same times, shifted by the interval.
    assert_eq!(after["closed_until_ms"], json!(START_MS + 300_000));
    assert_eq!(after["next_auction_ms"], json!(START_MS + 480_000));
    laws::check(&x);
}

/// The indicative prices of an auction that is cancelled or moved are no longer shown. Proves AUCT-008, AUCT-010.
#[test]
fn an_auction_that_is_called_off() {
    let x = Exchange::start();
    x.schedule_auction("btcusd", &json!({}), 300);
    x.advance(120);
    let told = x.get("/v1/auction/btcusd");
    assert_eq!(told.ok()["most_recent_indicative_price"], "0", "{told}");
    x.control("/sandbox/symbols/btcusd/auctions", &json!({ "enabled": false })).ok();
    assert_eq!(x.get("/v1/auction/btcusd").ok(), json!({}));
    x.schedule_auction("btcusd", &json!({}), 86_400);
    let moved = x.get("/v1/auction/btcusd");
    same_keys(&moved.ok(), &["next_update_ms", "next_auction_ms"], &moved);
}

fn with(value: &Value, name: &str, number: u64) -> Value {
    let mut value = value.clone();
    value[name] = number.into();
    value
}

/// Indicative and final results, newest first. Proves AUCT-009.
#[test]
fn history() {
    let x = Exchange::start();
    let schedule = json!({ "every_seconds": 600, "first_indicative_ms": START_MS + 420_000 });
    x.schedule_auction("btcusd", &schedule, 600);
    let mut script = Script::new(&x);
    script.run(
        "
        counterparty buy btcusd 1 @ 9999
        broker sell btcusd 1 @ 10001
        trader buy btcusd 2 @ 10010 auction-only
        advance 1200
        ",
    );
    let answer = x.get("/v1/auction/btcusd/history");
    let rows = answer.ok();
    let rows = rows.as_array().unwrap();
    let keys = [
        "auction_id",
        "auction_price",
        "auction_quantity",
        "highest_bid_price",
        "lowest_ask_price",
        "collar_price",
        "eid",
        "auction_result",
        "timestamp",
        "timestampms",
        "event_type",
    ];
    for row in rows {
        same_keys(row, &keys, &answer);
    }
    let seen: Vec<_> =
        rows.iter().map(|row| (row["auction_id"].as_u64(), row["event_type"].as_str())).collect();
    let one = |id| {
        let told = (Some(id), Some("indicative"));
        [(Some(id), Some("auction")), told, told, told]
    };
    assert_eq!(seen, [one(2), one(1)].concat(), "{answer}");
    let first = &rows[7];
    assert_eq!(
        (&first["auction_price"], &first["auction_quantity"], &first["auction_result"]),
        (&json!("10001.00"), &json!("1"), &json!("success")),
        "{answer}"
    );
    assert_eq!(first["timestampms"], json!(START_MS + 420_000));
    assert_eq!(first["timestamp"], json!(START_MS / 1_000 + 420));
    assert!(rows.is_sorted_by_key(|row| std::cmp::Reverse(row["eid"].as_u64())), "{answer}");
    // The second auction had no orders.
    assert_eq!(rows[0]["auction_result"], "failure");
    assert_eq!((&rows[0]["lowest_ask_price"], &rows[0]["collar_price"]), (&json!("0"), &json!("10001.00")));

    let asked = |query: &str| {
        let answer = x.get(&format!("/v1/auction/btcusd/history?{query}")).ok();
        answer.as_array().unwrap().iter().map(|row| row["eid"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let eids: Vec<u64> = rows.iter().map(|row| row["eid"].as_u64().unwrap()).collect();
    assert_eq!(asked("limit_auction_results=2"), eids[..2]);
    assert_eq!(asked("limit_auction_results=501"), eids);
    assert_eq!(asked("include_indicative=false"), [eids[0], eids[4]]);
    assert_eq!(asked("include_indicative=0&limit_auction_results=1"), [eids[0]]);
    for name in ["since", "timestamp"] {
        assert_eq!(asked(&format!("{name}={}", START_MS + 540_000)), eids[..5], "{name}");
        assert_eq!(asked(&format!("{name}={}", START_MS / 1_000 + 540)), eids[..5], "{name}");
    }
    assert_eq!(asked("timestamp=0"), eids);
    for (wrong, reason) in [
        ("limit_auction_results=0", "InvalidParameterValue"),
        ("limit_auction_results=-1", "InvalidParameterValue"),
        ("include_indicative=maybe", "InvalidParameterValue"),
        ("since=yesterday", "InvalidTimestampInPayload"),
    ] {
        let refusal = x.get(&format!("/v1/auction/btcusd/history?{wrong}")).refused(400, reason);
        let (name, value) = wrong.split_once('=').unwrap();
        assert!(refusal.message.contains(name) && refusal.message.ends_with(value), "{refusal:?}");
    }
    laws::check(&x);
}

/// A reply has 50 results by default, and 500 at most. Proves AUCT-009.
#[test]
fn long_history() {
    let x = Exchange::start();
    x.schedule_auction("btcusd", &json!({ "every_seconds": 60, "indicative_every_seconds": 6 }), 60);
    x.advance(60 * 52);
    let count =
        |query: &str| x.get(&format!("/v1/auction/btcusd/history?{query}")).ok().as_array().unwrap().len();
    assert_eq!(count(""), 50);
    assert_eq!(count("limit_auction_results=500"), 500);
    assert_eq!(count("limit_auction_results=9999"), 500);
    assert_eq!(count("limit_auction_results=500&include_indicative=false"), 52);
    laws::check(&x);
}

/// Moving the clock over a century of auctions, one per minute, ends soon, and the next auction is the first one
/// after that.
#[test]
fn a_century_of_auctions() {
    let x = Exchange::start();
    x.schedule_auction("btcusd", &json!({ "every_seconds": 60, "indicative_every_seconds": 1 }), 60);
    x.schedule_auction("ethusd", &json!({ "every_seconds": 3600 }), 60);
    x.advance(100 * 366 * 24 * 3_600);
    for (symbol, every) in [("btcusd", 60_000), ("ethusd", 3_600_000)] {
        let next = x.get(&format!("/v1/auction/{symbol}")).ok()["next_auction_ms"].as_u64().unwrap();
        let now = x.now_ms();
        assert!(now < next && next <= now + every, "{symbol}: {now} {next}");
        assert_eq!((next - START_MS - 60_000) % every, 0, "{symbol}");
    }
    laws::check(&x);
}

/// An invalid schedule is refused with its wrong field, and changes nothing.
#[test]
fn senseless_schedules() {
    let x = Exchange::start();
    x.advance(600);
    let path = "/sandbox/symbols/btcusd/auctions";
    let soon = START_MS + 1_200_000;
    let cases = [
        (json!({}), "auction_time_ms"),
        (json!({ "enabled": "no", "auction_time_ms": soon }), "enabled"),
        (json!({ "auction_time_ms": "soon" }), "auction_time_ms"),
        (json!({ "auction_time_ms": START_MS + 600_000 }), "auction_time_ms"),
        (json!({ "auction_time_ms": 999_999_999_999_999_u64 }), "auction_time_ms"),
        (json!({ "auction_time_ms": soon, "every_seconds": 59 }), "every_seconds"),
        (json!({ "auction_time_ms": soon, "every_seconds": 31_622_401 }), "every_seconds"),
        (json!({ "auction_time_ms": soon, "every_seconds": -1 }), "every_seconds"),
        (json!({ "auction_time_ms": soon, "auction_open_ms": soon + 1 }), "auction_open_ms"),
        (json!({ "auction_time_ms": soon, "first_indicative_ms": soon + 1 }), "first_indicative_ms"),
        (
            json!({ "auction_time_ms": soon, "auction_open_ms": soon - 9, "first_indicative_ms": soon - 10 }),
            "first_indicative_ms",
        ),
        (json!({ "auction_time_ms": soon, "indicative_every_seconds": 0 }), "indicative_every_seconds"),
        (json!({ "auction_time_ms": soon, "indicative_every_seconds": 5 }), "indicative_every_seconds"),
        (
            json!({ "auction_time_ms": soon, "indicative_every_seconds": 31_622_401 }),
            "indicative_every_seconds",
        ),
        (
            json!({
                "auction_time_ms": soon, "auction_open_ms": soon - 9_000, "first_indicative_ms": soon - 10_000,
                "indicative_every_seconds": 60,
            }),
            "'first_indicative_ms'",
        ),
        (
            json!({ "auction_time_ms": soon, "auction_open_ms": soon - 9, "last_cancel_time_ms": soon - 10 }),
            "last_cancel_time_ms",
        ),
    ];
    for (wrong, field) in cases {
        let answer = x.control(path, &wrong);
        assert_eq!(answer.status(), 400, "{answer}");
        assert!(answer.error().message.contains(field), "{field}: {answer}");
    }
    x.control("/sandbox/symbols/zzzusd/auctions", &json!({ "auction_time_ms": soon }))
        .refused(400, "InvalidSymbol");
    x.control("/sandbox/symbols/btcgusdperp/auctions", &json!({ "auction_time_ms": soon })).error();
    assert_eq!(x.get("/v1/auction/btcusd").ok(), json!({}));
    // Only limit orders may wait for an auction.
    x.schedule_auction("btcusd", &json!({}), 60);
    let market = json!({
        "symbol": "btcusd", "side": "sell", "amount": "1", "type": "exchange market", "options": ["auction-only"],
    });
    x.as_("trader").call("/v1/order/new", market).refused(400, "UnsupportedOption");
    laws::check(&x);
}

/// An auction that is due while the exchange is down runs after the start, and the next one at its time.
#[test]
fn an_auction_survives_a_crash() {
    let x = Exchange::builder().real_time().start();
    x.schedule_auction("btcusd", &json!({ "every_seconds": 3600 }), 2);
    let due = x.get("/v1/auction/btcusd").ok()["next_auction_ms"].as_u64().unwrap();
    let placed =
        x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "1", "10000").with_option("auction-only"));
    let sold = x
        .as_("counterparty")
        .place(&NewOrder::limit("btcusd", "sell", "1", "9000").with_option("auction-only"));
    x.kill9();
    wait_until("the time of the auction", || {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() > due.into()
    });
    x.restart();
    let trader = x.as_("trader");
    let id = |order: &Value| order["order_id"].as_str().unwrap().to_owned();
    wait_until("the auction", || trader.status(&id(&placed))["is_live"] == json!(false));
    let order = trader.status(&id(&placed));
    assert_eq!((&order["executed_amount"], &order["is_cancelled"]), (&json!("1"), &json!(false)), "{order}");
    // Without a book and a last trade, the price is the middle of the prices at which all trade.
    assert_eq!(Dec::wire(&order["avg_execution_price"]), dec("9500"));
    assert_eq!(x.as_("counterparty").status(&id(&sold))["executed_amount"], "1");
    assert!(x.get("/v1/auction/btcusd").ok()["next_auction_ms"].as_u64() > Some(x.now_ms()));
    laws::check(&x);
}
