//! Broken trades of contracts.

use super::public::text;
use super::*;
use buttonwood_accept::laws;

/// A trade is broken as a mark alone: it leaves the list of trades, and its money and its pair stay. A break in full is refused and changes
/// nothing. Proves MKT-023.
#[test]
fn a_trade_is_broken_as_a_mark_alone() {
    let x = exchange();
    place(&x, "trader", limit("buy yes 10 at 0.60"));
    place(&x, "counterparty", limit("buy no 10 at 0.40"));
    let tids = |query: &str| -> Vec<u64> {
        let trades = x.get(&format!("/v1/trades/SVC-RAIN{query}")).ok();
        trades.as_array().expect("trades").iter().map(|trade| trade["tid"].as_u64().expect("an id")).collect()
    };
    let tid = tids("")[0];
    let break_it = |kind: &str| x.control("/sandbox/trades/break", &json!({ "tid": tid, "kind": kind }));
    let money = || {
        let collateral = x.get(&format!("{ROOT}/events/RAIN/collateral")).ok();
        let held = ["trader", "counterparty"].map(|key| positions(&x, key));
        let dollars = ["trader", "counterparty"].map(|key| x.as_(key).balance("USD"));
        format!("{collateral} {held:?} {dollars:?}")
    };
    let before = money();
    let refusal = break_it("full").refused(400, "InvalidParameterValue");
    assert!(refusal.message.contains("'kind'") && refusal.message.contains("manual"), "{}", refusal.message);
    assert_eq!((tids(""), money()), (vec![tid], before.clone()));
    assert_eq!(break_it("manual").ok(), json!({ "result": "ok" }));
    let check = || {
        assert_eq!((tids(""), tids("?include_breaks=true"), money()), (vec![], vec![tid], before.clone()));
        for key in ["trader", "counterparty"] {
            let own = x.as_(key).call("/v1/mytrades", json!({ "symbol": RAIN })).ok();
            assert_eq!(text(&own[0]["break"]), "manual", "{own}");
        }
    };
    check();
    break_it("full").refused(400, "InvalidParameterValue");
    x.kill9();
    x.restart();
    check();
    laws::check(&x);
}
