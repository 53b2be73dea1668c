//! Trades off the book: the orders and trades of forced fills are those of their accounts (chapter Derivatives).

use buttonwood_accept::{Dec, Exchange, dec, laws, run_to_end};
use serde_json::{Value, json};

const BTC: &str = "btcgusdperp";

fn pin(x: &Exchange, price: &str) {
    x.control("/sandbox/index/BTC", &json!({ "price": price })).ok();
    x.advance(0);
}

fn limit(x: &Exchange, key: &str, side: &str, amount: &str, price: &str) -> Value {
    x.as_(key).limit(BTC, side, amount, price)
}

fn list(x: &Exchange, key: &str, path: &str, params: Value) -> Vec<Value> {
    x.as_(key).call(path, params).ok().as_array().expect("rows are an array").clone()
}

fn trades(x: &Exchange, key: &str) -> Vec<Value> {
    list(x, key, "/v1/mytrades", json!({ "symbol": BTC, "limit_trades": 500 }))
}

fn positions(x: &Exchange, key: &str) -> Vec<Value> {
    list(x, key, "/v1/positions", json!({}))
}

fn fund(x: &Exchange) -> Value {
    x.get(&format!("/sandbox/perpetuals/{BTC}")).ok()["insurance"].clone()
}

/// An exchange without fees, whose bitcoin index is 50,000.
fn free(price: &str) -> Exchange {
    let x = Exchange::start();
    x.control("/sandbox/fees", &json!({ "maker_bps": 0, "taker_bps": 0, "auction_bps": 0 })).ok();
    pin(&x, price);
    x
}

/// The public view of the perpetual: its trades, last price and candles.
fn public(x: &Exchange) -> [Value; 3] {
    let paths = [
        format!("/v1/trades/{BTC}?limit_trades=500"),
        format!("/v2/ticker/{BTC}"),
        format!("/v2/derivatives/candles/{BTC}/1m"),
    ];
    paths.map(|path| x.get(&path).ok())
}

fn sum(rows: &[Value], field: &str) -> Dec {
    rows.iter().map(|row| Dec::wire(&row[field])).sum()
}

/// A trade off the book is a market order of its account, filled at once without a fee, at its price.
fn is_off_book(x: &Exchange, key: &str, trade: &Value, side: &str) {
    assert_eq!((&trade["fee_amount"], &trade["aggressor"]), (&json!("0"), &json!(false)), "{trade}");
    let id = trade["order_id"].as_str().unwrap();
    let params = json!({ "order_id": id, "include_trades": true });
    let order = x.as_(key).call("/v1/order/status", params).ok();
    assert_eq!(order["type"], format!("market {side}"));
    assert_eq!((&order["is_live"], &order["is_cancelled"]), (&json!(false), &json!(false)));
    let own = order["trades"].as_array().unwrap();
    assert_eq!(
        (order["executed_amount"].clone(), &order["remaining_amount"]),
        (order["original_amount"].clone(), &json!("0"))
    );
    assert_eq!(sum(own, "amount"), Dec::wire(&order["executed_amount"]));
    if let [only] = own.as_slice() {
        assert_eq!(order["avg_execution_price"], only["price"]);
    }
    let past = list(x, key, "/v1/orders/history", json!({ "symbol": BTC, "limit_orders": 500 }));
    let row = past.iter().find(|row| row["order_id"] == id).expect("it is a past order");
    assert_eq!(row["avg_execution_price"], order["avg_execution_price"]);
}

/// Positions that the fund takes over and that are deleveraged are orders and trades of both accounts, at prices of up to 12 decimals, and
/// nothing public. Proves PERP-029.
#[test]
fn trades_off_the_book_are_their_accounts_own() {
    let x = free("50000");
    limit(&x, "perp-001", "sell", "147", "50000");
    limit(&x, "perp-003", "sell", "3", "50000");
    limit(&x, "perp-000", "buy", "150", "50000");
    // The last short position has an average cost of 49,200 2/3.
    limit(&x, "perp-003", "buy", "2", "49201");
    limit(&x, "perp-003", "buy", "1", "49200");
    limit(&x, "perp-002", "sell", "3", "49200");
    x.advance(60);
    let (before, rows) = (public(&x), ["perp-000", "perp-001", "perp-002"].map(|key| trades(&x, key).len()));
    let volume =
        |key: &str| x.as_(key).call("/v1/notionalvolume", json!({})).ok()["notional_30d_volume"].clone();
    let volumes = ["perp-000", "perp-002"].map(volume);
    // The position is worth less than nothing, and the fund has nothing: the zero price is above the mark of 49,024.5.
    pin(&x, "49000");
    for key in ["perp-000", "perp-001", "perp-002"] {
        assert_eq!(positions(&x, key), Vec::<Value>::new(), "{key}");
    }
    assert_eq!(fund(&x)["quantity"], "0");
    let forced = ["perp-000", "perp-001", "perp-002"].map(|key| trades(&x, key));
    let fresh = |place: usize| &forced[place][..forced[place].len() - rows[place]];
    assert_eq!([0, 1, 2].map(|place| sum(fresh(place), "amount")), ["150", "147", "3"].map(dec));
    for trade in fresh(2) {
        assert_eq!((&trade["price"], &trade["type"]), (&json!("49200.666666666666"), &json!("Buy")));
        is_off_book(&x, "perp-002", trade, "buy");
        let other = forced[0].iter().find(|other| other["tid"] == trade["tid"]).expect("both have the trade");
        assert_eq!((&other["price"], &other["type"]), (&trade["price"], &json!("Sell")));
    }
    for (trade, place) in [(&fresh(0)[0], 0), (&fresh(1)[0], 1)] {
        is_off_book(&x, ["perp-000", "perp-001"][place], trade, ["sell", "buy"][place]);
    }
    assert_eq!(public(&x), before, "nothing of it is public");
    assert_eq!(["perp-000", "perp-002"].map(volume), volumes);
    let exported = run_to_end(&["export", "--data", x.data().to_str().unwrap(), "--table", "trades"]);
    let exported = String::from_utf8(exported.stdout).unwrap();
    assert_eq!(exported.matches(",49200.666666666666,").count(), 2 * fresh(2).len());
    x.kill9();
    x.restart();
    assert_eq!(["perp-000", "perp-001", "perp-002"].map(|key| trades(&x, key)), forced);
    // An operator marks one of them as reversed by hand, and voids none.
    let tid = &fresh(2)[0]["tid"];
    let break_it = |kind: &str| x.control("/sandbox/trades/break", &json!({ "tid": tid, "kind": kind }));
    break_it("full").refused(400, "InvalidParameterValue");
    break_it("manual").ok();
    for key in ["perp-000", "perp-002"] {
        let broken = trades(&x, key).into_iter().find(|trade| trade["tid"] == *tid).expect("it is listed");
        assert_eq!(broken["break"], "manual");
    }
    // A day later, none of it counts as a volume either.
    x.advance(86_400);
    let days = x.as_("perp-002").call("/v1/tradevolume", json!({})).ok();
    let days = days.as_array().unwrap().iter().flat_map(|rows| rows.as_array().unwrap());
    let counts: Vec<_> =
        days.map(|row| (row["sell_taker_count"].clone(), row["buy_maker_count"].clone())).collect();
    assert_eq!(counts, [(json!(2), json!(0))]);
    laws::check(&x);
}

/// A fund that can pay takes the position over at the zero price, which is then a trade of the account alone.
#[test]
fn the_fund_takes_over() {
    let x = free("50000");
    x.control("/sandbox/ledger/insurance", &json!({ "currency": "GUSD", "amount": "750000" })).ok();
    limit(&x, "perp-001", "sell", "150", "50000");
    limit(&x, "perp-000", "buy", "150", "50000");
    // Assets of 28,712.5 are below the maintenance of 37,143.56; the zero price of 49,333.34 is rounded up to the step.
    pin(&x, "49500");
    assert_eq!(positions(&x, "perp-000"), Vec::<Value>::new());
    assert_eq!(fund(&x)["quantity"], "150");
    let own = trades(&x, "perp-000");
    assert_eq!(sum(&own[..own.len() - 1], "amount"), dec("150"));
    is_off_book(&x, "perp-000", &own[0], "sell");
    assert_eq!(own[own.len() - 2]["price"], "49333.5");
    assert_eq!(trades(&x, "perp-001").len(), 1, "the other side keeps its position");
    laws::check(&x);
}
