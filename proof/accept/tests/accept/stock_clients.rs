//! Requests as published clients send them, and what helps their users.

use buttonwood_accept::{Answer, Exchange, Value, json};

const BTC: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";

/// A currency code in the place of a network is its home network, and replies name the network. Proves D-174.
#[test]
fn a_currency_code_names_its_home_network() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let manager = x.as_("fund-manager");
    for (code, network) in [("btc", "bitcoin"), ("BTC", "bitcoin"), ("usdc", "ethereum"), ("xrp", "xrpl")] {
        let made = manager.call(&format!("/v1/deposit/{code}/newAddress"), json!({})).ok();
        assert_eq!(made["network"], network, "{code}");
        let listed = manager.call(&format!("/v1/addresses/{code}"), json!({})).ok();
        assert_eq!(listed, manager.call(&format!("/v1/addresses/{network}"), json!({})).ok(), "{code}");
        let assets = x.as_("auditor").signed_get(&format!("/v2/networks/{code}/assets"), json!({})).ok();
        assert_eq!(assets["network"], network, "{code}");
    }
    let entry = json!({ "address": BTC, "label": "mine" });
    manager.call("/v1/approvedAddresses/btc/request", entry).ok();
    let approved = manager.call("/v1/approvedAddresses/account/btc", json!({})).ok();
    assert_eq!(approved["approvedAddresses"][0]["network"], "bitcoin");
    x.advance(7 * 86_400);
    let order = json!({ "address": BTC, "amount": "0.5" });
    manager.call("/v2/withdraw/btc/btc/feeEstimate", order.clone()).ok();
    manager.call("/v2/withdraw/btc/btc", order).ok();
    manager.call("/v1/approvedAddresses/btc/remove", json!({ "address": BTC })).ok();
    assert!(x.get("/sandbox/chains/btc").ok()["height"].is_u64());
    assert_eq!(x.control("/sandbox/chains/btc/mine", &json!({ "blocks": 1 })).status(), 200);
    // Neither a network nor a currency, and a currency that is on none.
    for name in ["nowhere", "usd", "btcusd"] {
        let refusal = manager.call(&format!("/v1/deposit/{name}/newAddress"), json!({}));
        let message = refusal.refused(400, "InvalidParameterValue").message;
        assert!(message.contains(&format!("'{name}'")), "{message}");
    }
}

/// A number with an exponent is refused as such, wherever a number is read.
#[test]
fn exponents_are_named() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let trader = x.as_("trader");
    let named = |answer: Answer, reason: &str| {
        let message = answer.refused(400, reason).message;
        assert!(message.contains("exponents are not taken") && !message.contains("multiple"), "{message}");
    };
    let order = |field: &str, value: Value| {
        let mut order = json!({ "symbol": "btcusd", "side": "buy", "type": "exchange stop limit", "price": "100",
            "stop_price": "90", "amount": "1" });
        order[field] = value;
        trader.call("/v1/order/new", order)
    };
    for text in [json!("1e-05"), json!("1E5"), json!("1.5e+2")] {
        named(order("amount", text.clone()), "InvalidQuantity");
        named(order("price", text.clone()), "InvalidPrice");
        named(order("stop_price", text), "InvalidStopPrice");
    }
    let spend = json!({ "symbol": "btcusd", "side": "buy", "type": "exchange market", "total_spend": "1e2" });
    named(trader.call("/v1/order/new", spend), "InvalidQuantity");
    let to = json!({ "address": BTC, "amount": "1e-05" });
    named(x.as_("fund-manager").call("/v1/withdraw/btc", to), "InvalidQuantity");
    named(trader.call("/v1/mytrades", json!({ "limit_trades": "1e2" })), "InvalidParameterValue");
    named(trader.call("/v1/mytrades", json!({ "timestamp": "1e9" })), "InvalidTimestampInPayload");
    named(x.get("/v1/trades/btcusd?limit_trades=1e2"), "InvalidParameterValue");
    let credit = json!({ "group": "one", "account": "primary", "currency": "BTC", "amount": "1e2" });
    named(x.control("/sandbox/accounts/credit", &credit), "InvalidParameterValue");
    // A text that only contains the letter is no number.
    let message = order("price", json!("one")).refused(400, "InvalidPrice").message;
    assert!(!message.contains("exponent"), "{message}");
}

/// The proof of reserves spells addresses as every other reply does.
#[test]
fn reserves_spell_addresses_as_elsewhere() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let rows = x.get("/v1/reserves").ok()["wallets"].as_array().unwrap().clone();
    let of_ethereum = rows
        .iter()
        .filter(|row| ["ethereum", "base", "avalanche"].contains(&row["network"].as_str().unwrap()));
    let addresses: Vec<String> = of_ethereum
        .flat_map(|row| row["addresses"].as_array().unwrap().clone())
        .map(|address| address.as_str().unwrap().to_owned())
        .collect();
    let is_mixed =
        |text: &&String| text.chars().any(char::is_uppercase) && text.chars().any(char::is_lowercase);
    // Of 40 digits nearly always some are letters of either case.
    assert!(
        !addresses.is_empty() && addresses.iter().filter(is_mixed).count() == addresses.len(),
        "{addresses:?}"
    );
    for address in addresses {
        // Mixed case is read only with the right checksum.
        let sent = x.get(&format!("/sandbox/chains/ethereum?address={address}"));
        assert_eq!(sent.status(), 200, "{sent}");
    }
}

fn origin(answer: &Answer) -> Option<&str> {
    answer.reply.header("access-control-allow-origin")
}

const PAGE: (&str, &str) = ("Origin", "https://example.com");
/// A page's browser asks for these headers of a call, one of which has a prefix of the page's choice.
const ASKS: [(&str, &str); 3] = [
    PAGE,
    ("Access-Control-Request-Method", "POST"),
    ("Access-Control-Request-Headers", "authorization,content-type,x-own-payload,x-svc-payload"),
];
/// Paths of calls with their methods: public and private ones, the contract and health checks.
const OPEN: [(&str, &str); 9] = [
    ("/v1/symbols", "GET, HEAD"),
    ("/v2/ticker/btcusd", "GET, HEAD"),
    ("/v1/reserves", "GET, HEAD"),
    ("/openapi.json", "GET, HEAD"),
    ("/health/live", "GET, HEAD"),
    ("/v1/balances", "POST"),
    ("/v1/order/new", "POST"),
    ("/v1/network/btc", "GET, HEAD"),
    ("/v1/heartbeat", "POST"),
];

/// A page of any site may make every call of the interface, and read answers and refusals; a browser sends no cookies with it.
#[test]
fn calls_are_open_to_pages() {
    let x = Exchange::start();
    let anyone = x.anyone();
    for (path, methods) in OPEN {
        for method in ["GET", "HEAD", "POST"] {
            let answer = anyone.send(method, path, &[PAGE], b"");
            let takes = methods.contains(method);
            assert_eq!((origin(&answer), answer.status() == 405), (Some("*"), !takes), "{method} {path}");
            assert_eq!(answer.reply.header("access-control-allow-credentials"), None);
            let shown = answer.reply.header("access-control-expose-headers").unwrap_or_default();
            assert!(shown.contains("Retry-After") && shown.contains("X-Request-Id"), "{answer}");
        }
        let answer = anyone.send("OPTIONS", path, &ASKS, b"");
        assert_eq!((answer.status(), origin(&answer)), (204, Some("*")), "{path}");
        assert_eq!(answer.reply.header("access-control-allow-methods"), Some(methods), "{path}");
        let headers =
            "*, Authorization, Content-Type, X-SVC-APIKEY, X-SVC-PAYLOAD, X-SVC-SIGNATURE, x-own-payload";
        assert_eq!(answer.reply.header("access-control-allow-headers"), Some(headers), "{path}");
        assert_eq!(answer.reply.header("access-control-max-age"), Some("86400"), "{path}");
        assert_eq!(answer.reply.header("access-control-allow-credentials"), None);
        // It is no preflight without a page and what the page wants to do.
        for part in [&ASKS[..1], &ASKS[1..], &[]] {
            let answer = anyone.send("OPTIONS", path, part, b"");
            assert_eq!((answer.status(), answer.reply.header("allow")), (405, Some(methods)), "{path}");
        }
    }
    let refused = anyone.send("GET", "/v1/book/nosuch", &[PAGE], b"");
    refused.refused(400, "InvalidSymbol");
    assert_eq!(origin(&refused), Some("*"));
    let trader = x.as_("trader");
    for answer in
        [trader.call("/v1/balances", json!({})), trader.call("/v1/order/status", json!({ "order_id": 1 }))]
    {
        assert_eq!(origin(&answer), Some("*"), "{answer}");
        // Programs are spared what only browsers read.
        assert_eq!(answer.reply.header("access-control-expose-headers"), None, "{answer}");
    }
    x.control("/sandbox/maintenance", &json!({ "on": true })).ok();
    let refused = anyone.send("POST", "/v1/balances", &[PAGE], b"");
    refused.refused(503, "Maintenance");
    assert_eq!(origin(&refused), Some("*"));
    assert_eq!(anyone.send("OPTIONS", "/v1/balances", &ASKS, b"").status(), 204);
}

/// Pages, what they load, and control calls are closed to pages of other sites.
#[test]
fn the_site_and_control_calls_are_closed_to_other_sites() {
    let x = Exchange::start();
    let anyone = x.anyone();
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/docs"),
        ("GET", "/trade/btcusd"),
        ("GET", "/site/front.js"),
        ("GET", "/site/market.json"),
        ("GET", "/site/markets/btcusd.json"),
        ("GET", "/auth"),
        ("POST", "/auth"),
        ("GET", "/signin"),
        ("GET", "/signup"),
        ("GET", "/password"),
        ("GET", "/end-sessions"),
        ("GET", "/settings/apps"),
        ("GET", "/settings/security"),
        ("GET", "/site/session"),
        ("POST", "/site/signin"),
        ("POST", "/site/call"),
        ("GET", "/sandbox/mail"),
        ("POST", "/sandbox/users"),
        ("POST", "/sandbox/sessions"),
        ("POST", "/sandbox/oauth/grants"),
        ("GET", "/sandbox/clock"),
        ("POST", "/sandbox/halt"),
        ("POST", "/sandbox/clock"),
        ("GET", "/v1/nowhere"),
    ] {
        assert_eq!(origin(&anyone.send(method, path, &[PAGE], b"")), None, "{method} {path}");
        let answer = anyone.send("OPTIONS", path, &ASKS, b"");
        let status = if path == "/v1/nowhere" { 404 } else { 405 };
        assert_eq!((origin(&answer), answer.status()), (None, status), "OPTIONS {path}");
    }
}

/// Of a key that signs wrongly or repeats a nonce, a sandbox names the call that helps.
#[test]
fn refusals_name_the_control_call_that_helps() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    trader.call("/v1/balances", json!({ "nonce": 9_000 })).ok();
    let requests = format!("GET /sandbox/requests?key={}", x.key("trader").credentials.api_key);
    let message = trader.call("/v1/balances", json!({ "nonce": 8_000 })).refused(400, "InvalidNonce").message;
    assert!(message.contains("POST /sandbox/nonces/reset") && message.contains(&requests), "{message}");
    let mut signed = trader.sign(br#"{"request":"/v1/balances","nonce":9001}"#);
    signed.signature = "ab".repeat(48);
    let message = trader.call_signed("/v1/balances", &signed).refused(400, "InvalidSignature").message;
    assert!(message.contains(&requests) && !message.contains("nonces/reset"), "{message}");
    let timely = x.as_("time-nonce");
    let message =
        timely.call("/v1/balances", json!({ "nonce": x.now_ms() })).refused(400, "InvalidNonce").message;
    let sent = format!("'{}'", x.now_ms());
    assert!(
        message.contains("not within 30 seconds")
            && message.contains("time in seconds")
            && message.contains(&sent),
        "{message}"
    );
    assert!(message.contains("/sandbox/requests") && !message.contains("nonces/reset"), "{message}");
}

fn listed(x: &Exchange, all: &str) -> Vec<Value> {
    let key = &x.key("trader").credentials.api_key;
    x.get(&format!("/sandbox/requests?key={key}{all}")).ok()["requests"].as_array().unwrap().clone()
}

/// Fields that the endpoint does not know are ignored, and named afterwards. Proves D-176.
#[test]
fn unknown_fields_are_named() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let order = json!({ "symbol": "btcusd", "side": "buy", "type": "exchange limit", "price": "1", "amount": "1",
        "time_in_force": "GTC", "post_only": true, "client_order_id": "a", "account": null });
    trader.call("/v1/order/new", order).ok();
    trader
        .call("/v1/order/status", json!({ "order_id": 5, "symbol": "btcusd" }))
        .refused(404, "OrderNotFound");
    let refused = listed(&x, "");
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!(refused[0]["unknown_fields"], json!(["symbol"]));
    let all = listed(&x, "&all=true");
    assert_eq!(all.len(), 2, "{all:?}");
    assert_eq!((&all[0]["route"], &all[0]["check"]), (&json!("POST /v1/order/status"), &json!("parameters")));
    let mut unknown: Vec<&str> =
        all[1]["unknown_fields"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    unknown.sort_unstable();
    assert_eq!(unknown, ["post_only", "time_in_force"]);
    assert_eq!((&all[1]["status"], &all[1]["route"]), (&json!(200), &json!("POST /v1/order/new")));
    for none in ["reason", "message", "check"] {
        assert_eq!(all[1][none], Value::Null, "{none}");
    }
    assert_eq!(all[1]["payload"]["time_in_force"], "GTC");
    assert_eq!(listed(&x, "&all=false"), refused);
}

/// A strict sandbox refuses them by name, in payloads, queries and control calls; the nonce is used. Proves D-176.
#[test]
fn a_strict_sandbox_refuses_unknown_fields() {
    let x = Exchange::builder().flag("--strict", "on").start();
    let trader = x.as_("trader");
    let refused = |answer: Answer, name: &str| {
        let message = answer.refused(400, "InvalidParameterValue").message;
        assert!(message.contains(&format!("'{name}'")) && message.contains("--strict"), "{message}");
    };
    let mut order = json!({ "symbol": "btcusd", "side": "buy", "type": "exchange limit", "price": "1", "amount": "1",
        "nonce": 500, "time_in_force": "GTC" });
    refused(trader.call("/v1/order/new", order.clone()), "time_in_force");
    order.as_object_mut().unwrap().remove("time_in_force");
    trader.call("/v1/order/new", order.clone()).refused(400, "InvalidNonce");
    order["nonce"] = json!(501);
    trader.call("/v1/order/new", order).ok();
    refused(trader.call("/v1/balances", json!({ "nonce": 502, "currency": "BTC" })), "currency");
    assert_eq!(trader.live_ids().len(), 1);
    refused(x.get("/v1/book/btcusd?limit=5"), "limit");
    x.get("/v1/book/btcusd?limit_bids=5").ok();
    refused(x.control("/sandbox/halt", &json!({ "why": "x" })), "why");
    x.control("/sandbox/resume", &json!({ "reason": "x" })).ok();
    let mut socket = x.socket("/v2/marketdata");
    for (message, name) in [
        (json!({ "type": "subscribe", "subscriptions": [], "id": 1 }), "id"),
        (
            json!({ "type": "subscribe", "subscriptions": [{ "name": "l2", "symbols": ["BTCUSD"], "symbol": "ETHUSD" }] }),
            "subscriptions[0].symbol",
        ),
    ] {
        socket.send(&message);
        let answer = socket.next();
        let said = answer["message"].as_str().unwrap_or_default();
        assert_eq!(answer["reason"], "InvalidParameterValue", "{answer}");
        assert!(said.contains(&format!("'{name}'")) && said.contains("--strict"), "{answer}");
    }
    socket.send(&json!({ "type": "subscribe", "subscriptions": [{ "name": "l2", "symbols": ["BTCUSD"] }] }));
    assert_eq!(socket.next()["type"], "l2_updates");
}

/// A market's page shows the answers of the public calls, in one call, and takes nothing of the limit of its address.
#[test]
fn a_market_page_takes_nothing_of_the_public_limit() {
    let x = Exchange::start();
    x.as_("trader").limit("btcusd", "sell", "1", "100");
    x.as_("counterparty").limit("btcusd", "buy", "0.5", "100");
    let data = x.get("/site/markets/BTCUSD.json").ok();
    for (part, path) in [
        ("details", "/v1/symbols/details/btcusd"),
        ("book", "/v1/book/btcusd"),
        ("ticker", "/v2/ticker/btcusd"),
        ("trades", "/v1/trades/btcusd?limit_trades=26"),
        ("volume", "/v1/pubticker/btcusd"),
    ] {
        assert_eq!(data[part], x.get(path).ok(), "{part}");
    }
    assert_eq!(data.as_object().unwrap().len(), 5);
    let data = x.get("/site/markets/btcgusdperp.json").ok();
    for (part, path) in [("risk", "/v1/riskstats/btcgusdperp"), ("funding", "/v1/fundingamount/btcgusdperp")]
    {
        assert_eq!(data[part], x.get(path).ok(), "{part}");
    }
    assert_eq!(data.as_object().unwrap().len(), 7);
    assert_eq!(x.get("/site/markets/btcusd/1m.json").ok(), x.get("/v2/candles/btcusd/1m").ok());
    x.get("/site/markets/nosuch.json").refused(400, "InvalidSymbol");
    assert_eq!(x.get("/site/markets/btcusd/2m.json").status(), 400);
    assert_eq!(x.anyone().send("POST", "/site/markets/btcusd.json", &[], b"").status(), 405);
}
