//! Commands of a venue's operators that change how it trades: auctions, the leverage of an account, index prices, instant orders, the nonces
//! of a key, the users of a group. A sandbox's control calls of the same effect run the same commands.

use buttonwood_accept::{Actor, Dec, NewOrder, Value, Venue, dec, json, wait_until};

const HOUR_MS: u64 = 3_600_000;
const TRADER: &[&str] = &["Trader"];

fn auction_only(actor: &Actor, side: &str, amount: &str, price: &str) -> Value {
    actor.place(&NewOrder::limit("btcusd", side, amount, price).with_option("auction-only"))
}

fn schedule(venue: &Venue, time_ms: u64, further: &[&str]) -> buttonwood_accept::Admin {
    let time = time_ms.to_string();
    venue.admin(&[&["auction", "schedule", "btcusd", "--auction-time-ms", &time], further].concat())
}

/// The texts of all acts in the audit, the newest first.
fn acts(venue: &Venue) -> Vec<String> {
    let acts = venue.admin(&["audit", "--limit", "1000"]).list();
    acts.iter().map(|act| act["what"].as_str().unwrap().to_owned()).collect()
}

/// An operator schedules an auction, clients place orders for it, and all trade at its price. Proves AUCT-001, AUCT-004.
#[test]
fn an_auction_is_held_on_a_venue() {
    let venue = Venue::start();
    let north = venue.customer("North", "exchange", &[("USD", "100000")], TRADER);
    let south = venue.customer("South", "exchange", &[("BTC", "5")], TRADER);
    assert_eq!(venue.get("/v1/auction/btcusd").ok(), json!({}));
    let later = venue.now_ms() + HOUR_MS;
    assert_eq!(
        schedule(&venue, later, &[]).done(),
        json!({
            "result": "ok", "symbol": "BTCUSD", "enabled": true, "auction_time_ms": later, "every_seconds": 0,
            "first_indicative_ms": later - 600_000, "indicative_every_seconds": 60,
            "last_cancel_time_ms": later - 60_000,
        })
    );
    assert_eq!(venue.get("/v1/auction/btcusd").ok()["next_auction_ms"], json!(later));
    let bought = auction_only(&north, "buy", "3", "30000");
    let sold = auction_only(&south, "sell", "2", "29000");
    assert_eq!((&bought["is_live"], &sold["is_live"]), (&json!(true), &json!(true)));
    // Orders wait for the auction whose time is moved.
    let soon = venue.now_ms() + 4_000;
    schedule(&venue, soon, &[]).done();
    let history = || venue.get("/v1/auction/btcusd/history").ok();
    wait_until("the auction", || {
        history().as_array().unwrap().iter().any(|row| row["event_type"] == "auction")
    });
    let result = &history()[0];
    assert_eq!(result["auction_result"], "success", "{result}");
    assert!(result["timestampms"].as_u64().unwrap() >= soon, "{result}");
    let of = |actor: &Actor, order: &Value| actor.status(order["order_id"].as_str().unwrap());
    let (bought, sold) = (of(&north, &bought), of(&south, &sold));
    assert_eq!((&sold["is_live"], &sold["executed_amount"]), (&json!(false), &json!("2")), "{sold}");
    assert_eq!(
        (&bought["is_cancelled"], &bought["reason"], &bought["executed_amount"]),
        (&json!(true), &json!("AuctionCancelled"), &json!("2")),
        "{bought}"
    );
    let price = Dec::wire(&sold["avg_execution_price"]);
    assert!(price >= dec("29000") && price <= dec("30000"), "{sold}");
    let trades = venue.get("/v1/trades/btcusd").ok();
    assert_eq!((trades.as_array().unwrap().len(), &trades[0]["type"]), (1, &json!("auction")), "{trades}");
    let mine = south.call("/v1/mytrades", json!({ "symbol": "btcusd" })).ok();
    assert_eq!((&mine[0]["is_auction_fill"], &mine[0]["amount"]), (&json!(true), &json!("2")), "{mine}");
    assert_eq!(north.balance("BTC").0, dec("2"));
    let one = NewOrder::limit("btcusd", "buy", "1", "1").with_option("auction-only");
    north.call("/v1/order/new", one.params()).refused(400, "UnsupportedOption");
    assert!(acts(&venue).contains(&format!("auction schedule symbol=btcusd auction_time_ms={soon}")));
    venue.stop_and_verify();
}

/// A schedule is refused by the field that is wrong, and a dry run changes nothing. The end of the auctions cancels what waits for one.
/// Proves AUCT-002.
#[test]
fn auctions_are_scheduled_and_ended() {
    let venue = Venue::start();
    let north = venue.customer("North", "exchange", &[("USD", "1000")], TRADER);
    let now = venue.now_ms();
    let later = now + HOUR_MS;
    for (time, further, words) in [
        (now - 1_000, &[][..], "Field 'auction_time_ms' must be in the future"),
        (
            later,
            &["--every-seconds", "59"],
            "Field 'every_seconds' must be 0 for one auction only, or from 60",
        ),
        (later, &["--every-seconds", "x"], "'every_seconds'"),
        (
            later,
            &["--last-cancel-time-ms", &(later + 1).to_string()],
            "'last_cancel_time_ms' must be no later than",
        ),
        (later, &["--first-indicative-ms", "x"], "'first_indicative_ms'"),
        (
            later,
            &["--auction-open-ms", &(later - 1_000).to_string(), "--first-indicative-ms", "1"],
            "'first_indicative_ms'",
        ),
    ] {
        let line = schedule(&venue, time, further).refused();
        assert!(line.contains(words), "{further:?}: {line}");
    }
    for (arguments, words) in [
        (["auction", "schedule", "btcusd"], "Missing required field 'auction_time_ms'"),
        (["auction", "end", "nosuch"], "unsupported symbol 'nosuch'"),
        (["auction", "end", "btcgusdperp"], "Field 'symbol' must be a spot symbol"),
    ] {
        let line = venue.admin(&arguments).refused();
        assert!(line.contains(words), "{arguments:?}: {line}");
    }
    assert_eq!(venue.admin(&["auction", "schedule"]).code, 2, "a command that cannot be parsed");
    assert_eq!(schedule(&venue, later, &["--dry-run"]).done()["dry_run"], true);
    assert_eq!(venue.get("/v1/auction/btcusd").ok(), json!({}), "nothing was changed");
    let planned =
        schedule(&venue, later, &["--every-seconds", "86400", "--indicative-every-seconds", "300"]).done();
    assert_eq!(
        (&planned["every_seconds"], &planned["indicative_every_seconds"]),
        (&json!(86_400), &json!(300))
    );
    let waits = auction_only(&north, "buy", "1", "100");
    let ended = venue.admin(&["auction", "end", "BTCUSD"]).done();
    assert_eq!(ended, json!({ "result": "ok", "symbol": "BTCUSD", "enabled": false }));
    let order = north.status(waits["order_id"].as_str().unwrap());
    assert_eq!((&order["is_cancelled"], &order["reason"]), (&json!(true), &json!("AuctionCancelled")));
    assert_eq!(venue.get("/v1/auction/btcusd").ok(), json!({}));
    venue.stop_and_verify();
}

/// The leverage of an account bounds what it may buy, its cross collateral counts or not, and an index is pinned and returned.
#[test]
fn an_account_has_its_own_leverage() {
    let venue = Venue::start();
    let north = venue.customer("North", "derivatives", &[("GUSD", "1000")], TRADER);
    let pinned = venue.admin(&["index", "pin", "btc", "50000", "--reason", "the feed is away"]).done();
    let expected = json!({ "result": "ok", "currency": "BTC", "index_price": "50000", "pinned": true });
    assert_eq!(pinned, expected);
    let power = || north.call("/v1/margin", json!({ "symbol": "btcgusdperp" })).ok()["buying_power"].clone();
    let risk = |further: &[&str]| venue.admin(&[&["account", "risk", "North", "primary"], further].concat());
    assert_eq!(
        risk(&["--max-leverage", "10", "--no-cross-collateral"]).done(),
        json!({ "result": "ok", "group": "North", "account": "primary", "max_leverage": "10", "cross_collateral": false })
    );
    assert_eq!(power(), "0.2");
    let order = |amount: &str| {
        let order = json!({ "symbol": "btcgusdperp", "side": "buy", "type": "exchange limit", "amount": amount, "price": "50000" });
        north.call("/v1/order/new", order)
    };
    order("0.2001").refused(406, "InsufficientFunds");
    assert_eq!(risk(&["--max-leverage", "2", "--dry-run"]).done()["dry_run"], true);
    assert_eq!(power(), "0.2");
    assert_eq!(risk(&["--cross-collateral"]).done()["max_leverage"], Value::Null, "what is left out stays");
    risk(&["--max-leverage", "20"]).done();
    order("0.2001").ok();
    for (further, words) in [
        (&["--max-leverage", "0.99"][..], "Field 'max_leverage' must be a decimal from 1 to 100"),
        (&["--max-leverage", "100.01"], "100.01"),
        (&["--max-leverage", "2.001"], "at most two decimals: 2.001"),
        (&["--cross-collateral", "--no-cross-collateral"], "'no_cross_collateral'"),
        (&[], "Missing required field 'max_leverage'"),
    ] {
        let line = risk(further).refused();
        assert!(line.contains(words), "{further:?}: {line}");
    }
    venue.admin(&["account", "add", "North", "Cash"]).done();
    let other = |group: &str, account: &str| {
        venue.admin(&["account", "risk", group, account, "--max-leverage", "2"]).refused()
    };
    assert!(other("North", "cash").contains("exchange accounts, and 'cash' is one"));
    assert!(other("North", "none").contains("Field 'account' names no account of group 'North': 'none'"));
    assert!(other("none", "primary").contains("Field 'group' must be the name of a group: none"));
    for (arguments, words) in [
        (&["pin", "BTC", "0"][..], "Field 'price' must be a positive decimal"),
        (&["pin", "BTC"], "Missing required field 'price'"),
        (&["pin", "USD", "1"], "Field 'currency' must be a listed currency that is no dollar"),
        (&["unpin", "none"], "names no listed currency: 'none'"),
    ] {
        let line = venue.admin(&[&["index", "--reason", "x"], arguments].concat()).refused();
        assert!(line.contains(words), "{arguments:?}: {line}");
    }
    let dry = venue.admin(&["index", "pin", "BTC", "60000", "--reason", "x", "--dry-run"]).done();
    assert_eq!((&dry["dry_run"], &dry["index_price"]), (&json!(true), &json!("60000")));
    let index = || venue.get("/v1/riskstats/btcgusdperp").ok()["index_price"].clone();
    assert_eq!(index(), "50000");
    let unpinned = venue.admin(&["index", "unpin", "BTC", "--reason", "it is back"]).done();
    assert_eq!((&unpinned["pinned"], &unpinned["currency"]), (&json!(false), &json!("BTC")));
    venue.stop_and_verify();
}

/// Operators set the terms of instant orders: what is left out stays, and the next quote has the new fee.
#[test]
fn instant_orders_have_their_terms() {
    let venue = Venue::start();
    let north = venue.customer("North", "exchange", &[("USD", "1000")], TRADER);
    let south = venue.customer("South", "exchange", &[("USD", "1000"), ("BTC", "50")], TRADER);
    let set = |further: &[&str]| venue.admin(&[&["instant", "set"], further].concat());
    let terms = |fee_bps: u64| json!({ "result": "ok", "fee_bps": fee_bps, "exposure_usd": "5000", "depth_usd": "100" });
    assert_eq!(set(&["--fee-bps", "20", "--exposure-usd", "5000", "--depth-usd", "100"]).done(), terms(20));
    venue.admin(&["index", "pin", "BTC", "100", "--reason", "x"]).done();
    venue.admin(&["house", "fund", "instant", "BTC", "5", "--reason", "x"]).done();
    south.limit("btcusd", "sell", "2", "100");
    south.limit("btcusd", "buy", "2", "99");
    let fee = || {
        let asked = json!({ "symbol": "btcusd", "side": "buy", "totalSpend": "100" });
        Dec::wire(&north.call("/v1/instant/quote", asked).ok()["fee"])
    };
    let before = fee();
    assert_eq!(set(&["--fee-bps", "200"]).done(), terms(200));
    assert!(before < dec("0.21") && fee() > dec("1.9"), "{before:?} {:?}", fee());
    assert_eq!(set(&["--fee-bps", "0", "--dry-run"]).done()["dry_run"], true);
    assert!(fee() > dec("1.9"));
    for (further, words) in [
        (["--fee-bps", "10001"], "'fee_bps'"),
        (["--fee-bps", "x"], "'fee_bps'"),
        (["--exposure-usd", "-1"], "Field 'exposure_usd' must be an amount of dollars, 0 or more: -1"),
        (["--depth-usd", "0"], "Field 'depth_usd' must be an amount of dollars above 0: 0"),
    ] {
        let line = set(&further).refused();
        assert!(line.contains(words), "{further:?}: {line}");
    }
    assert_eq!(set(&["--fee", "1"]).code, 2, "a command that cannot be parsed");
    assert_eq!(set(&[]).done(), terms(200));
    venue.stop_and_verify();
}

/// Operators choose for which coins dollars are lent, and what counts as collateral. A coin for which nothing is lent any more still sells on
/// margin.
#[test]
fn coins_and_collateral_are_chosen() {
    let venue = Venue::start();
    let north = venue.customer("North", "margin", &[("USD", "1000"), ("BTC", "1")], TRADER);
    let south = venue.customer("South", "derivatives", &[("BTC", "1")], TRADER);
    for (currency, price) in [("BTC", "50000"), ("DOGE", "0.1")] {
        venue.admin(&["index", "pin", currency, price, "--reason", "x"]).done();
    }
    let coin = |arguments: &[&str]| venue.admin(&[&["margin", "coin"], arguments].concat());
    let coins = |codes: &[&str], without: &str| {
        let row = |code: &&str| json!({ "currency": code, "lends": *code != without });
        json!({ "result": "ok", "coins": codes.iter().map(row).collect::<Vec<_>>() })
    };
    let all = ["BTC", "DOGE", "ETH", "SOL", "XRP"];
    let order = |symbol: &str, side: &str, price: &str| {
        let order = json!({ "symbol": symbol, "side": side, "type": "exchange limit", "amount": "1", "price": price, "margin_order": true });
        north.call("/v1/order/new", order)
    };
    order("dogeusd", "buy", "0.1").refused(400, "InvalidParameterValue");
    assert_eq!(coin(&["DOGE", "--dry-run"]).done()["dry_run"], true);
    assert_eq!(coin(&["doge"]).done(), coins(&all, ""));
    order("dogeusd", "buy", "0.1").ok();
    let rates = north.call("/v1/margin/rates", json!({})).ok();
    assert!(rates["rates"].as_array().unwrap().iter().any(|row| row["currency"] == "DOGE"), "{rates}");
    assert_eq!(coin(&["BTC", "--stop"]).done(), coins(&all, "BTC"));
    order("btcusd", "buy", "100").refused(400, "MarketNotOpen");
    order("btcusd", "sell", "60000").ok();
    let counted = |arguments: &[&str]| venue.admin(&[&["collateral", "set"], arguments].concat());
    venue.admin(&["account", "risk", "South", "primary", "--cross-collateral"]).done();
    let assets = || {
        let margin = south.call("/v1/margin", json!({ "symbol": "btcgusdperp" })).ok();
        Dec::wire(&margin["margin_assets_value"])
    };
    assert_eq!(assets(), dec("45000"));
    let rows = |percent: u64| {
        json!([
            { "currency": "BTC", "percent": percent, "dollar": false },
            { "currency": "ETH", "percent": 90, "dollar": false },
            { "currency": "USDT", "percent": 100, "dollar": true },
        ])
    };
    assert_eq!(
        counted(&["BTC", "--percent", "50"]).done(),
        json!({ "result": "ok", "collateral": rows(50) })
    );
    assert_eq!(assets(), dec("25000"));
    for (line, words) in [
        (coin(&["NOSUCH"]), "names no listed currency: 'NOSUCH'"),
        (coin(&["LTC", "--remove"]), "Field 'currency' must be a coin of the list: LTC"),
        (coin(&["GUSD"]), "a book against USD, and no dollar: GUSD"),
        (coin(&["EUR"]), "Field 'currency' must be a coin with a book against USD, and no dollar: EUR"),
        (coin(&["DOGE", "--remove"]), "'remove' must be left out while accounts owe or have live orders"),
        (
            counted(&["GUSD", "--percent", "1"]),
            "Field 'currency' must be a listed currency other than GUSD: GUSD",
        ),
        (counted(&["BTC", "--percent", "101"]), "'percent'"),
    ] {
        let line = line.refused();
        assert!(line.contains(words), "{words}: {line}");
    }
    venue.stop_and_verify();
}

/// A key whose nonce was too high begins again. Proves ERR-003 (part).
#[test]
fn a_key_begins_again() {
    let venue = Venue::start();
    let north = venue.customer("North", "exchange", &[], TRADER);
    let call = |nonce: u64| north.call("/v1/orders", json!({ "nonce": nonce }));
    call(9_000_000_000_000_000_000).ok();
    call(1).refused(400, "InvalidNonce");
    let reset = |api_key: &str, further: &[&str]| {
        venue
            .admin(&[&["key", "reset-nonces", api_key, "--reason", "it sent microseconds"], further].concat())
    };
    assert_eq!(reset(north.name(), &["--dry-run"]).done()["dry_run"], true);
    call(1).refused(400, "InvalidNonce");
    assert_eq!(reset(north.name(), &[]).done(), json!({ "result": "ok", "api_key": north.name() }));
    call(1).ok();
    call(1).refused(400, "InvalidNonce");
    assert!(reset("account-nobody", &[]).refused().contains("Field 'api_key' must be the text of a key"));
    assert!(venue.admin(&["key", "reset-nonces", north.name()]).error.contains("--reason"));
    venue.stop_and_verify();
}

/// In a group of several users an operator notes what the other user has decided on an approved address. Proves ADDR-018 (part).
#[test]
fn the_other_user_of_a_group_decides() {
    let venue = Venue::start();
    let north = venue.customer("North", "exchange", &[], &["Fund Manager"]);
    let [good, bad] =
        ["0x52908400098527886E0F7030069857D2E4169EE7", "0xde709f2102306220921060314715629080e2fb77"];
    venue.admin(&["group", "multi-user", "North"]).done();
    for address in [good, bad] {
        let fields = json!({ "address": address, "label": "cold" });
        north.call("/v1/approvedAddresses/ethereum/request", fields).ok();
    }
    let listed = || {
        let rows = north.call("/v1/approvedAddresses/account/ethereum", json!({})).ok();
        let rows = rows["approvedAddresses"].as_array().unwrap().clone();
        let row =
            |row: &Value| format!("{} {}", row["address"].as_str().unwrap(), row["status"].as_str().unwrap());
        let mut rows: Vec<String> = rows.iter().map(row).collect();
        rows.sort();
        rows
    };
    assert_eq!(listed().iter().filter(|row| row.ends_with("pending-mua")).count(), 2, "{:?}", listed());
    let decide = |word: &str, address: &str| {
        venue.admin(&["address", word, "North", "ethereum", address, "--account", "primary"])
    };
    let line = venue.admin(&["address", "approve", "North", "nowhere", good]).refused();
    assert!(line.contains("Field 'network' names no network"), "{line}");
    assert!(decide("approve", "0x1").refused().contains("Field 'address' is no address of ethereum"));
    let line = venue.admin(&["address", "approve", "North", "ethereum", good]).refused();
    assert!(
        line.contains("'address' is not among the approved addresses there"),
        "the group has none: {line}"
    );
    assert_eq!(decide("approve", good).done(), json!({ "result": "ok" }));
    decide("reject", bad).done();
    assert_eq!(listed(), [format!("{good} pending-time")]);
    assert!(decide("approve", good).refused().contains("'address' waits for no other user"));
    venue.admin(&["group", "multi-user", "North", "--off"]).done();
    north.call("/v1/approvedAddresses/ethereum/request", json!({ "address": bad, "label": "x" })).ok();
    assert_eq!(listed().iter().filter(|row| row.ends_with("pending-time")).count(), 2, "{:?}", listed());
    assert!(venue.admin(&["group", "multi-user", "none"]).refused().contains("'group'"));
    venue.stop_and_verify();
}
