//! The terms: a group accepts them before its first order.

use super::*;
use crate::oauth::{call, grant, post, text};

/// No app accepts terms for a group, whatever its scopes are; its orders are refused until a key or a person has.
#[test]
fn no_token_accepts_terms() {
    let x = Exchange::start();
    list(&x, json!({ "ticker": "RAIN", "title": "Will it rain?", "category": "weather" }));
    let tokens = grant(&x, "app", "owner@one.test", &["orders:create", "orders:read"]);
    let token = text(&tokens, "access_token");
    let order = || call(&x, &token, "POST", ORDER, &limit("buy yes 5 at 0.50"));
    order().coded(403, "TERMS_NOT_ACCEPTED");
    assert_eq!(post(&x, &token, ACCEPT).status(), 403);
    assert_eq!(status(&x, "trader"), ["false", "null", "1"], "nothing was accepted");
    order().coded(403, "TERMS_NOT_ACCEPTED");
    accept(&x, "trader");
    assert_eq!(order().status(), 201);
}

fn status(x: &Exchange, key: &str) -> Vec<String> {
    let status = x.as_(key).signed_get(STATUS, json!({})).ok();
    some(&status, &["hasAcceptedLatest", "acceptedVersion", "latestVersion"])
}

/// A group accepts each version once, for all of its accounts; without it no order is taken, whatever its fields are, and cancels go on.
/// Proves PM-011, PM-012.
#[test]
fn a_group_accepts_the_latest_terms() {
    let x = Exchange::start();
    list(&x, json!({ "ticker": "RAIN", "title": "Will it rain?", "category": "weather" }));
    assert_eq!(status(&x, "trader"), ["false", "null", "1"]);
    let refused = || {
        for fields in [
            limit("buy yes 5 at 0.50"),
            limit("buy yes 5 at 7"),
            with("buy yes 5 at 0.50", &json!({ "symbol": "SVC-NONE" })),
            json!({}),
        ] {
            let message = send(&x, "trader", fields).coded(403, "TERMS_NOT_ACCEPTED");
            assert!(message.contains("terms/accept"), "{message}");
        }
    };
    refused();
    accept(&x, "savings-trader");
    accept(&x, "savings-trader");
    for key in ["trader", "savings-trader", "auditor"] {
        assert_eq!(status(&x, key), ["true", "1", "1"], "{key}");
    }
    assert_eq!(status(&x, "counterparty"), ["false", "null", "1"]);
    send(&x, "counterparty", limit("buy yes 5 at 0.50")).coded(403, "TERMS_NOT_ACCEPTED");
    let order = place(&x, "trader", limit("buy yes 5 at 0.50"));
    let published = x.control("/sandbox/predictions/terms", &json!({ "content": "New terms." })).ok();
    assert_eq!(published["version"], 2, "{published}");
    assert_eq!(status(&x, "trader"), ["false", "1", "2"]);
    refused();
    x.as_("trader").call(CANCEL, json!({ "orderId": order["orderId"] })).ok();
    x.restart();
    refused();
    accept(&x, "trader");
    x.restart();
    assert_eq!(status(&x, "trader"), ["true", "2", "2"]);
    place(&x, "trader", limit("buy yes 5 at 0.50"));
    // A signed GET may name its query string or not.
    for request in [STATUS, "/v1/prediction-markets/terms/status?a=b"] {
        let path = "/v1/prediction-markets/terms/status?a=b";
        x.as_("trader").signed_get(path, json!({ "request": request })).ok();
    }
}
