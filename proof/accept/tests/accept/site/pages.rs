//! The pages of people as a browser receives them.

use super::{entry, user};
use buttonwood_accept::{Answer, Browser, Exchange, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
                      form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'";

fn location(answer: &Answer) -> &str {
    assert_eq!(answer.status(), 303, "{answer}");
    assert_eq!(answer.reply.header("cache-control"), Some("no-store"));
    answer.reply.header("location").expect("a location")
}

/// Every page has a strict policy, no code of its own, one heading, a label for each input, and files that are there.
#[test]
fn pages_are_strict() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let (anyone, full) = (Browser::new(&x), Browser::of(&x, "a@people.test"));
    let public = ["/signup", "/signin", "/password", "/end-sessions"].map(|path| (&anyone, path));
    let private = [
        "/settings/security",
        "/settings/keys",
        "/settings/apps",
        "/settings/sessions",
        "/account",
        "/account/money",
        "/account/clearing",
        "/account/staking",
        "/account/statement",
    ];
    let private = private.map(|path| (&full, path));
    for (browser, path) in public.into_iter().chain(private) {
        let answer = browser.get(path);
        assert_eq!(answer.status(), 200, "{answer}");
        for (name, value) in [
            ("content-type", "text/html; charset=utf-8"),
            ("content-security-policy", POLICY),
            ("referrer-policy", "same-origin"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(answer.reply.header(name), Some(value), "{path} {name}");
        }
        let text = answer.reply.text();
        for part in ["<style", " style=", " onclick=", " onsubmit=", "javascript:", "http:", "https:"] {
            assert!(!text.contains(part), "{path} {part}: {text}");
        }
        for part in ["<html lang=\"en\"", "<title>", "<h1>", "<main "] {
            assert_eq!(text.matches(part).count(), 1, "{path} {part}: {text}");
        }
        for file in text.split('"').filter(|word| word.starts_with("/site/") && word.contains('.')) {
            assert_eq!(x.get(file).status(), 200, "{file}");
        }
        let ids =
            text.split("<input ").skip(1).filter_map(|tag| tag.split("id=\"").nth(1)?.split('"').next());
        for id in ids {
            let is_labelled = text.contains(&format!("for=\"{id}\"")) || text.contains("aria-label=");
            assert!(is_labelled, "{path}: {id} has no label");
        }
    }
}

/// A page of settings or of an account needs both factors, and leads to the sign-in.
#[test]
fn settings_and_accounts_need_both_factors() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let (anyone, half) = (Browser::new(&x), Browser::new(&x));
    half.post("/site/signin", &entry("a@people.test")).ok();
    let pages = ["/settings/security", "/settings/apps", "/settings/sessions", "/account", "/account/money"];
    for path in pages.map(str::to_owned) {
        for browser in [&anyone, &half] {
            assert_eq!(location(&browser.get(&path)), format!("/signin?next={path}"));
        }
    }
    let full = Browser::of(&x, "a@people.test");
    assert_eq!(location(&full.get("/signin")), "/account");
    assert_eq!(location(&full.get("/signin?next=/settings/apps")), "/settings/apps");
}

/// `next` is a path of this site; anything else is ignored, and not in the page.
#[test]
fn next_stays_on_the_site() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let (anyone, full) = (Browser::new(&x), Browser::of(&x, "a@people.test"));
    let next = "/auth?client_id=1&redirect_uri=https%3A%2F%2Fapp.example%2F";
    let asked = "/signin?next=%2Fauth%3Fclient_id%3D1%26redirect_uri%3Dhttps%253A%252F%252Fapp.example%252F";
    assert!(anyone.get(asked).reply.text().contains(next));
    assert_eq!(location(&full.get(asked)), next);
    for other in [
        "//evil.example",
        "/%5Cevil.example",
        "%5C%5Cevil.example",
        "https://evil.example/",
        "/%09/evil.example",
        "/%0A/evil.example",
        "%2F%2Fevil.example",
        "javascript:evil.example",
        "evil.example",
        "/a%20evil.example",
        "/%C3%A9evil.example",
        "/a&next=/evil.example",
        "%",
    ] {
        let path = format!("/signin?next={other}");
        let page = anyone.get(&path);
        assert_eq!(page.status(), 200, "{path}");
        assert!(!page.reply.text().contains("evil"), "{path}");
        assert_eq!(location(&full.get(&path)), "/account", "{path}");
    }
    let escaped = anyone.get("/signin?next=/%3C/script%3E%3Cb%3E").reply.text();
    assert!(!escaped.contains("<b>") && escaped.contains("\\u003cb"), "{escaped}");
}

/// A page that needs a new code asks a user for it who is signed in, once the last is five minutes old.
#[test]
fn a_step_asks_for_a_code() {
    let x = Exchange::start();
    user(&x, "a@people.test");
    let full = Browser::of(&x, "a@people.test");
    let path = "/signin?step=code&next=/settings/apps";
    assert_eq!(location(&full.get(path)), "/settings/apps");
    x.advance(5 * 60);
    let page = full.get(path);
    assert_eq!(page.status(), 200, "{page}");
    assert!(page.reply.text().contains("\"step\":\"code\""), "{page}");
    let half = Browser::new(&x);
    half.post("/site/signin", &entry("a@people.test")).ok();
    assert!(half.get("/signin").reply.text().contains("\"step\":\"second_factor\""));
    assert_eq!(half.post("/signin", &json!({})).status(), 405);
}

/// The whole answer to a browser at an address that no contract knows.
fn page_at(x: &Exchange, path: &str, accept: &str) -> String {
    let mut socket = TcpStream::connect(x.address()).expect("a connection");
    let fields = format!("Host: {}\r\nAccept: {accept}\r\nConnection: close", x.address());
    write!(socket, "GET {path} HTTP/1.1\r\n{fields}\r\n\r\n").expect("it is sent");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("an answer");
    answer
}

/// A browser that a person sent to an address without a page gets a page with 404; programs get JSON, and so do all at the interface's paths.
#[test]
fn a_missing_page_is_a_page() {
    let x = Exchange::start();
    let html = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let get = |path: &str, accept: &str| x.anyone().send("GET", path, &[("Accept", accept)], b"");
    for path in ["/account/", "/account/nope", "/console/nope", "/operator/", "/nope", "/v1x"] {
        let page = page_at(&x, path, html).to_ascii_lowercase();
        assert!(page.starts_with("http/1.1 404 "), "{page}");
        for part in ["content-type: text/html", "there is nothing at this address"] {
            assert!(page.contains(part), "{path} has no '{part}': {page}");
        }
        for accept in ["application/json", "*/*", "application/json, text/html"] {
            get(path, accept).refused(404, "EndpointNotFound");
        }
        let posted = x.anyone().send("POST", path, &[("Accept", html)], b"");
        posted.refused(404, "EndpointNotFound");
    }
    for path in ["/v1/nope", "/v2/nope", "/sandbox/nope", "/site/nope", "/health/nope", "/auth/nope"] {
        get(path, html).refused(404, "EndpointNotFound");
    }
}

/// A page learns the status of its market and a halt of the exchange, at its start and while it is open.
#[test]
fn a_page_learns_of_halts() {
    let x = Exchange::start();
    let status = || x.get("/site/status/BTCUSD.json").ok();
    let page = || x.get("/trade/btcusd").reply.text();
    assert_eq!(status(), json!({ "status": "open", "halted": false, "pinned": null }));
    assert!(page().contains("\"halted\":false"));
    x.control("/sandbox/halt", &json!({})).ok();
    assert_eq!(status(), json!({ "status": "open", "halted": true, "pinned": null }));
    assert!(page().contains("\"halted\":true"));
    x.set_status("btcusd", "post_only");
    assert_eq!(status()["status"], "post_only");
    x.get("/site/status/nosuch.json").refused(404, "EndpointNotFound");
}

/// `/trade` leads to the market of the largest volume.
#[test]
fn trading_begins_at_the_largest_market() {
    let x = Exchange::start();
    let largest = x.get("/site/market.json").ok()["rows"][0]["symbol"].clone();
    let place = format!("/trade/{}", largest.as_str().expect("a symbol"));
    assert_eq!(location(&x.get("/trade")), place);
}
