//! The claims that an account holds.

use super::*;
use buttonwood_accept::same_keys;

/// A position has the documented fields, and a market value while its own outcome has a buyer. Proves PM-024.
#[test]
fn positions_have_costs_and_market_values() {
    let x = exchange();
    place(&x, "trader", limit("buy yes 100 at 0.60"));
    place(&x, "counterparty", limit("buy no 100 at 0.40"));
    let row = positions(&x, "trader").remove(0);
    let names = [
        "symbol",
        "instrumentId",
        "totalQuantity",
        "quantityOnHold",
        "avgPrice",
        "outcome",
        "contractMetadata",
        "prices",
        "isAboveAutoStartThreshold",
        "isLive",
        "realizedPl",
    ];
    same_keys(&row, &names, &row);
    let shown = some(
        &row,
        &["symbol", "totalQuantity", "quantityOnHold", "avgPrice", "outcome", "isLive", "realizedPl"],
    );
    assert_eq!(shown, [RAIN, "100", "0", "0.6", "yes", "true", "0"], "{row}");
    assert!(row["instrumentId"].is_u64() && row["contractMetadata"]["eventTicker"] == "RAIN", "{row}");
    // A bid for yes at 0.50 quotes yes, an ask at 0.80 quotes no at 0.20.
    accept(&x, "empty");
    x.credit("empty", "USD", "1000");
    place(&x, "empty", limit("buy yes 5 at 0.50"));
    place(&x, "empty", limit("buy no 5 at 0.20"));
    let values = ["marketValue", "unrealizedPnl", "unrealizedPct"];
    let row = positions(&x, "trader").remove(0);
    assert_eq!(some(&row, &values), ["50", "-10", "-16.6666"], "{row}");
    let row = positions(&x, "counterparty").remove(0);
    assert_eq!(some(&row, &values), ["20", "-20", "-50"], "{row}");
    // A sale realises, and does not change the average of what stays.
    place(&x, "trader", limit("sell yes 5 at 0.50"));
    place(&x, "trader", limit("sell yes 15 at 0.90"));
    let row = positions(&x, "trader").remove(0);
    let shown = some(&row, &["totalQuantity", "quantityOnHold", "avgPrice", "realizedPl"]);
    assert_eq!(shown, ["95", "15", "0.6", "-0.5"], "{row}");
}

/// Free pairs net at once, a dollar each; claims that a sale holds net when they are freed, and until then there are two rows. Proves
/// PM-024.
#[test]
fn pairs_net_as_soon_as_they_are_free() {
    let x = exchange();
    place(&x, "trader", limit("buy yes 10 at 0.60"));
    place(&x, "counterparty", limit("buy no 10 at 0.40"));
    let sale = place(&x, "trader", limit("sell yes 4 at 0.99"));
    place(&x, "counterparty", limit("buy yes 10 at 0.70"));
    place(&x, "trader", limit("buy no 10 at 0.30"));
    let rows = positions(&x, "trader");
    let shown: Vec<String> =
        rows.iter().map(|row| some(row, &["outcome", "totalQuantity"]).join(" ")).collect();
    assert_eq!(shown, ["yes 4", "no 4"], "{rows:?}");
    assert_eq!(positions(&x, "counterparty"), [] as [Value; 0]);
    x.as_("trader").call(CANCEL, json!({ "orderId": sale["orderId"] })).ok();
    assert_eq!(positions(&x, "trader"), [] as [Value; 0]);
}

/// Filters, orders and pages. Proves PM-024.
#[test]
fn positions_are_sorted_and_paged() {
    let x = exchange();
    let expiry = x.now_ms() + 3_600_000;
    for (ticker, more) in [("SNOW", json!({ "expiry_ms": expiry })), ("HAIL", json!({}))] {
        let mut fields = json!({ "ticker": ticker, "title": ticker, "category": "weather" });
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        list(&x, fields);
    }
    for (symbol, price, other) in
        [(RAIN, "0.30", "0.70"), ("SVC-SNOW", "0.50", "0.50"), ("SVC-HAIL", "0.40", "0.60")]
    {
        let symbol = json!({ "symbol": symbol });
        place(&x, "trader", with(&format!("buy yes 10 at {price}"), &symbol));
        place(&x, "counterparty", with(&format!("buy no 10 at {other}"), &symbol));
    }
    let symbols = |path: &str, fields: Value| {
        let page = x.as_("trader").call(path, fields).ok();
        let rows = page["positions"].as_array().unwrap().clone();
        let symbols: Vec<String> =
            rows.iter().map(|row| row["symbol"].as_str().unwrap()[4..].to_owned()).collect();
        (symbols.join(" "), page["total"].as_u64().unwrap())
    };
    let sorted = |sort: &str| symbols(POSITIONS, json!({ "sort": sort })).0;
    assert_eq!(symbols(POSITIONS, json!({})), ("SNOW HAIL RAIN".to_owned(), 3));
    assert_eq!(
        (sorted("positionValue"), sorted("+positionValue")),
        ("RAIN HAIL SNOW".into(), "RAIN HAIL SNOW".into())
    );
    assert!(sorted("expiryDate").starts_with("SNOW") && sorted("-expiryDate").ends_with("SNOW"));
    assert_eq!(sorted("shoeSize"), "SNOW HAIL RAIN");
    assert_eq!(symbols(POSITIONS, json!({ "limit": 1, "offset": 1 })), ("HAIL".to_owned(), 3));
    let path = "/v1/prediction-markets/positions?eventTicker=hail&limit=5";
    assert_eq!(symbols(path, json!({})), ("HAIL".to_owned(), 1));
    assert_eq!(symbols(path, json!({ "eventTicker": "SNOW", "request": POSITIONS })), ("SNOW".to_owned(), 1));
    let unknown = x.as_("trader").call(POSITIONS, json!({ "eventTicker": "NONE" })).coded(404, "NOT_FOUND");
    assert!(unknown.contains("NONE"), "{unknown}");
    for (field, wrong) in [
        ("limit", json!(0)),
        ("limit", json!("-5")),
        ("offset", json!(-1)),
        ("eventTicker", json!(1)),
        ("sort", json!([])),
    ] {
        let message = x.as_("trader").call(POSITIONS, json!({ field: wrong })).coded(400, "InvalidInput");
        assert!(message.contains(field), "{message}");
    }
}
