//! Contracts on the paths of every product: market data, own trades, statements; and those that do not know contracts.

use super::public::{HOUR, settle, text};
use super::{active, exchange, limit, place, with};
use buttonwood_accept::{Dec, Exchange, Value, dec, json, laws};

/// Book, trades and ticker serve contracts in the view of yes. Proves MKT-011, MKT-016, MKT-008.
#[test]
fn market_data_is_in_the_view_of_yes() {
    let x = exchange();
    place(&x, "trader", limit("buy yes 10 at 0.60"));
    place(&x, "counterparty", limit("buy no 4 at 0.40"));
    place(&x, "counterparty", limit("buy no 2 at 0.30"));
    let book = x.get("/v1/book/svc-rain").ok();
    let level = |side: &str| [&book[side][0]["price"], &book[side][0]["amount"]].map(text);
    assert_eq!([level("bids"), level("asks")], [["0.60", "6"], ["0.70", "2"]]);
    let trades = x.get("/v1/trades/SVC-Rain").ok();
    let shown = ["price", "amount", "type"].map(|name| text(&trades[0][name]));
    assert_eq!(shown, ["0.60", "4", "sell"]);
    let ticker = x.get("/v2/ticker/SVC-RAIN").ok();
    let shown = ["symbol", "close", "bid", "ask"].map(|name| text(&ticker[name]));
    assert_eq!(shown, ["SVC-RAIN", "0.60", "0.60", "0.70"]);
    // It is the same after a restart.
    x.restart();
    assert_eq!((x.get("/v1/book/SVC-RAIN").ok()["bids"][0]["amount"].clone(), tids(&x)), (json!("6"), 1));
}

fn tids(x: &Exchange) -> usize {
    x.get("/v1/trades/SVC-RAIN").ok().as_array().expect("trades").len()
}

/// Every other path does not know contracts, and orders of contracts are in the listings of this chapter alone.
#[test]
fn other_paths_do_not_know_contracts() {
    let x = exchange();
    let order = place(&x, "trader", with("buy yes 10 at 0.60", &json!({ "clientOrderId": "mine" })));
    assert_eq!(x.get("/v1/pubticker/SVC-RAIN").status(), 404);
    let feed = x.get("/v1/pricefeed").ok();
    let symbols = x.get("/v1/symbols").ok();
    assert!(!format!("{feed}{symbols}").to_uppercase().contains("SVC-RAIN"));
    for path in ["/v1/symbols/details/SVC-RAIN", "/v1/auction/SVC-RAIN", "/v1/auction/SVC-RAIN/history"] {
        x.get(path).refused(400, "InvalidSymbol");
    }
    assert!(x.get("/v2/candles/SVC-RAIN/1m").status() >= 400);
    let trader = x.as_("trader");
    let spot = json!({
        "symbol": "SVC-RAIN", "amount": "10", "price": "0.50", "side": "buy", "type": "exchange limit",
    });
    trader.call("/v1/order/new", spot).refused(400, "InvalidSymbol");
    trader.call("/v1/orders/history", json!({ "symbol": "SVC-RAIN" })).refused(400, "InvalidSymbol");
    assert_eq!(trader.call("/v1/orders", json!({})).ok(), json!([]));
    for named in [json!({ "order_id": order["orderId"] }), json!({ "client_order_id": "mine" })] {
        trader.call("/v1/order/status", named.clone()).refused(404, "OrderNotFound");
        trader.call("/v1/order/cancel", named).refused(404, "OrderNotFound");
    }
    assert_eq!(active(&x, "trader"), [order["orderId"].as_u64().unwrap()]);
    assert_eq!(trader.balance("USD").0 - trader.balance("USD").1, dec("6.2"));
}

/// Own trades have the price and the side of the order's own view, and the outcome. Proves PM-028.
#[test]
fn own_trades_have_their_own_view() {
    let x = exchange();
    place(&x, "trader", limit("buy yes 10 at 0.60"));
    place(&x, "counterparty", limit("buy no 10 at 0.40"));
    let trader = x.as_("trader");
    let own = |key: &str, filter: Value| x.as_(key).call("/v1/mytrades", filter).ok();
    let shown = |row: &Value| {
        ["symbol", "price", "amount", "type", "outcome", "fee_amount", "fee_currency"]
            .map(|name| text(&row[name]))
    };
    let maker = own("trader", json!({ "symbol": "svc-rain" }));
    assert_eq!(shown(&maker[0]), ["SVC-RAIN", "0.60", "10", "Buy", "yes", "0.04", "USD"]);
    let taker = own("counterparty", json!({}));
    assert_eq!(shown(&taker[0]), ["SVC-RAIN", "0.40", "10", "Buy", "no", "0.2", "USD"]);
    trader.limit("btcusd", "buy", "0.01", "100");
    x.as_("counterparty").limit("btcusd", "sell", "0.01", "100");
    assert!(own("trader", json!({ "symbol": "btcusd" }))[0].get("outcome").is_none());
    assert_eq!(own("trader", json!({ "symbol": "SVC-RAIN" })).as_array().unwrap().len(), 1);
    let volumes = trader.call("/v1/tradevolume", json!({})).ok();
    assert!(!volumes.to_string().to_uppercase().contains("SVC-RAIN"), "{volumes}");
}

/// Causes of their own in the statement, whose rows sum to the balance.
#[test]
fn statements_name_the_contract() {
    let x = exchange();
    place(&x, "trader", limit("buy yes 10 at 0.60"));
    place(&x, "counterparty", limit("buy no 10 at 0.40"));
    place(&x, "trader", limit("buy no 4 at 0.50"));
    place(&x, "counterparty", limit("buy yes 4 at 0.50"));
    settle(&x, "RAIN", &json!({ "RAIN": "yes" }));
    x.advance(HOUR);
    let rows = x.as_("trader").call("/v1/statement", json!({ "currency": "USD", "limit_entries": 500 })).ok();
    let rows = rows.as_array().expect("rows");
    let of = |cause: &str| -> Vec<Value> {
        rows.iter()
            .filter(|row| row["cause"] == cause)
            .map(|row| json!([row["amount"], row["symbol"]]))
            .collect()
    };
    assert_eq!(of("netting"), [json!(["4", "SVC-RAIN"])]);
    assert_eq!(of("payout"), [json!(["6", "SVC-RAIN"])]);
    assert_eq!(of("trade").len(), 2);
    let sum = rows.iter().fold(Dec::ZERO, |sum, row| sum + Dec::wire(&row["amount"]));
    assert_eq!((sum, Dec::wire(&rows[0]["balance"])), (x.as_("trader").balance("USD").0, sum));
    laws::check(&x);
}
