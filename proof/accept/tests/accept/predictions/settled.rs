//! Positions that ended.

use super::*;

/// Resolves an event whose window for disputes is an hour, and lets that end.
fn resolve(x: &Exchange, event: &str, outcome: &str) {
    let resolution = json!({ "outcomes": { event: outcome }, "source": "the weather" });
    x.control(&format!("/sandbox/predictions/events/{event}/resolve"), &resolution).ok();
    x.advance(3_600);
}

/// Won and lost positions with payout, cost and profit; filters, orders and pages. Proves PM-025.
#[test]
fn settled_positions_are_listed() {
    let x = exchange();
    list(&x, json!({ "ticker": "SNOW", "title": "Will it snow?", "category": "Winter" }));
    let snow = json!({ "symbol": "SVC-SNOW" });
    place(&x, "trader", limit("buy yes 10 at 0.60"));
    place(&x, "counterparty", limit("buy no 10 at 0.40"));
    place(&x, "counterparty", limit("buy yes 4 at 0.70"));
    place(&x, "trader", limit("sell yes 4 at 0.70"));
    place(&x, "trader", with("buy no 5 at 0.20", &snow));
    place(&x, "counterparty", with("buy yes 5 at 0.80", &snow));
    resolve(&x, "RAIN", "yes");
    resolve(&x, "SNOW", "yes");
    let page = |fields: Value| {
        let page = x.as_("trader").call(SETTLED, fields).ok();
        let rows = page["positions"].as_array().unwrap().clone();
        let names =
            ["instrumentSymbol", "position", "positionQuantity", "outcome", "payout", "resolutionSide"];
        let shown = rows.iter().map(|row| some(row, &names).join(" ")).collect::<Vec<_>>();
        (shown, page["total"].as_u64().unwrap())
    };
    let (rain, snow) = ("SVC-RAIN 6 6 yes 6 yes".to_owned(), "SVC-SNOW -5 5 no 0 yes".to_owned());
    assert_eq!(page(json!({})), (vec![snow.clone(), rain.clone()], 2));
    let rows = x.as_("trader").call(SETTLED, json!({})).ok();
    let figures = ["costBasis", "realizedPnl", "netProfit"];
    // 6 contracts for 3.60 pay 6, and 4 others brought 0.40.
    assert_eq!(some(&rows["positions"][1], &figures), ["3.6", "0.4", "2.8"], "{rows}");
    assert_eq!(some(&rows["positions"][0], &figures), ["1", "0", "-1"], "{rows}");
    assert!(rows["positions"][1].get("cashOuts").is_none(), "{rows}");
    let sold = x.as_("trader").call(SETTLED, json!({ "withCashOuts": true })).ok();
    let totals = ["totalCashOutProceeds", "totalCashOutCostBasis", "totalCashOutNetProfit"];
    assert_eq!(some(&sold["positions"][1], &totals), ["2.8", "2.4", "0.4"], "{sold}");
    let sales = &sold["positions"][1]["cashOuts"];
    assert_eq!(sales.as_array().unwrap().len(), 1, "{sold}");
    let figures_of_sale = ["quantity", "proceeds", "costBasis", "netProfit"];
    assert_eq!(some(&sales[0], &figures_of_sale), ["4", "2.8", "2.4", "0.4"], "{sold}");
    let trade = x.as_("trader").call("/v1/mytrades", json!({ "symbol": RAIN })).ok()[0].clone();
    assert_eq!(
        (&sales[0]["tid"], sales[0]["orderId"].to_string()),
        (&trade["tid"], trade["order_id"].as_str().unwrap().to_owned())
    );
    assert_eq!(some(&sold["positions"][0], &totals), ["0", "0", "0"], "{sold}");
    assert_eq!(sold["positions"][0]["cashOuts"], json!([]));
    let metadata = &rows["positions"][0]["contractMetadata"];
    assert_eq!(some(metadata, &["contractStatus", "resolutionSide"]), ["settled", "yes"], "{rows}");
    assert_eq!(page(json!({ "sort": "payout" })).0, [rain.clone(), snow.clone()]);
    assert_eq!(page(json!({ "sort": "+payout" })).0, [snow.clone(), rain.clone()]);
    assert_eq!(page(json!({ "sort": "+date" })).0, [rain.clone(), snow.clone()]);
    assert_eq!(page(json!({ "sort": "shoeSize" })).0, [snow.clone(), rain.clone()]);
    assert_eq!(page(json!({ "limit": 1, "offset": 1 })), (vec![rain.clone()], 2));
    for end in [json!(2), json!(3), json!(u64::MAX), json!("9".repeat(30))] {
        assert_eq!(page(json!({ "offset": end })), (vec![], 2), "{end}");
    }
    assert_eq!(page(json!({ "eventTicker": "rain" })), (vec![rain.clone()], 1));
    assert_eq!(page(json!({ "category": "winter" })), (vec![snow.clone()], 1));
    assert_eq!(page(json!({ "search": "it SNOW" })), (vec![snow.clone()], 1));
    assert_eq!(page(json!({ "search": "nothing" })), (vec![], 0));
    assert_eq!(page(json!({ "search": "it SNOW", "eventTicker": "RAIN" })), (vec![], 0));
    assert_eq!(positions(&x, "trader"), [] as [Value; 0]);
    let queried = format!("{SETTLED}?search=it%20snow&limit=5");
    assert_eq!(x.as_("trader").call(&queried, json!({ "request": SETTLED })).ok()["total"], 1);
    for (fields, field) in [
        (json!({ "search": "ab" }), "search"),
        (json!({ "search": "x".repeat(65) }), "search"),
        (json!({ "limit": 0 }), "limit"),
        (json!({ "offset": "x" }), "offset"),
        (json!({ "category": 5 }), "category"),
    ] {
        let message = x.as_("trader").call(SETTLED, fields).coded(400, "InvalidInput");
        assert!(message.contains(&format!("'{field}'")), "{message}");
    }
    x.as_("trader").call(SETTLED, json!({ "eventTicker": "NONE" })).coded(404, "NOT_FOUND");
}
