//! Signing in with a passkey: both factors at once, in a new browser and in one that is signed in.

use super::{BEGIN, FINISH, SIGN_IN_BEGIN, SIGN_IN_FINISH};
use super::{add, enter, entry, full, json, names, options, signed_up, with_passkey};
use buttonwood_accept::{Browser, Exchange, Passkey};

/// A passkey signs in alone, as password and code at once.
#[test]
fn a_passkey_is_both_factors() {
    let x = Exchange::start();
    let (first, mut passkey) = with_passkey(&x, "a@people.test", 1);
    assert_eq!(names(&first), ["My phone"]);
    let browser = Browser::at_localhost(&x);
    let begun = browser.post(SIGN_IN_BEGIN, &json!({}));
    let cookie = begun.reply.header("set-cookie").unwrap_or_default();
    assert!(cookie.starts_with("passkey=") && cookie.contains("HttpOnly; SameSite=Lax; Path=/"), "{cookie}");
    let options = &begun.ok()["publicKey"];
    assert_eq!(options["rpId"], "localhost");
    assert_eq!(options["userVerification"], "required");
    assert_eq!(options["allowCredentials"], json!([]));
    let answer = enter(&browser, &mut passkey).ok();
    assert_eq!(answer["next"], "done");
    assert_eq!(browser.get("/site/session").ok()["user"]["email"], "a@people.test");
    assert_eq!(browser.cookie("passkey"), None);
    // It counts as a code that was just given, for five minutes.
    x.advance(299);
    browser.post(BEGIN, &json!({ "name": "Another" })).ok();
    x.advance(1);
    browser.post(BEGIN, &json!({ "name": "Another" })).refused(403, "CodeRequired");
}

/// The options are those of the rules: discoverable, ES256, no attestation, user verification, and a handle that says nothing.
#[test]
fn a_passkey_is_discoverable() {
    let x = Exchange::start();
    let (browser, passkey) = with_passkey(&x, "a@people.test", 1);
    let options = &options(&browser)["publicKey"];
    assert_eq!(options["rp"]["id"], "localhost");
    assert_eq!(options["pubKeyCredParams"], json!([{ "type": "public-key", "alg": -7 }]));
    assert_eq!(options["attestation"], "none");
    assert_eq!(
        options["authenticatorSelection"],
        json!({ "residentKey": "required", "requireResidentKey": true, "userVerification": "required" })
    );
    assert_eq!(options["user"]["name"], "a@people.test");
    assert_eq!(options["user"]["id"], json!(passkey.handle), "the same user has the same handle");
    assert_eq!(options["excludeCredentials"].as_array().map(Vec::len), Some(1), "{options}");
    assert_eq!(options["timeout"], 300_000);
}

/// Someone who signs up enrols a passkey instead of an authenticator app: it completes the sign-in, and recovery codes come with it.
#[test]
fn a_passkey_is_the_first_factor() {
    let x = Exchange::start();
    let browser = Browser::at_localhost(&x);
    browser.take(&signed_up(&x, "ada@people.test"));
    assert_eq!(browser.post("/site/signin", &entry("ada@people.test")).ok()["next"], "enrol");
    let mut passkey = Passkey::new(1, &browser.origin());
    let before = browser.cookie("session");
    let done = add(&browser, &mut passkey);
    assert_eq!(done["next"], "done");
    let codes = done["recovery_codes"].as_array().expect("codes").clone();
    assert_eq!(codes.len(), 10);
    assert_ne!(browser.cookie("session"), before, "the cookie is replaced");
    browser.get("/site/session").ok();

    // The password alone leaves the second factor due, which is the passkey or a recovery code.
    let other = Browser::at_localhost(&x);
    assert_eq!(other.post("/site/signin", &entry("ada@people.test")).ok()["next"], "second_factor");
    other.post("/site/totp/begin", &json!({})).refused(403, "SecondFactorRequired");
    other.post("/site/signin/code", &json!({ "code": "123456" })).refused(401, "InvalidCredentials");
    let half = other.cookie("session");
    assert_eq!(enter(&other, &mut passkey).ok()["next"], "done");
    other.get("/site/session").ok();
    other.set_cookie("session", half.as_deref());
    other.get("/site/session").refused(401, "SignInRequired");

    let third = Browser::new(&x);
    third.post("/site/signin", &entry("ada@people.test")).ok();
    assert_eq!(third.post("/site/signin/code", &json!({ "code": codes[0] })).ok()["next"], "done");
    // A second passkey brings no other codes.
    assert_eq!(
        add(&full(&x, "ada@people.test"), &mut Passkey::new(2, &browser.origin()))["recovery_codes"],
        json!(null)
    );
}

/// In a browser that is signed in, a passkey renews the code of the same session; the cookie before is dead.
#[test]
fn a_passkey_renews_the_code() {
    let x = Exchange::start();
    let (browser, mut passkey) = with_passkey(&x, "a@people.test", 1);
    let ids = |browser: &Browser<'_>| {
        let list = browser.get("/site/sessions").ok();
        list.as_array().expect("a list").iter().map(|row| row["id"].clone()).collect::<Vec<_>>()
    };
    let before = (ids(&browser), browser.cookie("session"));
    x.advance(300);
    browser.post(BEGIN, &json!({ "name": "Another" })).refused(403, "CodeRequired");
    enter(&browser, &mut passkey).ok();
    assert_eq!(ids(&browser), before.0, "no other session");
    browser.post(BEGIN, &json!({ "name": "Another" })).ok();
    browser.set_cookie("session", before.1.as_deref());
    browser.get("/site/session").refused(401, "SignInRequired");
}

/// A challenge is answered once, also after a kill; and one that was begun before a kill still works.
#[test]
fn a_challenge_works_once() {
    let x = Exchange::start();
    let (first, _) = with_passkey(&x, "a@people.test", 1);
    let browser = Browser::at_localhost(&x);
    let mut still = Passkey::new(9, &browser.origin());
    still.counter = 0;
    let options = options(&first);
    let cookie = first.cookie("passkey");
    let made = still.create(&options);
    still.counter = 0;
    first.post(FINISH, &made).ok();
    let begun = browser.post(SIGN_IN_BEGIN, &json!({})).ok();
    let (shown, signed) = (browser.cookie("passkey"), still.sign(&begun));
    let later = Browser::at_localhost(&x);
    let begun_later = later.post(SIGN_IN_BEGIN, &json!({})).ok();
    browser.post(SIGN_IN_FINISH, &signed).ok();
    for is_killed in [false, true] {
        if is_killed {
            x.kill9();
            x.restart_in_place();
        }
        let again = Browser::at_localhost(&x);
        again.set_cookie("passkey", shown.as_deref());
        again.post(SIGN_IN_FINISH, &signed).refused(401, "InvalidCredentials");
        first.set_cookie("passkey", cookie.as_deref());
        first.post(FINISH, &made).refused(401, "InvalidCredentials");
    }
    still.counter = 0;
    assert_eq!(later.post(SIGN_IN_FINISH, &still.sign(&begun_later)).ok()["next"], "done");
}
