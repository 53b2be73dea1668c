//! The sandbox: test balances, control calls, simulated traders. Clauses SBX and the launch contract.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use buttonwood_accept::{
    Dec, Exchange, Value, dec, json, laws, private_folder, raw, run_to_end, same_keys, wait_until,
};

/// A new account's balances, the same for all but `empty`. Proves SBX-002.
#[test]
fn test_balances() {
    let x = Exchange::start();
    let mut expected: BTreeMap<String, Dec> = ["ETH", "ZEC", "BCH", "LTC", "OXT", "LINK", "BAT", "DAI"]
        .map(|code| (code.to_owned(), dec("20000")))
        .into();
    expected.insert("USD".to_owned(), dec("100000"));
    expected.insert("BTC".to_owned(), dec("1000"));
    for key in ["trader", "savings-trader", "counterparty", "broker", "restricted", "load-000", "load-127"] {
        let found: BTreeMap<String, Dec> = x
            .as_(key)
            .balances()
            .iter()
            .map(|row| (row["currency"].as_str().unwrap().to_owned(), Dec::wire(&row["amount"])))
            .collect();
        assert_eq!(found, expected, "{key}");
    }
    assert_eq!(x.as_("empty").balances(), [Value::Null; 0]);
    laws::check(&x);
}

/// Keys of one sandbox are invalid in another. Proves SBX-001.
#[test]
fn sandboxes_are_apart() {
    let (x, y) = (Exchange::start(), Exchange::builder().flag("--seed", "8").start());
    let stranger = y.as_("trader");
    let signed = stranger.sign(stranger.payload("/v1/balances", json!({})).as_bytes());
    x.anyone().call_signed("/v1/balances", &signed).refused(403, "InvalidApiKey");
    stranger.call_signed("/v1/balances", &signed).ok();
}

/// In maintenance every path except health checks and control calls is refused, and nothing is used up or changed.
/// Proves ERR-009.
#[test]
fn maintenance() {
    let x = Exchange::start();
    let switch =
        |on: bool| assert_eq!(x.control("/sandbox/maintenance", &json!({ "on": on })).ok()["on"], on);
    let order = x.as_("trader").limit("btcusd", "buy", "1", "100");
    switch(true);
    for path in ["/v1/symbols", "/v1/book/btcusd", "/v1/no/such/path", "/", "/health/other"] {
        let refusal = x.get(path).refused(503, "Maintenance");
        assert!(refusal.message.contains("currently undergoing maintenance"), "{refusal:?}");
    }
    let trader = x.as_("trader");
    let signed = trader.sign(trader.payload("/v1/balances", json!({})).as_bytes());
    trader.call_signed("/v1/balances", &signed).refused(503, "Maintenance");
    x.anyone().send("DELETE", "/v1/symbols", &[], b"").refused(503, "Maintenance");
    assert_eq!(x.get("/health/live").status(), 200);
    assert_eq!(x.get("/health/ready").status(), 503, "no orders are taken");
    x.advance(1);
    for wrong in [json!({}), json!({ "on": "true" })] {
        assert_eq!(x.control("/sandbox/maintenance", &wrong).status(), 400, "{wrong}");
    }
    switch(false);
    assert_eq!(x.get("/health/ready").status(), 200);
    trader.call_signed("/v1/balances", &signed).ok();
    assert_eq!(trader.live_ids().len(), 1, "{order}");
    laws::check(&x);
}

/// The clock names what falls due next, and a move to its time runs it. A move has one end, which is not before now.
#[test]
fn a_clock_moves_to_what_is_due() {
    let x = Exchange::start();
    let clock = || x.get("/sandbox/clock").ok();
    let mut seen = Vec::new();
    for _ in 0..4 {
        let due = clock()["next_due"].clone();
        let at = due["at_ms"].as_u64().unwrap_or_else(|| panic!("nothing is due: {due}"));
        assert!(at >= x.now_ms() && !due["what"].as_str().unwrap().is_empty(), "{due}");
        let moved = x.control("/sandbox/clock/advance", &json!({ "to_ms": at })).ok();
        assert_eq!((moved["now_ms"].as_u64(), clock()), (Some(at), moved.clone()));
        assert_ne!(moved["next_due"], due, "it has run");
        seen.push(at);
    }
    assert!(seen.is_sorted(), "{seen:?}");
    let now = x.now_ms();
    x.control("/sandbox/clock/advance", &json!({ "to_ms": now.to_string() })).ok();
    let late = 99_999_999_999_999_u64;
    for (wrong, named) in [
        (json!({}), "'seconds', or 'to_ms'"),
        (json!({ "seconds": 1, "to_ms": now + 1 }), "'to_ms'"),
        (json!({ "to_ms": now - 1 }), "'to_ms'"),
        (json!({ "to_ms": 0 }), "'to_ms'"),
        (json!({ "to_ms": -1 }), "'to_ms'"),
        (json!({ "to_ms": null }), "'to_ms'"),
        (json!({ "to_ms": "soon" }), "'to_ms'"),
        (json!({ "to_ms": late }), "'to_ms'"),
        (json!({ "to_ms": [now] }), "'to_ms'"),
        (json!({ "seconds": "x", "to_ms": now }), "'seconds'"),
    ] {
        let answer = x.control("/sandbox/clock/advance", &wrong);
        assert!(answer.status() == 400 && answer.to_string().contains(named), "{wrong} {answer}");
    }
    assert_eq!(x.now_ms(), now);
}

/// A real clock shows what is due, and refuses each move by its field.
#[test]
fn a_real_clock_does_not_move() {
    let x = Exchange::builder().flag("--clock", "real").start();
    let clock = x.get("/sandbox/clock").ok();
    assert_eq!(clock["mode"], "real");
    assert!(clock["next_due"]["at_ms"].as_u64() >= clock["now_ms"].as_u64(), "{clock}");
    for field in ["seconds", "to_ms"] {
        let answer = x.control("/sandbox/clock/advance", &json!({ field: 1 }));
        let named = format!("'{field}' must be sent to an exchange started with --clock manual");
        assert!(answer.status() == 400 && answer.to_string().contains(&named), "{answer}");
    }
}

/// Test money can be neither deposited nor withdrawn. Proves SBX-003.
#[test]
fn no_deposits_or_withdrawals() {
    let x = Exchange::start();
    for path in ["/v1/withdraw/btc", "/v1/deposit/bitcoin/newAddress"] {
        let answer = x.as_("fund-manager").call(path, json!({ "amount": "1", "address": "x" }));
        assert!(answer.status() >= 400, "{answer}");
        answer.error();
    }
    assert_eq!(x.as_("trader").balance("BTC").0, dec("1000"));
}

const MAIN: [&str; 10] =
    ["btcusd", "ethusd", "ethbtc", "ltcusd", "bchusd", "zecusd", "linkusd", "oxtusd", "batusd", "daiusd"];

/// The number of main symbols with a two-sided book, and of those that have traded.
fn lively(x: &Exchange) -> (usize, usize) {
    let filled = |value: &Value| !value.as_array().unwrap().is_empty();
    let two_sided = MAIN.iter().filter(|symbol| {
        let book = x.get(&format!("/v1/book/{symbol}")).ok();
        filled(&book["bids"]) && filled(&book["asks"])
    });
    let traded = MAIN.iter().filter(|symbol| filled(&x.get(&format!("/v1/trades/{symbol}")).ok()));
    (two_sided.count(), traded.count())
}

/// Simulated traders keep the main books two-sided and trading, and act only while time moves.
/// Proves SBX-004.
#[test]
fn simulated_traders() {
    let x = Exchange::builder().flag("--activity", "on").start();
    for _ in 0..10 {
        x.advance(60);
        if lively(&x) == (MAIN.len(), MAIN.len()) {
            break;
        }
    }
    assert_eq!(lively(&x), (MAIN.len(), MAIN.len()), "two-sided, traded");
    let seen = || {
        MAIN.map(|symbol| {
            (x.get(&format!("/v1/book/{symbol}")).ok(), x.get(&format!("/v1/trades/{symbol}")).ok())
        })
    };
    let before = seen();
    assert_eq!(seen(), before, "nothing moves while time stands");
    x.advance(60);
    assert_ne!(seen(), before, "books move with time");
    // A market order of another account finds a counterparty.
    let order = x.as_("trader").place(&buttonwood_accept::NewOrder::market("btcusd", "buy", "0.001"));
    assert_eq!(order["executed_amount"], "0.001");
    x.stop();
    laws::verified(&x);
}

/// Orders of a usual size are filled completely: the books hold enough quantity. Proves SBX-004.
#[test]
fn books_hold_usual_orders() {
    let x = Exchange::builder().flag("--activity", "on").start();
    x.advance(60);
    let spend = |symbol: &str, dollars: &str| {
        let order =
            json!({ "symbol": symbol, "side": "buy", "type": "exchange market", "total_spend": dollars });
        let order = x.as_("trader").call("/v1/order/new", order).ok();
        assert_eq!(order["is_cancelled"], json!(false), "{dollars} on {symbol}: {order}");
    };
    for symbol in MAIN.into_iter().filter(|symbol| symbol.ends_with("usd")) {
        spend(symbol, "5000");
    }
    spend("ltcusd", "45000");
    x.stop();
    laws::verified(&x);
}

/// The public data of the symbols that they trade.
fn markets(x: &Exchange) -> Vec<(Value, Value)> {
    let seen =
        |symbol| (x.get(&format!("/v1/book/{symbol}")).ok(), x.get(&format!("/v1/trades/{symbol}")).ok());
    MAIN.into_iter().chain(PERPETUALS).map(seen).collect()
}

/// The same seed and the same moves of the clock lead to the same markets, including trade ids.
#[test]
fn simulated_traders_repeat_themselves() {
    let run = || {
        let x = Exchange::builder().flag("--activity", "on").flag("--seed", "77").start();
        for seconds in [60, 1, 1, 1, 120] {
            x.advance(seconds);
        }
        markets(&x)
    };
    assert_eq!(run(), run());
}

/// The perpetuals that they quote.
const PERPETUALS: [&str; 2] = ["btcgusdperp", "ethgusdperp"];

/// Bids and asks of a perpetual, which must lie around its index: none farther than two hundredths.
fn levels_near_the_index(x: &Exchange, symbol: &str) -> [usize; 2] {
    let index = Dec::wire(&x.get(&format!("/v1/riskstats/{symbol}")).ok()["index_price"]);
    let book = x.get(&format!("/v1/book/{symbol}")).ok();
    ["bids", "asks"].map(|side| {
        let levels = book[side].as_array().unwrap();
        for level in levels {
            let away = (Dec::wire(&level["price"]) - index).abs();
            assert!(away * dec("50") < index, "{symbol}: {level} with the index {index}");
        }
        levels.len()
    })
}

/// The quantities of the traders' positions, which are opposite.
fn positions(x: &Exchange, symbol: &str) -> Vec<Dec> {
    let seen = x.get(&format!("/sandbox/perpetuals/{symbol}")).ok();
    let rows = ["long", "short"].map(|side| seen[side].as_array().unwrap().clone()).concat();
    assert!(rows.iter().all(|row| row["group"] == "simulated"), "{seen}");
    rows.iter().map(|row| Dec::wire(&row["quantity"])).collect()
}

/// Simulated traders quote perpetuals on bitcoin and ether near the index, follow it when it is pinned, and keep small positions.
/// Their keys are not in `credentials.json`. Proves SBX-004.
#[test]
fn simulated_traders_of_perpetuals() {
    let x = Exchange::builder().flag("--activity", "on").start();
    assert!(!x.key_names().iter().any(|name| name.starts_with("simulated")), "{:?}", x.key_names());
    x.advance(60);
    for symbol in PERPETUALS {
        let levels = levels_near_the_index(&x, symbol);
        assert!(levels.iter().all(|levels| *levels >= 5), "{symbol}: {levels:?}");
        assert_eq!(positions(&x, symbol).len(), 2, "both have a position");
    }
    // Twenty times the best level and some trades, at 40,000 dollars a level.
    let most = dec("16");
    let mut largest = Dec::ZERO;
    for _ in 0..8 {
        x.advance(60);
        largest = positions(&x, "btcgusdperp").into_iter().fold(largest, Dec::max);
    }
    assert!(Dec::ZERO < largest && largest <= most, "{largest}");
    x.control("/sandbox/index/BTC", &json!({ "price": "50000" })).ok();
    x.advance(60);
    assert!(levels_near_the_index(&x, "btcgusdperp").iter().all(|levels| *levels >= 5));
    // A market order of another account finds a counterparty.
    let order = json!({ "symbol": "btcgusdperp", "side": "buy", "type": "exchange market", "amount": "0.1" });
    assert_eq!(x.as_("perp-000").call("/v1/order/new", order).ok()["executed_amount"], "0.1");
    laws::check(&x);
    x.stop();
    laws::verified(&x);
}

/// A directory that was made without simulated traders gets the accounts that trade perpetuals when they first trade, and once.
#[test]
fn older_directories_get_traders_of_perpetuals() {
    let home = private_folder();
    let data = home.path().join("data");
    let start = |activity: &str| Exchange::builder().flag("--activity", activity).start_in(&data);
    let sources = |x: &Exchange| {
        let ledger = x.get("/sandbox/ledger").ok();
        let rows = ledger["currencies"].as_array().unwrap().clone();
        Dec::wire(&rows.iter().find(|row| row["currency"] == "GUSD").unwrap()["house"]["source"])
    };
    let x = start("off");
    let before = sources(&x);
    x.stop();
    for _ in 0..2 {
        let x = start("on");
        // A billion for each account: two trade spot, two perpetuals.
        assert_eq!(before - sources(&x), dec("4000000000"));
        x.advance(60);
        assert!(levels_near_the_index(&x, "ethgusdperp").iter().all(|levels| *levels >= 5));
        x.stop();
        laws::verified(&x);
    }
}

/// The users of groups one and two have accounts that trade perpetuals and on margin, with money. They come after all others; a name that
/// is taken stays whose it is, and a later start adds nothing.
#[test]
fn users_trade_every_product() {
    let x = Exchange::builder().flag("--activity", "on").start();
    let rows = |group: &str| x.admin(&["account", "list", "--group", group]).list();
    let check = || {
        for group in ["one", "two"] {
            let rows = rows(group);
            let kind = |name: &str| {
                let row = rows.iter().find(|row| row["account"] == name).expect("the account is there");
                row["kind"].clone()
            };
            assert_eq!((kind("perps"), kind("margin")), (json!("derivatives"), json!("margin")), "{group}");
            assert_eq!(rows.len(), if group == "one" { 4 } else { 3 });
        }
    };
    check();
    let balance = |account: &str| x.as_("master").call("/v1/balances", json!({ "account": account })).ok();
    let usual = |account: &str| {
        let rows = balance(account);
        let row = &rows.as_array().unwrap()[0];
        (row["currency"].clone(), Dec::wire(&row["available"]))
    };
    assert_eq!(usual("perps"), (json!("GUSD"), dec("100000")));
    assert_eq!(usual("margin"), (json!("USD"), dec("10000")));
    x.restart();
    check();
    assert_eq!(usual("perps"), (json!("GUSD"), dec("100000")));
    // Renamed accounts are not opened again; and a name that another account has stays its own.
    let rename = |account: &str, name: &str, short: &str| {
        let fields = json!({ "account": account, "newName": name, "newAccount": short });
        x.as_("master").call("/v1/account/rename", fields).ok();
    };
    rename("perps", "Futures", "futures");
    rename("margin", "Margin", "lent");
    rename("savings", "Perps", "gold");
    x.restart();
    assert_eq!(rows("one").len(), 4);
    assert_eq!(usual("futures"), (json!("GUSD"), dec("100000")));
    laws::check(&x);
}

/// The books are filled when the exchange is ready, and the traders do not act while time stands still.
#[test]
fn no_time_no_turn() {
    let x = Exchange::builder().flag("--activity", "on").start();
    assert_eq!(lively(&x), (MAIN.len(), MAIN.len()), "two-sided, traded");
    let before = markets(&x);
    x.advance(0);
    assert_eq!(markets(&x), before);
}

/// Quotes that they could not cancel in maintenance are cancelled after it.
#[test]
fn simulated_traders_forget_no_quote() {
    let x = Exchange::builder().flag("--activity", "on").start();
    x.advance(1);
    let levels = || {
        let book = |symbol| x.get(&format!("/v1/book/{symbol}")).ok();
        let count = |side: &Value| side.as_array().unwrap().len();
        MAIN.map(book).iter().map(|book| count(&book["bids"]).max(count(&book["asks"]))).max()
    };
    assert_eq!(levels(), Some(10));
    x.control("/sandbox/maintenance", &json!({ "on": true })).ok();
    x.advance(300);
    x.control("/sandbox/maintenance", &json!({ "on": false })).ok();
    for _ in 0..5 {
        x.advance(60);
        assert!(levels() <= Some(10), "{:?}", levels());
    }
}

/// Books that could only lose quotes are refilled once orders are accepted.
#[test]
fn simulated_books_fill_up_again() {
    let x = Exchange::builder().flag("--activity", "on").start();
    x.advance(1);
    for (status, turns) in [("cancel_only", 8), ("open", 10)] {
        for symbol in MAIN {
            x.set_status(symbol, status);
        }
        for _ in 0..turns {
            x.advance(8);
        }
    }
    for symbol in MAIN {
        let book = x.get(&format!("/v1/book/{symbol}")).ok();
        let levels = ["bids", "asks"].map(|side| book[side].as_array().unwrap().len());
        assert!(levels.iter().all(|levels| (5..=10).contains(levels)), "{symbol}: {levels:?}");
    }
}

/// Concurrent moves of the clock add up.
#[test]
fn moves_of_the_clock_add_up() {
    let x = Exchange::start();
    let millis = || x.get("/sandbox/clock").ok()["now_ms"].as_u64().unwrap();
    let before = millis();
    let request = b"POST /sandbox/clock/advance HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
        Content-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"seconds\":100}";
    let open: Vec<_> = (0..40).map(|_| TcpStream::connect(x.address()).expect("it listens")).collect();
    for mut stream in &open {
        stream.write_all(request).expect("it listens");
    }
    for stream in open {
        assert_eq!(raw::receive(stream, Duration::from_secs(10)).status(), Some(200));
    }
    assert_eq!(millis() - before, 40 * 100 * 1_000);
}

/// The clock can be moved to the largest representable time, and no further.
#[test]
fn the_clock_ends() {
    let x = Exchange::builder().flag("--start-time", "5137-12-31T23:59:00Z").start();
    x.advance(60);
    let refusal =
        x.control("/sandbox/clock/advance", &json!({ "seconds": 1 })).refused(400, "InvalidParameterValue");
    assert!(refusal.message.contains("'seconds'") && refusal.message.contains("5138"), "{refusal:?}");
    assert_eq!(x.get("/sandbox/clock").ok()["now"], "5138-01-01T00:00:00.000Z");
}

/// With a real clock the traders start by themselves. Proves SBX-004.
#[test]
fn simulated_traders_in_real_time() {
    let x = Exchange::builder().real_time().flag("--activity", "on").start();
    wait_until("books with two sides", || lively(&x).0 >= MAIN.len());
}

/// The manual clock stands still and moves only on request.
#[test]
fn manual_clock() {
    let x = Exchange::builder().flag("--start-time", "2026-05-06T07:08:09Z").start();
    let answer = x.get("/sandbox/clock");
    let expected = json!({
        "mode": "manual", "now": "2026-05-06T07:08:09.000Z", "now_ms": 1_778_051_289_000_u64,
        "next_due": { "at_ms": 1_778_051_290_000_u64, "what": "mark prices" }
    });
    assert_eq!(answer.ok(), expected, "{answer}");
    assert_eq!(x.get("/sandbox/clock").ok(), expected);
    x.advance(3600);
    assert_eq!(x.now_ms(), 1_778_054_889_000);
    // A restarted clock continues at the time of the last command.
    x.as_("trader").limit("btcusd", "buy", "1", "100");
    x.restart();
    assert_eq!(x.now_ms(), 1_778_054_889_000);
    for wrong in [json!({}), json!({ "seconds": -1 }), json!({ "seconds": "x" }), json!([])] {
        let answer = x.control("/sandbox/clock/advance", &wrong);
        assert_eq!(answer.status(), 400, "{answer}");
        answer.error();
    }
    assert_eq!(x.now_ms(), 1_778_054_889_000);
    laws::check(&x);
}

/// The real clock shows the time and cannot be moved.
#[test]
fn real_clock() {
    let x = Exchange::builder().real_time().start();
    let before = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let clock = x.get("/sandbox/clock").ok();
    assert_eq!(clock["mode"], "real");
    let now = u128::from(clock["now_ms"].as_u64().unwrap());
    assert!(now + 1000 >= before && now < before + 60_000, "{clock}");
    let answer = x.control("/sandbox/clock/advance", &json!({ "seconds": 5 }));
    assert!((400..500).contains(&answer.status()), "{answer}");
}

/// Due events happen on the way, in their order, before the clock call is answered.
#[test]
fn time_runs_what_falls_due() {
    let x = Exchange::start();
    let session = x.as_("heartbeat");
    let order = session.limit("btcusd", "buy", "1", "100");
    x.advance(100_000);
    let ended = x.as_("auditor").status(order["order_id"].as_str().unwrap());
    assert_eq!(ended["is_cancelled"], json!(true));
    laws::check(&x);
}

/// No web page and no proxy can reach the control calls: only JSON, and only this machine's own host name.
#[test]
fn controls_are_guarded() {
    let x = Exchange::start();
    let credit = r#"{"group":"five","account":"primary","currency":"USD","amount":"5"}"#;
    let send = |host: &str, kind: &str| {
        let request = format!(
            "POST /sandbox/accounts/credit HTTP/1.1\r\nHost: {host}\r\n{kind}Content-Length: {}\r\n\
             Connection: close\r\n\r\n{credit}",
            credit.len()
        );
        raw::send(&x, request.as_bytes(), Duration::from_secs(10)).status()
    };
    let json = "Content-Type: application/json\r\n";
    for host in ["evil.example", "127.0.0.1.evil.example", "192.0.2.1"] {
        let status = send(host, json).expect("an answer");
        assert!((400..500).contains(&status), "{host}: {status}");
    }
    for kind in ["", "Content-Type: text/plain\r\n", "Content-Type: application/x-www-form-urlencoded\r\n"] {
        let status = send("127.0.0.1", kind).expect("an answer");
        assert!((400..500).contains(&status), "{kind}: {status}");
    }
    let through_a_proxy = format!("{json}X-Forwarded-For: 192.0.2.1\r\n");
    let of_a_page = format!("{json}Origin: https://evil.example\r\n");
    for fields in [through_a_proxy, of_a_page] {
        assert_eq!(send("127.0.0.1", &fields), Some(403), "{fields}");
    }
    assert_eq!(x.as_("empty").balance("USD").0, Dec::ZERO);
    assert_eq!(send(&x.address(), json), Some(200));
    assert_eq!(send("localhost", json), Some(200));
    assert_eq!(x.as_("empty").balance("USD").0, dec("10"));
}

/// A currency's row of the ledger: customers, source, fees, rounding.
fn ledger_row(x: &Exchange, currency: &str) -> [Dec; 4] {
    let ledger = x.get("/sandbox/ledger").ok();
    let rows = ledger["currencies"].as_array().expect("currencies are an array");
    let row = rows.iter().find(|row| row["currency"] == currency).expect("every listed currency has a row");
    let house = &row["house"];
    [&row["customers"], &house["source"], &house["fees"], &house["rounding"]].map(Dec::wire)
}

/// The ledger shows every decimal, including holds and fees, and customers and house sum to zero.
#[test]
fn ledger() {
    let x = Exchange::start();
    let whole = x.get("/sandbox/ledger");
    same_keys(&whole.ok(), &["seq", "currencies", "instant"], &whole);
    let row = whole.json()["currencies"][0].clone();
    same_keys(&row, &["currency", "customers", "house", "sum"], &whole);
    same_keys(
        &row["house"],
        &[
            "source",
            "fees",
            "rounding",
            "insurance",
            "clearing",
            "issuer",
            "instant",
            "unclaimed",
            "lending",
            "staking_pool",
            "staking_rewards",
            "promo",
            "escrow",
        ],
        &whole,
    );

    x.credit("empty", "DOGE", "0.0000000000000000001");
    let [customers, source, ..] = ledger_row(&x, "DOGE");
    assert_eq!((customers, source), (dec("0.0000000000000000001"), dec("-0.0000000000000000001")));

    let [before, ..] = ledger_row(&x, "USD");
    let seq = || x.get("/sandbox/ledger").ok()["seq"].as_u64().expect("a number");
    let first = seq();
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    x.as_("trader").limit("btcusd", "buy", "1.5", "30000");
    assert!(seq() >= first + 2, "the answered orders are in it");
    let [customers, _, fees, rounding] = ledger_row(&x, "USD");
    // The maker's 20 basis points and the taker's 40; held amounts still belong to the customer.
    assert_eq!((fees, before - customers, rounding), (dec("180"), dec("180"), Dec::ZERO));

    let request = b"GET /sandbox/ledger HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    assert_eq!(raw::send(&x, request, Duration::from_secs(10)).status(), Some(403));
    assert_eq!(x.control("/sandbox/ledger", &json!({})).status(), 405);
    laws::check(&x);
}

/// An account of each kind opens empty, accepts credits, obeys its group's master key, and survives a restart.
#[test]
fn accounts() {
    let x = Exchange::start();
    let kinds = ["exchange", "custody", "derivatives", "margin"];
    for kind in kinds {
        let body = json!({ "group": "one", "name": format!("My {kind} 2"), "kind": kind });
        let answer = x.control("/sandbox/accounts", &body);
        assert_eq!(answer.ok(), json!({ "account": format!("my-{kind}-2"), "kind": kind }), "{answer}");
        let again = x.control("/sandbox/accounts", &body).refused(400, "ConflictingAccountName");
        assert!(again.message.contains("'name'") && again.message.contains("My "), "{again:?}");
    }
    let usd = |name: &str| {
        let rows = x.as_("master").call("/v1/balances", json!({ "account": name })).ok();
        rows.as_array().unwrap().iter().map(|row| Dec::wire(&row["amount"])).collect::<Vec<_>>()
    };
    for kind in kinds {
        let name = format!("my-{kind}-2");
        assert_eq!(usd(&name), [Dec::ZERO; 0], "it is empty");
        let credit = json!({ "group": "one", "account": name, "currency": "USD", "amount": "5" });
        x.control("/sandbox/accounts/credit", &credit).ok();
    }
    x.restart();
    for kind in kinds {
        assert_eq!(usd(&format!("my-{kind}-2")), [dec("5")], "after a restart");
    }
    let taken = json!({ "group": "one", "name": "my margin 2", "kind": "margin" });
    x.control("/sandbox/accounts", &taken).refused(400, "ConflictingAccountName");
    // A name is unique only within its group.
    x.control("/sandbox/accounts", &json!({ "group": "two", "name": "My Margin 2", "kind": "margin" })).ok();
    laws::check(&x);
}

/// A custody account holds funds and cannot trade (AUTH-018); `wrap.rs` shows that it does not wrap either.
#[test]
fn custody_does_not_trade() {
    let x = Exchange::start();
    for kind in ["exchange", "custody"] {
        x.control("/sandbox/accounts", &json!({ "group": "one", "name": kind, "kind": kind })).ok();
        let credit = json!({ "group": "one", "account": kind, "currency": "USD", "amount": "1000" });
        x.control("/sandbox/accounts/credit", &credit).ok();
    }
    let order = |account: &str| {
        let mut order = buttonwood_accept::NewOrder::limit("btcusd", "buy", "1", "100").params();
        order["account"] = json!(account);
        x.as_("master").call("/v1/order/new", order)
    };
    let refusal = order("custody").refused(400, "AccountNotOfTypeRequired");
    assert!(refusal.message.contains("'account'") && refusal.message.contains("'custody'"), "{refusal:?}");
    order("exchange").ok();
    laws::check(&x);
}

/// An account that cannot be opened is refused with field and value.
#[test]
fn accounts_that_cannot_be() {
    let x = Exchange::start();
    let long = "x".repeat(51);
    for (field, value, reason) in [
        ("group", json!("nosuch"), "InvalidParameterValue"),
        ("group", json!(""), "InvalidParameterValue"),
        ("group", json!(1), "InvalidParameterValue"),
        ("name", json!(""), "InvalidParameterValue"),
        ("name", json!(" "), "InvalidParameterValue"),
        ("name", json!("a/b"), "InvalidParameterValue"),
        ("name", json!("caf\u{e9}"), "InvalidParameterValue"),
        ("name", json!("a\u{0}b"), "InvalidParameterValue"),
        ("name", json!(long), "InvalidParameterValue"),
        ("name", json!(null), "InvalidParameterValue"),
        ("name", json!("Primary"), "ConflictingAccountName"),
        ("kind", json!("savings"), "BadAccountType"),
        ("kind", json!("Exchange"), "BadAccountType"),
        ("kind", json!(["exchange"]), "InvalidParameterValue"),
    ] {
        let mut body = json!({ "group": "one", "name": "fresh", "kind": "exchange" });
        body[field] = value.clone();
        let refusal = x.control("/sandbox/accounts", &body).refused(400, reason);
        assert!(refusal.message.contains(&format!("'{field}'")), "{value}: {refusal:?}");
    }
    for field in ["group", "name", "kind"] {
        let mut body = json!({ "group": "one", "name": "fresh", "kind": "exchange" });
        body.as_object_mut().unwrap().remove(field);
        let refusal = x.control("/sandbox/accounts", &body).refused(400, "MissingPayloadKey");
        assert!(refusal.message.contains(&format!("'{field}'")), "{refusal:?}");
    }
    x.control("/sandbox/accounts", &json!({ "group": "one", "name": "fresh", "kind": "exchange" })).ok();
    laws::check(&x);
}

/// A credit goes to one account of one group.
#[test]
fn credits() {
    let x = Exchange::start();
    x.credit("savings-trader", "DOGE", "12.5");
    assert_eq!(x.as_("savings-trader").balance("DOGE").0, dec("12.5"));
    assert_eq!(x.as_("trader").balance("DOGE").0, Dec::ZERO);
    let unknown = x.control("/sandbox/symbols/nosuch/status", &json!({ "status": "closed" }));
    assert!((400..500).contains(&unknown.status()), "{unknown}");
    same_keys(&unknown.json(), &["result", "reason", "message"], &unknown);
    laws::check(&x);
}

/// Everything that falls due in one move of a manual clock shares a batch of the journal, and so a block of its file.
#[test]
fn one_move_takes_one_batch() {
    let x = Exchange::start();
    x.control("/sandbox/index/BTC", &json!({ "price": "50000" })).ok();
    let counted = || -> [u64; 2] {
        let output = run_to_end(&["verify", "--data", x.data().to_str().unwrap()]);
        let proved = String::from_utf8(output.stdout).unwrap();
        let words: Vec<&str> = proved.split_whitespace().collect();
        [0, 3].map(|place: usize| words[place].parse().expect("commands, and batches"))
    };
    let before = counted();
    x.advance(86_400);
    let after = counted();
    let [commands, batches] = [0, 1].map(|place: usize| after[place] - before[place]);
    // The note of the move in the audit is durable before it begins.
    assert!(commands >= 24 && batches <= 2, "{commands} commands in {batches} batches");
}
