//! The symbol table, details, increments and statuses: clauses SYM.

use buttonwood_accept::{Actor, Dec, Exchange, NewOrder, Value, check, dec, json, laws, same_keys};
use std::sync::Barrier;

/// All spot symbols of the specification: names, minimum order size, tick size, quote price increment.
const SPOT: [(&str, &str, &str, &str); 57] = [
    ("btcusd btceur btcgbp btcsgd btcgusd", "1e-5", "1e-8", "0.01"),
    ("ethusd etheur ethgbp ethsgd ethgusd", "1e-3", "1e-6", "0.01"),
    ("ethbtc", "1e-3", "1e-6", "1e-5"),
    ("bchusd", "1e-3", "1e-6", "0.01"),
    ("ltcusd", "1e-2", "1e-5", "0.01"),
    ("ltcbtc", "1e-2", "1e-5", "1e-7"),
    ("ltceth", "1e-2", "1e-5", "1e-5"),
    ("batusd oxtusd manausd", "1", "1e-6", "1e-5"),
    (
        "daiusd linkusd zrxusd storjusd sklusd lrcusd sandusd maticusd dogeusd ankrusd fetusd usdcusd gmtusd \
         imxusd xrpusd",
        "0.1",
        "1e-6",
        "1e-5",
    ),
    ("linkbtc", "0.1", "1e-6", "1e-8"),
    ("linketh", "0.1", "1e-6", "1e-7"),
    ("ampusd", "10", "1e-6", "1e-5"),
    ("compusd mkrusd", "1e-3", "1e-6", "0.01"),
    ("paxgusd", "1e-4", "1e-8", "0.01"),
    ("crvusd filusd grtusd goatusd", "0.1", "1e-6", "1e-4"),
    ("uniusd umausd injusd sushiusd cubeusd dotusd", "0.01", "1e-6", "1e-4"),
    ("renusd", "0.01", "1e-6", "1e-5"),
    ("yfiusd", "1e-5", "1e-6", "0.01"),
    ("aaveusd lptusd", "1e-3", "1e-6", "1e-4"),
    ("ftmusd", "0.03", "1e-6", "1e-4"),
    ("ctxusd", "2e-3", "1e-6", "1e-4"),
    ("xtzusd", "2e-2", "1e-6", "1e-4"),
    ("axsusd", "3e-3", "1e-6", "1e-2"),
    ("dogebtc", "1", "1e-8", "1e-9"),
    ("dogeeth", "1", "1e-8", "1e-8"),
    ("rareusd", "0.1", "1e-6", "1e-3"),
    ("qntusd", "4e-4", "1e-6", "1e-2"),
    ("maskusd", "1e-2", "1e-6", "1e-3"),
    ("api3usd", "3e-2", "1e-6", "1e-3"),
    ("shibusd pepeusd", "1000", "1e-6", "1e-9"),
    ("rndrusd ldousd apeusd", "2e-2", "1e-6", "1e-3"),
    ("galausd", "0.4", "1e-6", "1e-5"),
    ("ensusd", "2e-3", "1e-6", "1e-3"),
    ("solusd", "1e-3", "1e-6", "1e-3"),
    ("gusdsgd", "0.1", "1e-6", "1e-3"),
    ("gusdgbp", "0.1", "1e-4", "1e-3"),
    ("chzusd", "0.5", "1e-6", "1e-5"),
    ("jamusd", "10", "1e-6", "1e-7"),
    ("aliusd", "2", "1e-6", "1e-6"),
    ("ernusd", "0.05", "1e-6", "1e-4"),
    ("elonusd", "60000", "1e-6", "1e-11"),
    ("galusd hntusd", "0.04", "1e-6", "1e-4"),
    ("samousd", "10", "1e-6", "1e-7"),
    ("iotxusd", "3", "1e-6", "1e-6"),
    ("avaxusd", "0.005", "1e-6", "1e-3"),
    ("atomusd", "0.01", "1e-6", "1e-3"),
    ("usdtusd", "0.1", "1e-6", "1e-4"),
    ("btcusdt", "1e-5", "1e-8", "1e-2"),
    ("ethusdt", "1e-3", "1e-6", "1e-2"),
    ("wifusd popcatusd opusd", "0.07", "1e-6", "1e-4"),
    ("bonkusd", "4000", "1e-6", "1e-9"),
    ("moodengusd", "1", "1e-6", "1e-6"),
    ("pnutusd", "0.2", "1e-4", "1e-4"),
    ("mewusd bomeusd", "10", "1e-2", "1e-6"),
    ("flokiusd", "400", "1e-6", "1e-7"),
    ("pythusd", "0.2", "1e-6", "1e-5"),
    ("chillguyusd", "0.5", "1e-2", "1e-4"),
];

/// Symbols without increments in the specification: these come from decision D-33.
const OTHER: [(&str, &str, &str, &str); 7] = [
    ("zecusd", "1e-3", "1e-6", "0.01"),
    ("efilfil", "0.1", "1e-6", "1e-4"),
    ("usdtgusd", "0.1", "1e-6", "1e-4"),
    ("gusdusd", "0.01", "1e-6", "1e-4"),
    ("zbcusd", "0.1", "1e-6", "1e-5"),
    ("solbtc", "1e-3", "1e-6", "1e-7"),
    ("soleth", "1e-3", "1e-6", "1e-6"),
];

/// Perpetuals with their own increments; the others use 0.1 / 0.1 / 0.001.
const PERPETUAL: [(&str, &str, &str, &str); 19] = [
    ("btc", "0.0001", "0.0001", "0.5"),
    ("eth", "0.001", "0.001", "0.05"),
    ("sol", "0.1", "0.1", "0.005"),
    ("avax", "0.1", "0.1", "0.001"),
    ("bch", "0.001", "0.001", "0.01"),
    ("bnb", "0.01", "0.01", "0.05"),
    ("bonk", "5000", "1", "1e-9"),
    ("doge", "1", "1", "1e-5"),
    ("floki", "500", "1", "1e-8"),
    ("hype", "0.1", "0.1", "0.001"),
    ("inj", "0.1", "0.1", "0.001"),
    ("link", "0.1", "0.1", "0.001"),
    ("ltc", "0.1", "0.1", "0.01"),
    ("mew", "10", "1", "1e-6"),
    ("op", "1", "0.1", "1e-4"),
    ("pepe", "1", "1", "1e-9"),
    ("pol", "1", "1", "1e-4"),
    ("popcat", "1", "0.1", "1e-4"),
    ("shib", "50", "50", "1e-9"),
];

const BASES: &str = "avax bch bnb bome bonk btc doge dot eth floki goat hype inj link ltc mew moodeng op pepe \
                     pnut pol popcat pyth shib sol trump uni wif xrp";

/// Converts `2e-3` to 0.002.
fn power(text: &str) -> Dec {
    let Some((digits, exponent)) = text.split_once("e-") else { return dec(text) };
    let places: usize = exponent.parse().unwrap();
    dec(&format!("0.{}{digits}", "0".repeat(places - digits.len())))
}

fn expect_increments(x: &Exchange, symbol: &str, row: (&str, &str, &str)) -> Value {
    let details = x.get(&format!("/v1/symbols/details/{symbol}")).ok();
    let found = ["min_order_size", "tick_size", "quote_increment"].map(|name| Dec::wire(&details[name]));
    assert_eq!(found, [power(row.0), power(row.1), power(row.2)], "{symbol}: {details}");
    details
}

fn spot_symbols() -> Vec<&'static str> {
    SPOT.iter().chain(&OTHER).flat_map(|row| row.0.split_ascii_whitespace()).collect()
}

fn listed(x: &Exchange) -> Vec<String> {
    serde_list(&x.get("/v1/symbols").ok())
}

fn serde_list(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_owned()).collect()
}

/// The spot symbols of the specification with their increments, and no others. Proves SYM-001, SYM-002, SYM-017.
#[test]
fn spot_table_is_the_specifications() {
    let x = Exchange::start();
    let mut expected: Vec<String> = spot_symbols().into_iter().map(str::to_owned).collect();
    expected.sort();
    let mut found = listed(&x);
    found.retain(|symbol| !symbol.ends_with("gusdperp"));
    assert_eq!(found, expected);
    for (names, min, tick, increment) in SPOT.iter().chain(&OTHER) {
        for symbol in names.split_ascii_whitespace() {
            let details = expect_increments(&x, symbol, (min, tick, increment));
            let codes = format!(
                "{}{}",
                details["base_currency"].as_str().unwrap(),
                details["quote_currency"].as_str().unwrap()
            );
            assert_eq!(codes, symbol.to_uppercase(), "{details}");
            assert_eq!(details["product_type"], "spot");
            assert_eq!(details["contract_type"], "vanilla");
            assert_eq!(details["contract_price_currency"], details["quote_currency"]);
        }
    }
}

/// A perpetual for each of the 29 bases, in lower case (of SYM-008, the part without positions), with the documented
/// increments. Proves SYM-003, SYM-004, SYM-018.
#[test]
fn perpetual_table_is_complete() {
    let x = Exchange::start();
    let expected: Vec<String> =
        BASES.split_ascii_whitespace().map(|base| format!("{base}gusdperp")).collect();
    let mut found = listed(&x);
    found.retain(|symbol| symbol.ends_with("gusdperp"));
    assert_eq!(found, expected);
    for base in BASES.split_ascii_whitespace() {
        let own = PERPETUAL.iter().find(|row| row.0 == base);
        let row = own.map_or(("0.1", "0.1", "0.001"), |row| (row.1, row.2, row.3));
        let details = expect_increments(&x, &format!("{base}gusdperp"), row);
        assert_eq!(details["base_currency"], base.to_uppercase());
        assert_eq!(details["quote_currency"], "GUSD");
        assert_eq!(details["product_type"], "swap");
        assert_eq!(details["contract_type"], "linear");
        assert_eq!(details["contract_price_currency"], "GUSD");
    }
}

/// One symbol can be wrapped, according to the symbol table (SYM-019).
#[test]
fn one_symbol_can_be_wrapped() {
    let x = Exchange::start();
    let all = x.get("/v1/symbols/details/all").ok();
    let wrapped = all.as_array().unwrap().iter().filter(|details| details["wrap_enabled"] == json!(true));
    let wrapped: Vec<&str> = wrapped.map(|details| details["symbol"].as_str().unwrap()).collect();
    assert_eq!(wrapped, ["GUSDUSD"]);
}

/// Three symbols are closed to customers of one state, and to no others. Proves SYM-005.
#[test]
fn restricted_symbols() {
    let x = Exchange::start();
    x.credit("restricted", "USDT", "1000");
    x.credit("trader", "USDT", "1000");
    for (symbol, amount, price) in
        [("usdtusd", "1", "1"), ("btcusdt", "0.001", "100"), ("ethusdt", "0.1", "100")]
    {
        let order = NewOrder::limit(symbol, "buy", amount, price).params();
        let answer = x.as_("restricted").call("/v1/order/new", order.clone());
        answer.refused(400, "InvalidSymbol");
        assert_eq!(x.as_("trader").call("/v1/order/new", order).ok()["is_live"], json!(true));
    }
    x.as_("restricted").limit("btcusd", "buy", "0.001", "100");
    laws::check(&x);
}

/// For a closed symbol, no other field of an order is checked, as for a symbol that does not exist. Proves SYM-005,
/// AUTH-014.
#[test]
fn a_restricted_symbol_is_the_first_thing_wrong() {
    let x = Exchange::start();
    let order = |symbol: &str, field: &str, value: Value| {
        let mut params = NewOrder::limit(symbol, "buy", "1", "100").params();
        params[field] = value;
        params
    };
    for symbol in ["usdtusd", "ETHUSDT", "nosuch"] {
        for (field, value) in [
            ("amount", json!("0")),
            ("amount", json!("abc")),
            ("price", json!("-1")),
            ("side", json!("up")),
            ("type", json!("exchange")),
            ("options", json!("fill-or-kill")),
            ("client_order_id", json!(5)),
        ] {
            let answer = x.as_("restricted").call("/v1/order/new", order(symbol, field, value));
            let message = answer.refused(400, "InvalidSymbol").message;
            assert!(message.contains(&format!("'{symbol}'")), "{answer}");
        }
    }
    let open = x.as_("trader").call("/v1/order/new", order("usdtusd", "amount", json!("0")));
    open.refused(400, "InvalidQuantity");
    x.as_("restricted")
        .call("/v1/order/new", order("btcusd", "amount", json!("0")))
        .refused(400, "InvalidQuantity");
    x.set_status("usdtusd", "closed");
    let closed = order("usdtusd", "amount", json!("1"));
    x.as_("restricted").call("/v1/order/new", closed).refused(400, "InvalidSymbol");
    laws::check(&x);
}

/// Quantities are in the first currency, prices in the second. Proves SYM-006.
#[test]
fn base_and_quote() {
    check(
        "
        counterparty sell ethbtc 2 @ 0.05     => live
        balance counterparty ETH 20000 available 20000 - 2, BTC 1000
        trader buy ethbtc 2 @ 0.05            => filled
        balance trader ETH 20000 + 2, BTC 1000 - 0.1 - 0.0004
        balance counterparty ETH 20000 - 2, BTC 1000 + 0.1 - 0.0002
        ",
    );
}

/// Symbols are accepted in any letter case; replies use lower case. Proves SYM-007, ORD-003.
#[test]
fn symbols_in_any_case() {
    let x = Exchange::start();
    let order = x.as_("trader").limit("BTCUSD", "buy", "1", "100");
    assert_eq!(order["symbol"], "btcusd");
    assert_eq!(order["price"], "100.00");
    assert_eq!(order["exchange"], "svc");
    for (symbol, amount, price, shown) in [
        ("ethbtc", "1", "0.02", "0.02000"),
        ("solusd", "1", "7", "7.000"),
        ("JAMUSD", "10", "0.5", "0.5000000"),
    ] {
        let order = x.as_("trader").limit(symbol, "buy", amount, price);
        assert_eq!((&order["symbol"], &order["price"]), (&json!(symbol.to_lowercase()), &json!(shown)));
    }
    for path in ["/v1/book/", "/v1/trades/", "/v1/symbols/details/", "/v2/ticker/", "/v1/pubticker/"] {
        let lower = x.get(&format!("{path}btcusd")).ok();
        for spelling in ["BTCUSD", "BtcUsd"] {
            assert_eq!(x.get(&format!("{path}{spelling}")).ok(), lower, "{path}{spelling}");
        }
    }
    let trades = x.as_("trader").call("/v1/mytrades", json!({ "symbol": "BtcUsd" })).ok();
    assert_eq!(trades, json!([]));
}

/// The minimum itself is accepted, one tick less is not. Proves SYM-009.
#[test]
fn minimum_order_size() {
    check(
        "
        trader buy btcusd 0.00001 @ 100       => live
        trader buy btcusd 0.00000999 @ 100    => refused 400 InvalidQuantity
        trader buy ethusd 0.001 @ 100         => live
        trader buy ethusd 0.000999 @ 100      => refused 400 InvalidQuantity
        trader buy elonusd 60000 @ 0.00000000001          => live
        trader buy elonusd 59999.999999 @ 0.00000000001   => refused 400 InvalidQuantity
        ",
    );
}

/// A value off the grid is refused, never rounded; above the minimum only the tick counts. Proves SYM-010, SYM-011,
/// SYM-012.
#[test]
fn grids_are_exact() {
    check(
        "
        trader buy btcusd 1.000000001 @ 100   => refused 400 InvalidQuantity
        trader buy btcusd 1.00000001 @ 100    => live, remaining 1.00000001
        trader buy btcusd 1 @ 100.001         => refused 400 InvalidPrice
        trader buy btcusd 1 @ 100.01          => live
        trader buy ethusd 1.0000001 @ 100     => refused 400 InvalidQuantity
        trader buy ethbtc 1 @ 0.000001        => refused 400 InvalidPrice
        trader buy ftmusd 0.030001 @ 1        => live, remaining 0.030001
        ",
    );
}

/// The list is public, lower case, sorted and without repeats. Proves SYM-014.
#[test]
fn symbol_list() {
    let x = Exchange::start();
    let list = listed(&x);
    assert_eq!(list.len(), spot_symbols().len() + 29);
    assert!(list.windows(2).all(|pair| pair[0] < pair[1]), "sorted, no repeats: {list:?}");
    assert!(list.iter().all(|symbol| *symbol == symbol.to_lowercase()));
}

/// Details have their keys and types and no others. Proves SYM-015, SYM-016.
#[test]
fn details_shape() {
    let x = Exchange::start();
    let answer = x.get("/v1/symbols/details/btcusd");
    let expected = json!({
        "symbol": "BTCUSD", "base_currency": "BTC", "quote_currency": "USD", "tick_size": "0.00000001",
        "quote_increment": "0.01", "min_order_size": "0.00001", "status": "open", "wrap_enabled": false,
        "product_type": "spot", "contract_type": "vanilla", "contract_price_currency": "USD",
    });
    assert_eq!(answer.ok(), expected, "{answer}");
    assert_eq!(x.get("/v1/symbols/details/gusdusd").ok()["wrap_enabled"], json!(true));
}

/// Details of all symbols in one reply, each equal to its own. Proves SYM-021.
#[test]
fn details_of_all() {
    let x = Exchange::start();
    x.set_status("ethusd", "cancel_only");
    let all = x.get("/v1/symbols/details/all").ok();
    let rows = all.as_array().unwrap();
    let mut names: Vec<String> =
        rows.iter().map(|row| row["symbol"].as_str().unwrap().to_lowercase()).collect();
    names.sort();
    assert_eq!(names, listed(&x));
    let keys = x.get("/v1/symbols/details/btcusd").ok();
    let keys: Vec<&str> = keys.as_object().unwrap().keys().map(String::as_str).collect();
    for row in rows {
        same_keys(row, &keys, row);
        let alone = x.get(&format!("/v1/symbols/details/{}", row["symbol"].as_str().unwrap())).ok();
        assert_eq!(*row, alone);
    }
}

/// Details of an unlisted symbol. Proves SYM-020.
#[test]
fn details_of_an_unknown_symbol() {
    let x = Exchange::start();
    for symbol in ["nosuch", "btcusd%20", "btc", "%00"] {
        x.get(&format!("/v1/symbols/details/{symbol}")).refused(400, "InvalidSymbol");
    }
    let refusal = x.get("/v1/symbols/details/nosuch").refused(400, "InvalidSymbol");
    assert!(refusal.message.contains("'nosuch'"), "{}", refusal.message);
}

/// A change of status shows at once, and there are only the five statuses. Proves SYM-022.
#[test]
fn status_shows_in_details() {
    let x = Exchange::start();
    let status = || x.get("/v1/symbols/details/ethusd").ok()["status"].clone();
    assert_eq!(status(), "open");
    for next in ["cancel_only", "post_only", "limit_only", "closed", "open"] {
        x.set_status("ethusd", next);
        assert_eq!(status(), next);
    }
    let answer = x.control("/sandbox/symbols/ethusd/status", &json!({ "status": "ajar" }));
    assert_eq!(answer.status(), 400, "{answer}");
    assert_eq!(status(), "open");
    assert_eq!(x.get("/v1/symbols/details/btcusd").ok()["status"], "open", "other symbols are not touched");
}

/// The status of a perpetual changes as any other (D-37).
#[test]
fn perpetuals_open_and_close() {
    let x = Exchange::start();
    for next in ["cancel_only", "post_only", "limit_only", "closed", "open"] {
        x.set_status("btcgusdperp", next);
        assert_eq!(x.get("/v1/symbols/details/btcgusdperp").ok()["status"], next);
    }
}

/// Open: every type and option. Proves SYM-023.
#[test]
fn open_takes_everything() {
    check(
        "
        counterparty sell btcusd 5 @ 30000                        => live
        trader buy btcusd 1 @ 30000                               => filled
        trader buy btcusd 1 @ 30000 immediate-or-cancel           => filled
        trader buy btcusd 0.1 @ 30000 fill-or-kill                => filled
        trader buy btcusd 0.1 @ 20000 maker-or-cancel             => live
        trader buy btcusd 0.1 at market                           => filled
        trader buy btcusd for 3012 at market                      => filled
        broker buy btcusd 1 @ 29900                               => live
        counterparty sell btcusd 0.1 @ 29900 immediate-or-cancel  => filled
        counterparty sell btcusd 0.1 at market                    => filled
        trader buy btcusd 0.1 @ 31000 stop 30900                  => live
        trader sell btcusd 0.1 @ 28000 stop 28100                 => live
        auction btcusd in 600
        trader buy btcusd 0.1 @ 20000 auction-only                => live
        trader sell btcusd 0.1 @ 40000 auction-only               => live
        ",
    );
}

/// Closed: no new orders, live orders are cancelled and their holds released, queries and cancels still work. Proves
/// SYM-024, SYM-028, SYM-029.
#[test]
fn closed_takes_nothing() {
    check(
        "
        counterparty sell btcusd 1 @ 30000 as A1    => live
        trader buy btcusd 1 @ 20000 as B1           => live
        trader buy ethusd 1 @ 200 as E1             => live
        balance trader USD 100000 available 100000 - 20080 - 200.8
        status btcusd closed
        order A1                                    => cancelled MarketClosed
        order B1                                    => cancelled MarketClosed
        order E1                                    => live
        balance trader USD 100000 available 100000 - 200.8
        balance counterparty BTC 1000
        book btcusd                                 => bids none; asks none
        trader buy btcusd 1 @ 20000                 => refused 400 MarketClosed
        trader buy btcusd 1 @ 20000 maker-or-cancel => refused 400 MarketClosed
        trader buy btcusd 1 at market               => refused 400 MarketClosed
        trader buy btcusd for 100 at market         => refused 400 MarketClosed
        trader cancel B1                            => cancelled MarketClosed
        trader cancel session                       => E1
        trades btcusd                               => none
        status btcusd open
        trader buy btcusd 1 @ 20000                 => live
        ",
    );
    let x = Exchange::start();
    x.set_status("btcusd", "closed");
    assert!(listed(&x).contains(&"btcusd".to_owned()), "a closed symbol stays listed");
    assert_eq!(x.get("/v1/symbols/details/btcusd").ok()["status"], "closed");
}

/// Cancel only: only cancels are accepted. Proves SYM-025.
#[test]
fn cancel_only_takes_cancels() {
    check(
        "
        trader buy btcusd 1 @ 20000 as B1           => live
        status btcusd cancel_only
        trader buy btcusd 1 @ 20000                 => refused 400 MarketNotOpen
        trader buy btcusd 1 at market               => refused 400 MarketNotOpen
        order B1                                    => live
        book btcusd                                 => bids 1 @ 20000; asks none
        trader cancel B1                            => cancelled Requested
        balance trader USD 100000
        ",
    );
}

/// Post only: only orders that do not cross are accepted. Proves SYM-026.
#[test]
fn post_only_takes_what_rests() {
    check(
        "
        counterparty sell btcusd 1 @ 30000 as A1              => live
        status btcusd post_only
        trader buy btcusd 1 @ 29000 as B1                     => live
        trader buy btcusd 1 @ 30000                           => refused 400 MarketNotOpen
        trader buy btcusd 1 @ 30000 immediate-or-cancel       => refused 400 MarketNotOpen
        trader buy btcusd 1 @ 29000 immediate-or-cancel       => cancelled ImmediateOrCancelWouldPost
        trader buy btcusd 1 at market                         => refused 400 MarketNotOpen
        trader buy btcusd for 100 at market                   => refused 400 MarketNotOpen
        trader buy btcusd 1 @ 28000 maker-or-cancel           => live
        trader buy btcusd 1 @ 30000 maker-or-cancel           => cancelled MakerOrCancelWouldTake, executed 0
        order A1                                              => live, executed 0
        ",
    );
}

/// Limit only: limit and stop-limit orders, no market orders. Proves SYM-027.
#[test]
fn limit_only_takes_limits() {
    check(
        "
        counterparty sell btcusd 1 @ 30000                    => live
        status btcusd limit_only
        trader buy btcusd 0.1 at market                       => refused 400 MarketNotOpen
        trader buy btcusd for 100 at market                   => refused 400 MarketNotOpen
        trader sell btcusd 0.1 at market                      => refused 400 MarketNotOpen
        trader buy btcusd 0.1 @ 30000                         => filled
        trader buy btcusd 0.1 @ 30000 immediate-or-cancel     => filled
        trader buy btcusd 0.1 @ 30000 fill-or-kill            => filled
        trader buy btcusd 0.1 @ 29000 maker-or-cancel         => live
        trader buy btcusd 0.1 @ 31000 stop 30900              => live
        ",
    );
}

/// A symbol in the form in which an operator lists it.
fn newcomer(changes: Value) -> Value {
    let mut body = json!({
        "symbol": "dogegbp", "base_currency": "DOGE", "quote_currency": "GBP",
        "tick_size": "0.000001", "quote_increment": "0.00001", "min_order_size": "0.1",
    });
    for (name, value) in changes.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

/// A symbol listed while the exchange runs is visible everywhere, trades by its own increments at once, and survives
/// a crash with its orders; delisted, it stays in the list. Proves SYM-014, SYM-030.
#[test]
fn listed_and_delisted_while_running() {
    let x = Exchange::start();
    let order = |amount: &str, price: &str| json!({ "symbol": "dogegbp", "side": "buy", "type": "exchange limit", "amount": amount, "price": price });
    let is_listed = || x.get("/v1/symbols").ok().as_array().unwrap().contains(&json!("dogegbp"));
    assert!(!is_listed());
    x.as_("trader").call("/v1/order/new", order("1", "1")).refused(400, "InvalidSymbol");

    let listed = x.control("/sandbox/symbols", &newcomer(json!({ "symbol": "DogeGBP" }))).ok();
    assert!(is_listed());
    let names = serde_list(&x.get("/v1/symbols").ok());
    assert!(names.is_sorted(), "{names:?}");
    assert!(x.get("/v1/symbols/details/all").ok().as_array().unwrap().contains(&listed));
    let feed = x.get("/v1/pricefeed").ok();
    assert!(feed.as_array().unwrap().iter().any(|row| row["pair"] == "DOGEGBP"), "{feed}");
    assert_eq!(x.get("/v1/symbols/details/DOGEGBP").ok(), listed);
    let expected = json!({
        "symbol": "DOGEGBP", "base_currency": "DOGE", "quote_currency": "GBP", "status": "open",
        "product_type": "spot", "wrap_enabled": false,
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(listed[name], *value, "{name}");
    }
    let steps = ["tick_size", "quote_increment", "min_order_size"].map(|name| Dec::wire(&listed[name]));
    assert_eq!(steps, ["0.000001", "0.00001", "0.1"].map(dec));

    x.credit("trader", "GBP", "1000");
    x.credit("counterparty", "DOGE", "1000");
    x.as_("counterparty").limit("dogegbp", "sell", "100.000001", "0.12345");
    x.as_("trader").limit("dogegbp", "buy", "40", "0.12345");
    x.as_("trader").call("/v1/order/new", order("1", "0.123456")).refused(400, "InvalidPrice");
    assert_eq!(x.as_("trader").balance("DOGE").0, dec("40"));
    let seen = || {
        let paths = [
            "/v1/book/dogegbp",
            "/v1/trades/dogegbp",
            "/v1/pubticker/dogegbp",
            "/v1/symbols/details/dogegbp",
        ];
        paths.map(|path| x.get(path).ok())
    };
    let before = seen();
    assert_eq!(Dec::wire(&before[0]["asks"][0]["amount"]), dec("60.000001"));

    x.kill9();
    x.restart();
    assert_eq!(seen()[..2], before[..2]);
    x.set_status("dogegbp", "closed");
    assert!(is_listed());
    assert_eq!(x.get("/v1/symbols/details/dogegbp").ok()["status"], "closed");
    assert!(x.as_("counterparty").live_ids().is_empty());
    laws::check(&x);
}

/// Of several operators that list one symbol at once, one succeeds; after the reply, each can use the symbol. Proves
/// SYM-030.
#[test]
fn listed_by_several_at_once() {
    const OPERATORS: usize = 4;
    let x = Exchange::start();
    let listed = x.get("/v1/symbols").ok();
    let currencies = ["AAVE", "BCH", "BTC", "DOGE", "ETH", "EUR", "FIL", "GBP", "LINK", "LTC", "SOL", "USD"];
    let bodies: Vec<Value> = currencies
        .iter()
        .flat_map(|base| currencies.map(|quote| (base, quote)))
        .map(|(base, quote)| json!({ "symbol": format!("{base}{quote}").to_lowercase(), "base_currency": base, "quote_currency": quote }))
        .filter(|body| body["base_currency"] != body["quote_currency"])
        .filter(|body| !listed.as_array().unwrap().contains(&body["symbol"]))
        .map(newcomer)
        .collect();
    let barrier = Barrier::new(OPERATORS);
    let operate = |actor: &Actor, body: &Value| {
        barrier.wait();
        let json = [("Content-Type", "application/json")];
        let told = actor.send("POST", "/sandbox/symbols", &json, body.to_string().as_bytes());
        let details = format!("/v1/symbols/details/{}", body["symbol"].as_str().unwrap());
        (told.status(), actor.get(&details).status())
    };
    let told: Vec<Vec<(u16, u16)>> = std::thread::scope(|scope| {
        let (bodies, operate) = (&bodies, &operate);
        let all = |actor: Actor| move || bodies.iter().map(|body| operate(&actor, body)).collect();
        let threads = [(); OPERATORS].map(|()| scope.spawn(all(x.fresh("trader"))));
        threads.map(|thread| thread.join().unwrap()).into()
    });
    for (at, body) in bodies.iter().enumerate() {
        let mut told: Vec<(u16, u16)> = told.iter().map(|told| told[at]).collect();
        told.sort_unstable();
        assert_eq!(told, [(200, 200), (400, 200), (400, 200), (400, 200)], "{body}");
    }
    laws::check(&x);
}

/// A bad listing is refused with its wrong field and changes nothing. A name consists of its two currencies. Proves
/// SYM-006.
#[test]
fn bad_listings() {
    let x = Exchange::start();
    let before = x.get("/v1/symbols").ok();
    let long = "a".repeat(33);
    for (field, value, reason) in [
        ("symbol", json!("btcusd"), "InvalidParameterValue"),
        ("symbol", json!("BTCUSD"), "InvalidParameterValue"),
        ("symbol", json!(""), "InvalidParameterValue"),
        ("symbol", json!("doge-gbp"), "InvalidParameterValue"),
        ("symbol", json!("all"), "InvalidParameterValue"),
        ("symbol", json!("dogegbpperp"), "InvalidParameterValue"),
        ("symbol", json!("gbpdoge"), "InvalidParameterValue"),
        ("symbol", json!("dogeusd"), "InvalidParameterValue"),
        ("symbol", json!("doge"), "InvalidParameterValue"),
        ("symbol", json!(long), "InvalidParameterValue"),
        ("base_currency", json!("NOSUCH"), "InvalidCurrency"),
        ("quote_currency", json!("NOSUCH"), "InvalidCurrency"),
        ("quote_currency", json!("doge"), "InvalidParameterValue"),
        ("tick_size", json!("0"), "InvalidParameterValue"),
        ("tick_size", json!("-1"), "InvalidParameterValue"),
        ("tick_size", json!("1e-6"), "InvalidParameterValue"),
        ("tick_size", json!("99999999999999999999"), "InvalidParameterValue"),
        ("tick_size", json!("99999999999.9999999999"), "InvalidParameterValue"),
        ("quote_increment", json!("0"), "InvalidParameterValue"),
        ("quote_increment", json!("99999999999.9999999999"), "InvalidParameterValue"),
        ("quote_increment", json!("0.000000000001"), "InvalidParameterValue"),
        ("min_order_size", json!("0"), "InvalidParameterValue"),
        ("min_order_size", json!("0.1000001"), "InvalidParameterValue"),
    ] {
        let refusal = x.control("/sandbox/symbols", &newcomer(json!({ field: value }))).refused(400, reason);
        assert!(refusal.message.contains(&format!("'{field}'")), "{refusal:?}");
    }
    let turned = newcomer(json!({ "symbol": "gbpdoge" }));
    let refusal = x.control("/sandbox/symbols", &turned).refused(400, "InvalidParameterValue");
    assert_eq!(refusal.message, "Field 'symbol' must be its base and its quote currency, 'dogegbp': gbpdoge");
    for field in
        ["symbol", "base_currency", "quote_currency", "tick_size", "quote_increment", "min_order_size"]
    {
        let mut body = newcomer(json!({}));
        body.as_object_mut().unwrap().remove(field);
        let refusal = x.control("/sandbox/symbols", &body).refused(400, "MissingPayloadKey");
        assert!(refusal.message.contains(field), "{refusal:?}");
    }
    assert_eq!(x.get("/v1/symbols").ok(), before);
    laws::check(&x);
}
