//! Instant orders. Clauses WRAP-009 to WRAP-018; decisions D-179, D-180.

use buttonwood_accept::{Answer, Dec, Exchange, Value, dec, json, laws, same_keys};

const QUOTE: &str = "/v1/instant/quote";
const EXECUTE: &str = "/v1/instant/execute";

/// An exchange whose book has asks of 1 at 101, 2 at 102 and bids of 1 at 99, 2 at 98, and a last price of 100. 100 dollars on each side
/// make it a source of the index.
fn exchange() -> Exchange {
    let x = Exchange::start();
    x.control("/sandbox/instant", &json!({ "depth_usd": "100" })).ok();
    let other = x.as_("counterparty");
    other.limit("btcusd", "sell", "0.01", "100");
    x.as_("broker").limit("btcusd", "buy", "0.01", "100");
    for (side, amount, price) in
        [("sell", "1", "101"), ("sell", "2", "102"), ("buy", "1", "99"), ("buy", "2", "98")]
    {
        other.limit("btcusd", side, amount, price);
    }
    x
}

fn quote(x: &Exchange, side: &str, spend: &str) -> Answer {
    x.as_("trader").call(QUOTE, json!({ "symbol": "btcusd", "side": side, "totalSpend": spend }))
}

/// The fields of an execution that repeats a quote.
fn terms(quote: &Value) -> Value {
    json!({
        "symbol": quote["pair"], "side": quote["side"], "quantity": quote["quantity"],
        "price": quote["price"], "fee": quote["fee"], "quoteId": quote["quoteId"],
    })
}

fn execute(x: &Exchange, params: Value) -> Answer {
    x.as_("trader").call(EXECUTE, params)
}

fn balance(x: &Exchange, currency: &str) -> Dec {
    x.as_("trader").balance(currency).1
}

const OF_BOTH: [&str; 12] = [
    "pair",
    "price",
    "priceCurrency",
    "side",
    "quantity",
    "quantityCurrency",
    "fee",
    "feeCurrency",
    "depositFee",
    "depositFeeCurrency",
    "totalSpend",
    "totalSpendCurrency",
];

/// A buy spends quote currency, the fee included, at the average price of the book; a sell spends base currency and pays its fee in
/// quote currency. The sums come out exactly. Proves WRAP-011, WRAP-012.
#[test]
fn quotes_walk_the_book() {
    let x = exchange();
    let check = |side: &str, spend: &str, price: &str| {
        let answer = quote(&x, side, spend).ok();
        same_keys(&answer, &[OF_BOTH.as_slice(), &["quoteId", "maxAgeMs"]].concat(), &answer);
        assert!(answer["quoteId"].is_u64());
        let texts = ["pair", "side", "price", "priceCurrency", "quantityCurrency", "feeCurrency"];
        assert_eq!(
            texts.map(|name| answer[name].as_str().unwrap()),
            ["BTCUSD", side, price, "USD", "BTC", "USD"],
            "{answer}"
        );
        assert_eq!(
            (&answer["maxAgeMs"], &answer["depositFee"], &answer["depositFeeCurrency"]),
            (&json!(60_000), &json!("0"), &json!("USD"))
        );
        let amount = |name: &str| Dec::wire(&answer[name]);
        let worth = amount("quantity") * amount("price");
        assert_eq!(amount("totalSpend"), dec(spend));
        if side == "buy" {
            assert_eq!(answer["totalSpendCurrency"], "USD");
            assert_eq!(worth + amount("fee"), dec(spend), "{answer}");
            assert!(amount("fee") >= worth * dec("0.015"), "{answer}");
        } else {
            assert_eq!(answer["totalSpendCurrency"], "BTC");
            assert_eq!(amount("quantity"), dec(spend));
            assert_eq!(amount("fee"), worth * dec("0.015"), "{answer}");
        }
    };
    check("buy", "50", "101.00");
    check("buy", "102.515", "101.00");
    check("buy", "102.5151", "101.01");
    check("buy", "200.123456789", "101.49");
    check("sell", "0.5", "99.00");
    check("sell", "1", "99.00");
    check("sell", "1.00000001", "98.99");
    laws::check(&x);
}

/// Both paths quote; the signed path is the one that was called, and its side and symbol count. Proves WRAP-009.
#[test]
fn both_paths_quote() {
    let x = exchange();
    let trader = x.as_("trader");
    let plain = quote(&x, "buy", "50").ok();
    for (path, more) in [
        ("/v1/instant/quote/buy/btcusd", json!({})),
        ("/v1/instant/quote/buy/BTCUSD", json!({ "symbol": "btcusd", "side": "buy" })),
    ] {
        let mut params = more;
        params["totalSpend"] = json!("50");
        let mut answer = trader.call(path, params).ok();
        assert!(answer["quoteId"].as_u64() > plain["quoteId"].as_u64());
        answer["quoteId"] = plain["quoteId"].clone();
        assert_eq!(answer, plain);
    }
    let path = "/v1/instant/quote/buy/btcusd";
    for (field, value) in [("symbol", "ethusd"), ("side", "sell")] {
        let mut params = json!({ "totalSpend": "50" });
        params[field] = json!(value);
        let refusal = trader.call(path, params).refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains(value), "{refusal:?}");
    }
    let other = json!({ "totalSpend": "50", "request": QUOTE });
    trader.call(path, other).refused(400, "EndpointMismatch");
    let spend = || json!({ "totalSpend": "50" });
    trader.call("/v1/instant/quote/hold/btcusd", spend()).refused(400, "InvalidSide");
    trader.call("/v1/instant/quote/buy/nowhere", spend()).refused(400, "InvalidSymbol");
    trader.call("/v1/instant/quote/buy", spend()).refused(404, "EndpointNotFound");
    x.as_("auditor").call(path, spend()).refused(403, "MissingRole");
    laws::check(&x);
}

/// Only the account's balance pays yet; the other payment methods are known and refused. Proves WRAP-010.
#[test]
fn payment_methods() {
    let x = exchange();
    let by = |name: &str, value: Value| {
        let mut params = json!({ "symbol": "btcusd", "side": "buy", "totalSpend": "50" });
        params[name] = value;
        x.as_("trader").call(QUOTE, params)
    };
    by("paymentMethodType", json!("AccountBalancePaymentType")).ok();
    by("paymentMethodUuid", json!("00000000-0000-0000-0000-000000000000")).ok();
    for (value, part) in [
        ("BankAccountType", "not funded from banks"),
        ("CardAccountType", "not funded from banks"),
        ("CashType", "one of"),
    ] {
        let refusal = by("paymentMethodType", json!(value)).refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains(value) && refusal.message.contains(part), "{refusal:?}");
    }
    by("paymentMethodType", json!(1)).refused(400, "InvalidParameterValue");
    by("paymentMethodUuid", json!(1)).refused(400, "InvalidParameterValue");
    laws::check(&x);
}

/// Proves WRAP-013, WRAP-014.
#[test]
fn quotes_change_nothing_and_bad_ones_are_refused() {
    let x = exchange();
    let before = (x.as_("trader").balances(), x.get("/v1/book/btcusd").ok(), x.as_("trader").live_ids());
    quote(&x, "buy", "50").ok();
    let refused = |field: &str, value: Value, reason: &str| {
        let mut params = json!({ "symbol": "btcusd", "side": "buy", "totalSpend": "50" });
        match value {
            Value::Null => drop(params.as_object_mut().unwrap().remove(field)),
            value => params[field] = value,
        }
        x.as_("trader").call(QUOTE, params).refused(400, reason);
    };
    for value in [json!(null), json!("nowhere"), json!(""), json!(5)] {
        refused("symbol", value, "InvalidSymbol");
    }
    for value in [json!(null), json!("hold"), json!("BUY"), json!(true)] {
        refused("side", value, "InvalidSide");
    }
    // The last two buy less than the minimum, and more than the book has.
    let spends = ["", "0", "-5", "1e3", "x", "0.0001", "100000"];
    for value in spends.map(Value::from).into_iter().chain([json!(null), json!(["5"])]) {
        refused("totalSpend", value, "InvalidQuantity");
    }
    for spend in ["0", "0.000001", "0.000000001", "3.5"] {
        quote(&x, "sell", spend).refused(400, "InvalidQuantity");
    }
    x.as_("trader")
        .call(QUOTE, json!({ "symbol": "ethusd", "side": "buy", "totalSpend": "50" }))
        .refused(400, "InvalidQuantity");
    let after = (x.as_("trader").balances(), x.get("/v1/book/btcusd").ok(), x.as_("trader").live_ids());
    assert_eq!(before, after);
    laws::check(&x);
}

/// The reply has the quote's fields, and balances move by exactly these amounts; the book and the trades stay. Proves WRAP-016.
#[test]
fn an_execution_moves_what_was_quoted() {
    let x = exchange();
    let seen =
        || ["/v1/book/btcusd", "/v1/trades/btcusd", "/v1/pubticker/btcusd"].map(|path| x.get(path).ok());
    let public = seen();
    for (side, spend) in [("buy", "200.123"), ("sell", "1.5")] {
        let quoted = quote(&x, side, spend).ok();
        let (btc, usd) = (balance(&x, "BTC"), balance(&x, "USD"));
        let done = execute(&x, terms(&quoted)).ok();
        same_keys(&done, &[OF_BOTH.as_slice(), &["orderId"]].concat(), &done);
        assert!(done["orderId"].is_u64());
        for name in OF_BOTH {
            assert_eq!(done[name], quoted[name], "{name}");
        }
        let amount = |name: &str| Dec::wire(&quoted[name]);
        let worth = amount("quantity") * amount("price");
        if side == "buy" {
            assert_eq!(balance(&x, "BTC"), btc + amount("quantity"));
            assert_eq!(balance(&x, "USD"), usd - dec(spend));
        } else {
            assert_eq!(balance(&x, "BTC"), btc - dec(spend));
            assert_eq!(balance(&x, "USD"), usd + worth - amount("fee"));
        }
    }
    assert_eq!(seen(), public);
    laws::check(&x);
}

/// Proves WRAP-015.
#[test]
fn an_execution_repeats_its_quote() {
    let x = exchange();
    let quoted = quote(&x, "buy", "50").ok();
    let before = x.as_("trader").balances();
    for (field, value, reason) in [
        ("symbol", json!("ethusd"), "InvalidSymbol"),
        ("symbol", json!("nowhere"), "InvalidSymbol"),
        ("symbol", json!(null), "InvalidSymbol"),
        ("side", json!("sell"), "InvalidSide"),
        ("side", json!(null), "InvalidSide"),
        ("quantity", json!("0.5"), "InvalidQuantity"),
        ("quantity", json!("x"), "InvalidQuantity"),
        ("quantity", json!(null), "InvalidQuantity"),
        ("price", json!("101.01"), "InvalidPrice"),
        ("price", json!("101.001"), "InvalidPrice"),
        ("price", json!(null), "InvalidPrice"),
        ("fee", json!("0"), "InvalidParameterValue"),
        ("fee", json!("x"), "InvalidParameterValue"),
        ("fee", json!(null), "MissingPayloadKey"),
        ("quoteId", json!("x"), "InvalidParameterValue"),
        ("quoteId", json!(null), "MissingPayloadKey"),
    ] {
        let mut params = terms(&quoted);
        let sent = value.as_str().unwrap_or_default().to_owned();
        match value {
            Value::Null => drop(params.as_object_mut().unwrap().remove(field)),
            value => params[field] = value,
        }
        let message = execute(&x, params).refused(400, reason).message;
        assert!(message.contains(field) || field == "symbol", "{message}");
        assert!(message.contains(&sent), "{message}");
    }
    assert_eq!(x.as_("trader").balances(), before);
    // Other spellings of the same numbers are the same.
    let mut params = terms(&quoted);
    params["price"] = json!("101");
    params["symbol"] = json!("BtcUsd");
    execute(&x, params).ok();
    laws::check(&x);
}

/// Proves WRAP-017.
#[test]
fn a_quote_is_executed_once_in_time_by_its_account() {
    let x = exchange();
    let refused = |answer: Answer| {
        let message = answer.refused(400, "InvalidParameterValue").message;
        assert!(message.contains("quoteId"), "{message}");
    };
    let used = quote(&x, "buy", "50").ok();
    refused(x.as_("savings-trader").call(EXECUTE, terms(&used)));
    execute(&x, terms(&used)).ok();
    refused(execute(&x, terms(&used)));
    let mut unknown = terms(&used);
    unknown["quoteId"] = json!(4_000);
    let message = execute(&x, unknown).refused(400, "InvalidParameterValue").message;
    assert!(message.contains("'quoteId'") && message.ends_with(": 4000"), "{message}");
    let (late, kept) = (quote(&x, "buy", "50").ok(), quote(&x, "buy", "50").ok());
    x.advance(60);
    execute(&x, terms(&kept)).ok();
    x.advance(1);
    refused(execute(&x, terms(&late)));
    // An account has ten quotes; another one replaces the oldest.
    let quotes: Vec<Value> = (0..11).map(|_| quote(&x, "buy", "5").ok()).collect();
    refused(execute(&x, terms(&quotes[0])));
    execute(&x, terms(&quotes[1])).ok();
    laws::check(&x);
}

/// Proves WRAP-018.
#[test]
fn an_execution_needs_the_funds() {
    let x = exchange();
    let poor = x.as_("empty");
    for (side, spend) in [("buy", "50"), ("sell", "0.5")] {
        let params = json!({ "symbol": "btcusd", "side": side, "totalSpend": spend });
        let quoted = poor.call(QUOTE, params).ok();
        poor.call(EXECUTE, terms(&quoted)).refused(406, "InsufficientFunds");
    }
    // Money that an order holds does not pay, and the quote stays.
    let quoted = quote(&x, "buy", "100").ok();
    let order = x.as_("trader").limit("ethusd", "buy", "1", "99590");
    execute(&x, terms(&quoted)).refused(406, "InsufficientFunds");
    x.as_("trader").cancel(order["order_id"].as_str().unwrap());
    execute(&x, terms(&quoted)).ok();
    laws::check(&x);
}

/// The house's exposure is limited, shown in the ledger, and judged again at the execution.
#[test]
fn the_exposure_is_limited() {
    let x = exchange();
    let exposure = || x.get("/sandbox/ledger").ok()["instant"]["exposure_usd"].clone();
    let set = |fee_bps: u64, exposure_usd: &str| {
        x.control("/sandbox/instant", &json!({ "fee_bps": fee_bps, "exposure_usd": exposure_usd })).ok()
    };
    assert_eq!(
        x.get("/sandbox/ledger").ok()["instant"],
        json!({ "fee_bps": 150, "exposure_usd": "0", "exposure_max_usd": "100000" })
    );
    assert_eq!(
        set(0, "40"),
        json!({ "result": "ok", "fee_bps": 0, "exposure_usd": "40", "depth_usd": "100" })
    );
    quote(&x, "buy", "50").refused(400, "InvalidQuantity");
    let two = [quote(&x, "buy", "30.3").ok(), quote(&x, "buy", "30.3").ok()];
    assert_eq!((&two[0]["fee"], &two[0]["quantity"]), (&json!("0"), &json!("0.3")));
    execute(&x, terms(&two[0])).ok();
    assert_eq!(exposure(), json!("30"), "0.3 at the last price of 100");
    execute(&x, terms(&two[1])).refused(400, "InvalidQuantity");
    set(150, "10");
    // A quote that lowers the exposure is taken even beyond the limit.
    let sold = quote(&x, "sell", "0.1").ok();
    assert_eq!(sold["fee"], json!("0.1485"));
    execute(&x, terms(&sold)).ok();
    assert_eq!(exposure(), json!("20"));
    set(150, "30");
    execute(&x, terms(&two[1])).refused(400, "InvalidQuantity");
    // 0.5 at the quote's 101.
    set(150, "50.49");
    execute(&x, terms(&two[1])).refused(400, "InvalidQuantity");
    set(150, "50.50");
    execute(&x, terms(&two[1])).ok();
    assert_eq!(exposure(), json!("50"));
    for (field, value) in [
        ("fee_bps", json!(10_001)),
        ("fee_bps", json!(-1)),
        ("fee_bps", json!("x")),
        ("exposure_usd", json!("-1")),
        ("exposure_usd", json!("x")),
        ("depth_usd", json!("0")),
        ("depth_usd", json!("-1")),
        ("depth_usd", json!("1e3")),
    ] {
        let mut body = json!({ "fee_bps": 1, "exposure_usd": "1" });
        body[field] = value;
        let refusal = x.control("/sandbox/instant", &body).refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains(field), "{refusal:?}");
    }
    // A field that is left out stays as it is.
    let left = json!({ "result": "ok", "fee_bps": 1, "exposure_usd": "50.5", "depth_usd": "100" });
    assert_eq!(x.control("/sandbox/instant", &json!({ "fee_bps": 1 })).ok(), left);
    laws::check(&x);
}

/// A quote needs a symbol that takes market orders and is open to the account, and an account that trades.
#[test]
fn quotes_respect_status_jurisdiction_and_account() {
    let x = exchange();
    let quoted = quote(&x, "buy", "50").ok();
    for (status, reason) in
        [("cancel_only", "MarketNotOpen"), ("post_only", "MarketNotOpen"), ("limit_only", "MarketNotOpen")]
    {
        x.set_status("btcusd", status);
        quote(&x, "buy", "50").refused(400, reason);
        execute(&x, terms(&quoted)).refused(400, reason);
    }
    x.set_status("btcusd", "open");
    execute(&x, terms(&quoted)).ok();
    let quoted = quote(&x, "buy", "50").ok();
    x.set_status("btcusd", "closed");
    quote(&x, "buy", "50").refused(400, "MarketClosed");
    execute(&x, terms(&quoted)).refused(400, "MarketClosed");
    // The orders of the book ended with it.
    x.set_status("btcusd", "open");
    execute(&x, terms(&quoted)).refused(400, "InvalidQuantity");
    x.as_("restricted")
        .call(QUOTE, json!({ "symbol": "btcusdt", "side": "buy", "totalSpend": "50" }))
        .refused(400, "InvalidSymbol");
    x.control("/sandbox/accounts", &json!({ "group": "one", "name": "custody", "kind": "custody" })).ok();
    for (path, params) in [
        (QUOTE, json!({ "symbol": "btcusd", "side": "buy", "totalSpend": "50", "account": "custody" })),
        (EXECUTE, json!({ "account": "custody" })),
    ] {
        x.as_("master").call(path, params).refused(400, "AccountNotOfTypeRequired");
    }
    laws::check(&x);
}

/// A quote outlives a kill and a start from a snapshot, and is used once all the same; ids go on.
#[test]
fn quotes_survive() {
    let x = exchange();
    let quotes: Vec<Value> = (0..3).map(|_| quote(&x, "buy", "50").ok()).collect();
    let ends: [fn(&Exchange); 2] = [Exchange::kill9, Exchange::stop];
    for (end, quoted) in ends.into_iter().zip(&quotes) {
        end(&x);
        x.restart();
        execute(&x, terms(quoted)).ok();
        execute(&x, terms(quoted)).refused(400, "InvalidParameterValue");
        let next = quote(&x, "buy", "50").ok();
        assert!(next["quoteId"].as_u64() > quotes[2]["quoteId"].as_u64());
    }
    laws::check(&x);
}

/// The second account of a group offers at a cent what costs 50,000: its offer does not count, nor does the price that it makes by a
/// trade with itself. Hole G2.
#[test]
fn a_group_does_not_sell_to_itself_through_the_house() {
    let x = Exchange::start();
    let (other, front) = (x.as_("counterparty"), x.as_("savings-trader"));
    other.limit("btcusd", "sell", "0.001", "50000");
    x.as_("broker").limit("btcusd", "buy", "0.001", "50000");
    let buy = || quote(&x, "buy", "0.0193");
    buy().refused(400, "InvalidQuantity");
    front.limit("btcusd", "sell", "1.9", "0.01");
    buy().refused(400, "InvalidQuantity");
    // Nor with an index, far from which the offer is, nor with a last price near it.
    x.control("/sandbox/index/btc", &json!({ "price": "50000" })).ok();
    buy().refused(400, "InvalidQuantity");
    x.as_("trader").limit("btcusd", "buy", "0.001", "0.01");
    assert_eq!(x.get("/v1/pubticker/btcusd").ok()["last"], "0.01");
    buy().refused(400, "InvalidQuantity");
    x.control("/sandbox/index/btc", &json!({ "pinned": false })).ok();
    buy().refused(400, "InvalidQuantity");
    // Another group's offer far below the index is no price of the house either.
    x.control("/sandbox/index/btc", &json!({ "price": "50000" })).ok();
    other.limit("btcusd", "sell", "1.9", "0.02");
    buy().refused(400, "InvalidQuantity");
    // A sale through the house is bounded in the same way.
    front.limit("btcusd", "buy", "0.000011", "99000");
    let ask = other.limit("btcusd", "buy", "0.00002", "60000");
    quote(&x, "sell", "0.00002").refused(400, "InvalidQuantity");
    assert_eq!(ask["is_live"], false, "it took the cheap offers");
    laws::check(&x);
}

/// The own book makes a reference only while enough dollars of other groups rest on each side; a buy pays the reference where it is
/// higher, and a sale brings it where it is lower.
#[test]
fn the_reference_is_made_by_others() {
    let x = exchange();
    let depth = |dollars: &str| x.control("/sandbox/instant", &json!({ "depth_usd": dollars })).ok();
    let price = |side: &str, spend: &str| quote(&x, side, spend).ok()["price"].clone();
    // 305 dollars rest on one side, 295 on the other.
    depth("295");
    quote(&x, "buy", "50").ok();
    depth("295.01");
    quote(&x, "buy", "50").refused(400, "InvalidQuantity");
    quote(&x, "sell", "0.5").refused(400, "InvalidQuantity");
    x.as_("savings-trader").limit("btcusd", "buy", "5", "97");
    quote(&x, "buy", "50").refused(400, "InvalidQuantity");
    x.as_("broker").limit("btcusd", "buy", "0.1", "97");
    quote(&x, "buy", "50").ok();
    x.control("/sandbox/index/btc", &json!({ "price": "103.001" })).ok();
    assert_eq!((price("buy", "50"), price("sell", "0.5")), (json!("103.01"), json!("99.00")));
    x.control("/sandbox/index/btc", &json!({ "price": "98.999" })).ok();
    assert_eq!((price("buy", "50"), price("sell", "0.5")), (json!("101.00"), json!("98.99")));
    // More than 5 % apart.
    x.control("/sandbox/index/btc", &json!({ "price": "96.19" })).ok();
    quote(&x, "sell", "0.5").ok();
    quote(&x, "buy", "50").refused(400, "InvalidQuantity");
    x.control("/sandbox/index/btc", &json!({ "price": "94.28" })).ok();
    quote(&x, "sell", "0.5").refused(400, "InvalidQuantity");
    laws::check(&x);
}

/// A quote is void once its price has moved against the house by more than 1 %.
#[test]
fn a_quote_is_void_after_a_move() {
    let x = exchange();
    let pin = |price: &str| x.control("/sandbox/index/btc", &json!({ "price": price })).ok();
    pin("100");
    let [buy, sell] = [("buy", "50"), ("sell", "0.5")].map(|(side, spend)| quote(&x, side, spend).ok());
    assert_eq!((&buy["price"], &sell["price"]), (&json!("101.00"), &json!("99.00")));
    pin("102.02");
    let message = execute(&x, terms(&buy)).refused(400, "InvalidParameterValue").message;
    assert!(message.contains("quoteId") && message.contains("1 %"), "{message}");
    pin("102.01");
    execute(&x, terms(&buy)).ok();
    pin("98");
    execute(&x, terms(&sell)).refused(400, "InvalidParameterValue");
    pin("98.01");
    execute(&x, terms(&sell)).ok();
    laws::check(&x);
}

/// A sandbox gives the house account of instant orders ten times a start balance of each currency, once. It never gives more than it has.
#[test]
fn the_house_gives_what_it_has() {
    let x = Exchange::start();
    let stock = |currency: &str| {
        let rows = x.get("/sandbox/ledger").ok()["currencies"].clone();
        let row = rows.as_array().unwrap().iter().find(|row| row["currency"] == currency).unwrap().clone();
        row["house"]["instant"].clone()
    };
    let all = ["USD", "BTC", "LINK"].map(stock);
    assert_eq!(all, [json!("1000000"), json!("10000"), json!("200000")]);
    x.control("/sandbox/instant", &json!({ "fee_bps": 0, "exposure_usd": "1000000000" })).ok();
    x.control("/sandbox/index/link", &json!({ "price": "1" })).ok();
    for (group, account, currency, amount) in
        [("two", "primary", "LINK", "300000"), ("one", "primary", "USD", "300000")]
    {
        let credit = json!({ "group": group, "account": account, "currency": currency, "amount": amount });
        x.control("/sandbox/accounts/credit", &credit).ok();
    }
    x.as_("counterparty").limit("linkusd", "sell", "300000", "1");
    let buy = |spend: &str| {
        x.as_("trader").call(QUOTE, json!({ "symbol": "linkusd", "side": "buy", "totalSpend": spend }))
    };
    buy("200001").refused(400, "InvalidQuantity");
    let two = [buy("150000").ok(), buy("60000").ok()];
    execute(&x, terms(&two[0])).ok();
    assert_eq!((stock("LINK"), stock("USD")), (json!("50000"), json!("1150000")));
    execute(&x, terms(&two[1])).refused(400, "InvalidQuantity");
    execute(&x, terms(&buy("50000").ok())).ok();
    assert_eq!(stock("LINK"), json!("0"));
    assert_eq!(x.get("/sandbox/ledger").ok()["instant"]["exposure_usd"], "200000");
    x.stop();
    x.restart();
    assert_eq!(stock("LINK"), json!("0"), "a later start gives nothing more");
    laws::check(&x);
}

/// An execution takes a client's id, by which it is found after a lost reply, over a restart too. A wrong id is refused before the quote is
/// used. Proves D-170.
#[test]
fn an_execution_is_found_by_its_name() {
    let x = exchange();
    let named = |quote: &Value, name: Value| {
        let mut fields = terms(quote);
        fields["client_order_id"] = name;
        fields
    };
    let first = quote(&x, "buy", "50").ok();
    for wrong in [json!(""), json!("a b"), json!("x".repeat(101)), json!(7)] {
        let refusal = execute(&x, named(&first, wrong)).error();
        assert!(refusal.message.contains("client_order_id"), "{refusal:?}");
    }
    let bought = execute(&x, named(&first, json!("lost"))).ok();
    let status = || {
        x.as_("trader").call("/v1/order/status", json!({ "client_order_id": "lost", "include_trades": true }))
    };
    let found = status().ok();
    assert_eq!(
        (&found["order_id"], &found["client_order_id"]),
        (&json!(bought["orderId"].to_string()), &json!("lost"))
    );
    assert_eq!((&found["type"], &found["is_live"]), (&json!("market buy"), &json!(false)));
    assert_eq!(found["trades"][0]["client_order_id"], "lost");
    // The newest of a name is meant.
    let second = execute(&x, named(&quote(&x, "sell", "0.1").ok(), json!("lost"))).ok();
    let found = status().ok();
    assert_eq!(found["order_id"], json!(second["orderId"].to_string()));
    x.kill9();
    x.restart();
    assert_eq!(status().ok(), found);
    laws::check(&x);
}
