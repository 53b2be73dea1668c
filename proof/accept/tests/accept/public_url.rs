//! The addresses of pages: behind a proxy, and on a listener of their own.

use std::io::{Read, Write};
use std::net::TcpStream;

use buttonwood_accept::{Actor, Client, Exchange, json, private_folder, run_to_end};

const PUBLIC: &str = "https://exchange.example";
const OWNER: &str = "owner@one.test";

fn password(x: &Exchange) -> String {
    let users = x.credentials()["users"].as_array().cloned().unwrap();
    let owner = users.iter().find(|user| user["email"] == OWNER).unwrap();
    owner["password"].as_str().unwrap().to_owned()
}

/// The public address is the issuer, the beginning of links and the only origin of pages, and its https makes the cookies secure.
#[test]
fn the_public_address_is_the_one_of_pages() {
    let x = Exchange::builder().flag("--public-url", "HTTPS://Exchange.Example:443/").start();
    let file = x.credentials();
    assert_eq!((&file["auth_url"], &file["base_url"]), (&json!(PUBLIC), &json!(x.base_url())));
    let metadata = x.get("/.well-known/oauth-authorization-server").ok();
    assert_eq!(metadata["issuer"], PUBLIC);
    assert_eq!(metadata["token_endpoint"], format!("{PUBLIC}/auth/token"));

    let entry = json!({ "email": OWNER, "password": password(&x) }).to_string();
    let sign_in = |origin: Option<&str>| {
        let origin = origin.map(|origin| ("Origin", origin));
        let fields: Vec<_> = [("Content-Type", "application/json")].into_iter().chain(origin).collect();
        x.anyone().send("POST", "/site/signin", &fields, entry.as_bytes())
    };
    for foreign in [&x.base_url(), "http://exchange.example", "https://exchange.example:444", "null"] {
        sign_in(Some(foreign)).refused(403, "CsrfMismatch");
    }
    sign_in(None).ok();
    let entered = sign_in(Some(PUBLIC));
    assert_eq!(entered.ok()["next"], "second_factor");
    let cookie = entered.reply.headers["set-cookie"].to_str().unwrap();
    let (value, attributes) = cookie.split_once(';').unwrap();
    assert!(value.starts_with("__Host-session="), "{cookie}");
    assert_eq!(attributes, " HttpOnly; SameSite=Lax; Path=/; Secure");

    let session = x.control("/sandbox/sessions", &json!({ "email": OWNER })).ok();
    let cookie = session["cookie"].as_str().unwrap();
    let get = |cookie: &str| x.anyone().send("GET", "/site/session", &[("Cookie", cookie)], b"");
    assert_eq!(get(cookie).ok()["user"]["email"], OWNER);
    let other = cookie.strip_prefix("__Host-").unwrap();
    get(other).refused(401, "SignInRequired");

    let body = json!({ "email": OWNER }).to_string();
    let forgot = x.anyone().send(
        "POST",
        "/site/password/forgot",
        &[("Content-Type", "application/json"), ("Origin", PUBLIC)],
        body.as_bytes(),
    );
    assert_eq!(forgot.status(), 202, "{forgot}");
    let mails = x.get(&format!("/sandbox/mail?to={OWNER}")).ok();
    // The second sign-in without its code was mailed too, without a link.
    let messages = mails["messages"].as_array().unwrap();
    let link = messages.iter().find_map(|mail| mail["link"].as_str()).unwrap();
    assert!(link.starts_with("https://exchange.example/password?token="), "{link}");
}

/// A wrong address is refused by its flag before anything is written.
#[test]
fn a_wrong_public_address_is_refused() {
    let home = private_folder();
    let data = home.path().join("data");
    for url in [
        "exchange.example",
        "ftp://exchange.example",
        "https://exchange.example/x",
        "https://a:b@exchange.example",
    ] {
        let output = run_to_end(&[
            "sandbox",
            "--listen",
            "127.0.0.1:0",
            "--data",
            data.to_str().unwrap(),
            "--public-url",
            url,
        ]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains("--public-url"), "{text}");
        assert!(!text.contains("a:b@") && !data.exists(), "{text}");
    }
}

/// The reply to a request without a body, which the contract need not know.
fn bare(url: &str, line: &str) -> String {
    let address = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("{line} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    reply
}

/// Pages, their calls and the authorization server have a listener of their own, which has no call of the interface; both have health
/// checks and the contract, share the exchange, and stop together.
#[test]
fn pages_have_a_listener_of_their_own() {
    let x = Exchange::builder().flag("--auth-listen", "127.0.0.1:0").start();
    let file = x.credentials();
    let auth_url = file["auth_url"].as_str().unwrap();
    assert!(file["base_url"] == json!(x.base_url()) && auth_url != x.base_url(), "{auth_url}");
    let auth = Actor::new("pages", Client::new(auth_url).unwrap());
    for path in [
        "/",
        "/docs",
        "/favicon.ico",
        "/site/base.css",
        "/site/market.json",
        "/site/markets/btcusd.json",
        "/trade/btcusd",
        "/signup",
        "/signin",
        "/.well-known/oauth-authorization-server",
    ] {
        assert_eq!(auth.get(path).status(), 200, "{path}");
        x.get(path).refused(404, "EndpointNotFound");
    }
    for path in ["/v1/symbols", "/v2/ticker/btcusd", "/sandbox/clock"] {
        assert_eq!(x.get(path).status(), 200, "{path}");
        let reply = bare(auth_url, &format!("GET {path}"));
        assert!(reply.starts_with("HTTP/1.1 404 ") && reply.contains("EndpointNotFound"), "{reply}");
    }
    for path in ["/health/live", "/health/ready", "/openapi.json"] {
        assert_eq!((x.get(path).status(), auth.get(path).status()), (200, 200), "{path}");
    }
    assert_eq!(auth.get("/.well-known/oauth-authorization-server").ok()["issuer"], auth_url);
    assert_eq!(auth.get("/auth").status(), 400);
    x.get("/auth").refused(404, "EndpointNotFound");
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    assert_eq!(auth.send("POST", "/auth/token", &form, b"").status(), 400);
    x.anyone().send("POST", "/auth/token", &form, b"").refused(404, "EndpointNotFound");
    x.anyone().send("POST", "/v1/balances", &[], b"").refused(401, "MissingSecurityHeaders");
    assert!(bare(auth_url, "POST /v1/balances").starts_with("HTTP/1.1 404 "));

    let entry = json!({ "email": OWNER, "password": password(&x) }).to_string();
    let fields = [("Content-Type", "application/json"), ("Origin", auth_url)];
    let entered = auth.send("POST", "/site/signin", &fields, entry.as_bytes());
    assert_eq!(entered.ok()["next"], "second_factor");
    x.stop();
}
