//! How events end: times and outcomes of events, contracts and positions, and ids over crashes.

use super::public::text;
use super::*;
use buttonwood_accept::laws;

fn event(x: &Exchange, ticker: &str) -> Value {
    x.get(&format!("{ROOT}/events/{ticker}")).ok()
}

/// The trader has ten yes for six dollars, the counterparty ten no for four.
fn mint(x: &Exchange, symbol: &str) {
    let symbol = json!({ "symbol": symbol });
    place(x, "trader", with("buy yes 10 at 0.60", &symbol));
    place(x, "counterparty", with("buy no 10 at 0.40", &symbol));
}

fn void(x: &Exchange, ticker: &str, fields: &Value) {
    let mut body = fields.clone();
    body["reason"] = "called off".into();
    x.control(&format!("/sandbox/predictions/events/{ticker}/void"), &body).ok();
}

fn settled(x: &Exchange, key: &str, ticker: &str) -> Vec<Value> {
    let page = x.as_(key).call(SETTLED, json!({ "eventTicker": ticker })).ok();
    page["positions"].as_array().expect("positions").clone()
}

/// Ids never go back, also over kills: those of orders that were cancelled, filled and refused are not used again.
#[test]
fn ids_never_go_back() {
    let x = exchange();
    let id = |order: Value| order["orderId"].as_u64().expect("an id");
    let mut last = 0;
    for round in 0..3 {
        let ids = [
            id(place(&x, "trader", limit("buy yes 5 at 0.20"))),
            id(place(
                &x,
                "trader",
                with("buy yes 5 at 0.30", &json!({ "timeInForce": "immediate-or-cancel" })),
            )),
            id(place(&x, "counterparty", limit("buy no 5 at 0.80"))),
        ];
        assert!(last < ids[0] && ids.is_sorted(), "round {round}: {ids:?} after {last}");
        last = ids[2];
        if round == 0 {
            x.kill9();
        }
        x.restart();
        let orders = x.as_("trader").call(HISTORY, json!({ "limit": 1 })).ok();
        assert!(id(orders["orders"][0].clone()) <= last, "{orders}");
    }
}

/// A contract is resolved when its outcome is final, its event when the last winner is paid; both are told apart from the proposal.
/// Proves PM-002.
#[test]
fn a_resolution_has_its_times() {
    let x = exchange();
    mint(&x, RAIN);
    let resolution = json!({ "outcomes": { "RAIN": "no" }, "source": "the weather" });
    x.control("/sandbox/predictions/events/RAIN/resolve", &resolution).ok();
    x.advance(3_599);
    let proposed = event(&x, "RAIN");
    for row in [&proposed, &proposed["contracts"][0]] {
        assert!(row.get("resolvedAt").is_none_or(Value::is_null), "{proposed}");
    }
    let side = &proposed["contracts"][0]["resolutionSide"];
    assert!(side.is_null() && proposed["contracts"][0].get("settlementValue").is_none(), "{proposed}");
    x.advance(1);
    let resolved = event(&x, "RAIN");
    let at = "2026-01-01T01:00:00.000Z";
    assert_eq!(some(&resolved, &["status", "resolvedAt"]), ["settled", at], "{resolved}");
    let names = ["status", "resolvedAt", "resolutionSide", "settlementValue", "marketState"];
    assert_eq!(some(&resolved["contracts"][0], &names), ["settled", at, "no", "0", "closed"], "{resolved}");
    let row = &settled(&x, "trader", "RAIN")[0];
    assert_eq!(some(row, &["settledAt", "resolutionSide", "payout"]), [at, "no", "0"], "{row}");
}

/// A void contract has no outcome. Its positions are settled, with what they were paid; a value is shown, a refund by cost has none. Proves
/// PM-025, PM-027.
#[test]
fn void_positions_are_settled() {
    let x = exchange();
    let tickers = ["COST", "VALUE", "SHARE"];
    for ticker in tickers {
        list(&x, json!({ "ticker": ticker, "title": ticker, "category": "weather" }));
        mint(&x, &format!("SVC-{ticker}"));
    }
    // Resales push the costs of the last one to 13 dollars; its escrow has ten.
    accept(&x, "restricted");
    let share = json!({ "symbol": "SVC-SHARE" });
    place(&x, "trader", with("sell yes 10 at 0.90", &share));
    place(&x, "restricted", with("buy yes 10 at 0.90", &share));
    x.advance(60);
    void(&x, "COST", &json!({}));
    void(&x, "VALUE", &json!({ "value": "0.25" }));
    void(&x, "SHARE", &json!({ "at_cost": true }));
    let at = "2026-01-01T00:01:00.000Z";
    let check = || {
        for (ticker, value) in tickers.into_iter().zip([None, Some("0.25"), None]) {
            let event = event(&x, ticker);
            assert_eq!(some(&event, &["status"]), ["invalid"], "{event}");
            let contract = &event["contracts"][0];
            assert_eq!(contract.get("settlementValue").and_then(Value::as_str), value, "{event}");
            assert_eq!(some(contract, &["status", "marketState"]), ["invalid", "closed"], "{event}");
            assert!(contract["resolutionSide"].is_null(), "{event}");
            assert_eq!(text(&event["resolution"]["state"]), "void", "{event}");
        }
        let names = [
            "outcome",
            "positionQuantity",
            "costBasis",
            "payout",
            "realizedPnl",
            "netProfit",
            "resolutionSide",
            "settledAt",
        ];
        for (key, ticker, expected) in [
            ("trader", "COST", ["yes", "10", "6", "6", "0", "0", "null", at]),
            ("counterparty", "COST", ["no", "10", "4", "4", "0", "0", "null", at]),
            ("trader", "VALUE", ["yes", "10", "6", "2.5", "0", "-3.5", "null", at]),
            ("counterparty", "VALUE", ["no", "10", "4", "7.5", "0", "3.5", "null", at]),
        ] {
            let rows = settled(&x, key, ticker);
            assert_eq!(rows.len(), 1, "{rows:?}");
            assert_eq!(some(&rows[0], &names), expected, "{key} {ticker}: {rows:?}");
        }
        assert!(settled(&x, "trader", "SHARE").is_empty());
        for (key, cost, payout) in
            [("restricted", "9", "6.923076923076923"), ("counterparty", "4", "3.076923076923076")]
        {
            let rows = settled(&x, key, "SHARE");
            assert_eq!(some(&rows[0], &["costBasis", "resolutionSide"]), [cost, "null"], "{rows:?}");
            assert!(text(&rows[0]["payout"]).starts_with(payout), "{rows:?}");
        }
    };
    check();
    x.kill9();
    x.restart();
    check();
    laws::check(&x);
}
