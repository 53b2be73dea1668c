//! Every refusal of a passkey.

use super::{BEGIN, FINISH, REMOVE, SIGN_IN_BEGIN, SIGN_IN_FINISH};
use super::{enter, full, json, names, options, with_passkey};
use crate::site::{PASSWORD, entry, user};
use buttonwood_accept::{Answer, Browser, Exchange, Passkey, Value};

/// The ways in which an authenticator or its browser misbehaves.
fn misbehaving(good: &Passkey) -> Vec<(&'static str, Passkey)> {
    let other = |change: fn(&mut Passkey)| {
        let mut passkey = good.clone();
        change(&mut passkey);
        passkey
    };
    vec![
        ("another port", other(|it| it.origin = "http://localhost:1".into())),
        ("another host", other(|it| it.origin = it.origin.replace("localhost", "evil.localhost"))),
        ("https", other(|it| it.origin = it.origin.replace("http:", "https:"))),
        ("another relying party", other(|it| it.rp_id = Some("evil.test".into()))),
        ("a user who was not verified", other(|it| it.verifies = false)),
    ]
}

#[track_caller]
fn refuse(what: &str, answer: &Answer) {
    assert_eq!(answer.status(), 401, "{what}: {answer}");
    answer.refused(401, "InvalidCredentials");
}

/// A passkey of another origin or relying party, without user verification, with a counter of before, a handle of another user or a
/// changed signature does not sign in; all look alike.
#[test]
fn signatures_are_checked() {
    let x = Exchange::start();
    let (_, mut good) = with_passkey(&x, "a@people.test", 1);
    let browser = Browser::at_localhost(&x);
    let alike = enter(&browser, &mut Passkey::new(9, &browser.origin()));
    refuse("an unknown passkey", &alike);
    for (what, mut passkey) in misbehaving(&good) {
        x.advance(300);
        let answer = enter(&browser, &mut passkey);
        refuse(what, &answer);
        assert_eq!(answer.reply.body, alike.reply.body, "{what}");
    }
    x.advance(300);
    let last = good.counter;
    enter(&browser, &mut good).ok();
    for (what, counter) in [("the same counter", last), ("a lower one", last - 1), ("none", 0)] {
        refuse(what, &enter(&browser, &mut Passkey { counter, ..good.clone() }));
    }
    x.advance(300);
    let handle = Some("AAAA".to_owned());
    refuse("another user's handle", &enter(&browser, &mut Passkey { handle, ..good.clone() }));
    let options = browser.post(SIGN_IN_BEGIN, &json!({})).ok();
    let signed = good.sign(&options);
    for (field, text) in [("authenticatorData", "AAAA"), ("signature", "AAAA"), ("clientDataJSON", "e30")] {
        let mut changed = signed.clone();
        changed["response"][field] = json!(text);
        refuse(field, &browser.post(SIGN_IN_FINISH, &changed));
    }
    // The challenge was not used up by what failed, and the handle may be absent.
    let mut signed = signed;
    signed["response"]["userHandle"] = json!(null);
    browser.post(SIGN_IN_FINISH, &signed).ok();
}

/// A new passkey is checked alike: an RSA key is refused too.
#[test]
fn made_passkeys_are_checked() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = full(&x, "a@people.test");
    let good = Passkey::new(1, &browser.origin());
    let rsa = Passkey { is_rsa: true, ..good.clone() };
    for (what, mut passkey) in misbehaving(&good).into_iter().chain([("an RSA key", rsa)]) {
        let made = passkey.create(&options(&browser));
        refuse(what, &browser.post(FINISH, &made));
    }
    let mut made = good.clone().create(&options(&browser));
    for text in ["", "AAAA", "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YUA"] {
        made["response"]["attestationObject"] = json!(text);
        refuse(text, &browser.post(FINISH, &made));
    }
    assert!(names(&browser).is_empty());
}

/// A challenge belongs to the browser that began it, to its session, and to making or signing in.
#[test]
fn a_challenge_is_bound() {
    let x = Exchange::start();
    let (browser, passkey) = with_passkey(&x, "a@people.test", 1);
    let mut new = Passkey::new(2, &browser.origin());
    let begun = options(&browser);
    let (cookie, made) = (browser.cookie("passkey"), new.create(&begun));
    for (what, cookie) in [("no cookie", None), ("a cookie of no one", Some("AAAA"))] {
        browser.set_cookie("passkey", cookie);
        refuse(what, &browser.post(FINISH, &made));
    }
    options(&browser);
    refuse("a later challenge", &browser.post(FINISH, &made));
    let second = full(&x, "a@people.test");
    second.set_cookie("passkey", cookie.as_deref());
    refuse("another session", &second.post(FINISH, &made));
    let signing = browser.post(SIGN_IN_BEGIN, &json!({})).ok();
    let mut shape = begun.clone();
    shape["publicKey"]["challenge"] = signing["publicKey"]["challenge"].clone();
    refuse("a challenge to sign in", &browser.post(FINISH, &new.create(&shape)));
    let foreign = Browser::at_localhost(&x);
    let theirs = foreign.post(SIGN_IN_BEGIN, &json!({})).ok();
    let mut signed = passkey.clone().sign(&signing);
    refuse("a foreign browser", &foreign.post(SIGN_IN_FINISH, &signed));
    foreign.set_cookie("passkey", cookie.as_deref());
    let mut shape = theirs.clone();
    shape["publicKey"]["challenge"] = begun["publicKey"]["challenge"].clone();
    signed = passkey.clone().sign(&shape);
    refuse("a challenge to make", &foreign.post(SIGN_IN_FINISH, &signed));
    browser.set_cookie("passkey", cookie.as_deref());
    browser.post(FINISH, &made).ok();
}

/// A challenge lives five minutes of the exchange's clock.
#[test]
fn a_challenge_ends() {
    let x = Exchange::start();
    let (browser, mut passkey) = with_passkey(&x, "a@people.test", 1);
    let other = Browser::at_localhost(&x);
    let early = other.post(SIGN_IN_BEGIN, &json!({})).ok();
    x.advance(299);
    other.post(SIGN_IN_FINISH, &passkey.sign(&early)).ok();
    let late = other.post(SIGN_IN_BEGIN, &json!({})).ok();
    let (making, shown) = (options(&browser), browser.cookie("passkey"));
    x.advance(300);
    refuse("an old one", &other.post(SIGN_IN_FINISH, &passkey.sign(&late)));
    enter(&browser, &mut passkey).ok();
    browser.set_cookie("passkey", shown.as_deref());
    let ended = browser.post(FINISH, &Passkey::new(2, &browser.origin()).create(&making));
    refuse("an old one that makes", &ended);
}

/// A disabled user's passkey fails like any other; enabled again, it signs in.
#[test]
fn a_disabled_user_is_refused() {
    let x = Exchange::start();
    let (_, mut passkey) = with_passkey(&x, "a@people.test", 1);
    let set = |is_disabled: bool| {
        let fields = json!({ "email": "a@people.test", "password": PASSWORD, "group": "one", "roles": ["Trader"],
            "disabled": is_disabled });
        x.control("/sandbox/users", &fields).ok();
    };
    let browser = Browser::at_localhost(&x);
    set(true);
    refuse("a disabled user", &enter(&browser, &mut passkey));
    set(false);
    enter(&browser, &mut passkey).ok();
}

/// Five failures from one peer within five minutes refuse a right one too; a restart keeps them. Unknown passkeys count by the peer alone.
#[test]
fn failures_are_throttled() {
    let x = Exchange::start();
    let (_, mut passkey) = with_passkey(&x, "a@people.test", 1);
    let browser = Browser::at_localhost(&x);
    for _ in 0..5 {
        refuse("no user verification", &enter(&browser, &mut Passkey { verifies: false, ..passkey.clone() }));
        refuse("unknown", &enter(&browser, &mut Passkey::new(9, &browser.origin())));
    }
    x.kill9();
    x.restart_in_place();
    for passkey in [&mut passkey, &mut Passkey::new(8, &browser.origin())] {
        let throttled = enter(&browser, passkey);
        throttled.refused(429, "RateLimit");
        assert!(throttled.reply.header("retry-after").is_some(), "{throttled}");
    }
    x.advance(300);
    enter(&browser, &mut passkey).ok();
}

/// At an IP address there are no passkeys.
#[test]
fn an_address_is_no_host() {
    let x = Exchange::start();
    let (browser, mut passkey) = with_passkey(&x, "a@people.test", 1);
    let by_address = Browser::new(&x);
    by_address.take(&browser);
    let begun = browser.post(SIGN_IN_BEGIN, &json!({})).ok();
    for (path, body) in [
        (BEGIN, json!({ "name": "x" })),
        (SIGN_IN_BEGIN, json!({})),
        (FINISH, Passkey::new(2, "http://x").create(&options(&browser))),
        (SIGN_IN_FINISH, passkey.sign(&begun)),
    ] {
        let answer = by_address.post(path, &body);
        assert!(answer.refused(400, "InvalidParameterValue").message.contains("host name"), "{answer}");
    }
}

/// Without a public address a passkey belongs to `localhost` and the listener's port, not to what `Host` says; the refusal names the flag.
#[test]
fn the_host_of_a_request_makes_no_origin() {
    let x = Exchange::start();
    let (browser, _) = with_passkey(&x, "a@people.test", 1);
    for host in ["evil.test", "localhost:1", "localhost.evil.test:80"] {
        let phished = Browser::at(&x, host);
        phished.take(&browser);
        for (path, body) in [(BEGIN, json!({ "name": "x" })), (SIGN_IN_BEGIN, json!({}))] {
            let answer = phished.post(path, &body);
            let message = answer.refused(400, "InvalidParameterValue").message;
            assert!(message.contains("'Host'") && message.contains("--public-url"), "{host}: {message}");
        }
    }
    browser.post(SIGN_IN_BEGIN, &json!({})).ok();
}

/// Fields are checked by name before anything else happens.
#[test]
fn wrong_fields_are_named() {
    let x = Exchange::start();
    let (browser, mut passkey) = with_passkey(&x, "a@people.test", 1);
    let making = Passkey::new(2, &browser.origin()).create(&options(&browser));
    let signing = passkey.sign(&browser.post(SIGN_IN_BEGIN, &json!({})).ok());
    let both = ["id", "rawId", "type", "response", "clientDataJSON"];
    let own = [
        (FINISH, making, vec!["attestationObject"]),
        (SIGN_IN_FINISH, signing, vec!["authenticatorData", "signature"]),
    ];
    for (path, good, more) in own {
        for field in both.into_iter().chain(more) {
            for value in [None, Some(json!(null)), Some(json!(5)), Some(json!("%"))] {
                let mut body = good.clone();
                let fields = if body.get(field).is_some() { &mut body } else { &mut body["response"] };
                match &value {
                    Some(value) => fields[field] = value.clone(),
                    None => drop(fields.as_object_mut().expect("an object").remove(field)),
                }
                let answer = browser.post(path, &body);
                assert_eq!(answer.status(), 400, "{answer}");
                assert!(answer.error().message.contains(&format!("'{field}'")), "{answer}");
            }
        }
        let mut other = good.clone();
        other["id"] = json!("AAAA");
        assert!(browser.post(path, &other).refused(400, "InvalidParameterValue").message.contains("'id'"));
    }
    browser.post(BEGIN, &json!({})).refused(400, "MissingPayloadKey");
    browser.post(REMOVE, &json!({ "id": 5 })).refused(400, "InvalidParameterValue");
}

/// The checks come in the order of the interface's table.
#[test]
fn checks_have_an_order() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::at_localhost(&x);
    let json = [("Content-Type", "application/json")];
    for path in [BEGIN, FINISH, REMOVE] {
        assert_eq!(browser.send("DELETE", path, &json, b"").status(), 405);
        assert_eq!(browser.send("POST", path, &[("Content-Type", "text/plain")], b"{}").status(), 415);
        let foreign = [json[0], ("Origin", "http://evil.test")];
        browser.send("POST", path, &foreign, b"{}").refused(403, "CsrfMismatch");
        browser.post(path, &json!({})).refused(401, "SignInRequired");
    }
    browser.get("/site/passkeys").refused(401, "SignInRequired");
    browser.post("/site/signin", &entry("a@people.test")).ok();
    let csrf = browser.csrf();
    for path in [BEGIN, FINISH, REMOVE] {
        browser.set_csrf(None);
        browser.post(path, &json!({})).refused(403, "CsrfMismatch");
        browser.set_csrf(csrf.as_deref());
        browser.post(path, &json!({})).refused(403, "SecondFactorRequired");
    }
    browser.get("/site/passkeys").refused(403, "SecondFactorRequired");
    let full = full(&x, "a@people.test");
    x.advance(300);
    for path in [BEGIN, FINISH, REMOVE] {
        full.post(path, &json!({})).refused(403, "CodeRequired");
    }
    assert_eq!(full.get("/site/passkeys").ok(), Value::Array(Vec::new()));
    for path in [SIGN_IN_BEGIN, SIGN_IN_FINISH] {
        assert_eq!(browser.send("GET", path, &[], b"").status(), 405);
        assert_eq!(browser.send("POST", path, &[("Content-Type", "text/plain")], b"{}").status(), 415);
        let foreign = [json[0], ("Origin", "null")];
        browser.send("POST", path, &foreign, b"{}").refused(403, "CsrfMismatch");
    }
    let guest = Browser::at_localhost(&x);
    guest.send("POST", SIGN_IN_BEGIN, &json, b"").ok();
}
