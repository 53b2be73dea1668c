//! The second factor: recovery codes, and another authenticator app.

use super::{OTHER, PASSWORD, code, entry, mail, signed_up, user};
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
    browser.get("/site/session").refused(401, "SignInRequired");
    let late = Browser::of(&x, "a@people.test");
    x.advance(5 * 60);
    late.post("/site/totp/begin", &json!({})).refused(403, "CodeRequired");
}

/// Another authenticator and a used recovery code end the other sessions and are mailed. The link in the mail ends all sessions, once and for a
/// day, for the password and a recovery code of before; it says what is wrong, and wrong ones count.
#[test]
fn a_mailed_link_ends_all_sessions() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let (owner, other) = (Browser::of(&x, "a@people.test"), Browser::of(&x, "a@people.test"));
    let (_, codes) = enrol(&x, &owner);
    other.get("/site/session").refused(401, "SignInRequired");
    assert_eq!(mail(&x, "a@people.test")["subject"], "Your authenticator app was replaced");
    // A thief with the password and a code of the list signs in, and enrols an authenticator of his own.
    let thief = Browser::new(&x);
    thief.post("/site/signin", &entry("a@people.test")).ok();
    thief.post("/site/signin/code", &json!({ "code": codes[0] })).ok();
    owner.get("/site/session").refused(401, "SignInRequired");
    assert_eq!(mail(&x, "a@people.test")["subject"], "A recovery code was used");
    enrol(&x, &thief);
    let newest = mail(&x, "a@people.test");
    let link = newest["link"].as_str().expect("a link");
    assert!(link.starts_with(&format!("{}/end-sessions?token=", x.base_url())), "{link}");
    let token = newest["token"].as_str().expect("a token");
    assert_eq!(Browser::new(&x).get(&format!("/end-sessions?token={token}")).status(), 200);
    let stop = |token: &str, password: &str, code: &str| {
        let fields = json!({ "token": token, "password": password, "code": code });
        Browser::new(&x).post("/site/sessions/stop", &fields)
    };
    stop("no-link", PASSWORD, &codes[1]).refused(400, "InvalidParameterValue");
    stop(token, OTHER, &codes[1]).refused(401, "InvalidCredentials");
    stop(token, PASSWORD, &codes[0]).refused(401, "InvalidCredentials");
    thief.get("/site/session").ok();
    x.kill9();
    x.restart();
    stop(token, PASSWORD, &codes[1]).ok();
    thief.get("/site/session").refused(401, "SignInRequired");
    stop(token, PASSWORD, &codes[2]).refused(400, "InvalidParameterValue");
    for field in ["token", "password", "code"] {
        let mut fields = json!({ "token": token, "password": PASSWORD, "code": codes[2] });
        fields.as_object_mut().expect("an object").remove(field);
        let refused = Browser::new(&x).post("/site/sessions/stop", &fields);
        assert!(refused.refused(400, "MissingPayloadKey").message.contains(field), "{refused}");
    }
}

/// The link ends after a day.
#[test]
fn the_link_that_ends_sessions_lives_a_day() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    let (_, codes) = enrol(&x, &browser);
    let token = super::token(&x, "a@people.test");
    x.advance(24 * 3_600);
    let fields = json!({ "token": token, "password": PASSWORD, "code": codes[0] });
    Browser::new(&x).post("/site/sessions/stop", &fields).refused(400, "InvalidParameterValue");
}
