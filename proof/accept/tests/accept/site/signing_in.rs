//! Signing in: password, code, cookies, and the sandbox's bypass.

use super::{OTHER, PASSWORD, code, entry, mails, user};
use buttonwood_accept::{Browser, Exchange, json, totp};

/// Password, then code; each step replaces the cookie, and the value before is dead.
#[test]
fn a_password_and_a_code_sign_in() {
    let x = Exchange::start();
    let secret = user(&x, "a@people.test");
    let browser = Browser::new(&x);
    let first = browser.post("/site/signin", &entry("a@people.test"));
    assert_eq!(first.ok()["next"], "second_factor");
    let field = first.reply.header("set-cookie").expect("a cookie");
    let (pair, attributes) = field.split_once("; ").expect("attributes");
    assert!(pair.starts_with("session=") && pair.len() == "session=".len() + 43, "{pair}");
    assert_eq!(attributes, "HttpOnly; SameSite=Lax; Path=/");
    assert_eq!(first.reply.header("cache-control"), Some("no-store"));
    let (half, half_csrf) = (browser.cookie("session"), browser.csrf());
    let answer = browser.post("/site/signin/code", &json!({ "code": code(&x, &secret) })).ok();
    assert_eq!(answer["next"], "done");
    assert_ne!((browser.cookie("session"), browser.csrf()), (half.clone(), half_csrf.clone()));
    let session = browser.get("/site/session").ok();
    assert_eq!(session["user"]["email"], "a@people.test");
    assert_eq!(session["csrf"].as_str(), browser.csrf().as_deref());
    let dead = Browser::new(&x);
    dead.set_cookie("session", half.as_deref());
    dead.set_csrf(half_csrf.as_deref());
    dead.get("/site/session").refused(401, "SignInRequired");
    dead.post("/site/signout", &json!({})).refused(401, "SignInRequired");
}

/// A code is read as phones show it: in groups, with a dash, in full-width digits; and each is the same code, which works once (D-296).
#[test]
fn a_code_is_read_as_the_phone_shows_it() {
    let x = Exchange::start();
    let secret = user(&x, "a@people.test");
    let grouped = |code: &str, between: &str| {
        let (front, back) = code.split_at(3);
        format!("{front}{between}{back}")
    };
    let wide = |code: &str| -> String {
        let wide_digit = |digit: char| char::from_u32(u32::from(digit) - u32::from('0') + 0xFF10);
        code.chars().filter_map(wide_digit).collect()
    };
    let shown: [&dyn Fn(&str) -> String; 5] = [
        &|code| grouped(code, " "),
        &|code| grouped(code, "-"),
        &|code| grouped(code, "\u{a0}"),
        &|code| format!(" {code}\n"),
        &|code| wide(code),
    ];
    for show in shown {
        let given = json!({ "code": show(&code(&x, &secret)) });
        let enter = || {
            let browser = Browser::new(&x);
            browser.post("/site/signin", &entry("a@people.test")).ok();
            browser.post("/site/signin/code", &given)
        };
        assert_eq!(enter().ok()["next"], "done", "{given}");
        enter().refused(401, "InvalidCredentials");
        x.advance(10 * 60);
    }
}

/// Letters with accents are the same whether they are typed as one character or as two, in a password and in an address; a domain is the
/// same in its own letters and in ASCII, and `ß` is not `ss` (D-296).
#[test]
fn typed_texts_have_one_form() {
    let x = Exchange::start();
    let (one, two) = ("vexing \u{fc}mlaut carousel", "vexing u\u{308}mlaut carousel");
    let new = json!({
        "email": "J\u{fc}rg@Stra\u{df}e.example", "password": one, "group": "one", "roles": ["Trader"],
    });
    x.control("/sandbox/users", &new).ok();
    let enter = |email: &str, password: &str| {
        Browser::new(&x).post("/site/signin", &json!({ "email": email, "password": password }))
    };
    for email in ["j\u{fc}rg@stra\u{df}e.example", "ju\u{308}rg@xn--strae-oqa.example"] {
        for password in [one, two] {
            enter(email, password).ok();
        }
    }
    enter("j\u{fc}rg@strasse.example", one).refused(401, "InvalidCredentials");
    enter("jurg@stra\u{df}e.example", one).refused(401, "InvalidCredentials");
    enter("a@m\u{fc}nchen..example", one).refused(400, "InvalidParameterValue");
}

/// A code is renewed in a session, which replaces its cookie too.
#[test]
fn a_code_is_renewed() {
    let x = Exchange::start();
    let secret = user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    x.advance(5 * 60);
    browser.post("/site/password", &json!({ "old": PASSWORD, "new": OTHER })).refused(403, "CodeRequired");
    let before = browser.cookie("session");
    assert_eq!(browser.post("/site/signin/code", &json!({ "code": code(&x, &secret) })).ok()["next"], "done");
    assert_ne!(browser.cookie("session"), before);
    browser.post("/site/password", &json!({ "old": PASSWORD, "new": OTHER })).ok();
}

/// A wrong password, an unknown address, an unconfirmed and a disabled one are refused alike.
#[test]
fn failures_look_alike() {
    let x = Exchange::start();
    let secret = user(&x, "a@people.test");
    x.control(
        "/sandbox/users",
        &json!({ "email": "off@people.test", "password": PASSWORD, "group": "one", "roles": ["Trader"], "disabled": true }),
    )
    .ok();
    let unconfirmed = json!({ "email": "new@people.test", "password": PASSWORD, "name": "New" });
    assert_eq!(Browser::new(&x).post("/site/signup", &unconfirmed).status(), 202);
    let wrong = |email: &str, password: &str| {
        let browser = Browser::new(&x);
        let answer = browser.post("/site/signin", &json!({ "email": email, "password": password }));
        let refusal = answer.refused(401, "InvalidCredentials");
        assert_eq!(browser.cookie("session"), None);
        refusal.message
    };
    let message = wrong("a@people.test", OTHER);
    for email in ["nosuch@people.test", "off@people.test", "new@people.test"] {
        assert_eq!(wrong(email, PASSWORD), message, "{email}");
    }
    let browser = Browser::new(&x);
    browser.post("/site/signin", &entry("A@People.Test")).ok();
    let late = totp(&secret, x.now_ms() + 120_000);
    for wrong in ["000000", "", "12345", "abcdef", "9999999", &late] {
        browser.post("/site/signin/code", &json!({ "code": wrong })).refused(401, "InvalidCredentials");
        x.advance(5 * 60);
    }
}

/// A step of the second factor works once, for other browsers too, and after the process was killed.
#[test]
fn a_step_works_once() {
    let x = Exchange::start();
    let secret = user(&x, "a@people.test");
    let used = code(&x, &secret);
    let enter = |code: &str| {
        let browser = Browser::new(&x);
        browser.post("/site/signin", &entry("a@people.test")).ok();
        browser.post("/site/signin/code", &json!({ "code": code }))
    };
    enter(&used).ok();
    enter(&used).refused(401, "InvalidCredentials");
    x.kill9();
    x.restart();
    enter(&used).refused(401, "InvalidCredentials");
    enter(&totp(&secret, x.now_ms() + 30_000)).ok();
    enter(&code(&x, &secret)).refused(401, "InvalidCredentials");
    x.advance(60);
    enter(&code(&x, &secret)).ok();
}

/// The code 9999999 passes with a cookie or a header that only needs to be there, and without them it fails. Proves SBX-006, SBX-007.
#[test]
fn the_bypass_needs_its_cookie_or_header() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let bypass = json!({ "code": "9999999" });
    let enter = || {
        let browser = Browser::new(&x);
        browser.post("/site/signin", &entry("a@people.test")).ok();
        browser
    };
    let without = enter();
    without.post("/site/signin/code", &bypass).refused(401, "InvalidCredentials");
    without.get("/site/session").refused(403, "SecondFactorRequired");
    for value in ["1", "", "anything"] {
        let browser = enter();
        browser.set_cookie("SVC-SANDBOX-2FA", Some(value));
        browser.post("/site/signin/code", &bypass).ok();
        let browser = enter();
        let headers = [("Content-Type", "application/json"), ("SVC-SANDBOX-2FA", value)];
        let answer = browser.send("POST", "/site/signin/code", &headers, bypass.to_string().as_bytes());
        assert_eq!(answer.ok()["next"], "done");
        browser.get("/site/session").ok();
    }
    let browser = enter();
    browser.set_cookie("SVC-SANDBOX-2FA", Some("1"));
    browser.post("/site/signin/code", &json!({ "code": "999999" })).refused(401, "InvalidCredentials");
}

/// Signing out ends the session and its cookie; a sign-in that waits for its code can be given up too.
#[test]
fn signing_out_ends_the_session() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let half = Browser::new(&x);
    half.post("/site/signin", &entry("a@people.test")).ok();
    for browser in [half, Browser::of(&x, "a@people.test")] {
        let cookie = browser.cookie("session");
        let answer = browser.post("/site/signout", &json!({}));
        answer.ok();
        let field = answer.reply.header("set-cookie").expect("a cookie");
        assert_eq!(field, "session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0");
        assert_eq!(browser.cookie("session"), None);
        browser.set_cookie("session", cookie.as_deref());
        browser.get("/site/session").refused(401, "SignInRequired");
    }
}

/// The cookie opens the pages' own calls alone.
#[test]
fn the_cookie_opens_nothing_else() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::of(&x, "a@people.test");
    browser.post("/v1/balances", &json!({})).refused(401, "MissingSecurityHeaders");
}

/// A password without its second factor ends no session of its user and no order: half sessions push out each other, and the second of a day
/// is mailed.
#[test]
fn half_sessions_end_no_full_one() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let full = Browser::of(&x, "a@people.test");
    let halves: Vec<Browser<'_>> = (0..25)
        .map(|_| {
            let thief = Browser::new(&x);
            thief.post("/site/signin", &entry("a@people.test")).ok();
            thief
        })
        .collect();
    full.get("/site/session").ok();
    let (ended, kept) = halves.split_at(22);
    for browser in ended {
        browser.get("/site/session").refused(401, "SignInRequired");
    }
    for browser in kept {
        browser.get("/site/session").refused(403, "SecondFactorRequired");
    }
    let subjects = || {
        let mails = mails(&x, "a@people.test");
        mails.iter().filter(|mail| mail["subject"] == "Your password was given without a code").count()
    };
    assert_eq!(subjects(), 1);
    x.advance(24 * 3_600);
    for _ in 0..3 {
        Browser::new(&x).post("/site/signin", &entry("a@people.test")).ok();
    }
    assert_eq!(subjects(), 2);
}
