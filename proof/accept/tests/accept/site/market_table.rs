//! The market table, `/site/market.json`, which all clients share for a moment.

use buttonwood_accept::{Exchange, Value, wait_until};

/// The best bid of btcusd in the table.
fn bid(x: &Exchange) -> String {
    let table = x.get("/site/market.json").ok();
    let mut rows = table["rows"].as_array().expect("rows").iter();
    let row = rows.find(|row| row["symbol"] == "btcusd").expect("btcusd is listed");
    row["bid"].as_str().expect("a text").to_owned()
}

/// The time of the table.
fn time(x: &Exchange) -> Value {
    x.get("/site/market.json").ok()["now_ms"].clone()
}

/// A table is not shown in another second of the exchange, however soon that comes, nor after a restart, nor
/// for long while a manual clock stands still.
#[test]
fn a_table_is_shared_for_a_moment() {
    let x = Exchange::start();
    assert_eq!(bid(&x), "");
    for (step, price) in ["100.00", "101.00", "102.00", "103.00"].into_iter().enumerate() {
        x.as_("trader").limit("btcusd", "buy", "0.5", price);
        match step {
            0 => wait_until("the bid of this second", || bid(&x) == price),
            1 => x.restart(),
            _ => x.advance(1),
        }
        assert_eq!(bid(&x), price);
        assert_eq!(time(&x), x.now_ms());
    }
}
