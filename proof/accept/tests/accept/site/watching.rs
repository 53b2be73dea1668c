//! Pages that are open and seen, and moves of the clock: what ends a session, and what does not.

use super::{code, user};
use buttonwood_accept::{Browser, Exchange, Setup, Value, json};

/// A call that a page makes by itself.
const BY_ITSELF: (&str, &str) = ("X-Unattended", "true");

/// A page that is seen says so.
fn watch(browser: &Browser<'_>) -> Value {
    let headers = [("Content-Type", "application/json"), BY_ITSELF];
    browser.send("POST", "/site/watching", &headers, b"{}").ok()
}

/// Moves the clock and nothing else.
fn only_move(x: &Exchange, seconds: u64) {
    x.control("/sandbox/clock/advance", &json!({ "seconds": seconds })).ok();
}

/// Watching is use, up to the 12 hours of a session (D-293).
#[test]
fn watching_is_use() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let (watched, left) = (Browser::of(&x, "a@people.test"), Browser::of(&x, "a@people.test"));
    for round in 0..12 * 3 - 1 {
        let told = watch(&watched);
        let ends = 12 * 3_600_000 - round * 1_200_000;
        assert_eq!((&told["watching_is_use"], &told["ends_in_ms"]), (&json!(true), &json!(ends)));
        assert_eq!(told["quiet_ends_in_ms"], json!(1_800_000.min(ends)));
        x.advance(20 * 60);
    }
    watched.get("/site/session").ok();
    left.get("/site/session").refused(401, "SignInRequired");
    x.advance(20 * 60);
    watched.get("/site/session").refused(401, "SignInRequired");
}

/// A question that a page asks by itself is no use; the same call of a person is.
#[test]
fn polling_is_no_use() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let (polled, used) = (Browser::of(&x, "a@people.test"), Browser::of(&x, "a@people.test"));
    for _ in 0..2 {
        x.advance(16 * 60);
        polled.send("GET", "/site/notices", &[BY_ITSELF], b"");
        used.get("/site/notices").ok();
    }
    polled.get("/site/session").refused(401, "SignInRequired");
    used.get("/site/session").ok();
}

/// A venue may say that watching is no use, and a page of an operator never counts.
#[test]
fn watching_may_be_no_use() {
    let x = Setup::default().flag("--watching", "off").start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    x.advance(16 * 60);
    let told = watch(&browser);
    assert_eq!((&told["watching_is_use"], &told["quiet_ends_in_ms"]), (&json!(false), &json!(14 * 60_000)));
    x.advance(16 * 60);
    browser.get("/site/session").refused(401, "SignInRequired");
    let x = Exchange::start();
    let operator = Browser::of(&x, "operator@house.test");
    x.advance(16 * 60);
    assert_eq!(watch(&operator)["watching_is_use"], json!(false));
    x.advance(16 * 60);
    operator.get("/site/session").refused(401, "SignInRequired");
}

/// A move of the clock ends no session and no code, over a kill too; with `sessions` it ends them (D-292).
#[test]
fn a_move_of_the_clock_ends_no_session() {
    let x = Exchange::start();
    let secret = user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let key = || browser.post("/site/password", &json!({ "password": "" }));
    for seconds in [299, 1_801, 13 * 3_600, 40 * 86_400] {
        only_move(&x, seconds);
        browser.get("/site/session").ok();
        assert_ne!(
            key().refused(400, "MissingPayloadKey").message,
            "",
            "the code is fresh after {seconds} s"
        );
    }
    x.kill9();
    x.restart();
    key().refused(400, "MissingPayloadKey");
    x.control("/sandbox/clock/advance", &json!({ "seconds": 300, "sessions": true })).ok();
    key().refused(403, "CodeRequired");
    browser.post("/site/signin/code", &json!({ "code": code(&x, &secret) })).ok();
    x.control("/sandbox/clock/advance", &json!({ "seconds": 1_800, "sessions": true })).ok();
    browser.get("/site/session").refused(401, "SignInRequired");
    for wrong in [json!("yes"), json!(1)] {
        let answer = x.control("/sandbox/clock/advance", &json!({ "seconds": 1, "sessions": wrong }));
        assert_eq!(answer.status(), 400, "{answer}");
    }
}
