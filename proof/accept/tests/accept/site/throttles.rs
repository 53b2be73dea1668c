//! Limits of failed sign-ins and of mails. They follow the exchange's clock and hold with `--rate-limits off`.

use super::{OTHER, PASSWORD, code, entry, mails, user};
use buttonwood_accept::{Answer, Browser, Exchange, json};

#[track_caller]
fn limited(answer: &Answer) -> u64 {
    answer.refused(429, "RateLimit");
    let after = answer.reply.header("retry-after").expect("Retry-After");
    after.parse().expect("whole seconds")
}

/// After five failures the right password is refused too, for a known address and an unknown one, after a restart as well.
#[test]
fn failures_are_limited() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    user(&x, "b@people.test");
    for email in ["a@people.test", "nosuch@people.test"] {
        for _ in 0..5 {
            let wrong = json!({ "email": email, "password": OTHER });
            Browser::new(&x).post("/site/signin", &wrong).refused(401, "InvalidCredentials");
        }
        let seconds = limited(&Browser::new(&x).post("/site/signin", &entry(email)));
        assert!((1..=300).contains(&seconds), "{seconds}");
    }
    Browser::new(&x).post("/site/signin", &entry("b@people.test")).ok();
    x.kill9();
    x.restart();
    limited(&Browser::new(&x).post("/site/signin", &entry("a@people.test")));
    x.advance(5 * 60);
    Browser::new(&x).post("/site/signin", &entry("a@people.test")).ok();
}

/// Codes count too, and the right one is refused after five that were wrong.
#[test]
fn codes_are_limited() {
    let x = Exchange::start();
    let secret = user(&x, "a@people.test");
    let browser = Browser::new(&x);
    browser.post("/site/signin", &entry("a@people.test")).ok();
    for _ in 0..5 {
        browser.post("/site/signin/code", &json!({ "code": "000000" })).refused(401, "InvalidCredentials");
    }
    limited(&browser.post("/site/signin/code", &json!({ "code": code(&x, &secret) })));
    x.advance(5 * 60);
    browser.post("/site/signin/code", &json!({ "code": code(&x, &secret) })).ok();
}

/// An address gets three mails an hour, and a peer asks for twenty; the answer to the fourth is that of the first.
#[test]
fn mails_are_limited() {
    let x = Exchange::builder().without("--rate-limits").start();
    let browser = Browser::new(&x);
    let sign_up = |email: &str| {
        browser.post("/site/signup", &json!({ "email": email, "password": PASSWORD, "name": "Ada" }))
    };
    for _ in 0..5 {
        assert_eq!(sign_up("ada@people.test").status(), 202);
    }
    assert_eq!(mails(&x, "ada@people.test").len(), 3);
    for number in 5..20 {
        assert_eq!(sign_up(&format!("n{number}@people.test")).status(), 202);
    }
    limited(&sign_up("last@people.test"));
    limited(&browser.post("/site/password/forgot", &json!({ "email": "last@people.test" })));
    assert!(mails(&x, "last@people.test").is_empty());
    x.advance(3_600);
    assert_eq!(sign_up("last@people.test").status(), 202);
}
