//! Traded volume, fee tiers and fee promotions. Clauses MKT-036, VOL-001 to VOL-014.

use buttonwood_accept::{Answer, Exchange, Value, json, same_keys};

/// The start time of every exchange in these tests: a whole day of UTC.
const START_MS: u64 = 1_767_225_600_000;
const DAY: u64 = 86_400;

fn trade(x: &Exchange, symbol: &str, amount: &str, price: &str) -> Value {
    x.as_("counterparty").limit(symbol, "sell", amount, price);
    x.as_("trader").limit(symbol, "buy", amount, price)
}

fn volume(x: &Exchange, key: &str) -> Value {
    x.as_(key).call("/v1/notionalvolume", json!({})).ok()
}

/// The rates of maker and taker that a key is shown.
fn shown(x: &Exchange, key: &str, payload: Value) -> [Value; 2] {
    let volume = x.as_(key).call("/v1/notionalvolume", payload).ok();
    [volume["api_maker_fee_bps"].clone(), volume["api_taker_fee_bps"].clone()]
}

fn set_fees(x: &Exchange, body: &Value) -> Answer {
    x.control("/sandbox/fees", body)
}

fn set_tiers(x: &Exchange, tiers: &Value) -> Answer {
    x.control("/sandbox/fees/schedule", &json!({ "tiers": tiers }))
}

/// The fees of a key's newest trade.
fn newest_fee(x: &Exchange, key: &str) -> Value {
    x.as_(key).call("/v1/mytrades", json!({ "limit_trades": 1 })).ok()[0]["fee_amount"].clone()
}

/// All fields, with the rates of the start and thirty days without volume. Proves VOL-001, VOL-002.
#[test]
fn an_account_without_trades_has_thirty_empty_days() {
    let x = Exchange::start();
    let volume = volume(&x, "auditor");
    let fields = [
        "date",
        "last_updated_ms",
        "web_maker_fee_bps",
        "web_taker_fee_bps",
        "web_auction_fee_bps",
        "api_maker_fee_bps",
        "api_taker_fee_bps",
        "api_auction_fee_bps",
        "fix_maker_fee_bps",
        "fix_taker_fee_bps",
        "fix_auction_fee_bps",
        "notional_30d_volume",
        "notional_1d_volume",
    ];
    same_keys(&volume, &fields, &volume);
    assert_eq!((&volume["date"], &volume["last_updated_ms"]), (&json!("2026-01-01"), &json!(START_MS)));
    for channel in ["web", "api", "fix"] {
        assert_eq!(volume[format!("{channel}_maker_fee_bps")], json!(20));
        assert_eq!(volume[format!("{channel}_taker_fee_bps")], json!(40));
    }
    let days = volume["notional_1d_volume"].as_array().expect("an array");
    assert_eq!((days.len(), &volume["notional_30d_volume"]), (30, &json!("0")));
    assert_eq!(days[0], json!({ "date": "2025-12-02", "notional_volume": "0" }));
    assert_eq!(days[29], json!({ "date": "2025-12-31", "notional_volume": "0" }));
    let refused = x.as_("fund-manager").call("/v1/notionalvolume", json!({}));
    refused.refused(403, "MissingRole");
}

/// Volume of maker and taker counts from the next midnight on, for thirty days, across restarts. Proves VOL-004, VOL-005.
#[test]
fn volume_is_computed_at_midnight() {
    let x = Exchange::start();
    let total = |key: &str| volume(&x, key)["notional_30d_volume"].clone();
    let newest = |key: &str| volume(&x, key)["notional_1d_volume"][29].clone();
    x.advance(3_600);
    trade(&x, "btcusd", "1", "30000");
    trade(&x, "btcusd", "0.5", "20000.01");
    assert_eq!([total("trader"), total("counterparty")], [json!("0"), json!("0")]);
    assert_eq!(volume(&x, "trader")["last_updated_ms"], json!(START_MS));
    x.advance(DAY - 3_601);
    assert_eq!(total("trader"), json!("0"), "a second before midnight");
    x.advance(1);
    assert_eq!([total("trader"), total("counterparty")], [json!("40000.005"), json!("40000.005")]);
    assert_eq!(total("savings-trader"), json!("0"));
    assert_eq!(newest("trader"), json!({ "date": "2026-01-01", "notional_volume": "40000.005" }));
    assert_eq!(volume(&x, "trader")["last_updated_ms"], json!(START_MS + DAY * 1_000));
    trade(&x, "btcusd", "0.1", "20000");
    assert_eq!(total("trader"), json!("40000.005"), "only the next midnight counts it");
    x.kill9();
    x.restart();
    assert_eq!(total("trader"), json!("40000.005"));
    x.advance(29 * DAY);
    let later = volume(&x, "trader");
    assert_eq!(later["notional_30d_volume"], json!("42000.005"));
    assert_eq!(
        (&later["date"], &later["last_updated_ms"]),
        (&json!("2026-01-31"), &json!(START_MS + 30 * DAY * 1_000))
    );
    assert_eq!(
        later["notional_1d_volume"][0],
        json!({ "date": "2026-01-01", "notional_volume": "40000.005" })
    );
    assert_eq!(later["notional_1d_volume"][1], json!({ "date": "2026-01-02", "notional_volume": "2000" }));
    x.advance(DAY);
    assert_eq!(total("trader"), json!("2000"), "the first day is 31 days past");
    x.advance(DAY);
    assert_eq!(total("trader"), json!("0"));
    x.advance(3_000 * DAY);
    assert_eq!(volume(&x, "trader")["last_updated_ms"], json!(START_MS + 3_032 * DAY * 1_000));
}

/// Sets the index of bitcoin, and with it its reference.
fn pin(x: &Exchange, price: &str) {
    x.control("/sandbox/index/BTC", &json!({ "price": price })).ok();
}

/// A trade in another currency counts at the reference of that currency in dollars, and not at a last price. Proves VOL-003.
#[test]
fn other_currencies_are_converted_to_dollars() {
    let x = Exchange::start();
    trade(&x, "btcusd", "1", "30000.5");
    trade(&x, "ethbtc", "2", "0.05");
    x.advance(DAY);
    assert_eq!(volume(&x, "trader")["notional_30d_volume"], json!("30000.5"), "a last price is no reference");
    pin(&x, "30000");
    trade(&x, "ethbtc", "2", "0.05");
    trade(&x, "btcusd", "1", "28600");
    x.advance(DAY);
    // 30,000.50 + 0.1 BTC at 30,000 + 28,600
    assert_eq!(volume(&x, "trader")["notional_30d_volume"], json!("61600.5"));
}

/// Where the quote currency has no reference, the newest exchange rate counts. Proves VOL-003.
#[test]
fn currencies_with_rates_are_converted_at_the_newest_rate() {
    let x = Exchange::start();
    let rate = |time_ms: u64, rate: &str| {
        let call = json!({ "pair": "EURUSD", "rate": rate, "time_ms": time_ms });
        x.control("/sandbox/fx", &call).ok();
    };
    let euros = json!({ "group": "one", "account": "primary", "currency": "EUR", "amount": "20000" });
    x.control("/sandbox/accounts/credit", &euros).ok();
    rate(START_MS + 1_000, "1.25");
    rate(START_MS + 60_000, "1.5");
    x.advance(30);
    trade(&x, "btceur", "0.5", "20000");
    x.advance(60);
    trade(&x, "btceur", "0.4", "20000");
    x.advance(DAY);
    assert_eq!(volume(&x, "trader")["notional_30d_volume"], json!("24500"), "10,000 x 1.25 + 8,000 x 1.5");
}

/// Tiers are set by a control call; an account is in the highest one that its volume reaches, from midnight on, and pays
/// exactly the rates that it is shown. Proves VOL-005, VOL-007.
#[test]
fn a_tier_is_reached_by_volume() {
    let x = Exchange::start();
    let tiers = json!([
        { "from": "0", "maker_bps": 25, "taker_bps": 50 },
        { "from": "30000", "maker_bps": 10, "taker_bps": 20, "auction_bps": 5 },
        { "from": 30000.01, "maker_bps": 0, "taker_bps": 10 },
    ]);
    let set = set_tiers(&x, &tiers).ok();
    assert_eq!(
        set["tiers"][1],
        json!({ "from": "30000", "maker_bps": 10, "taker_bps": 20, "auction_bps": 5 })
    );
    assert_eq!(
        set["tiers"][2],
        json!({ "from": "30000.01", "maker_bps": 0, "taker_bps": 10, "auction_bps": 0 })
    );
    assert_eq!(shown(&x, "trader", json!({})), [25, 50]);
    trade(&x, "btcusd", "1", "30000");
    assert_eq!([newest_fee(&x, "trader"), newest_fee(&x, "counterparty")], [json!("150"), json!("75")]);
    // It rests before midnight, so it keeps the rates of then.
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    x.advance(DAY);
    assert_eq!([shown(&x, "trader", json!({})), shown(&x, "counterparty", json!({}))], [[10, 20], [10, 20]]);
    assert_eq!(volume(&x, "trader")["api_auction_fee_bps"], json!(5));
    assert_eq!(shown(&x, "savings-trader", json!({})), [25, 50]);
    x.as_("trader").limit("btcusd", "buy", "1", "30000");
    assert_eq!([newest_fee(&x, "trader"), newest_fee(&x, "counterparty")], [json!("60"), json!("75")]);
    x.advance(DAY);
    assert_eq!(shown(&x, "trader", json!({})), [0, 10]);
    x.advance(30 * DAY);
    assert_eq!(shown(&x, "trader", json!({})), [25, 50]);
    // One schedule for all ends the tiers.
    set_fees(&x, &json!({ "maker_bps": 3, "taker_bps": 7 })).ok();
    assert_eq!(shown(&x, "trader", json!({})), [3, 7]);
    set_fees(&x, &json!({ "enabled": false })).ok();
    assert_eq!(shown(&x, "trader", json!({})), [20, 40]);
}

/// An account's own rates take precedence over the tiers. Proves VOL-007.
#[test]
fn an_account_may_have_rates_of_its_own() {
    let x = Exchange::start();
    set_tiers(&x, &json!([{ "from": "0", "maker_bps": 5, "taker_bps": 6 }])).ok();
    let own = json!({ "group": "one", "account": "primary", "maker_bps": 1, "taker_bps": "12" });
    let set = set_fees(&x, &own).ok();
    let expected = json!({ "result": "ok", "group": "one", "account": "primary", "maker_bps": 1, "taker_bps": 12,
        "auction_bps": 1 });
    assert_eq!(set, expected);
    assert_eq!([shown(&x, "trader", json!({})), shown(&x, "counterparty", json!({}))], [[1, 12], [5, 6]]);
    trade(&x, "btcusd", "1", "30000");
    assert_eq!([newest_fee(&x, "trader"), newest_fee(&x, "counterparty")], [json!("36"), json!("15")]);
    set_fees(&x, &json!({ "group": "one", "account": "primary", "enabled": false })).ok();
    assert_eq!(shown(&x, "trader", json!({})), [5, 6]);
}

/// A promotion lowers the rates on its symbols, which are listed. Proves MKT-036, VOL-006, VOL-007.
#[test]
fn a_promotion_lowers_the_rates_of_its_symbols() {
    let x = Exchange::start();
    let listed = || x.get("/v1/feepromos").ok();
    assert_eq!(listed(), json!({ "symbols": [] }));
    let set = x.control("/sandbox/promotions", &json!({ "symbols": ["ethusd", "BTCUSD", "ethusd"] })).ok();
    assert_eq!([&set["maker_bps"], &set["taker_bps"]], [0, 0]);
    assert_eq!(listed(), json!({ "symbols": ["BTCUSD", "ETHUSD"] }));
    assert_eq!(shown(&x, "trader", json!({ "symbol": "btcusd" })), [0, 0]);
    assert_eq!(shown(&x, "trader", json!({ "symbol": "LTCUSD" })), [20, 40]);
    assert_eq!(shown(&x, "trader", json!({})), [20, 40]);
    trade(&x, "btcusd", "1", "30000");
    assert_eq!([newest_fee(&x, "trader"), newest_fee(&x, "counterparty")], [json!("0"), json!("0")]);
    // Rates above an account's own raise nothing.
    set_fees(&x, &json!({ "group": "one", "account": "primary", "maker_bps": 1, "taker_bps": 50 })).ok();
    x.control("/sandbox/promotions", &json!({ "symbols": ["btcusd"], "maker_bps": 10, "taker_bps": 15 }))
        .ok();
    assert_eq!(listed(), json!({ "symbols": ["BTCUSD"] }));
    assert_eq!(shown(&x, "trader", json!({ "symbol": "btcusd" })), [1, 15]);
    assert_eq!(shown(&x, "counterparty", json!({ "symbol": "btcusd" })), [10, 15]);
    x.control("/sandbox/promotions", &json!({ "symbols": [] })).ok();
    assert_eq!(
        (listed(), shown(&x, "trader", json!({ "symbol": "btcusd" }))),
        (json!({ "symbols": [] }), [json!(1), json!(50)])
    );
    for wrong in ["nosuch", "", "btc-usd"] {
        let refusal = x.as_("trader").call("/v1/notionalvolume", json!({ "symbol": wrong }));
        assert!(refusal.refused(400, "InvalidSymbol").message.contains(wrong), "{refusal}");
    }
    x.as_("trader").call("/v1/notionalvolume", json!({ "symbol": 5 })).refused(400, "InvalidParameterValue");
}

/// A control call with a field that does not fit is refused by its name and changes nothing. Proves VOL-006.
#[test]
fn wrong_rates_change_nothing() {
    let x = Exchange::start();
    let rows = |last: Value| json!([{ "from": "0", "maker_bps": 1, "taker_bps": 2 }, last]);
    let calls = [
        ("/sandbox/fees", json!({}), "maker_bps"),
        ("/sandbox/fees", json!({ "maker_bps": 1 }), "taker_bps"),
        ("/sandbox/fees", json!({ "maker_bps": 10_001, "taker_bps": 1 }), "maker_bps"),
        ("/sandbox/fees", json!({ "maker_bps": 1, "taker_bps": -1 }), "taker_bps"),
        ("/sandbox/fees", json!({ "maker_bps": 1, "taker_bps": 2, "auction_bps": 3 }), "auction_bps"),
        ("/sandbox/fees", json!({ "group": "one", "maker_bps": 1, "taker_bps": 1 }), "account"),
        ("/sandbox/fees", json!({ "account": "primary", "maker_bps": 1, "taker_bps": 1 }), "group"),
        (
            "/sandbox/fees",
            json!({ "group": "none", "account": "primary", "maker_bps": 1, "taker_bps": 1 }),
            "group",
        ),
        (
            "/sandbox/fees",
            json!({ "group": "one", "account": "none", "maker_bps": 1, "taker_bps": 1 }),
            "account",
        ),
        ("/sandbox/fees", json!({ "enabled": 0, "maker_bps": 1, "taker_bps": 1 }), "enabled"),
        ("/sandbox/fees/schedule", json!({}), "tiers"),
        ("/sandbox/fees/schedule", json!({ "tiers": [] }), "tiers"),
        ("/sandbox/fees/schedule", json!({ "tiers": {} }), "tiers"),
        ("/sandbox/fees/schedule", json!({ "tiers": [1] }), "tiers"),
        (
            "/sandbox/fees/schedule",
            json!({ "tiers": [{ "from": "1", "maker_bps": 1, "taker_bps": 2 }] }),
            "from",
        ),
        (
            "/sandbox/fees/schedule",
            json!({ "tiers": rows(json!({ "from": "0", "maker_bps": 1, "taker_bps": 1 })) }),
            "from",
        ),
        (
            "/sandbox/fees/schedule",
            json!({ "tiers": rows(json!({ "from": "-5", "maker_bps": 1, "taker_bps": 1 })) }),
            "from",
        ),
        (
            "/sandbox/fees/schedule",
            json!({ "tiers": rows(json!({ "maker_bps": 1, "taker_bps": 1 })) }),
            "from",
        ),
        (
            "/sandbox/fees/schedule",
            json!({ "tiers": rows(json!({ "from": "5", "taker_bps": 1 })) }),
            "maker_bps",
        ),
        (
            "/sandbox/fees/schedule",
            json!({ "tiers": rows(json!({ "from": "5", "maker_bps": 1, "taker_bps": "x" })) }),
            "taker_bps",
        ),
        ("/sandbox/promotions", json!({}), "symbols"),
        ("/sandbox/promotions", json!({ "symbols": "btcusd" }), "symbols"),
        ("/sandbox/promotions", json!({ "symbols": ["btcusd", "nosuch"] }), "nosuch"),
        ("/sandbox/promotions", json!({ "symbols": ["btcusd"], "maker_bps": 1.5 }), "maker_bps"),
    ];
    let ledger = x.get("/sandbox/ledger").ok();
    for (path, body, field) in calls {
        let answer = x.control(path, &body);
        let refusal = answer.error();
        assert!(answer.status() == 400 && refusal.message.contains(field), "{path} {body}: {answer}");
    }
    let many: Vec<Value> =
        (0..101).map(|from| json!({ "from": from, "maker_bps": 1, "taker_bps": 1 })).collect();
    assert!(set_tiers(&x, &json!(many)).refused(400, "InvalidParameterValue").message.contains("'tiers'"));
    assert_eq!(shown(&x, "trader", json!({ "symbol": "btcusd" })), [20, 40]);
    assert_eq!(
        (x.get("/v1/feepromos").ok(), x.get("/sandbox/ledger").ok()),
        (json!({ "symbols": [] }), ledger)
    );
}

fn traded(x: &Exchange, key: &str) -> Value {
    x.as_(key).call("/v1/tradevolume", json!({})).ok()
}

/// A row for each symbol and day, with numbers, in one inner array. Proves VOL-008, VOL-009, VOL-010, VOL-012.
#[test]
fn trade_volume_has_a_row_for_each_symbol_and_day() {
    let x = Exchange::start();
    assert_eq!(traded(&x, "auditor"), json!([[]]));
    trade(&x, "btcusd", "1.5", "30000.01");
    trade(&x, "btcusd", "0.5", "20000");
    trade(&x, "ethbtc", "2", "0.05");
    x.as_("trader").limit("btcusd", "buy", "0.25", "20000");
    x.as_("counterparty").limit("btcusd", "sell", "0.25", "20000");
    assert_eq!(traded(&x, "trader"), json!([[]]), "the day is not over");
    x.advance(DAY);
    let trader = json!([[
        {
            "symbol": "btcusd", "base_currency": "BTC", "notional_currency": "USD", "data_date": "2026-01-01",
            "total_volume_base": 2.25, "maker_buy_sell_ratio": 1,
            "buy_maker_base": 0.25, "buy_maker_notional": 5000, "buy_maker_count": 1,
            "sell_maker_base": 0, "sell_maker_notional": 0, "sell_maker_count": 0,
            "buy_taker_base": 2, "buy_taker_notional": 55000.015, "buy_taker_count": 2,
            "sell_taker_base": 0, "sell_taker_notional": 0, "sell_taker_count": 0,
        },
        {
            "symbol": "ethbtc", "base_currency": "ETH", "notional_currency": "BTC", "data_date": "2026-01-01",
            "total_volume_base": 2, "maker_buy_sell_ratio": 0,
            "buy_maker_base": 0, "buy_maker_notional": 0, "buy_maker_count": 0,
            "sell_maker_base": 0, "sell_maker_notional": 0, "sell_maker_count": 0,
            "buy_taker_base": 2, "buy_taker_notional": 0.1, "buy_taker_count": 1,
            "sell_taker_base": 0, "sell_taker_notional": 0, "sell_taker_count": 0,
        },
    ]]);
    let rows = traded(&x, "trader");
    assert_eq!((&rows, &rows), (&trader, &traded(&x, "auditor")), "an auditor of the account sees the same");
    let counterparty = traded(&x, "counterparty")[0][0].clone();
    assert_eq!(
        [&counterparty["sell_maker_base"], &counterparty["sell_taker_base"]],
        [&json!(2), &json!(0.25)]
    );
    assert_eq!(
        [&counterparty["sell_maker_count"], &counterparty["maker_buy_sell_ratio"]],
        [&json!(2), &json!(0)]
    );
    assert_eq!(traded(&x, "savings-trader"), json!([[]]));
    x.as_("fund-manager").call("/v1/tradevolume", json!({})).refused(403, "MissingRole");
}

/// A void trade is in no figure: not of the current day, not of past ones, not at its value in dollars. A marked one stays.
/// Proves VOL-014.
#[test]
fn void_trades_have_no_volume() {
    let x = Exchange::start();
    let break_newest = |kind: &str| {
        let newest =
            x.as_("trader").call("/v1/mytrades", json!({ "limit_trades": 1 })).ok()[0]["tid"].clone();
        let call = json!({ "tid": newest, "kind": kind });
        assert_eq!(x.control("/sandbox/trades/break", &call).ok(), json!({ "result": "ok" }));
    };
    let totals = || ["trader", "counterparty"].map(|key| volume(&x, key)["notional_30d_volume"].clone());
    pin(&x, "30000");
    trade(&x, "btcusd", "1", "30000");
    let before = {
        x.advance(DAY);
        [totals().to_vec(), vec![traded(&x, "trader"), traded(&x, "counterparty")]]
    };
    // One of the current day, worth 2 x 0.05 x 30,000 dollars.
    trade(&x, "ethbtc", "2", "0.05");
    break_newest("full");
    x.advance(DAY);
    let now = || [totals().to_vec(), vec![traded(&x, "trader"), traded(&x, "counterparty")]];
    assert_eq!(now(), before);
    // One of a past day, whose total was computed.
    trade(&x, "ethbtc", "2", "0.05");
    x.advance(DAY);
    assert_eq!(totals(), [json!("33000"), json!("33000")]);
    pin(&x, "40000");
    break_newest("full");
    assert_eq!(now(), before);
    // A mark changes nothing.
    trade(&x, "btcusd", "1", "30000");
    break_newest("manual");
    x.advance(DAY);
    assert_eq!(totals(), [json!("60000"), json!("60000")]);
    x.kill9();
    x.restart();
    assert_eq!(totals(), [json!("60000"), json!("60000")]);
    x.advance(26 * DAY);
    assert_eq!(totals(), [json!("60000"), json!("60000")], "the thirtieth day after the first trade");
    x.advance(DAY);
    assert_eq!(totals(), [json!("30000"), json!("30000")]);
}

/// The ratio is the share of buys in what makers traded; a trade of an auction counts as maker. Proves VOL-011.
#[test]
fn the_ratio_is_of_makers() {
    let x = Exchange::start();
    trade(&x, "btcusd", "1", "30000");
    x.as_("trader").limit("btcusd", "buy", "1", "30000");
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    x.as_("trader").limit("btcusd", "sell", "3", "30000");
    x.as_("counterparty").limit("btcusd", "buy", "3", "30000");
    x.schedule_auction("btcusd", &json!({}), 60);
    let order = |side: &str| {
        json!({ "symbol": "btcusd", "side": side, "type": "exchange limit", "amount": "4",
        "price": "30000", "options": ["auction-only"] })
    };
    for (key, side) in [("trader", "buy"), ("counterparty", "sell")] {
        x.as_(key).call("/v1/order/new", order(side)).ok();
    }
    x.advance(DAY);
    let row = |key: &str| traded(&x, key)[0][0].clone();
    assert_eq!(
        (&row("trader")["maker_buy_sell_ratio"], &row("trader")["buy_maker_base"]),
        (&json!(0.625), &json!(5))
    );
    assert_eq!(
        (&row("counterparty")["maker_buy_sell_ratio"], &row("counterparty")["sell_maker_count"]),
        (&json!(0), &json!(2))
    );
}

/// Thirty full days, the newest first, without days that had no trades, across a restart. Proves VOL-013.
#[test]
fn trade_volume_covers_thirty_full_days() {
    let x = Exchange::start();
    for pause in [DAY, 3 * DAY, 26 * DAY] {
        trade(&x, "btcusd", "1", "30000");
        x.advance(pause);
    }
    let days = || {
        let rows = traded(&x, "trader")[0].as_array().expect("an inner array").clone();
        rows.iter().map(|row| row["data_date"].as_str().expect("a date").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(days(), ["2026-01-05", "2026-01-02", "2026-01-01"]);
    x.stop();
    x.restart();
    x.advance(DAY - 1);
    assert_eq!(days(), ["2026-01-05", "2026-01-02", "2026-01-01"]);
    x.advance(1);
    assert_eq!(days(), ["2026-01-05", "2026-01-02"]);
}
