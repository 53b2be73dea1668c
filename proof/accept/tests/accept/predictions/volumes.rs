//! Trades of contracts in the figures and lists of all trades.

use super::public::text;
use super::*;

const DAY: u64 = 86_400;

/// They count in no volume and in no tier, and tiers do not change their fees.
#[test]
fn contracts_count_in_no_volume() {
    let x = exchange();
    let tiers = json!([
        { "from": "0", "maker_bps": 25, "taker_bps": 50 }, { "from": "100", "maker_bps": 1, "taker_bps": 2 },
    ]);
    x.control("/sandbox/fees/schedule", &json!({ "tiers": tiers })).ok();
    place(&x, "trader", limit("buy yes 1000 at 0.60"));
    place(&x, "counterparty", limit("buy no 1000 at 0.40"));
    let is_counted = |from: &str, rates: [u64; 2]| {
        for key in ["trader", "counterparty"] {
            let volume = x.as_(key).call("/v1/notionalvolume", json!({})).ok();
            let names = ["notional_30d_volume", "api_maker_fee_bps", "api_taker_fee_bps"];
            let expected = [from.to_owned(), rates[0].to_string(), rates[1].to_string()];
            assert_eq!(some(&volume, &names), expected, "{key}: {volume}");
        }
    };
    is_counted("0", [25, 50]);
    x.advance(DAY);
    is_counted("0", [25, 50]);
    let traded = x.as_("trader").call("/v1/tradevolume", json!({})).ok();
    assert_eq!(traded, json!([[]]));
    // A trade of another product is counted alone.
    x.as_("trader").limit("btcusd", "buy", "1", "30000");
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    x.advance(DAY);
    is_counted("30000", [1, 2]);
    let traded = x.as_("trader").call("/v1/tradevolume", json!({})).ok();
    let symbols: Vec<String> =
        traded[0].as_array().expect("rows").iter().map(|row| text(&row["symbol"])).collect();
    assert_eq!(symbols, ["btcusd"], "{traded}");
    // The better tier is not one of contracts: the taker pays 5 % of 0.40 a contract, the maker 1 %.
    list(&x, json!({ "ticker": "SNOW", "title": "Will it snow?", "category": "weather" }));
    let snow = json!({ "symbol": "SVC-SNOW" });
    place(&x, "trader", with("buy yes 10 at 0.60", &snow));
    place(&x, "counterparty", with("buy no 10 at 0.40", &snow));
    for (key, fee) in [("trader", "0.04"), ("counterparty", "0.2")] {
        let own = x.as_(key).call("/v1/mytrades", json!({ "symbol": "SVC-SNOW" })).ok();
        assert_eq!(own[0]["fee_amount"], fee, "{own}");
    }
}

/// The list of transactions has them as the list of own trades does: in the view of the order's own outcome, which is named.
#[test]
fn transactions_name_the_outcome() {
    let x = exchange();
    place(&x, "trader", with("buy no 10 at 0.40", &json!({ "clientOrderId": "mine" })));
    place(&x, "counterparty", limit("buy yes 10 at 0.60"));
    x.as_("trader").limit("btcusd", "buy", "0.01", "100");
    x.as_("counterparty").limit("btcusd", "sell", "0.01", "100");
    let page = x.as_("master").call("/v1/transactions", json!({})).ok();
    let rows = page["results"].as_array().expect("rows").iter().filter(|row| row["type"] == "trade");
    let [contract, spot] = rows.collect::<Vec<_>>()[..] else { panic!("two trades: {page}") };
    assert!(spot.get("outcome").is_none() && spot["symbol"] == "BTCUSD", "{spot}");
    let names = [
        "symbol",
        "outcome",
        "side",
        "price",
        "amount",
        "feeAmount",
        "feeAssetCode",
        "isAggressor",
        "clientOrderId",
    ];
    let expected = [RAIN, "no", "SIDE_TYPE_BUY", "0.40", "10", "0.04", "USD", "false", "mine"];
    assert_eq!(some(contract, &names), expected, "{contract}");
    let own = x.as_("trader").call("/v1/mytrades", json!({ "symbol": RAIN })).ok();
    let same = [("tid", "tid"), ("timestampms", "timestampms"), ("price", "price"), ("outcome", "outcome")];
    for (name, own_name) in same {
        assert_eq!(contract[name], own[0][own_name], "{name}: {contract} {own}");
    }
}
