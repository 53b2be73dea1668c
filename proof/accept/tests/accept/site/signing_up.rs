//! Signing up: the mail, the browser that it binds, and the first sign-in.

use super::{OTHER, PASSWORD, code, entry, mail, mails, signed_up, token};
use buttonwood_accept::{Browser, Exchange, Value, json};

fn sign_up(browser: &Browser<'_>, email: &str) -> buttonwood_accept::Answer {
    let answer =
        browser.post("/site/signup", &json!({ "email": email, "password": PASSWORD, "name": "Ada" }));
    assert_eq!(answer.status(), 202, "{answer}");
    answer
}

/// Someone signs up, confirms the address, enrols a second factor and trades with test balances.
#[test]
fn a_person_signs_up() {
    let x = Exchange::start();
    let browser = signed_up(&x, "ada@people.test");
    browser
        .post("/site/confirm", &json!({ "token": token(&x, "ada@people.test") }))
        .refused(400, "InvalidParameterValue");
    assert_eq!(browser.post("/site/signin", &entry("ada@people.test")).ok()["next"], "enrol");
    browser.get("/site/session").refused(403, "SecondFactorRequired");
    browser.post("/site/signin/code", &json!({ "code": "123456" })).refused(403, "SecondFactorRequired");
    let begun = browser.post("/site/totp/begin", &json!({})).ok();
    let secret = begun["secret"].as_str().expect("a text");
    let uri = begun["uri"].as_str().expect("a text");
    assert!(uri.starts_with("otpauth://totp/") && uri.contains(&format!("secret={secret}")), "{uri}");
    // A phone shows the exchange's name, and its camera reads the same address.
    assert!(uri.starts_with("otpauth://totp/Buttonwood:") && uri.ends_with("&issuer=Buttonwood"), "{uri}");
    let (side, path) = (&begun["qr"]["side"], begun["qr"]["path"].as_str().expect("a path"));
    assert!(side.as_u64().is_some_and(|side| side > 28) && path.starts_with("M4 4h7v1h-7z"), "{begun}");
    let done = browser.post("/site/totp/confirm", &json!({ "code": code(&x, secret) })).ok();
    assert_eq!(done["recovery_codes"].as_array().map(Vec::len), Some(10), "{done}");
    let session = browser.get("/site/session").ok();
    assert_eq!(session["user"], json!({ "email": "ada@people.test", "name": "Ada" }));
    assert_eq!((&session["account"], &session["accounts"]), (&json!("primary"), &json!(["primary"])));
    let mut roles: Vec<&str> =
        session["roles"].as_array().expect("roles").iter().filter_map(Value::as_str).collect();
    roles.sort_unstable();
    assert_eq!(roles, ["Administrator", "Fund Manager", "Trader"]);
    assert_eq!(session["operator"], false);
}

/// The name that was given to the exchange is the one that a phone shows.
#[test]
fn a_phone_shows_the_service_s_name() {
    let x = Exchange::builder().flag("--service-name", "acme").start();
    let browser = signed_up(&x, "ada@people.test");
    browser.post("/site/signin", &entry("ada@people.test")).ok();
    let begun = browser.post("/site/totp/begin", &json!({})).ok();
    let uri = begun["uri"].as_str().expect("a text");
    assert!(uri.starts_with("otpauth://totp/acme:") && uri.ends_with("&issuer=acme"), "{uri}");
}

/// Another browser confirms with the password of the sign-up; without it, and with a wrong one, the token stays good.
#[test]
fn another_browser_needs_the_password() {
    let x = Exchange::start();
    let browser = Browser::new(&x);
    sign_up(&browser, "ada@people.test");
    let token = token(&x, "ada@people.test");
    let other = Browser::new(&x);
    other.post("/site/confirm", &json!({ "token": token })).refused(400, "InvalidParameterValue");
    let wrong = json!({ "token": token, "password": OTHER });
    other.post("/site/confirm", &wrong).refused(400, "InvalidParameterValue");
    other.post("/site/confirm", &json!({ "token": "x" })).refused(400, "InvalidParameterValue");
    other.post("/site/confirm", &json!({ "token": token, "password": PASSWORD })).ok();
    browser.post("/site/confirm", &json!({ "token": token })).refused(400, "InvalidParameterValue");
}

/// The link ends after 24 hours.
#[test]
fn a_link_ends() {
    let x = Exchange::start();
    let (first, second) = (Browser::new(&x), Browser::new(&x));
    sign_up(&first, "ada@people.test");
    sign_up(&second, "bea@people.test");
    x.advance(24 * 3_600 - 1);
    first.post("/site/confirm", &json!({ "token": token(&x, "ada@people.test") })).ok();
    x.advance(1);
    second
        .post("/site/confirm", &json!({ "token": token(&x, "bea@people.test") }))
        .refused(400, "InvalidParameterValue");
}

/// A taken address gets the same answer, and a mail without a token. Proves SBX-005.
#[test]
fn a_taken_address_is_not_shown() {
    let x = Exchange::start();
    signed_up(&x, "ada@people.test");
    let free = sign_up(&Browser::new(&x), "free@people.test");
    let taken = sign_up(&Browser::new(&x), "Ada@People.test");
    assert_eq!(free.reply.body, taken.reply.body);
    assert!(taken.reply.header("set-cookie").is_some_and(|cookie| cookie.starts_with("signup=")), "{taken}");
    let mail = mail(&x, "ada@people.test");
    assert_eq!((&mail["token"], &mail["link"]), (&json!(null), &json!(null)), "{mail}");
    assert_eq!(mails(&x, "ada@people.test").len(), 2);
}

/// Passwords that are short or easily guessed, addresses that are none, and empty names are refused by field.
#[test]
fn poor_fields_are_refused() {
    let x = Exchange::start();
    let browser = Browser::new(&x);
    let good = json!({ "email": "ada@people.test", "password": PASSWORD, "name": "Ada" });
    let long = "x".repeat(101);
    for (field, values) in [
        ("password", &["", "short", "password1234", "ada@people.test", "aaaaaaaaaaaaaaaa"][..]),
        ("email", &["", "ada", "@people.test", "ada@", "a b@people.test", "ada@people.test\nx"]),
        ("name", &["", &long]),
    ] {
        for value in values {
            let mut fields = good.clone();
            fields[field] = json!(value);
            let answer = browser.post("/site/signup", &fields);
            let refusal = answer.refused(400, "InvalidParameterValue");
            assert!(refusal.message.contains(&format!("'{field}'")), "{answer}");
            assert!(field != "password" || value.is_empty() || !refusal.message.contains(value), "{answer}");
        }
    }
    assert!(mails(&x, "ada@people.test").is_empty());
}
