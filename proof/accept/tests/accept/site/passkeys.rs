//! Passkeys: made, used and removed through HTTP by a software authenticator.

mod refusals;
mod settings;
mod signing_in;

use super::{entry, signed_up};
use buttonwood_accept::{Answer, Browser, Exchange, Passkey, Value, json};

const BEGIN: &str = "/site/passkeys/begin";
const FINISH: &str = "/site/passkeys/finish";
const REMOVE: &str = "/site/passkeys/remove";
const SIGN_IN_BEGIN: &str = "/site/signin/passkey/begin";
const SIGN_IN_FINISH: &str = "/site/signin/passkey/finish";

/// A browser at `localhost` in which a user is fully signed in.
#[track_caller]
fn full<'x>(x: &'x Exchange, email: &str) -> Browser<'x> {
    let browser = Browser::at_localhost(x);
    browser.take(&Browser::of(x, email));
    browser
}

/// The options to make a passkey.
#[track_caller]
fn options(browser: &Browser<'_>) -> Value {
    browser.post(BEGIN, &json!({ "name": "My phone" })).ok()
}

/// Makes a passkey, and adds it.
#[track_caller]
fn add(browser: &Browser<'_>, passkey: &mut Passkey) -> Value {
    let made = passkey.create(&options(browser));
    browser.post(FINISH, &made).ok()
}

/// A user with a passkey, and the browser that added it.
#[track_caller]
fn with_passkey<'x>(x: &'x Exchange, email: &str, number: u8) -> (Browser<'x>, Passkey) {
    super::user(x, email);
    let browser = full(x, email);
    let mut passkey = Passkey::new(number, &browser.origin());
    add(&browser, &mut passkey);
    (browser, passkey)
}

/// Signs in with a passkey.
#[track_caller]
fn enter(browser: &Browser<'_>, passkey: &mut Passkey) -> Answer {
    let options = browser.post(SIGN_IN_BEGIN, &json!({})).ok();
    browser.post(SIGN_IN_FINISH, &passkey.sign(&options))
}

/// The names of the passkeys of a user.
#[track_caller]
fn names(browser: &Browser<'_>) -> Vec<String> {
    let list = browser.get("/site/passkeys").ok();
    let text = |row: &Value| row["name"].as_str().expect("a name").to_owned();
    list.as_array().expect("a list").iter().map(text).collect()
}

/// The id of the first passkey of a user.
#[track_caller]
fn first_id(browser: &Browser<'_>) -> Value {
    browser.get("/site/passkeys").ok()[0]["id"].clone()
}
