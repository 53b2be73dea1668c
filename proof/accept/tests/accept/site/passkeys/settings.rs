//! The list of a user's passkeys: names, removal, and how many there may be.

use super::{BEGIN, FINISH, REMOVE, add, enter, first_id, full, json, names, options, with_passkey};
use crate::site::{entry, signed_up, user};
use buttonwood_accept::{Browser, Exchange, Passkey};

/// A removed passkey signs in no more; the last factor stays.
#[test]
fn the_last_factor_stays() {
    let x = Exchange::start();
    let browser = Browser::at_localhost(&x);
    browser.take(&signed_up(&x, "ada@people.test"));
    browser.post("/site/signin", &entry("ada@people.test")).ok();
    let mut first = Passkey::new(1, &browser.origin());
    add(&browser, &mut first);
    let id = first_id(&browser);
    let refused = browser.post(REMOVE, &json!({ "id": id }));
    assert!(refused.refused(400, "InvalidParameterValue").message.contains("'id'"), "{refused}");
    let mut second = Passkey::new(2, &browser.origin());
    add(&browser, &mut second);
    browser.post(REMOVE, &json!({ "id": id })).ok();
    browser.post(REMOVE, &json!({ "id": id })).refused(404, "EndpointNotFound");
    assert_eq!(names(&browser).len(), 1);
    let other = Browser::at_localhost(&x);
    enter(&other, &mut first).refused(401, "InvalidCredentials");
    enter(&other, &mut second).ok();
    // With an authenticator app no passkey has to stay.
    let begun = browser.post("/site/totp/begin", &json!({})).ok();
    let secret = begun["secret"].as_str().expect("a secret");
    browser.post("/site/totp/confirm", &json!({ "code": crate::site::code(&x, secret) })).ok();
    browser.post(REMOVE, &json!({ "id": first_id(&browser) })).ok();
    assert!(names(&browser).is_empty());
    x.kill9();
    x.restart();
    assert!(names(&browser).is_empty());
}

/// Another user's passkey looks like one that there is not, and is not in the list.
#[test]
fn passkeys_are_ones_own() {
    let x = Exchange::start();
    let (one, _) = with_passkey(&x, "a@people.test", 1);
    let (other, _) = with_passkey(&x, "b@people.test", 2);
    let id = first_id(&one);
    let foreign = other.post(REMOVE, &json!({ "id": id }));
    foreign.refused(404, "EndpointNotFound");
    for unknown in ["0", "x", "", "01", "-1", "18446744073709551616"] {
        other.post(REMOVE, &json!({ "id": unknown })).refused(404, "EndpointNotFound");
    }
    assert_eq!((names(&one).len(), names(&other).len()), (1, 1));
    // A passkey that was added is added once, by whomever.
    let mut copy = Passkey::new(1, &other.origin());
    let made = copy.create(&options(&other));
    other.post(FINISH, &made).refused(400, "InvalidParameterValue");
}

/// A name has 1 to 100 characters, and a user 20 passkeys at most.
#[test]
fn names_and_numbers_have_bounds() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = full(&x, "a@people.test");
    for name in ["", "a\nb", &"é".repeat(101)] {
        let answer = browser.post(BEGIN, &json!({ "name": name }));
        assert!(answer.refused(400, "InvalidParameterValue").message.contains("'name'"), "{answer}");
    }
    let wide = "é".repeat(100);
    for number in 1..=20 {
        let mut passkey = Passkey::new(number, &browser.origin());
        let options = browser.post(BEGIN, &json!({ "name": wide })).ok();
        browser.post(FINISH, &passkey.create(&options)).ok();
    }
    assert_eq!(names(&browser), vec![wide; 20]);
    browser.post(BEGIN, &json!({ "name": "one more" })).refused(400, "InvalidParameterValue");
}

/// A name comes back as it was sent.
#[test]
fn names_are_data() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = full(&x, "a@people.test");
    let name = "</script><b>\"'&\u{2028}";
    let options = browser.post(BEGIN, &json!({ "name": name })).ok();
    let made = Passkey::new(1, &browser.origin()).create(&options);
    assert_eq!(browser.post(FINISH, &made).ok()["name"], name);
    assert_eq!(names(&browser), [name]);
}
