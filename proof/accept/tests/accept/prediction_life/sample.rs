//! The events that every sandbox has, and the simulated traders on them.

use super::*;
use buttonwood_accept::{Dec, dec};
use std::collections::BTreeSet;

fn events(x: &Exchange) -> Vec<Value> {
    let answer = x.get("/v1/prediction-markets/events?limit=500").ok();
    answer["data"].as_array().unwrap().clone()
}

fn promo(x: &Exchange) -> Dec {
    let ledger = x.get("/sandbox/ledger").ok();
    let rows = ledger["currencies"].as_array().unwrap().iter();
    let mut dollars = rows.filter(|row| row["currency"] == "USD");
    Dec::wire(&dollars.next().unwrap()["house"]["promo"])
}

/// A fresh sandbox has at least five events of three categories and of both types, one of them not open yet, and a combo; they are listed
/// once, and `promo` is paid once. No group of its keys has accepted the terms.
#[test]
fn a_sandbox_has_events() {
    let x = Exchange::start();
    for _ in 0..2 {
        let events = events(&x);
        let words = |field: &str| -> BTreeSet<String> {
            events.iter().map(|event| event[field].as_str().unwrap().to_owned()).collect()
        };
        assert!(events.len() >= 5 && words("category").len() >= 3, "{events:?}");
        for kind in ["binary", "categorical"] {
            assert!(words("type").contains(kind), "{kind}");
        }
        assert_eq!(words("status"), ["active", "approved"].map(str::to_owned).into());
        let combos = x.get("/v1/prediction-markets/combos").ok();
        assert_eq!(combos["combos"].as_array().unwrap().len(), 1, "{combos}");
        assert_eq!(promo(&x), dec("1000000"));
        x.stop();
        x.restart();
    }
    let status = x.as_("trader").signed_get("/v1/prediction-markets/terms/status", json!({})).ok();
    assert_eq!(status["hasAcceptedLatest"], false);
    laws::check(&x);
}

/// Contracts with quotes on both sides, contracts that have traded, and all that are open.
fn quoted(x: &Exchange) -> [usize; 3] {
    let open = events(x).into_iter().filter(|event| event["status"] == "active");
    let contracts: Vec<Value> =
        open.flat_map(|event| event["contracts"].as_array().unwrap().clone()).collect();
    let has = |contract: &&Value, field: &str| contract["prices"][field].is_string();
    let both = contracts.iter().filter(|contract| has(contract, "bestBid") && has(contract, "bestAsk"));
    [
        both.count(),
        contracts.iter().filter(|contract| has(contract, "lastTradePrice")).count(),
        contracts.len(),
    ]
}

/// Simulated traders quote the contracts, combos too, on both sides and trade some within ten minutes, also under new terms, and stop with the event.
/// Their pairs net, so that what they hold stays small.
#[test]
fn traders_quote_contracts() {
    let x = Exchange::builder().flag("--activity", "on").start();
    control(&x, "/terms", &json!({ "content": "Other terms." })).ok();
    control(&x, "/events", &several("LATE", x.now_ms() + 7_200_000)).ok();
    x.advance(600);
    let [both, traded, all] = quoted(&x);
    assert!(all >= 10 && both * 2 >= all && traded > 0, "{both} and {traded} of {all}");
    for combo in x.get("/v1/prediction-markets/combos").ok()["combos"].as_array().unwrap() {
        let symbol = combo["contract"]["contractTicker"].as_str().unwrap();
        let book = x.get(&format!("/v1/book/{symbol}")).ok();
        assert!(book["bids"][0].is_object() && book["asks"][0].is_object(), "{symbol}: {book}");
    }
    control(&x, "/events/LATE/halt", &json!({ "halted": true })).ok();
    let volume = |x: &Exchange| x.get("/v1/prediction-markets/events/LATE").ok()["volume"].clone();
    let halted = volume(&x);
    x.advance(3_600);
    assert_eq!(volume(&x), halted, "a halted event does not trade");
    x.advance(20 * 3_600);
    for event in events(&x) {
        let collateral =
            format!("/v1/prediction-markets/events/{}/collateral", event["ticker"].as_str().unwrap());
        for contract in x.get(&collateral).ok()["contracts"].as_array().unwrap() {
            assert!(Dec::wire(&contract["escrow"]) <= dec("2000"), "{contract}");
        }
    }
    x.stop();
    laws::verified(&x);
}
