//! The second factor: recovery codes, and another authenticator app.

use super::{code, entry, signed_up, user};
use buttonwood_accept::{Browser, Exchange, Value, json, totp};

fn recovery_codes(answer: &Value) -> Vec<String> {
    let codes = answer["recovery_codes"].as_array().expect("codes").iter();
    codes.map(|code| code.as_str().expect("a text").to_owned()).collect()
}

/// Enrols an app in a browser; its secret and the recovery codes.
#[track_caller]
fn enrol(x: &Exchange, browser: &Browser<'_>) -> (String, Vec<String>) {
    let secret =
        browser.post("/site/totp/begin", &json!({})).ok()["secret"].as_str().expect("a text").to_owned();
    let done = browser.post("/site/totp/confirm", &json!({ "code": code(x, &secret) })).ok();
    (secret, recovery_codes(&done))
}

/// Each recovery code signs in once, after a kill too.
#[test]
fn recovery_codes_work_once() {
    let x = Exchange::start();
    let browser = signed_up(&x, "ada@people.test");
    browser.post("/site/signin", &entry("ada@people.test")).ok();
    let (_, codes) = enrol(&x, &browser);
    let enter = |code: &str| {
        let browser = Browser::new(&x);
        browser.post("/site/signin", &entry("ada@people.test")).ok();
        browser.post("/site/signin/code", &json!({ "code": code }))
    };
    assert_eq!(enter(&codes[0]).ok()["next"], "done");
    x.kill9();
    x.restart();
    enter(&codes[0]).refused(401, "InvalidCredentials");
    assert_eq!(enter(&codes[9]).ok()["next"], "done");
    enter(&codes[9]).refused(401, "InvalidCredentials");
}

/// A wrong first code enrols nothing, and the step of the right one is used.
#[test]
fn enrolling_needs_the_first_code() {
    let x = Exchange::start();
    let browser = signed_up(&x, "ada@people.test");
    browser.post("/site/totp/begin", &json!({})).refused(401, "SignInRequired");
    browser.post("/site/signin", &entry("ada@people.test")).ok();
    let begun = browser.post("/site/totp/begin", &json!({})).ok();
    let secret = begun["secret"].as_str().expect("a text");
    let wrong = json!({ "code": totp(secret, x.now_ms() + 120_000) });
    browser.post("/site/totp/confirm", &wrong).refused(401, "InvalidCredentials");
    let before = browser.cookie("session");
    let right = code(&x, secret);
    browser.post("/site/totp/confirm", &json!({ "code": right })).ok();
    assert_ne!(browser.cookie("session"), before);
    let again = Browser::new(&x);
    again.post("/site/signin", &entry("ada@people.test")).ok();
    again.post("/site/signin/code", &json!({ "code": right })).refused(401, "InvalidCredentials");
}

/// Another app takes the place of the one before, right after a code; its recovery codes are new.
#[test]
fn a_factor_is_replaced() {
    let x = Exchange::start();
    let old = user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let (new, first) = enrol(&x, &browser);
    browser.get("/site/session").ok();
    x.advance(60);
    let enter = |code: &str| {
        let browser = Browser::new(&x);
        browser.post("/site/signin", &entry("a@people.test")).ok();
        browser.post("/site/signin/code", &json!({ "code": code }))
    };
    enter(&code(&x, &old)).refused(401, "InvalidCredentials");
    enter(&code(&x, &new)).ok();
    let (_, second) = enrol(&x, &browser);
    enter(&first[0]).refused(401, "InvalidCredentials");
    enter(&second[0]).ok();
    x.advance(5 * 60);
    browser.post("/site/totp/begin", &json!({})).refused(403, "CodeRequired");
}
