//! Wrapping. Clauses WRAP-001 to WRAP-008, SYM-019, AUTH-018.

use buttonwood_accept::{Answer, Exchange, NewOrder, Value, dec, json, laws, same_keys};

const PATH: &str = "/v1/wrap/gusdusd";

fn wrap(x: &Exchange, side: &str, amount: &str) -> Answer {
    x.as_("trader").call(PATH, json!({ "side": side, "amount": amount }))
}

/// Available and total balances of both currencies.
fn funds(x: &Exchange) -> [buttonwood_accept::Dec; 4] {
    let trader = x.as_("trader");
    let ((gusd, free_gusd), (usd, free_usd)) = (trader.balance("GUSD"), trader.balance("USD"));
    [gusd, free_gusd, usd, free_usd]
}

/// A buy pays dollars for wrapped ones, a sell the reverse, at once, at price 1 and without a fee; the reply has these fields and no
/// others. Proves WRAP-001, WRAP-002, WRAP-003, WRAP-004.
#[test]
fn a_wrap_converts_one_for_one() {
    let x = Exchange::start();
    let reply = |side: &str, amount: &str, paid: &str| {
        json!({
            "pair": "GUSDUSD", "price": "1", "priceCurrency": "USD", "side": side,
            "quantity": amount, "quantityCurrency": "GUSD", "totalSpend": amount, "totalSpendCurrency": paid,
            "fee": "0", "feeCurrency": "USD", "depositFee": "0", "depositFeeCurrency": "USD",
        })
    };
    let mut ids = Vec::new();
    let mut wrapped = |side: &str, amount: &str, paid: &str| {
        let mut answer = wrap(&x, side, amount).ok();
        ids.push(answer["orderId"].as_u64().expect("a number"));
        answer.as_object_mut().unwrap().remove("orderId");
        assert_eq!(answer, reply(side, amount, paid));
    };
    wrapped("buy", "250.5", "USD");
    assert_eq!(funds(&x), ["250.5", "250.5", "99749.5", "99749.5"].map(dec));
    wrapped("sell", "0.500001", "GUSD");
    assert_eq!(funds(&x), ["249.999999", "249.999999", "99750.000001", "99750.000001"].map(dec));
    // Ids come from the counter of orders.
    let order = x.as_("trader").limit("btcusd", "buy", "1", "100");
    let next: u64 = order["order_id"].as_str().unwrap().parse().unwrap();
    assert_eq!(ids, [next - 2, next - 1]);
    laws::check(&x);
}

/// The issuer owes what it issued, and the ledger shows it.
#[test]
fn the_issuer_is_the_other_side() {
    let x = Exchange::start();
    wrap(&x, "buy", "10").ok();
    let ledger = x.get("/sandbox/ledger").ok();
    let house = |currency: &str| {
        let rows = ledger["currencies"].as_array().unwrap();
        rows.iter().find(|row| row["currency"] == currency).unwrap()["house"]["issuer"].clone()
    };
    assert_eq!((house("GUSD"), house("USD")), (json!("-10"), json!("10")));
    laws::check(&x);
}

/// A wrap prints no trade: it moves no last price, triggers no stop and leaves the book as it is.
#[test]
fn a_wrap_is_no_trade() {
    let x = Exchange::start();
    let (trader, other) = (x.as_("trader"), x.as_("counterparty"));
    x.credit("trader", "GUSD", "100");
    trader.limit("gusdusd", "sell", "1", "1.01");
    other.limit("gusdusd", "buy", "1", "1.01");
    // A wrap at 1 would trigger this, if it were a trade.
    let stop = trader.place(&NewOrder::limit("gusdusd", "sell", "1", "0.99").with_stop("1"));
    other.limit("gusdusd", "buy", "5", "0.98");
    let seen =
        || ["/v1/trades/gusdusd", "/v1/book/gusdusd", "/v1/pubticker/gusdusd"].map(|path| x.get(path).ok());
    let before = seen();
    wrap(&x, "buy", "10").ok();
    wrap(&x, "sell", "20").ok();
    assert_eq!(seen(), before);
    let stop = trader.status(stop["order_id"].as_str().unwrap());
    assert_eq!((&stop["is_live"], &stop["executed_amount"]), (&json!(true), &json!("0")));
    laws::check(&x);
}

/// Exactly the symbols with `wrap_enabled` wrap, in any letter case. Proves SYM-019, WRAP-005.
#[test]
fn exactly_wrapped_symbols_wrap() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let body = || json!({ "side": "buy", "amount": "1000" });
    for details in x.get("/v1/symbols/details/all").ok().as_array().unwrap() {
        let symbol = details["symbol"].as_str().unwrap();
        let answer = trader.call(&format!("/v1/wrap/{symbol}"), body());
        if details["wrap_enabled"] == json!(true) {
            answer.ok();
        } else {
            let message = answer.refused(400, "InvalidSymbol").message;
            assert!(message.contains(symbol), "{message}");
        }
    }
    for name in ["nowhere", "gusd", "usdgusd", "%67usdusd"] {
        let refusal = trader.call(&format!("/v1/wrap/{name}"), body()).refused(400, "InvalidSymbol");
        assert!(refusal.message.contains(name), "{refusal:?}");
    }
    trader.call("/v1/wrap/GusdUSD", body()).ok();
    laws::check(&x);
}

/// Bad amounts, sides, ids and too little money are refused by their reasons and change nothing. Proves WRAP-006, WRAP-008.
#[test]
fn bad_wraps_are_refused() {
    let x = Exchange::start();
    let before = funds(&x);
    let refused = |field: &str, value: Value, status, reason| {
        let mut params = json!({ "side": "buy", "amount": "1", "client_order_id": "mine" });
        if value.is_null() {
            params.as_object_mut().unwrap().remove(field);
        } else {
            params[field] = value.clone();
        }
        let refusal = x.as_("trader").call(PATH, params).refused(status, reason);
        let shown = value.as_str().map_or_else(String::new, |text| text.chars().take(20).collect());
        assert!(refusal.message.contains(&shown), "{field} {value}: {refusal:?}");
    };
    let amounts = ["", "0", "-1", "1e3", "x", "0.009", "1.0000001", "1234567890123456789"];
    for amount in amounts.map(Value::from).into_iter().chain([json!(null), json!(true), json!(["1"])]) {
        refused("amount", amount, 400, "InvalidQuantity");
    }
    for side in [json!(null), json!(""), json!("BUY"), json!("hold"), json!(1)] {
        refused("side", side, 400, "InvalidSide");
    }
    refused("amount", json!("100000.01"), 406, "InsufficientFunds");
    refused("amount", json!("999999999999999999"), 406, "InsufficientFunds");
    wrap(&x, "sell", "1").refused(406, "InsufficientFunds");
    refused("client_order_id", json!(5), 400, "ClientOrderIdMustBeString");
    refused("client_order_id", json!("x".repeat(101)), 400, "ClientOrderIdTooLong");
    refused("client_order_id", json!("not an id"), 400, "InvalidParameterValue");
    assert_eq!(funds(&x), before);
    let long = "x".repeat(100);
    for id in [long.as_str(), "a:b-c_d.e#1", "a:b-c_d.e#1"] {
        let params = json!({ "side": "buy", "amount": 1, "client_order_id": id });
        x.as_("trader").call(PATH, params).ok();
    }
    laws::check(&x);
}

/// Money that orders hold cannot be wrapped.
#[test]
fn a_wrap_leaves_holds_alone() {
    let x = Exchange::start();
    x.as_("trader").limit("btcusd", "buy", "1", "99000");
    let (_, available) = x.as_("trader").balance("USD");
    wrap(&x, "buy", "1000").refused(406, "InsufficientFunds");
    wrap(&x, "buy", "600").ok();
    assert_eq!(x.as_("trader").balance("USD").1 + dec("600"), available);
    laws::check(&x);
}

/// The signed path is the path that was called, with its symbol; a trader's key is needed, and an account that trades.
/// Proves WRAP-007, AUTH-018.
#[test]
fn wraps_need_a_trader_of_an_exchange_account() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    for request in ["/v1/wrap/{symbol}", "/v1/wrap/GUSDUSD", "/v1/wrap", "/v1/wrap/gusdusd?x=1"] {
        let params = json!({ "side": "buy", "amount": "1", "request": request });
        trader.call(PATH, params).refused(400, "EndpointMismatch");
    }
    let params = || json!({ "side": "buy", "amount": "1" });
    for path in ["/v1/wrap", "/v1/wrap/", "/v1/wrap/gusdusd/more"] {
        trader.call(path, params()).refused(404, "EndpointNotFound");
    }
    x.as_("auditor").call(PATH, params()).refused(403, "MissingRole");
    x.as_("fund-manager").call(PATH, params()).refused(403, "MissingRole");
    for kind in ["exchange", "custody"] {
        x.control("/sandbox/accounts", &json!({ "group": "one", "name": kind, "kind": kind })).ok();
        let credit = json!({ "group": "one", "account": kind, "currency": "USD", "amount": "1000" });
        x.control("/sandbox/accounts/credit", &credit).ok();
    }
    let by_master = |account: &str| {
        x.as_("master").call(PATH, json!({ "side": "buy", "amount": "1", "account": account }))
    };
    let refusal = by_master("custody").refused(400, "AccountNotOfTypeRequired");
    assert!(refusal.message.contains("'custody'"), "{refusal:?}");
    same_keys(&by_master("exchange").ok(), &REPLY, "a wrap");
    laws::check(&x);
}

const REPLY: [&str; 13] = [
    "orderId",
    "pair",
    "price",
    "priceCurrency",
    "side",
    "quantity",
    "quantityCurrency",
    "totalSpend",
    "totalSpendCurrency",
    "fee",
    "feeCurrency",
    "depositFee",
    "depositFeeCurrency",
];

/// A symbol that is closed, or takes cancels alone, does not wrap; one that takes only some orders does, since a wrap is not on the book.
#[test]
fn wraps_respect_the_symbol_s_status() {
    let x = Exchange::start();
    for (status, reason) in [
        ("closed", Some("MarketClosed")),
        ("cancel_only", Some("MarketNotOpen")),
        ("post_only", None),
        ("limit_only", None),
        ("open", None),
    ] {
        x.set_status("gusdusd", status);
        let answer = wrap(&x, "buy", "1");
        match reason {
            Some(reason) => {
                answer.refused(400, reason);
            }
            None => {
                answer.ok();
            }
        }
    }
    laws::check(&x);
}

/// An answered wrap outlives a kill and a start from a snapshot.
#[test]
fn wraps_survive() {
    let x = Exchange::start();
    wrap(&x, "buy", "300").ok();
    let ends: [fn(&Exchange); 2] = [Exchange::kill9, Exchange::stop];
    for end in ends {
        let before = funds(&x);
        end(&x);
        x.restart();
        assert_eq!(funds(&x), before);
        wrap(&x, "sell", "1").ok();
    }
    laws::check(&x);
    x.stop();
    laws::verified(&x);
}
