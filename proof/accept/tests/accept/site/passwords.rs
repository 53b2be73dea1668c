//! Passwords: a change, and a reset by mail.

use super::{OTHER, PASSWORD, entry, mails, token, user};
use buttonwood_accept::{Browser, Exchange, json};

/// A change ends the other sessions, mails a notice, and the old password is wrong from then on.
#[test]
fn a_change_ends_other_sessions() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let (here, there) = (Browser::of(&x, "a@people.test"), Browser::of(&x, "a@people.test"));
    here.post("/site/password", &json!({ "old": OTHER, "new": "ten silver rivers bend" }))
        .refused(401, "InvalidCredentials");
    for poor in ["short", "password1234", "a@people.test"] {
        let refusal = here.post("/site/password", &json!({ "old": PASSWORD, "new": poor }));
        refusal.refused(400, "InvalidParameterValue");
    }
    there.get("/site/session").ok();
    let before = mails(&x, "a@people.test").len();
    here.post("/site/password", &json!({ "old": PASSWORD, "new": OTHER })).ok();
    here.get("/site/session").ok();
    there.get("/site/session").refused(401, "SignInRequired");
    assert_eq!(mails(&x, "a@people.test").len(), before + 1);
    Browser::new(&x).post("/site/signin", &entry("a@people.test")).refused(401, "InvalidCredentials");
    Browser::new(&x).post("/site/signin", &json!({ "email": "a@people.test", "password": OTHER })).ok();
}

/// A mailed link sets another password once, and ends all sessions; a refused password leaves the link good.
#[test]
fn a_link_resets_the_password() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let open = Browser::of(&x, "a@people.test");
    let anyone = Browser::new(&x);
    let forgot = |email: &str| anyone.post("/site/password/forgot", &json!({ "email": email }));
    let (known, unknown) = (forgot("A@people.test"), forgot("nosuch@people.test"));
    assert_eq!((known.status(), unknown.status()), (202, 202));
    assert_eq!(known.reply.body, unknown.reply.body);
    assert!(mails(&x, "nosuch@people.test").is_empty());
    let token = token(&x, "a@people.test");
    let reset = |token: &str, password: &str| {
        anyone.post("/site/password/reset", &json!({ "token": token, "password": password }))
    };
    reset(&token, "short").refused(400, "InvalidParameterValue");
    reset("x", OTHER).refused(400, "InvalidParameterValue");
    open.get("/site/session").ok();
    reset(&token, OTHER).ok();
    open.get("/site/session").refused(401, "SignInRequired");
    reset(&token, PASSWORD).refused(400, "InvalidParameterValue");
    Browser::new(&x).post("/site/signin", &json!({ "email": "a@people.test", "password": OTHER })).ok();
    Browser::new(&x).post("/site/signin", &entry("a@people.test")).refused(401, "InvalidCredentials");
}

/// A link ends after an hour, and with the next password.
#[test]
fn links_end() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let anyone = Browser::new(&x);
    let ask = || {
        anyone.post("/site/password/forgot", &json!({ "email": "a@people.test" }));
        token(&x, "a@people.test")
    };
    let refused = |token: &str| {
        let answer = anyone.post("/site/password/reset", &json!({ "token": token, "password": OTHER }));
        answer.refused(400, "InvalidParameterValue");
    };
    let late = ask();
    x.advance(3_600);
    refused(&late);
    let before = ask();
    Browser::of(&x, "a@people.test").post("/site/password", &json!({ "old": PASSWORD, "new": OTHER })).ok();
    refused(&before);
}
