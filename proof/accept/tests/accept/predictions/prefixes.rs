//! The prefix of symbols, which a flag of each start sets for contracts that are listed from then on.

use super::public::text;
use super::*;
use buttonwood_accept::{laws, private_folder};

/// Contracts keep the symbol of their listing under another prefix, are found by it in any letter case, and by no other prefix.
#[test]
fn contracts_keep_their_symbols_under_another_prefix() {
    let home = private_folder();
    let data = home.path().join("data");
    let x = Exchange::builder().start_in(&data);
    let events = x.get(&format!("{ROOT}/events")).ok()["pagination"]["total"].clone();
    x.stop();
    drop(x);
    let x = Exchange::builder().flag("--contract-prefix", "CURB1").start_in(&data);
    assert_eq!(
        x.get(&format!("{ROOT}/events")).ok()["pagination"]["total"],
        events,
        "no event is given twice"
    );
    let listed = list(&x, json!({ "ticker": "RAIN", "title": "Will it rain?", "category": "weather" }));
    assert_eq!(listed["symbols"], json!(["CURB1-RAIN"]));
    let legs = ["CURB1-RAIN", "svc-demobtc"].map(|symbol| json!({ "symbol": symbol, "outcome": "yes" }));
    let combo = text(&x.control("/sandbox/predictions/combos", &json!({ "legs": legs })).ok()["symbol"]);
    assert!(combo.starts_with("CURB1-CMB-"), "{combo}");
    accept(&x, "trader");
    accept(&x, "counterparty");
    let trade = |x: &Exchange, symbol: &str| {
        for name in [symbol.to_owned(), symbol.to_lowercase(), symbol.replacen('R', "r", 1)] {
            let symbol = json!({ "symbol": name });
            let order = place(x, "trader", with("buy yes 1 at 0.60", &symbol));
            place(x, "counterparty", with("buy no 1 at 0.40", &symbol));
            assert_eq!(text(&order["symbol"]).to_lowercase(), name.to_lowercase());
            for path in ["/v1/book", "/v1/trades", "/v2/ticker"] {
                x.get(&format!("{path}/{name}")).ok();
            }
            let own = x.as_("trader").call("/v1/mytrades", symbol).ok();
            assert_eq!(text(&own[0]["symbol"]).to_lowercase(), name.to_lowercase());
        }
    };
    let symbols = ["CURB1-RAIN", "SVC-DEMOBTC", &combo];
    let check = |x: &Exchange| {
        for symbol in symbols {
            trade(x, symbol);
        }
        for name in [combo.as_str(), &combo.to_lowercase()] {
            assert_eq!(
                x.get(&format!("{ROOT}/combos/{name}")).ok()["contract"]["contractTicker"],
                combo.as_str()
            );
        }
        for wrong in ["SVC-RAIN", "CURB1-DEMOBTC", "RAIN", "CURB-RAIN", "CURB11-RAIN"] {
            send(x, "trader", with("buy yes 1 at 0.60", &json!({ "symbol": wrong }))).coded(404, "NOT_FOUND");
            x.get(&format!("/v1/book/{wrong}")).refused(400, "InvalidSymbol");
        }
        let mut held: Vec<String> = positions(x, "trader").iter().map(|row| text(&row["symbol"])).collect();
        held.sort_unstable();
        let mut expected = symbols.map(str::to_owned);
        expected.sort_unstable();
        assert_eq!(held, expected);
    };
    check(&x);
    x.kill9();
    drop(x);
    let x = Exchange::builder().start_in(&data);
    check(&x);
    assert_eq!(
        text(&x.get(&format!("{ROOT}/events/rain")).ok()["contracts"][0]["instrumentSymbol"]),
        "CURB1-RAIN"
    );
    laws::check(&x);
}
