//! The door of a sandbox: its test users sign in by a button, from this machine alone, and a venue knows nothing of it.

use super::{PASSWORD, user};
use buttonwood_accept::{Answer, Browser, Exchange, Value, Venue, json};

const ENTER: &str = "/site/signin/sandbox";
const JSON: (&str, &str) = ("Content-Type", "application/json");
/// Headers of a visit that may come from elsewhere than this machine, as control calls judge it.
const REMOTE: [(&str, &str); 4] = [
    ("Host", "exchange.example"),
    ("X-Forwarded-For", "192.0.2.1"),
    ("Via", "1.1 proxy"),
    ("X-Real-IP", "127.0.0.1"),
];
/// Texts that only a door has.
const TRACES: [&str; 6] =
    ["SVC-SANDBOX", "signin/sandbox", "/site/door", "code 9999999", "Test users", "door-"];

/// The test users, with their passwords.
fn users(x: &Exchange) -> Vec<Value> {
    x.credentials()["users"].as_array().expect("users").clone()
}

fn email(user: &Value) -> &str {
    user["email"].as_str().expect("a text")
}

/// The first trace of a door in an answer.
fn trace(answer: &Answer) -> Option<&'static str> {
    let text = answer.reply.text();
    TRACES.into_iter().find(|trace| text.contains(trace))
}

/// The page lists every test user with a button, and the file with their passwords; a button signs in as after both factors.
#[test]
fn a_button_signs_a_test_user_in() {
    let x = Exchange::start();
    let page = Browser::new(&x).get("/signin?next=/settings/keys").reply.text();
    assert!(page.contains(&x.data().join("credentials.json").display().to_string()), "{page}");
    for user in users(&x) {
        let button = format!("data-user=\"{}\" data-next=\"/settings/keys\"", email(&user));
        assert!(page.contains(&button), "{button}: {page}");
        let browser = Browser::new(&x);
        let entered = browser.post(ENTER, &json!({ "email": email(&user) }));
        assert_eq!(entered.ok()["next"], "done");
        let field = entered.reply.header("set-cookie").expect("a cookie");
        assert!(field.ends_with("; HttpOnly; SameSite=Lax; Path=/"), "{field}");
        let session = browser.get("/site/session").ok();
        assert_eq!((&session["user"]["email"], &session["group"]), (&user["email"], &user["group"]));
        browser.post("/site/account", &json!({ "account": "none" })).refused(400, "InvalidAccountName");
    }
    let page = Browser::new(&x).get("/signin").reply.text();
    let leads =
        |email: &str, next: &str| page.contains(&format!("data-user=\"{email}\" data-next=\"{next}\""));
    assert!(leads("owner@one.test", "/account") && leads("operator@house.test", "/operator"), "{page}");
}

/// The page of codes says which code passes, and sets the cookie without which it is refused. Proves SBX-006.
#[test]
fn the_page_of_codes_says_the_code() {
    let x = Exchange::start();
    let trader = users(&x).into_iter().find(|user| user["role"] == "Trader").expect("a trader");
    let browser = Browser::new(&x);
    let page = browser.get("/signin");
    assert!(page.reply.text().contains("code 9999999"), "{page}");
    assert_eq!(browser.cookie("SVC-SANDBOX-2FA").as_deref(), Some("1"));
    let entry = json!({ "email": trader["email"], "password": trader["password"] });
    assert_eq!(browser.post("/site/signin", &entry).ok()["next"], "second_factor");
    assert_eq!(browser.post("/site/signin/code", &json!({ "code": "9999999" })).ok()["next"], "done");
    // A page of settings asks for a new code too.
    let other = Browser::of(&x, email(&trader));
    assert!(other.get("/settings/keys").reply.text().contains("\"hint\":\"In this sandbox"));
    assert_eq!(other.cookie("SVC-SANDBOX-2FA").as_deref(), Some("1"));
}

/// Only test users who may sign in have a button, and no other address passes.
#[test]
fn the_door_is_for_test_users() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let browser = Browser::new(&x);
    for other in ["a@people.test", "nosuch@one.test", "", "owner@one.test x"] {
        let refusal = browser.post(ENTER, &json!({ "email": other })).refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains("'email'"), "{refusal:?}");
    }
    let off = json!({ "email": "owner@two.test", "password": PASSWORD, "group": "two", "roles": ["Trader"], "disabled": true });
    x.control("/sandbox/users", &off).ok();
    browser.post(ENTER, &json!({ "email": "owner@two.test" })).refused(400, "InvalidParameterValue");
    assert_eq!(browser.cookie("session"), None);
    let page = browser.get("/signin").reply.text();
    assert!(!page.contains("data-user=\"owner@two.test\"") && page.contains("data-user=\"owner@one.test\""));
}

/// This machine alone sees the door and passes it, as control calls judge. Proves SBX-007 (part).
#[test]
fn the_door_is_for_this_machine() {
    let x = Exchange::start();
    let body = json!({ "email": "owner@one.test" }).to_string();
    for remote in REMOTE {
        let browser = Browser::new(&x);
        for path in ["/signin", "/signin?step=code", "/signup", "/password"] {
            let page = browser.send("GET", path, &[remote], b"");
            assert_eq!((page.status(), trace(&page)), (200, None), "{remote:?} {path}");
        }
        let entered = browser.send("POST", ENTER, &[JSON, remote], body.as_bytes());
        assert!(entered.refused(403, "RemoteAddressForbidden").message.contains(remote.1), "{entered}");
        for file in ["/site/door.js", "/site/door.css"] {
            browser.send("GET", file, &[remote], b"").refused(403, "RemoteAddressForbidden");
        }
        assert_eq!((browser.cookie("session"), browser.cookie("SVC-SANDBOX-2FA")), (None, None));
    }
}

/// A page of another site signs no visitor in, by any call.
#[test]
fn other_sites_cannot_sign_a_visitor_in() {
    let x = Exchange::start();
    let body = json!({ "email": "owner@one.test" }).to_string();
    let browser = Browser::new(&x);
    let send = |headers: &[(&str, &str)], body: &str| browser.send("POST", ENTER, headers, body.as_bytes());
    for origin in ["https://evil.example", "http://localhost:1", "http://127.0.0.1:1", "null", ""] {
        send(&[JSON, ("Origin", origin)], &body).refused(403, "CsrfMismatch");
    }
    for site in ["cross-site", "same-site"] {
        send(&[JSON, ("Sec-Fetch-Site", site)], &body).refused(403, "CsrfMismatch");
    }
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    send(&[form], "email=owner%40one.test").refused(415, "InvalidParameterValue");
    send(&[("Content-Type", "text/plain")], &body).refused(415, "InvalidParameterValue");
    browser.get(ENTER).refused(405, "EndpointNotFound");
    assert_eq!(browser.cookie("session"), None);
    let own = [JSON, ("Origin", &x.base_url()), ("Sec-Fetch-Site", "same-origin")];
    send(&own, &body).ok();
}

/// A venue has no door: no path, no script, and no word of one on its pages and in the files that they name. Proves SBX-007.
#[test]
fn a_venue_has_no_door() {
    let venue = Venue::start();
    let mut due: Vec<String> = [
        "/",
        "/signin",
        "/signin?step=code",
        "/signup",
        "/password",
        "/end-sessions",
        "/docs",
        "/predictions",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut seen = Vec::new();
    while let Some(path) = due.pop() {
        let answer = venue.get(&path);
        assert_eq!(answer.status(), 200, "{path}");
        assert_eq!((trace(&answer), answer.reply.header("set-cookie")), (None, None), "{path}");
        let text = answer.reply.text();
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_file = |word: &&str| matches!(word.rsplit_once('.'), Some((_, "js" | "css")));
        for word in text.split('"').filter(is_file) {
            let file = match (word.strip_prefix("./"), word.strip_prefix("../")) {
                (Some(name), _) => format!("{folder}/{name}"),
                (_, Some(name)) => format!("/site/{name}"),
                (None, None) if word.starts_with("/site/") => word.to_owned(),
                (None, None) => continue,
            };
            if !seen.contains(&file) {
                seen.push(file.clone());
                due.push(file);
            }
        }
    }
    assert!(seen.len() > 10, "{seen:?}");
    for path in ["/site/door.js", "/site/door.css", ENTER] {
        venue.get(path).refused(404, "EndpointNotFound");
    }
    let body = json!({ "email": "owner@one.test" }).to_string();
    let entered = venue.anyone().send("POST", ENTER, &[JSON], body.as_bytes());
    entered.refused(404, "EndpointNotFound");
    let held = venue.anyone().send("POST", "/sandbox/approvals/end-hold", &[JSON], b"{}");
    held.refused(404, "EndpointNotFound");
}
