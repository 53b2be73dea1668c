//! The sandbox's market: every book is quoted from one latent price for each asset, and how time is cut changes nothing. Clause SBX-004.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use buttonwood_accept::{Dec, Exchange, Value, dec, json, laws};

/// One, as prices and ratios are counted here.
const ONE: i128 = 1_000_000_000_000;

fn lively(seed: &str) -> Exchange {
    Exchange::builder().flag("--activity", "on").flag("--rate-limits", "off").flag("--seed", seed).start()
}

/// A decimal in units of 10⁻¹².
fn units(value: &Value) -> i128 {
    let text = value.as_str().unwrap();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction: String = fraction.chars().chain("000000000000".chars()).take(12).collect();
    whole.parse::<i128>().unwrap() * ONE + fraction.parse::<i128>().unwrap()
}

/// A book: its middle, its spread as a part of the middle, and what each side is worth in the quote currency.
struct Book {
    middle: i128,
    spread: i128,
    worth: [i128; 2],
}

fn book(x: &Exchange, symbol: &str) -> Option<Book> {
    let book = x.get(&format!("/v1/book/{symbol}?limit_bids=0&limit_asks=0")).ok();
    let best = |side: &str| Some(units(&book[side].get(0)?["price"]));
    let (bid, ask) = (best("bids")?, best("asks")?);
    let middle = i128::midpoint(bid, ask);
    let worth = ["bids", "asks"].map(|side| {
        let levels = book[side].as_array().unwrap().iter();
        let worth =
            levels.map(|level| (Dec::wire(&level["price"]) * Dec::wire(&level["amount"])).to_string());
        worth.map(|worth| units(&json!(worth))).sum()
    });
    Some(Book { middle, spread: (ask - bid) * ONE / middle, worth })
}

/// A listed symbol: its base and its quote currency, and whether it is a perpetual.
type Listed = BTreeMap<String, (String, String, bool)>;

fn listed(x: &Exchange) -> Listed {
    let names = x.get("/v1/symbols").ok();
    let details = |name: &Value| {
        let name = name.as_str().unwrap().to_owned();
        let details = x.get(&format!("/v1/symbols/details/{name}")).ok();
        let [base, quote] =
            ["base_currency", "quote_currency"].map(|field| details[field].as_str().unwrap().to_owned());
        (name.clone(), (base, quote, name.ends_with("perp")))
    };
    names.as_array().unwrap().iter().map(details).collect()
}

/// The dollar value of a unit of a quote currency.
fn dollars(books: &BTreeMap<String, Book>, quote: &str) -> i128 {
    let middle = |symbol: &str| books[symbol].middle;
    match quote {
        "USD" | "GUSD" | "USDT" => ONE,
        "BTC" | "ETH" | "FIL" => middle(&format!("{}usd", quote.to_lowercase())),
        _ => middle("btcusd") * ONE / middle(&format!("btc{}", quote.to_lowercase())),
    }
}

/// Checks what holds of the market at any moment.
fn check_market(x: &Exchange, listed: &Listed) {
    let mut books = BTreeMap::new();
    for (symbol, (_, _, is_perpetual)) in listed {
        if let Some(book) = book(x, symbol) {
            books.insert(symbol.clone(), book);
            continue;
        }
        assert!(is_perpetual, "{symbol} is quoted on both sides");
        let index = &x.get(&format!("/v1/riskstats/{symbol}")).ok()["index_price"];
        assert_eq!(Dec::wire(index), Dec::ZERO, "{symbol} has an index and no quotes");
    }
    for (symbol, book) in &books {
        let rate = dollars(&books, &listed[symbol].1);
        let worth = book.worth.map(|worth| worth / 1_000_000 * (rate / 1_000_000));
        assert!(worth.iter().all(|worth| *worth >= 1_000 * ONE), "{symbol}: {worth:?}");
    }
    for symbol in ["btcusd", "ethusd"] {
        let spread = books[symbol].spread;
        assert!((ONE / 10_000..=ONE / 2_000).contains(&spread), "{symbol}: {spread}");
    }
    for symbol in ["daiusd", "usdcusd", "usdtusd", "gusdusd", "usdtgusd"] {
        assert!((books[symbol].middle - ONE).abs() < ONE / 1_000, "{symbol}: {}", books[symbol].middle);
    }
    check_triangles(listed, &books);
}

/// The middles of no three books contradict each other by more than the sum of their spreads.
fn check_triangles(listed: &Listed, books: &BTreeMap<String, Book>) {
    let spot: BTreeMap<(&str, &str), &str> = listed
        .iter()
        .filter(|(_, (_, _, is_perpetual))| !is_perpetual)
        .map(|(symbol, (base, quote, _))| ((base.as_str(), quote.as_str()), symbol.as_str()))
        .collect();
    let mut seen = 0;
    for ((base, quote), direct) in &spot {
        for ((_, between), first) in spot.iter().filter(|((other, _), _)| other == base) {
            let Some(second) = spot.get(&(*between, *quote)) else { continue };
            seen += 1;
            let [direct, first, second] = [direct, first, second].map(|symbol| &books[*symbol]);
            let product = first.middle * second.middle / ONE;
            let apart = (direct.middle - product).abs() * ONE / product;
            let spreads = direct.spread + first.spread + second.spread;
            assert!(apart <= spreads, "{base}, {between}, {quote}: {apart} {spreads}");
        }
    }
    assert!(seen > 20, "{seen} triangles");
}

/// Every spot symbol, and every perpetual with an index, has a thousand dollars and more on each side; stable coins are worth a dollar;
/// and no triangle of books can be traded around at a profit. Proves SBX-004.
#[test]
fn every_symbol_is_quoted_from_one_price_for_each_asset() {
    for seed in ["1", "2", "3"] {
        let x = lively(seed);
        let listed = listed(&x);
        check_market(&x, &listed);
        for seconds in [8, 100, 37] {
            x.advance(seconds);
            check_market(&x, &listed);
        }
        laws::check(&x);
    }
}

/// The public view of some symbols, without ids, and without the times of levels, which are those of the answer.
fn seen(x: &Exchange) -> Vec<Value> {
    let symbols =
        ["btcusd", "ethusd", "ethbtc", "dogeusd", "shibusd", "daiusd", "btcgusdperp", "ethgusdperp"];
    let rows = |path: String, list: Option<&str>, field: &str| {
        let mut rows = x.get(&path).ok();
        let rows = if let Some(list) = list { &mut rows[list] } else { &mut rows };
        for row in rows.as_array_mut().unwrap() {
            row.as_object_mut().unwrap().remove(field);
        }
        rows.take()
    };
    let of = |symbol: &str| {
        let side = |side| rows(format!("/v1/book/{symbol}"), Some(side), "timestamp");
        [side("bids"), side("asks"), rows(format!("/v1/trades/{symbol}?limit_trades=500"), None, "tid")]
    };
    symbols.into_iter().flat_map(of).collect()
}

/// Ten minutes in one step, and in steps of ten seconds and uneven ones, lead to the same books and the same trades. Proves SBX-004.
#[test]
fn the_market_does_not_depend_on_the_steps_of_the_clock() {
    let run = |steps: &[u64]| {
        assert_eq!(steps.iter().sum::<u64>(), 600);
        let x = lively("1");
        for seconds in steps {
            x.advance(*seconds);
        }
        seen(&x)
    };
    let at_once = run(&[600]);
    assert!(at_once[2].as_array().unwrap().len() > 20, "btcusd trades: {}", at_once[2]);
    let steps = [[10; 30].as_slice(), &[1, 2, 3, 1, 5, 88, 0, 33, 7, 160]].concat();
    assert!(run(&steps) == at_once, "steps of ten seconds, and uneven ones");
}

/// A restarted sandbox goes on from the prices that it had.
#[test]
fn a_restart_changes_no_price() {
    let x = lively("2");
    x.advance(120);
    let middle = |symbol: &str| book(&x, symbol).unwrap().middle;
    let before = ["btcusd", "ethbtc", "solusd"].map(middle);
    x.restart();
    for (symbol, before) in ["btcusd", "ethbtc", "solusd"].into_iter().zip(before) {
        assert!((middle(symbol) - before).abs() * 2_000 < before, "{symbol}: {before} {}", middle(symbol));
    }
    laws::check(&x);
}

/// An operator's pin is an asset's price on all its books until it is lifted, and an order that the price passes is filled.
#[test]
fn pinned_assets_are_quoted_at_their_pin() {
    let x = lively("3");
    x.advance(8);
    let at = |symbol: &str| book(&x, symbol).unwrap().middle;
    let is_near = |symbol: &str, price: i128| (at(symbol) - price).abs() * 200 < price;
    let (btc, eth) = (at("btcusd"), at("ethusd"));
    let asked = btc / ONE * 103 / 100;
    let order = x.as_("trader").limit("btcusd", "sell", "0.01", &asked.to_string());
    x.control("/sandbox/index/ETH", &json!({ "price": "1000" })).ok();
    x.advance(8);
    assert!(is_near("ethusd", 1_000 * ONE) && is_near("ethgusdperp", 1_000 * ONE), "{}", at("ethusd"));
    assert!(is_near("ethbtc", 1_000 * ONE * ONE / at("btcusd")), "{}", at("ethbtc"));
    assert!(is_near("btcusd", btc), "bitcoin stays");
    x.control("/sandbox/index/ETH", &json!({ "pinned": false })).ok();
    x.control("/sandbox/index/BTC", &json!({ "price": (btc / ONE * 110 / 100).to_string() })).ok();
    x.advance(8);
    assert!(is_near("ethusd", eth), "{eth} {}", at("ethusd"));
    assert!(is_near("btcusd", btc / 100 * 110), "{btc} {}", at("btcusd"));
    let filled = x.as_("trader").status(order["order_id"].as_str().unwrap());
    assert_eq!(Dec::wire(&filled["executed_amount"]), dec("0.01"), "{filled}");
    laws::check(&x);
}

/// Simulated traders do nothing while trading is halted, and go on after it.
#[test]
fn a_halted_market_stands_still() {
    let x = lively("1");
    x.advance(8);
    x.control("/sandbox/halt", &json!({})).ok();
    let before = seen(&x);
    x.advance(60);
    assert!(seen(&x) == before, "nothing moves");
    x.control("/sandbox/resume", &json!({})).ok();
    x.advance(60);
    assert!(seen(&x) != before, "it goes on");
    laws::check(&x);
}

/// A symbol that is listed while the exchange runs is quoted from the next beat on.
#[test]
fn a_listed_symbol_is_quoted() {
    let x = lively("1");
    let symbol = json!({
        "symbol": "dogegbp", "base_currency": "DOGE", "quote_currency": "GBP", "tick_size": "0.000001",
        "quote_increment": "0.00001", "min_order_size": "0.1",
    });
    x.control("/sandbox/symbols", &symbol).ok();
    assert!(book(&x, "dogegbp").is_none());
    x.advance(4);
    let [doge, pound] = [("dogeusd", ONE), ("btcusd", book(&x, "btcgbp").unwrap().middle)]
        .map(|(symbol, by)| book(&x, symbol).unwrap().middle * ONE / by);
    let (middle, expected) = (book(&x, "dogegbp").unwrap().middle, doge * ONE / pound);
    assert!((middle - expected).abs() * 200 < expected, "{middle} {expected}");
}

/// Bytes of the journal and of the history that are in use.
fn in_use(data: &Path) -> usize {
    let files = |folder: &str| fs::read_dir(data.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let segments = files("journal").filter(|path| path.extension().is_some_and(|end| end == "segment"));
    let used = |path| fs::read(path).unwrap().iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let logs = files("history").filter(|path| path.extension().is_some_and(|end| end == "log"));
    let length = |path| fs::read(path).unwrap().len();
    segments.map(used).sum::<usize>() + logs.map(length).sum::<usize>()
}

/// A day of the market takes less than 400 megabytes of the disk.
#[test]
fn the_market_takes_little_of_the_disk() {
    let x = lively("1");
    x.advance(4);
    let before = in_use(x.data());
    x.advance(600);
    let grown = in_use(x.data()) - before;
    assert!(grown < 400_000_000 / 144, "{grown} bytes in ten minutes");
}

/// A fresh sandbox has a day of candles when it is ready: every spot symbol has traded in each hour, bitcoin and ether in each minute.
#[test]
fn a_fresh_sandbox_has_a_day_of_candles() {
    let x = lively("1");
    let traded = |symbol: &str, frame: &str| {
        let candles = x.get(&format!("/v2/candles/{symbol}/{frame}")).ok();
        let candles = candles.as_array().unwrap().clone();
        candles.iter().filter(|candle| candle[5].as_f64().is_some_and(|volume| volume > 0.0)).count()
    };
    for symbol in ["btcusd", "ethusd"] {
        assert!(traded(symbol, "1m") >= 1_439, "{symbol}: {}", traded(symbol, "1m"));
    }
    for (symbol, (_, _, is_perpetual)) in listed(&x) {
        assert!(is_perpetual || traded(&symbol, "1hr") >= 23, "{symbol}: {}", traded(&symbol, "1hr"));
    }
    // Prices go on where those of the past end.
    let last = units(&x.get("/v1/trades/btcusd?limit_trades=1").ok()[0]["price"]);
    assert!((book(&x, "btcusd").unwrap().middle - last).abs() * 200 < last);
    x.stop();
    laws::verified(&x);
}
