//! Questions of a page about its account: news, closed orders, and an index that is pinned.

use super::{user, user_in};
use buttonwood_accept::{Browser, Exchange, Value, json, same_keys};

const BTC: &str = "btcgusdperp";

/// The news after a cursor, and the next cursor.
#[track_caller]
fn news(browser: &Browser<'_>, after: &str) -> (Vec<Value>, String) {
    let told = browser.get(&format!("/site/notices?after={after}")).ok();
    let rows = told["rows"].as_array().expect("rows").clone();
    (rows, told["cursor"].as_str().expect("a cursor").to_owned())
}

#[track_caller]
fn cursor(browser: &Browser<'_>) -> String {
    let told = browser.get("/site/notices").ok();
    assert!(
        told["rows"]
            .as_array()
            .expect("rows")
            .iter()
            .all(|row| row["new"] == json!(false) || row["kind"] == "stop" || row["kind"] == "resolved")
    );
    told["cursor"].as_str().expect("a cursor").to_owned()
}

/// A browser of a user who acts on the account of a key.
fn on<'x>(x: &'x Exchange, email: &str, key: &str) -> Browser<'x> {
    let browser = Browser::of(x, email);
    browser.post("/site/account", &json!({ "account": x.key(key).account })).ok();
    browser
}

fn pin(x: &Exchange, price: &str) {
    x.control("/sandbox/index/BTC", &json!({ "price": price })).ok();
    x.advance(0);
}

fn of_kind<'a>(rows: &'a [Value], kind: &str) -> Vec<&'a Value> {
    rows.iter().filter(|row| row["kind"] == kind).collect()
}

/// Trades of one order are told together, with their average price and fee, once; so is an end that nobody asked for, with its reason, and a
/// stop that is reached; an end that was asked for is not.
#[test]
fn orders_are_told() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = on(&x, "a@people.test", "trader");
    let first = cursor(&browser);
    let (own, other) = (x.as_("trader"), x.as_("counterparty"));
    own.limit("btcusd", "buy", "2", "100");
    other.limit("btcusd", "sell", "0.5", "100");
    other.limit("btcusd", "sell", "1", "100");
    let (rows, second) = news(&browser, &first);
    let [fill] = of_kind(&rows, "fill")[..] else { panic!("one fill: {rows:?}") };
    assert_eq!(
        (&fill["side"], &fill["amount"], &fill["price"], &fill["trades"], &fill["whole"]),
        (&json!("buy"), &json!("1.5"), &json!("100.00"), &json!(2), &json!(false))
    );
    assert_eq!(
        (&fill["currency"], &fill["base"], &fill["symbol"]),
        (&json!("USD"), &json!("BTC"), &json!("BTCUSD"))
    );
    assert_ne!(fill["fee"], json!("0"));
    assert_eq!(news(&browser, &second).0, Vec::<Value>::new(), "it is told once");
    // A stop whose order would meet the rest of the own one.
    let stop = json!({ "symbol": "btcusd", "side": "sell", "type": "exchange stop limit", "amount": "1", "price": "90",
        "stop_price": "100" });
    own.call("/v1/order/new", stop).ok();
    other.limit("btcusd", "sell", "0.1", "100");
    let (rows, third) = news(&browser, &second);
    let [ended] = of_kind(&rows, "ended")[..] else { panic!("one end: {rows:?}") };
    assert_eq!(
        (&ended["reason"], &ended["stop"], &ended["amount"]),
        (&json!("SelfCrossPrevented"), &json!("100.00"), &json!("1"))
    );
    own.call("/v1/order/cancel/all", json!({})).ok();
    let (rows, fourth) = news(&browser, &third);
    assert_eq!(of_kind(&rows, "ended").len(), 0, "whoever asked for it knows: {rows:?}");
    // A stop that is reached and rests.
    let stop = json!({ "symbol": "btcusd", "side": "sell", "type": "exchange stop limit", "amount": "1", "price": "95",
        "stop_price": "99" });
    own.call("/v1/order/new", stop).ok();
    assert_eq!(of_kind(&news(&browser, &fourth).0, "stop").len(), 0);
    x.as_("savings-trader").limit("btcusd", "buy", "0.1", "98");
    other.limit("btcusd", "sell", "0.1", "98");
    let (rows, _) = news(&browser, &fourth);
    let [stop] = of_kind(&rows, "stop")[..] else { panic!("one stop: {rows:?}") };
    assert_eq!(
        (&stop["stop"], &stop["price"], &stop["side"]),
        (&json!("99.00"), &json!("95.00"), &json!("sell"))
    );
    let all = browser.get(&format!("/site/notices?all=true&after={first}")).ok();
    assert_eq!(all["rows"].as_array().expect("rows").iter().filter(|row| row["kind"] == "fill").count(), 1);
    for wrong in ["after=x", "after=1", "after=1-", "all=yes", "accounts=own"] {
        assert_eq!(browser.get(&format!("/site/notices?{wrong}")).status(), 400, "{wrong}");
    }
}

/// A trade and a deposit before hundreds of other events are in the answer, with a cursor and without, and an answer that has all says so.
#[test]
fn news_before_many_other_events_are_found() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = on(&x, "a@people.test", "trader");
    let first = cursor(&browser);
    let (own, other) = (x.as_("trader"), x.as_("counterparty"));
    own.limit("btcusd", "buy", "1", "100");
    other.limit("btcusd", "sell", "1", "100");
    x.credit("trader", "ETH", "3.5");
    // An order and its cancel are two rows of events; a trade is three lines of the statement.
    for _ in 0..120 {
        let order = own.limit("btcusd", "buy", "1", "50");
        own.cancel(order["order_id"].as_str().expect("an id"));
    }
    own.limit("btcusd", "buy", "0.8", "99");
    for _ in 0..80 {
        other.limit("btcusd", "sell", "0.01", "99");
    }
    for query in [format!("after={first}"), "all=true".to_owned()] {
        let told = browser.get(&format!("/site/notices?{query}")).ok();
        let rows = told["rows"].as_array().expect("rows");
        let fills = of_kind(rows, "fill");
        assert!(fills.iter().any(|row| row["price"] == "100.00"), "{query}: {fills:?}");
        assert!(fills.iter().any(|row| row["trades"] == json!(80)), "{query}: {fills:?}");
        assert!(of_kind(rows, "money").iter().any(|row| row["currency"] == "ETH"), "{query}: {rows:?}");
        assert_eq!(told["more"], json!(false), "{query}");
    }
}

/// More news than an answer has are left out from the oldest on, and the answer says so.
#[test]
fn news_that_are_left_out_are_admitted() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = on(&x, "a@people.test", "trader");
    let first = cursor(&browser);
    for _ in 0..210 {
        x.as_("trader").limit("btcusd", "buy", "0.01", "100");
        x.as_("counterparty").limit("btcusd", "sell", "0.01", "100");
    }
    for query in [format!("after={first}"), "all=true".to_owned()] {
        let told = browser.get(&format!("/site/notices?{query}")).ok();
        let rows = told["rows"].as_array().expect("rows");
        assert_eq!((of_kind(rows, "fill").len(), &told["more"]), (200, &json!(true)), "{query}");
    }
}

/// A page of one account has the trades, triggered stops, liquidations and short margin of the others of its group, each with its account;
/// a page that does not ask for them, and one of another group, have none of it.
#[test]
fn other_accounts_are_told() {
    let x = Exchange::start();
    user_in(&x, "perp@people.test", "perp", &["Trader"]);
    user(&x, "a@people.test");
    x.control("/sandbox/fees", &json!({ "maker_bps": 0, "taker_bps": 0, "auction_bps": 0 })).ok();
    pin(&x, "50000");
    let browser = on(&x, "perp@people.test", "perp-003");
    let foreign = on(&x, "a@people.test", "trader");
    let accounts = browser.get("/site/accounts").ok();
    let held = x.key("perp-000").account.clone();
    let number = accounts.as_array().expect("accounts").iter().find(|one| one["name"] == json!(held));
    let held = json!({ "number": number.expect("the account")["number"], "name": held });
    let of_group =
        |browser: &Browser<'_>, query: &str| browser.get(&format!("/site/notices?accounts=all&{query}")).ok();
    let told = of_group(&browser, "all=true");
    let first = told["cursor"].as_str().expect("a cursor").to_owned();
    let own = cursor(&foreign);
    x.as_("perp-001").limit(BTC, "sell", "20", "50000");
    x.as_("perp-000").limit(BTC, "buy", "20", "50000");
    let after = |cursor: &str| of_group(&browser, &format!("after={cursor}"));
    let told = after(&first);
    let rows = told["rows"].as_array().expect("rows").clone();
    let fills = of_kind(&rows, "fill");
    assert_eq!(fills.len(), 2, "both sides are other accounts: {rows:?}");
    let fill = fills.iter().find(|row| row["account"] == held).unwrap_or_else(|| panic!("{rows:?}"));
    assert_eq!((&fill["side"], &fill["new"]), (&json!("buy"), &json!(true)));
    let second = told["cursor"].as_str().expect("a cursor").to_owned();
    assert_eq!((&after(&second)["rows"], &told["short"]), (&json!([]), &json!([])), "it is told once");
    pin(&x, "45270");
    let short = after(&second)["short"].clone();
    assert!(short.as_array().expect("accounts").iter().any(|one| one["account"] == held), "{short}");
    x.as_("perp-002").limit(BTC, "buy", "10", "45100");
    pin(&x, "45000");
    let told = after(&second);
    let rows = told["rows"].as_array().expect("rows");
    let is_it = |row: &&Value| row["forced"] == "liquidation" && row["account"] == held;
    assert!(rows.iter().any(|row| is_it(&row)), "{rows:?}");
    // A page that comes back finds it too, and the page of the account has it as its own.
    let all = of_group(&browser, &format!("all=true&after={first}"));
    assert!(all["rows"].as_array().expect("rows").iter().any(|row| is_it(&row) && row["new"] == json!(true)));
    let of_own = on(&x, "perp@people.test", "perp-000").get("/site/notices?accounts=all&all=true").ok();
    let forced = of_own["rows"].as_array().expect("rows").iter().filter(|row| row["forced"] == "liquidation");
    assert!(forced.clone().count() > 0 && forced.clone().all(|row| row["account"].is_null()), "{of_own}");
    assert_eq!(news(&browser, &first).0, Vec::<Value>::new(), "it was not asked for");
    assert_eq!(of_group(&foreign, &format!("after={own}"))["rows"], json!([]), "another group's");
}

/// The orders that the exchange placed are named for lists of trades.
#[test]
fn forced_orders_are_named() {
    let x = Exchange::start();
    user_in(&x, "perp@people.test", "perp", &["Trader"]);
    user_in(&x, "funds@people.test", "perp", &["Fund Manager"]);
    x.control("/sandbox/fees", &json!({ "maker_bps": 0, "taker_bps": 0, "auction_bps": 0 })).ok();
    pin(&x, "50000");
    let held = on(&x, "perp@people.test", "perp-000");
    assert_eq!(held.get("/site/forced").ok(), json!({ "orders": [], "more": false }));
    x.as_("perp-001").limit(BTC, "sell", "20", "50000");
    x.as_("perp-000").limit(BTC, "buy", "20", "50000");
    x.as_("perp-002").limit(BTC, "buy", "10", "45100");
    pin(&x, "30000");
    let orders = |browser: &Browser<'_>| browser.get("/site/forced").ok()["orders"].as_array().cloned();
    let trades = x.as_("perp-000").call("/v1/mytrades", json!({ "symbol": BTC })).ok();
    let forced = orders(&held).expect("orders");
    let why = |order: &Value| forced.iter().find(|one| one["order_id"] == *order).map(|one| &one["forced"]);
    let of_trades: Vec<_> =
        trades.as_array().expect("trades").iter().filter_map(|trade| why(&trade["order_id"])).collect();
    assert!(!of_trades.is_empty() && of_trades.iter().all(|why| **why == "liquidation"), "{forced:?}");
    assert!(of_trades.len() < trades.as_array().expect("trades").len(), "the own trade is none");
    let against = orders(&on(&x, "perp@people.test", "perp-001")).expect("orders");
    assert!(against.iter().all(|one| one["forced"] == "deleveraging") && !against.is_empty(), "{against:?}");
    Browser::of(&x, "funds@people.test").get("/site/forced").refused(403, "MissingRole");
}

/// Money that comes and goes is told, trades and their fees are not told twice; an account of another group sees none of it.
#[test]
fn money_is_told() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    user_in(&x, "b@people.test", "two", &["Trader"]);
    let (browser, other) = (on(&x, "a@people.test", "trader"), Browser::of(&x, "b@people.test"));
    let (first, foreign) = (cursor(&browser), cursor(&other));
    x.credit("trader", "ETH", "3.5");
    let (rows, _) = news(&browser, &first);
    let [row] = of_kind(&rows, "money")[..] else { panic!("one row: {rows:?}") };
    assert_eq!((&row["currency"], &row["amount"], &row["new"]), (&json!("ETH"), &json!("3.5"), &json!(true)));
    assert_eq!(news(&other, &foreign).0, Vec::<Value>::new());
    let told = browser.get("/site/notices").ok();
    same_keys(&told, &["cursor", "rows", "more", "short", "margin", "session"], &told);
    assert_eq!(told["margin"], Value::Null);
    Browser::of(&x, "operator@house.test").get("/site/notices").refused(403, "MissingRole");
}

/// A liquidation is told as one, with what is left; margin that gets short before it; and the side that is deleveraged against it.
#[test]
fn a_liquidation_is_told() {
    let x = Exchange::start();
    user_in(&x, "perp@people.test", "perp", &["Trader"]);
    x.control("/sandbox/fees", &json!({ "maker_bps": 0, "taker_bps": 0, "auction_bps": 0 })).ok();
    pin(&x, "50000");
    let held = on(&x, "perp@people.test", "perp-000");
    let against = on(&x, "perp@people.test", "perp-001");
    x.as_("perp-001").limit(BTC, "sell", "20", "50000");
    x.as_("perp-000").limit(BTC, "buy", "20", "50000");
    let [first, other] = [&held, &against].map(cursor);
    let margin = |browser: &Browser<'_>| browser.get("/site/notices").ok()["margin"].clone();
    assert_eq!((&margin(&held)["short"], &margin(&held)["assets"]), (&json!(false), &json!("100000")));
    pin(&x, "45270");
    assert_eq!(margin(&held)["short"], json!(true), "{}", margin(&held));
    x.as_("perp-002").limit(BTC, "buy", "10", "45100");
    let own = x.as_("perp-000").limit(BTC, "sell", "1", "60000");
    pin(&x, "45000");
    let (rows, _) = news(&held, &first);
    let ended = of_kind(&rows, "ended");
    assert!(
        ended.iter().any(|row| row["reason"] == "TradingClosed" && row["order_id"] == own["order_id"]),
        "{rows:?}"
    );
    let forced: Vec<&Value> =
        of_kind(&rows, "fill").into_iter().filter(|row| !row["forced"].is_null()).collect();
    assert!(!forced.is_empty() && forced.iter().all(|row| row["forced"] == "liquidation"), "{rows:?}");
    let position = x.as_("perp-000").call("/v1/positions", json!({})).ok();
    let left = position[0]["quantity"].as_str().unwrap_or("0").to_owned();
    assert_eq!(forced[0]["left"], json!(left));
    let history = held.get(&format!("/site/history?symbol={BTC}")).ok();
    let orders = history["orders"].as_array().expect("orders");
    assert!(
        orders
            .iter()
            .any(|row| row["forced"] == "liquidation" && !row["fills"].as_array().expect("fills").is_empty())
    );
    // Whoever stood against a position that nobody took is told why it was closed.
    x.control("/sandbox/index/BTC", &json!({ "price": "30000" })).ok();
    x.advance(0);
    let (rows, _) = news(&against, &other);
    let forced: Vec<&Value> =
        of_kind(&rows, "fill").into_iter().filter(|row| !row["forced"].is_null()).collect();
    assert!(!forced.is_empty() && forced.iter().all(|row| row["forced"] == "deleveraging"), "{rows:?}");
}

/// An account that was liquidated a moment ago, and is deleveraged then, has both under their names: in the news, also in an answer that has the
/// deleveraging alone, in the history, and for lists of trades.
#[test]
fn a_deleveraging_soon_after_a_liquidation_is_told_as_one() {
    let x = Exchange::start();
    user_in(&x, "perp@people.test", "perp", &["Trader"]);
    x.control("/sandbox/fees", &json!({ "maker_bps": 0, "taker_bps": 0, "auction_bps": 0 })).ok();
    pin(&x, "50000");
    let held = on(&x, "perp@people.test", "perp-000");
    x.as_("perp-001").limit(BTC, "sell", "50", "50000");
    x.as_("perp-000").limit(BTC, "buy", "50", "50000");
    let first = cursor(&held);
    // The book takes half of the position above the mark: what is then left carries the other half.
    x.as_("perp-002").limit(BTC, "buy", "25", "48500");
    pin(&x, "48200");
    let causes = |rows: &[Value]| {
        let forced = rows.iter().filter_map(|row| row["forced"].as_str().map(str::to_owned));
        forced.collect::<std::collections::BTreeSet<_>>()
    };
    let (rows, second) = news(&held, &first);
    assert_eq!(causes(&rows), ["liquidation".to_owned()].into());
    let left = x.as_("perp-000").call("/v1/positions", json!({})).ok();
    assert_ne!(left, json!([]), "the rest of the position can be deleveraged");
    // The other side is liquidated at once, and neither the book nor the fund takes its position.
    pin(&x, "90000");
    assert_eq!(causes(&news(&held, &second).0), ["deleveraging".to_owned()].into());
    let both: std::collections::BTreeSet<_> = ["deleveraging", "liquidation"].map(str::to_owned).into();
    assert_eq!(causes(&news(&held, &first).0), both);
    let history = held.get(&format!("/site/history?symbol={BTC}")).ok();
    assert_eq!(causes(history["orders"].as_array().expect("orders")), both, "{history}");
    assert_eq!(causes(held.get("/site/forced").ok()["orders"].as_array().expect("orders")), both);
    let against = on(&x, "perp@people.test", "perp-001").get("/site/forced").ok();
    assert_eq!(causes(against["orders"].as_array().expect("orders")), ["liquidation".to_owned()].into());
}

/// Closed orders have their end, its reason, their average price and their trades.
#[test]
fn closed_orders_say_how_they_ended() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = on(&x, "a@people.test", "trader");
    let (own, other) = (x.as_("trader"), x.as_("counterparty"));
    own.limit("btcusd", "buy", "2", "100");
    other.limit("btcusd", "sell", "2", "100");
    let rest = own.limit("btcusd", "buy", "1", "50");
    own.call("/v1/order/cancel", json!({ "order_id": rest["order_id"] })).ok();
    let history = browser.get("/site/history?symbol=btcusd").ok();
    let orders = history["orders"].as_array().expect("orders");
    let [cancelled, filled] = &orders[..] else { panic!("two orders: {history}") };
    assert_eq!(
        (&cancelled["state"], &cancelled["reason"], &cancelled["fills"]),
        (&json!("cancelled"), &json!("Requested"), &json!([]))
    );
    assert_eq!(
        (&filled["state"], &filled["executed"], &filled["average_price"], &filled["fills"][0]["price"]),
        (&json!("filled"), &json!("2"), &json!("100.00"), &json!("100.00"))
    );
    let part = browser.get("/site/history?limit=1").ok();
    assert_eq!((part["orders"].as_array().map(Vec::len), &part["more"]), (Some(1), &json!(true)));
    for (query, field) in [("symbol=nosuch", "symbol"), ("limit=0", "limit"), ("limit=501", "limit")] {
        let refusal = browser.get(&format!("/site/history?{query}"));
        assert_eq!(refusal.status(), 400, "{query}");
        assert!(refusal.to_string().contains(field), "{refusal}");
    }
}

/// A position in a contract is told when an outcome is proposed, with the time at which it settles, and when it ends: a lost one as a won one,
/// each once, and its payment is no other news.
#[test]
fn ends_of_contracts_are_told() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let expiry = x.now_ms() + 86_400_000;
    let event =
        json!({ "ticker": "SNOW", "title": "Will it snow?", "category": "weather", "expiry_ms": expiry });
    x.control("/sandbox/predictions/events", &event).ok();
    user_in(&x, "b@people.test", "two", &["Trader"]);
    let [loser, winner] = [("a@people.test", "trader"), ("b@people.test", "counterparty")]
        .map(|(email, key)| on(&x, email, key));
    for (key, outcome, price) in [("trader", "yes", "0.38"), ("counterparty", "no", "0.62")] {
        x.as_(key).call("/v1/prediction-markets/terms/accept", json!({})).ok();
        let order = json!({ "symbol": "SVC-SNOW", "orderType": "limit", "side": "buy", "outcome": outcome, "quantity": "40",
            "price": price });
        assert_eq!(x.as_(key).call("/v1/prediction-markets/order", order).status(), 201);
    }
    let first = [&loser, &winner].map(cursor);
    let resolution = json!({ "outcomes": { "SNOW": "no" }, "source": "the weather" });
    x.control("/sandbox/predictions/events/SNOW/resolve", &resolution).ok();
    let (rows, second) = news(&loser, &first[0]);
    let [row] = of_kind(&rows, "resolved")[..] else { panic!("one row: {rows:?}") };
    assert_eq!(
        (&row["question"], &row["result"], &row["outcome"], &row["amount"]),
        (&json!("Will it snow?"), &json!("no"), &json!("yes"), &json!("40"))
    );
    assert_eq!(row["settles"], json!(x.now_ms() + 3_600_000), "{row}");
    x.control("/sandbox/clock/advance", &json!({ "seconds": 3_600 })).ok();
    for (browser, after, paid, cost) in [(&loser, &second, "0", "15.2"), (&winner, &first[1], "40", "24.8")] {
        let (rows, third) = news(browser, after);
        let [row] = of_kind(&rows, "settled")[..] else { panic!("one row: {rows:?}") };
        assert_eq!(
            (&row["paid"], &row["cost"], &row["result"], &row["symbol"], &row["new"]),
            (&json!(paid), &json!(cost), &json!("no"), &json!("SVC-SNOW"), &json!(true)),
            "{row}"
        );
        assert_eq!((of_kind(&rows, "money").len(), of_kind(&rows, "resolved").len()), (0, 0), "{rows:?}");
        assert_eq!(news(browser, &third).0, Vec::<Value>::new(), "it is told once");
    }
    let old = first[0].rsplit_once('-').expect("four numbers").0.trim_end_matches('-').to_owned();
    assert_eq!(
        of_kind(&news(&loser, &old).0, "settled").len(),
        0,
        "a cursor of an earlier build has seen it"
    );
}

/// The status of a symbol says which index is pinned, and at which price.
#[test]
fn a_pinned_index_is_told() {
    let x = Exchange::start();
    let pinned = |symbol: &str| x.get(&format!("/site/status/{symbol}.json")).ok()["pinned"].clone();
    assert_eq!(pinned("btcusd"), Value::Null);
    pin(&x, "50000.5");
    for symbol in ["btcusd", BTC, "btceur"] {
        assert_eq!(pinned(symbol), json!({ "currency": "BTC", "price": "50000.5" }), "{symbol}");
    }
    assert_eq!(pinned("ethusd"), Value::Null);
    x.control("/sandbox/index/BTC", &json!({ "pinned": false })).ok();
    assert_eq!(pinned("btcusd"), Value::Null);
}
