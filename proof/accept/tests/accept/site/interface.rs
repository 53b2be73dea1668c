//! Calls of the interface by page: `/site/call`.

use super::{user, user_in};
use buttonwood_accept::{Browser, Exchange, json};

/// A browser reads and trades as its user may, on the chosen account or on one that it names.
#[test]
fn a_browser_calls_the_interface() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let session = browser.get("/site/session").ok();
    let order = json!({
        "request": "/v1/order/new", "symbol": "btcusd", "amount": "0.01", "price": "100", "side": "buy", "type": "exchange limit"
    });
    let placed = browser.post("/site/call", &order).ok();
    assert_eq!(placed["is_live"], true);
    let mut elsewhere = order.clone();
    let other =
        session["accounts"].as_array().expect("accounts").iter().find(|name| **name != session["account"]);
    elsewhere["account"] = other.expect("another account").clone();
    browser.post("/site/call", &elsewhere).ok();
    let active = browser.post("/site/call", &json!({ "request": "/v1/orders" })).ok();
    assert_eq!(active.as_array().map(Vec::len), Some(1), "{active}");
    elsewhere["account"] = json!("nosuch");
    browser.post("/site/call", &elsewhere).refused(400, "InvalidAccountName");
    for request in ["/v1/symbols", "/v1/nosuch", "/sandbox/clock", "/site/session", ""] {
        browser.post("/site/call", &json!({ "request": request })).refused(404, "EndpointNotFound");
    }
    let network = browser.post("/site/call", &json!({ "request": "/v2/networks/bitcoin/assets" }));
    assert_eq!(network.status(), 200, "{network}");
}

/// Each browser is a session of its own: it cancels its own orders alone.
#[test]
fn each_browser_is_a_session() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let (one, two) = (Browser::of(&x, "a@people.test"), Browser::of(&x, "a@people.test"));
    let order = json!({
        "request": "/v1/order/new", "symbol": "btcusd", "amount": "0.01", "price": "100", "side": "buy", "type": "exchange limit"
    });
    one.post("/site/call", &order).ok();
    let kept = two.post("/site/call", &order).ok()["order_id"].clone();
    one.post("/site/call", &json!({ "request": "/v1/order/cancel/session" })).ok();
    let active = one.post("/site/call", &json!({ "request": "/v1/orders" })).ok();
    assert_eq!(active.as_array().map(Vec::len), Some(1), "{active}");
    assert_eq!(active[0]["order_id"], kept);
}

/// A call does what the user's roles allow now.
#[test]
fn roles_bind_at_once() {
    let x = Exchange::start();
    user_in(&x, "a@people.test", "one", &["Trader"]);
    let browser = Browser::of(&x, "a@people.test");
    let cancel = json!({ "request": "/v1/order/cancel/all" });
    browser.post("/site/call", &cancel).ok();
    user_in(&x, "a@people.test", "one", &["Auditor"]);
    browser.post("/site/call", &cancel).refused(403, "MissingRole");
    Browser::of(&x, "operator@house.test").post("/site/call", &cancel).refused(403, "MissingRole");
}

/// A route that moves money out of an account needs a code that was just given.
#[test]
fn money_needs_a_code() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let calls = [
        "/v1/withdraw/btc",
        "/v2/withdraw/bitcoin/btc",
        "/v1/payments/sen/withdraw",
        "/v1/payments/addbank",
        "/v1/account/transfer/btc",
        "/v1/approvedAddresses/bitcoin/request",
        "/v1/approvedAddresses/bitcoin/remove",
        "/v1/clearing/new",
        "/v1/clearing/confirm",
        "/v1/prediction-markets/terms/accept",
    ];
    for request in calls.iter().take(calls.len() - 1) {
        let answer = browser.post("/site/call", &json!({ "request": request }));
        assert_ne!(answer.error().reason, "CodeRequired", "{answer}");
    }
    // The code of the sign-in counts too.
    let accept = json!({ "request": "/v1/prediction-markets/terms/accept" });
    assert_eq!(browser.post("/site/call", &accept).ok(), json!({ "success": true }));
    x.advance(5 * 60);
    for request in calls {
        browser.post("/site/call", &json!({ "request": request })).refused(403, "CodeRequired");
    }
    browser.post("/site/call", &json!({ "request": "/v1/balances" })).ok();
}
