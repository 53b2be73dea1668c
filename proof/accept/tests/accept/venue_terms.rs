//! Commands of a venue's operators that change how it trades. A sandbox's control calls of the same effect run the same commands.

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
