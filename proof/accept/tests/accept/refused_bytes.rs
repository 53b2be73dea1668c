//! The bytes of the disk that calls take which change nothing: nothing without a credential, and little for failures that must be counted.

use crate::oauth::{app, base64, code, grant, post, server, text, with_client};
use buttonwood_accept::{Browser, Exchange, encoded, json};
use std::fs;

/// A block of the journal; a batch takes at least one.
const BLOCK: usize = 4_096;
/// The bytes that refused calls of one peer may take in a minute.
const PEER_MINUTE: usize = 256 * 1024;
const FORM: [(&str, &str); 1] = [("Content-Type", "application/x-www-form-urlencoded")];

/// Bytes of the journal that are written, in blocks: a segment is filled with zeros ahead.
fn journaled(x: &Exchange) -> usize {
    let files = fs::read_dir(x.data().join("journal")).expect("a journal").flatten();
    let segments = files.filter(|file| file.path().extension().is_some_and(|kind| kind == "segment"));
    let written = segments.map(|file| {
        let bytes = fs::read(file.path()).expect("a segment");
        bytes.chunks(BLOCK).filter(|block| block.iter().any(|byte| *byte != 0)).count() * BLOCK
    });
    written.sum()
}

/// Junk at each door that needs no credential is answered as before, and no byte of it is written; a token that was just issued is revoked all
/// the same.
#[test]
fn what_nothing_answers_to_is_not_journaled() {
    let x = Exchange::start();
    let client = app(&x, "app");
    let anyone = x.anyone();
    let before = journaled(&x);
    for number in 0..40 {
        let junk = format!("junk-{number}");
        anyone.send("POST", "/auth/revoke", &FORM, encoded(&[("token", &junk)]).as_bytes()).ok();
        server(&x, "/auth/token/revoke", &with_client(&client, json!({ "token": junk }))).ok();
        let of_code = json!({
            "grant_type": "authorization_code", "code": junk, "redirect_uri": client["redirect_uris"][0],
        });
        let of_refresh = json!({ "grant_type": "refresh_token", "refresh_token": junk });
        for fields in [of_code, of_refresh] {
            let refused = server(&x, "/auth/token", &with_client(&client, fields));
            assert_eq!((refused.status(), text(&refused.json(), "error").as_str()), (400, "invalid_grant"));
        }
        let browser = Browser::new(&x);
        let reset = json!({ "token": junk, "password": "seven green turtles sing" });
        browser.post("/site/password/reset", &reset).refused(400, "InvalidParameterValue");
        browser.post("/site/confirm", &json!({ "token": junk })).refused(400, "InvalidParameterValue");
        // The limits of mails are off, so that nothing is counted for an address without a user.
        browser.post("/site/password/forgot", &json!({ "email": format!("{junk}@people.test") }));
        browser.post("/site/preferences", &json!({ "value": {} })).refused(401, "SignInRequired");
    }
    assert_eq!(journaled(&x), before);
    let token = text(&grant(&x, "app", "owner@one.test", &["balances:read"]), "access_token");
    anyone.send("POST", "/auth/revoke", &FORM, encoded(&[("token", &token)]).as_bytes()).ok();
    post(&x, &token, "/v1/balances").refused(401, "InvalidAccessToken");
}

/// The second use of a code is seen and ends its tokens; only it is written, and not what comes after it.
#[test]
fn a_code_is_used_once_among_junk() {
    let x = Exchange::start();
    let client = app(&x, "app");
    let code = code(&x, &client, &[], &["balances:read"]);
    let redeem = || {
        let fields = json!({
            "grant_type": "authorization_code", "code": code, "redirect_uri": client["redirect_uris"][0],
        });
        server(&x, "/auth/token", &with_client(&client, fields))
    };
    let token = text(&redeem().ok(), "access_token");
    assert_eq!(redeem().status(), 400);
    post(&x, &token, "/v1/balances").refused(401, "InvalidAccessToken");
    let before = journaled(&x);
    for _ in 0..20 {
        assert_eq!(redeem().status(), 400);
    }
    assert_eq!(journaled(&x), before);
}

/// Wrong passwords of one peer, each for another address: a few count at once, the others are refused before any work is done for them.
#[test]
fn failures_of_one_peer_are_few() {
    let x = Exchange::start();
    let before = journaled(&x);
    let mut wrong = 0;
    for number in 0..60 {
        let entry = json!({ "email": format!("n{number}@people.test"), "password": "seven green turtles" });
        let answer = Browser::new(&x).post("/site/signin", &entry);
        if answer.status() == 401 {
            wrong += 1;
        } else {
            answer.refused(429, "RateLimit");
        }
    }
    assert_eq!(wrong, 30);
    let written = journaled(&x) - before;
    assert!((1..=PEER_MINUTE).contains(&written), "{written}");
    x.advance(3);
    let entry = json!({ "email": "last@people.test", "password": "seven green turtles" });
    Browser::new(&x).post("/site/signin", &entry).refused(401, "InvalidCredentials");
    Browser::new(&x).post("/site/signin", &entry).refused(429, "RateLimit");
}

/// A cancel of nothing by a token writes nothing. One by a key uses its nonce as a read does: at once, and after a restart.
#[test]
fn a_cancel_of_nothing_is_a_read() {
    let x = Exchange::start();
    let token = text(&grant(&x, "app", "owner@one.test", &["orders:create", "orders:read"]), "access_token");
    let bearer = format!("Bearer {token}");
    let before = journaled(&x);
    for order in [77, 78, 79] {
        let payload = json!({ "request": "/v1/order/cancel", "order_id": order }).to_string();
        let payload = base64(payload.as_bytes());
        let headers = [("Authorization", bearer.as_str()), ("X-SVC-PAYLOAD", &payload)];
        x.anyone().send("POST", "/v1/order/cancel", &headers, b"").refused(404, "OrderNotFound");
    }
    assert_eq!(journaled(&x), before);
    let trader = x.as_("trader");
    let payload = trader.payload("/v1/order/cancel", json!({ "order_id": 77 }));
    let signed = trader.sign(payload.as_bytes());
    trader.call_signed("/v1/order/cancel", &signed).refused(404, "OrderNotFound");
    trader.call_signed("/v1/order/cancel", &signed).refused(400, "InvalidNonce");
    let order = trader.limit("btcusd", "buy", "1", "100");
    let id = text(&order, "order_id");
    trader.cancel(&id);
    trader.cancel(&id);
    assert_eq!(trader.cancel(&id)["is_cancelled"], true);
    x.stop();
    x.restart();
    x.as_("trader").call_signed("/v1/order/cancel", &signed).refused(400, "InvalidNonce");
}

/// Calls of pages that change nothing are answered as those that do, and write nothing.
#[test]
fn pages_that_change_nothing_write_nothing() {
    let x = Exchange::start();
    let roles = ["Administrator", "Trader", "Fund Manager"];
    let user = json!({
        "email": "a@people.test", "password": "seven green turtles sing", "group": "one", "roles": roles,
    });
    x.control("/sandbox/users", &user).ok();
    let browser = Browser::of(&x, "a@people.test");
    let preferences = json!({ "value": { "look": "dark" } });
    browser.post("/site/preferences", &preferences).ok();
    x.advance(5);
    let before = journaled(&x);
    for _ in 0..20 {
        browser.post("/site/preferences", &preferences).ok();
        browser.post("/site/account", &json!({ "account": "primary" })).ok();
        let unknown = json!({ "id": "4294967295" });
        assert_eq!(browser.post("/site/grants/revoke", &unknown).status(), 404);
    }
    assert_eq!(journaled(&x), before);
    let other = json!({ "value": { "look": "light" } });
    browser.post("/site/preferences", &other).ok();
    assert!(journaled(&x) > before);
    assert!(browser.get("/site/preferences").ok()["value"] == other["value"]);
}
