//! People in a browser: signing up and in, sessions, keys, apps and grants, through the calls of the pages.

mod apps;
mod door;
mod factors;
mod interface;
mod keys;
mod market_table;
mod notices;
mod operators;
mod pages;
mod passkeys;
mod passwords;
mod public_calls;
mod refusals;
mod sessions;
mod signing_in;
mod signing_up;
mod throttles;
mod users;
mod watching;

use buttonwood_accept::{Browser, Exchange, Value, json, totp};

/// A password that is good enough.
const PASSWORD: &str = "seven green turtles sing";
/// Another one.
const OTHER: &str = "nine amber violins hum";

/// A user of the sandbox: the address, and the secret of the second factor.
#[track_caller]
fn user_in(x: &Exchange, email: &str, group: &str, roles: &[&str]) -> String {
    let body = json!({ "email": email, "password": PASSWORD, "group": group, "roles": roles });
    let made = x.control("/sandbox/users", &body).ok();
    made["totp_secret"].as_str().unwrap_or_else(|| panic!("no totp_secret in {made}")).to_owned()
}

/// A user of group one.
#[track_caller]
fn user(x: &Exchange, email: &str) -> String {
    user_in(x, email, "one", &["Administrator", "Trader", "Fund Manager"])
}

/// The code of a secret now.
fn code(x: &Exchange, secret: &str) -> String {
    totp(secret, x.now_ms())
}

/// The fields of a sign-in.
fn entry(email: &str) -> Value {
    json!({ "email": email, "password": PASSWORD })
}

/// The newest mail to an address.
#[track_caller]
fn mail(x: &Exchange, email: &str) -> Value {
    mails(x, email).pop().unwrap_or_else(|| panic!("no mail to {email}"))
}

/// All mails to an address, the oldest first.
fn mails(x: &Exchange, email: &str) -> Vec<Value> {
    let answer = x.get(&format!("/sandbox/mail?to={email}")).ok();
    answer["messages"].as_array().cloned().unwrap_or_else(|| panic!("no messages in {answer}"))
}

/// The token of the newest mail to an address.
#[track_caller]
fn token(x: &Exchange, email: &str) -> String {
    let mail = mail(x, email);
    mail["token"].as_str().unwrap_or_else(|| panic!("no token in {mail}")).to_owned()
}

/// A browser in which someone signed up, and confirmed the address.
#[track_caller]
fn signed_up<'x>(x: &'x Exchange, email: &str) -> Browser<'x> {
    let browser = Browser::new(x);
    let fields = json!({ "email": email, "password": PASSWORD, "name": "Ada" });
    assert_eq!(browser.post("/site/signup", &fields).status(), 202);
    browser.post("/site/confirm", &json!({ "token": token(x, email) })).ok();
    browser
}
