//! The questions of a page about orders before and after it sends them: `/site/preview` and `/site/queue`.

use buttonwood_accept::{Answer, Browser, Dec, Exchange, NewOrder, Value, dec, json, same_keys};

const FIELDS: [&str; 17] = [
    "result",
    "reason",
    "message",
    "executed",
    "average_price",
    "worst_price",
    "rests",
    "cost",
    "fee",
    "hold",
    "available_after",
    "most",
    "position_after",
    "leverage_after",
    "margin_after",
    "liquidation_price_after",
    "payout",
];
const BTC: &str = "btcgusdperp";

/// A user of a group, signed in.
#[track_caller]
fn user<'x>(x: &'x Exchange, email: &str, group: &str, roles: &[&str]) -> Browser<'x> {
    let password = "seven green turtles sing";
    let body = json!({ "email": email, "password": password, "group": group, "roles": roles });
    x.control("/sandbox/users", &body).ok();
    Browser::of(x, email)
}

/// A user of the group of the key `trader`.
#[track_caller]
fn trader(x: &Exchange) -> Browser<'_> {
    user(x, "a@people.test", "one", &["Administrator", "Trader", "Fund Manager"])
}

/// The payload of a spot order, such as `buy 3 at 102`.
fn spot(words: &str, more: Value) -> Value {
    let words: Vec<&str> = words.split(' ').collect();
    let [side, amount, "at", price] = words.as_slice() else { panic!("no order: {words:?}") };
    let mut payload = json!({
        "request": "/v1/order/new", "symbol": "btcusd", "amount": amount, "price": price, "side": side,
        "type": "exchange limit",
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        payload[name] = value.clone();
    }
    payload
}

fn rests(x: &Exchange, key: &str, words: &str) -> Value {
    let mut params = spot(words, json!({}));
    params.as_object_mut().expect("an object").remove("request");
    x.as_(key).call("/v1/order/new", params).ok()
}

#[track_caller]
fn preview(browser: &Browser<'_>, payload: &Value) -> Value {
    let answer = browser.post("/site/preview", payload);
    let said = answer.ok();
    same_keys(&said, &FIELDS, &answer);
    said
}

/// The fields that are not null, without the largest amount.
fn told(said: &Value) -> Value {
    let mut said = said.clone();
    let fields = said.as_object_mut().expect("an object");
    fields.retain(|name, value| !value.is_null() && name != "most");
    said
}

fn call(browser: &Browser<'_>, request: &str, mut fields: Value) -> Value {
    fields["request"] = request.into();
    browser.post("/site/call", &fields).ok()
}

fn available(browser: &Browser<'_>, currency: &str) -> Value {
    let rows = call(browser, "/v1/balances", json!({}));
    let row = rows.as_array().expect("rows").iter().find(|row| row["currency"] == currency);
    row.map_or_else(|| json!("0"), |row| row["available"].clone())
}

/// Fees of 10 and 20 basis points, and two offers.
fn market(x: &Exchange) {
    x.control("/sandbox/fees", &json!({ "maker_bps": 10, "taker_bps": 20, "auction_bps": 20 })).ok();
    rests(x, "counterparty", "sell 1 at 100");
    rests(x, "counterparty", "sell 1 at 101");
}

/// Everything that an order could change of the account and of the book.
fn standing(x: &Exchange, browser: &Browser<'_>) -> [Value; 4] {
    let own = |request: &str| call(browser, request, json!({}));
    [own("/v1/balances"), own("/v1/orders"), x.get("/v1/book/btcusd").ok(), x.get("/sandbox/ledger").ok()]
}

/// A preview changes nothing, takes no client id, and says what the order then does, to the last digit.
#[test]
fn a_preview_says_what_the_order_does() {
    let x = Exchange::start();
    market(&x);
    let browser = trader(&x);
    let order = spot("buy 3 at 102", json!({ "client_order_id": "a-1" }));
    let before = standing(&x, &browser);
    let said = preview(&browser, &order);
    let left = Dec::wire(&available(&browser, "USD")) - dec("201") - dec("0.402") - dec("102.204");
    let expected = json!({
        "result": "ok", "executed": "2", "average_price": "100.5", "worst_price": "101.00", "rests": "1", "cost": "201",
        "fee": "0.402", "hold": "102.204", "available_after": said["available_after"],
    });
    assert_eq!(told(&said), expected, "{said}");
    assert_eq!(Dec::wire(&said["available_after"]), left, "{said}");
    assert_eq!(preview(&browser, &order), said, "the client id is still free");
    assert_eq!(standing(&x, &browser), before, "nothing has changed");

    let placed = browser.post("/site/call", &order).ok();
    let done = [&placed["executed_amount"], &placed["avg_execution_price"], &placed["remaining_amount"]];
    assert_eq!(done, [&said["executed"], &said["average_price"], &said["rests"]]);
    assert_eq!(available(&browser, "USD"), said["available_after"]);
    let trades = call(&browser, "/v1/mytrades", json!({ "symbol": "btcusd" }));
    let fees = trades.as_array().expect("trades").iter().map(|trade| Dec::wire(&trade["fee_amount"]));
    assert_eq!(fees.fold(dec("0"), |sum, fee| sum + fee), Dec::wire(&said["fee"]), "{trades}");
    browser.post("/site/preview", &order).ok();
}

/// An order that would trade nothing has no prices, and one that would be cancelled at once says why.
#[test]
fn options_decide_what_rests() {
    let x = Exchange::start();
    market(&x);
    let browser = trader(&x);
    let reasons = [
        (json!({ "options": ["immediate-or-cancel"] }), "2", "0", json!("ImmediateOrCancelWouldPost")),
        (json!({ "options": ["fill-or-kill"] }), "0", "0", json!("FillOrKillWouldNotFill")),
        (json!({ "options": ["maker-or-cancel"] }), "0", "0", json!("MakerOrCancelWouldTake")),
        (json!({ "type": "exchange stop limit", "stop_price": "101" }), "0", "3", Value::Null),
        (json!({}), "2", "1", Value::Null),
    ];
    for (more, executed, rests, reason) in reasons {
        let said = preview(&browser, &spot("buy 3 at 102", more));
        let got = [&said["result"], &said["executed"], &said["rests"], &said["reason"]];
        assert_eq!(got, [&json!("ok"), &json!(executed), &json!(rests), &reason], "{said}");
        let has_prices = [&said["average_price"], &said["worst_price"]].map(|price| !price.is_null());
        assert_eq!(has_prices, [executed != "0"; 2], "{said}");
    }
    let sale = preview(&browser, &spot("sell 2 at 99.5", json!({})));
    assert_eq!(
        (&sale["rests"], &sale["hold"], &sale["fee"]),
        (&json!("2"), &json!("2"), &json!("0")),
        "{sale}"
    );
}

/// The largest amount that is named is taken, and one step more is refused.
#[test]
fn the_most_is_the_most() {
    let x = Exchange::start();
    market(&x);
    let browser = trader(&x);
    let greedy = spot("buy 900000 at 102", json!({}));
    let said = preview(&browser, &greedy);
    assert_eq!(
        (&said["result"], &said["reason"]),
        (&json!("refused"), &json!("InsufficientFunds")),
        "{said}"
    );
    let most = Dec::wire(&said["most"]);
    assert!(most > dec("2"), "{said}");
    let of = |amount: Dec| {
        let order = spot(&format!("buy {amount} at 102"), json!({}));
        preview(&browser, &order)["result"].as_str().expect("a word").to_owned()
    };
    assert_eq!(of(most), "ok");
    assert_eq!(of(most + dec("0.00000001")), "refused");
}

/// A refused order is previewed with the words of its refusal, and one that cannot be read is refused with them.
#[test]
fn refusals_are_those_of_the_order() {
    let x = Exchange::start();
    market(&x);
    let browser = trader(&x);
    let decided = [
        spot("buy 900000 at 102", json!({})),
        spot("buy 0.000000001 at 102", json!({})),
        spot("buy 1 at 102", json!({ "symbol": "ethusd", "amount": "0.0000001" })),
    ];
    for order in decided {
        let answer = browser.post("/site/call", &order);
        let refusal = answer.error();
        let previewed = browser.post("/site/preview", &order);
        if previewed.status() == 200 {
            let said = previewed.ok();
            assert_eq!(
                told(&said),
                json!({ "result": "refused", "reason": refusal.reason, "message": refusal.message })
            );
        } else {
            let same = previewed.refused(answer.status(), &refusal.reason);
            assert_eq!(same.message, refusal.message, "{order}");
        }
    }
    let unreadable = [
        json!({ "symbol": "nosuch" }),
        json!({ "symbol": 1 }),
        json!({ "side": "hold" }),
        json!({ "side": null }),
        json!({ "type": "limit" }),
        json!({ "amount": "1e3" }),
        json!({ "amount": "-1" }),
        json!({ "amount": "" }),
        json!({ "amount": "9".repeat(400) }),
        json!({ "price": "102.001" }),
        json!({ "price": [] }),
        json!({ "options": ["maybe"] }),
        json!({ "options": ["fill-or-kill", "maker-or-cancel"] }),
        json!({ "stop_price": "x", "type": "exchange stop limit" }),
        json!({ "account": "nosuch" }),
        json!({ "client_order_id": "\n" }),
    ];
    for more in unreadable {
        let order = spot("buy 1 at 102", more.clone());
        let answer = browser.post("/site/call", &order);
        let refusal = answer.error();
        let same = browser.post("/site/preview", &order).refused(answer.status(), &refusal.reason);
        assert_eq!((answer.status(), same.message), (400, refusal.message), "{more}");
    }
    assert_eq!(call(&browser, "/v1/orders", json!({})), json!([]), "nothing was placed");
}

/// Only calls that place one order are previewed, only on accounts of the user's group, and only behind the guards of site calls.
#[test]
fn others_preview_nothing() {
    let x = Exchange::start();
    market(&x);
    let browser = trader(&x);
    let order = spot("buy 1 at 102", json!({}));
    let foreign = spot("buy 1 at 102", json!({ "account": x.key("broker").account }));
    browser.post("/site/preview", &foreign).refused(400, "InvalidAccountName");
    for request in
        [json!("/v1/order/cancel"), json!("/v1/balances"), json!("/v1/nosuch"), json!(1), Value::Null]
    {
        let mut other = order.clone();
        other["request"] = request.clone();
        browser.post("/site/preview", &other).refused(400, "EndpointMismatch");
    }
    let nobody = Browser::new(&x);
    nobody.post("/site/preview", &order).refused(401, "SignInRequired");
    nobody.get("/site/queue?symbol=btcusd").refused(401, "SignInRequired");
    let auditor = user(&x, "b@people.test", "one", &["Auditor"]);
    auditor.post("/site/preview", &order).refused(403, "MissingRole");
    auditor.get("/site/queue?symbol=btcusd").ok();
    browser.set_csrf(Some("x"));
    browser.post("/site/preview", &order).refused(403, "CsrfMismatch");
}

/// The figures of a perpetual are those that `/v1/positions` and `/v1/margin` then say.
#[test]
fn a_preview_of_a_perpetual_says_its_margin() {
    let x = Exchange::start();
    x.control("/sandbox/index/BTC", &json!({ "price": "50000" })).ok();
    let offer =
        json!({ "symbol": BTC, "side": "sell", "type": "exchange limit", "amount": "10", "price": "50000" });
    x.as_("perp-001").call("/v1/order/new", offer).ok();
    let browser = user(&x, "a@people.test", "perp", &["Trader"]);
    browser.post("/site/account", &json!({ "account": x.key("perp-002").account })).ok();
    let order = json!({
        "request": "/v1/order/new", "symbol": BTC, "amount": "15", "price": "50000", "side": "buy", "type": "exchange limit",
    });
    let said = preview(&browser, &order);
    assert_eq!(
        (&said["executed"], &said["rests"], &said["hold"]),
        (&json!("10"), &json!("5"), &Value::Null),
        "{said}"
    );
    browser.post("/site/call", &order).ok();
    let positions = call(&browser, "/v1/positions", json!({}));
    assert_eq!(positions[0]["quantity"], said["position_after"], "{positions} {said}");
    let margin = call(&browser, "/v1/margin", json!({ "symbol": BTC }));
    for (field, name) in [
        ("leverage_after", "leverage"),
        ("margin_after", "initial_margin"),
        ("liquidation_price_after", "estimated_liquidation_price"),
    ] {
        assert_eq!(margin[name], said[field], "{name} {margin} {said}");
    }
}

/// A contract's order names costs and prices of its own outcome, and the payout of its claims.
#[test]
fn a_preview_of_a_contract_says_its_payout() {
    let x = Exchange::start();
    let expiry = x.now_ms() + 86_400_000;
    let event =
        json!({ "ticker": "RAIN", "title": "Will it rain?", "category": "weather", "expiry_ms": expiry });
    x.control("/sandbox/predictions/events", &event).ok();
    for key in ["trader", "counterparty"] {
        x.as_(key).call("/v1/prediction-markets/terms/accept", json!({})).ok();
    }
    let limit = |outcome: &str, quantity: &str, price: &str| {
        json!({
            "symbol": "SVC-RAIN", "orderType": "limit", "side": "buy", "outcome": outcome, "quantity": quantity, "price": price,
        })
    };
    let rested = x.as_("counterparty").call("/v1/prediction-markets/order", limit("yes", "10", "0.60"));
    assert_eq!(rested.status(), 201, "{rested}");
    let browser = trader(&x);
    let order = limit("no", "15", "0.45");
    let mut asked = order.clone();
    asked["request"] = "/v1/prediction-markets/order".into();
    let said = preview(&browser, &asked);
    assert_eq!((&said["executed"], &said["rests"]), (&json!("10"), &json!("5")), "{said}");
    assert_eq!((&said["cost"], &said["average_price"]), (&json!("4"), &json!("0.4")), "{said}");
    assert_eq!((&said["hold"], &said["payout"]), (&json!("2.3625"), &json!("15")), "{said}");
    let before = Dec::wire(&available(&browser, "USD"));
    let spent = dec("4") + Dec::wire(&said["fee"]) + Dec::wire(&said["hold"]);
    assert_eq!(Dec::wire(&said["available_after"]), before - spent, "{said}");
    let placed = x.as_("trader").call("/v1/prediction-markets/order", order);
    assert_eq!(placed.status(), 201, "{placed}");
    assert_eq!(Dec::wire(&available(&browser, "USD")), before - spent);
    let queue = browser.get("/site/queue?symbol=svc-rain").ok();
    assert_eq!(queue.as_array().map(Vec::len), Some(1), "{queue}");
    assert_eq!(Dec::wire(&queue[0]["price"]), dec("0.45"), "{queue}");
}

#[track_caller]
fn queue(browser: &Browser<'_>) -> Vec<[String; 4]> {
    let answer = browser.get("/site/queue?symbol=BTCUSD");
    let rows = answer.ok();
    let row = |row: &Value| {
        let fields = ["order_id", "price", "ahead", "level"];
        same_keys(row, &fields, &answer);
        fields.map(|field| row[field].as_str().expect("a text").to_owned())
    };
    rows.as_array().expect("rows").iter().map(row).collect()
}

/// The orders ahead of one are those that came before it at its price, own orders too; nothing is ahead of the first, and stop orders stand
/// nowhere.
#[test]
fn the_queue_names_what_is_ahead() {
    let x = Exchange::start();
    let browser = trader(&x);
    assert_eq!(queue(&browser), [[""; 4]; 0]);
    let place = |words: &str, more: Value| {
        let placed = browser.post("/site/call", &spot(words, more)).ok();
        placed["order_id"].as_str().expect("an id").to_owned()
    };
    let other = rests(&x, "counterparty", "buy 2 at 100");
    let first = place("buy 1 at 100", json!({}));
    rests(&x, "counterparty", "buy 0.25 at 100");
    let second = place("buy 0.5 at 100", json!({}));
    rests(&x, "counterparty", "buy 7 at 100");
    rests(&x, "counterparty", "buy 7 at 101");
    let sale = place("sell 0.1 at 101.5", json!({}));
    place("buy 1 at 150", json!({ "type": "exchange stop limit", "stop_price": "149" }));
    let row = |id: &str, price: &str, ahead: &str, level: &str| [id, price, ahead, level].map(str::to_owned);
    let expected = [
        row(&first, "100.00", "2", "10.75"),
        row(&second, "100.00", "3.25", "10.75"),
        row(&sale, "101.50", "0", "0.1"),
    ];
    assert_eq!(queue(&browser), expected);
    x.as_("counterparty").cancel(other["order_id"].as_str().expect("an id"));
    x.credit("savings-trader", "BTC", "10");
    let filled = NewOrder::limit("btcusd", "sell", "7.3", "100").params();
    let sold = x.as_("savings-trader").call("/v1/order/new", filled).ok();
    assert_eq!(sold["executed_amount"], "7.3", "{sold}");
    assert_eq!(
        queue(&browser)[..2],
        [row(&first, "100.00", "0", "8.45"), row(&second, "100.00", "0.95", "8.45")]
    );
    for (query, reason) in
        [("", "MissingPayloadKey"), ("?symbol=", "InvalidSymbol"), ("?symbol=nosuch", "InvalidSymbol")]
    {
        let refused: Answer = browser.get(&format!("/site/queue{query}"));
        assert_eq!((refused.status(), refused.error().reason.as_str()), (400, reason), "{refused}");
    }
}
