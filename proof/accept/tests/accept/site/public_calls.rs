//! Public calls of the interface by page: `/site/public/…`.

use buttonwood_accept::{Actor, Exchange, Value, json, wait_until};
use std::io::{Read, Write};
use std::net::TcpStream;

const CONTRACT: &str = include_str!("../../../../../contract/openapi.json");
const SITE: &str = "/site/public";

/// The head and the body of a reply to a GET with these further header fields, byte for byte.
fn fetch(address: &str, path: &str, fields: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).expect("the exchange listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{fields}Connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).unwrap();
    let end = reply.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
    (String::from_utf8(reply[..end].to_vec()).unwrap(), reply[end + 4..].to_vec())
}

/// The status line, the media type and the body.
fn get(address: &str, path: &str) -> (String, String, Vec<u8>) {
    let (head, body) = fetch(address, path, "");
    let (status, fields) = head.split_once("\r\n").expect("header fields");
    let kind = fields.lines().find_map(|field| field.strip_prefix("content-type: "));
    (status.to_owned(), kind.expect("a media type").to_owned(), body)
}

/// Whether the site answers a call as the interface does; returns the status line.
#[track_caller]
fn same(x: &Exchange, path: &str) -> String {
    let address = x.address();
    let (site, interface) = (get(&address, &format!("{SITE}{path}")), get(&address, path));
    assert_eq!(site, interface, "{path}: {}", String::from_utf8_lossy(&site.2));
    site.0
}

/// The paths of the contract's GETs, public or not, with values for their parameters.
fn gets(is_public: bool) -> Vec<String> {
    let contract: Value = serde_json::from_str(CONTRACT).unwrap();
    let paths = contract["paths"].as_object().unwrap().iter();
    let is_wanted = |item: &Value| {
        let by = &item["get"]["x-by"];
        item["x-stream"] != true && by.is_string() && (by == "public") == is_public
    };
    let filled = |path: &String| {
        let values = [
            (
                "{symbol}",
                if path.contains("funding") || path.contains("risk") { "btcgusdperp" } else { "btcusd" },
            ),
            ("{time_frame}", "1m"),
            ("{eventTicker}", "DEMOBTC"),
            ("{date}", "2026-01-01"),
        ];
        values.iter().fold(path.clone(), |path, (name, value)| path.replace(name, value))
    };
    paths.filter(|(_, item)| is_wanted(item)).map(|(path, _)| filled(path)).collect()
}

/// Every public call of the contract is answered by the site as by the interface, byte for byte, with its
/// query and its refusals too.
#[test]
fn a_public_call_is_that_of_the_interface() {
    let x = Exchange::start();
    x.as_("trader").limit("btcusd", "sell", "1", "100.5");
    x.as_("counterparty").limit("btcusd", "buy", "0.5", "101");
    let paths = gets(true);
    assert!(paths.len() > 30, "{paths:?}");
    let answered = paths.iter().filter(|path| same(&x, path) == "HTTP/1.1 200 OK").count();
    assert!(answered > 25, "of {} only {answered} are answered", paths.len());
    for path in [
        "/v1/trades/BTCUSD?limit_trades=1&include_breaks=true",
        "/v1/book/btcusd?limit_bids=1",
        "/v1/symbols?x=%ff",
    ] {
        assert_eq!(same(&x, path), "HTTP/1.1 200 OK", "{path}");
    }
    for path in [
        "/v1/trades/nosuch",
        "/v1/trades/btcusd?limit_trades=x",
        "/v1/trades/btcusd?limit_trades=%",
        "/v2/candles/btcusd/2m",
        "/v1/book/btcusd?limit_bids=-1",
        "/v1/riskstats/btcusd",
        "/v1/pubticker/nosuch",
        "/v1/prediction-markets/events?limit=x",
        "/v1/prediction-markets/events/NOSUCH",
    ] {
        assert!(same(&x, path).starts_with("HTTP/1.1 4"), "{path}");
    }
    x.control("/sandbox/maintenance", &json!({ "on": true })).ok();
    assert!(same(&x, "/v1/symbols").starts_with("HTTP/1.1 503 "));
}

/// A strict sandbox refuses an unknown parameter there too.
#[test]
fn a_strict_sandbox_is_strict_there() {
    let x = Exchange::builder().flag("--strict", "on").start();
    assert!(same(&x, "/v1/book/btcusd?limit=5").starts_with("HTTP/1.1 400 "));
    assert!(same(&x, "/v1/book/btcusd?limit_bids=5").starts_with("HTTP/1.1 200 "));
}

/// Private calls, posts, streams, control calls and unknown paths are not there. A public one is a GET.
#[test]
fn only_public_calls_are_there() {
    let x = Exchange::start();
    let others =
        ["/v1/order/new", "/v1/balances", "/v1/marketdata/btcusd", "/v2/marketdata", "/v1/order/events"];
    let paths = ["/sandbox/clock", "/site/session", "/health/live", "/v1/nosuch", "/v1/symbols/", "/", ""];
    let private = gets(false);
    assert!(private.iter().any(|path| path.starts_with("/v2/fxrate/")), "{private:?}");
    for path in others.into_iter().chain(paths).chain(private.iter().map(String::as_str)) {
        for method in ["GET", "POST"] {
            let answer = x.anyone().send(method, &format!("{SITE}{path}"), &[], b"");
            answer.refused(404, "EndpointNotFound");
        }
    }
    let symbols = format!("{SITE}/v1/symbols");
    for method in ["POST", "PUT", "DELETE"] {
        let answer = x.anyone().send(method, &symbols, &[], b"");
        assert_eq!((answer.status(), answer.reply.header("allow")), (405, Some("GET, HEAD")), "{answer}");
    }
    let head = x.anyone().send("HEAD", &symbols, &[], b"");
    assert_eq!((head.status(), head.reply.text().as_str()), (200, ""));
}

/// A page of another site is refused as by `/site/call`, and may not read the answer; no cache keeps it.
#[test]
fn pages_of_other_sites_are_refused() {
    let x = Exchange::start();
    let (path, own) = (format!("{SITE}/v1/symbols"), x.base_url());
    let send = |fields: &[(&str, &str)]| x.anyone().send("GET", &path, fields, b"");
    for fields in [
        &[("Sec-Fetch-Site", "cross-site")][..],
        &[("Sec-Fetch-Site", "same-site")],
        &[("Sec-Fetch-Site", "same-origin"), ("Origin", "https://page.example")],
        &[("Origin", "null")],
    ] {
        let answer = send(fields);
        let message = answer.refused(403, "CsrfMismatch").message;
        assert!(message.contains("'Sec-Fetch-Site'"), "{message}");
        assert_eq!(answer.reply.header("access-control-allow-origin"), None, "{answer}");
    }
    for fields in [
        &[][..],
        &[("Sec-Fetch-Site", "same-origin")],
        &[("Sec-Fetch-Site", "none")],
        &[("Sec-Fetch-Site", "same-origin"), ("Origin", &own)],
    ] {
        let answer = send(fields);
        assert_eq!(answer.status(), 200, "{answer}");
        assert_eq!(answer.reply.header("access-control-allow-origin"), None, "{answer}");
        assert_eq!(answer.reply.header("cache-control"), Some("no-store"), "{answer}");
    }
    let asks = [("Origin", "https://page.example"), ("Access-Control-Request-Method", "GET")];
    assert_eq!(x.anyone().send("OPTIONS", &path, &asks, b"").status(), 405);
}

/// Pages take nothing of the public limit of their address: its programs are served next to them. The pages'
/// own limit ends a flood.
#[test]
fn pages_leave_the_public_limit_to_programs() {
    let x = Exchange::builder().real_time().flag("--rate-limits", "on").start();
    let visitor = x.fresh("trader");
    let path = format!("{SITE}/v1/symbols");
    for _ in 0..150 {
        wait_until("the limit of pages", || visitor.get(&path).status() == 200);
    }
    let refused = (0..2_000).map(|_| visitor.get(&path)).find(|answer| answer.status() != 200);
    let refused = refused.expect("a flood is refused");
    assert_eq!(refused.refused(429, "RateLimit").message, "Too Many Requests");
    assert_eq!(refused.reply.header("retry-after"), Some("1"));
    // Two at once and five that wait are all that the public limit has.
    let programs: Vec<Actor> = (0..7).map(|_| x.fresh("trader")).collect();
    std::thread::scope(|scope| {
        for program in &programs {
            scope.spawn(|| program.get("/v1/symbols").ok());
        }
    });
    wait_until("pages again", || visitor.get(&path).status() == 200);
}

/// With a listener of their own, the pages have these calls there, where the interface is not.
#[test]
fn the_listener_of_pages_has_them() {
    let x = Exchange::builder().flag("--auth-listen", "127.0.0.1:0").start();
    let file = x.credentials();
    let pages = file["auth_url"].as_str().unwrap().trim_start_matches("http://");
    for path in
        ["/v1/symbols", "/v2/ticker/btcusd", "/v1/trades/nosuch", "/v1/prediction-markets/events?limit=1"]
    {
        assert_eq!(get(pages, &format!("{SITE}{path}")), get(&x.address(), path), "{path}");
        assert!(get(pages, path).0.starts_with("HTTP/1.1 404 "), "{path}");
        x.get(&format!("{SITE}{path}")).refused(404, "EndpointNotFound");
    }
    let auth = Actor::new("pages", buttonwood_client::Client::new(&format!("http://{pages}")).unwrap());
    let own = [("Sec-Fetch-Site", "same-origin"), ("Origin", &*format!("http://{pages}"))];
    assert_eq!(auth.send("GET", &format!("{SITE}/v1/symbols"), &own, b"").status(), 200);
    let elsewhere = [("Origin", &*x.base_url())];
    auth.send("GET", &format!("{SITE}/v1/symbols"), &elsewhere, b"").refused(403, "CsrfMismatch");
}

/// Long texts without a secret are compressed for clients that take it, and only for them: the contract, the market table, public calls of
/// pages. A page with its token is not.
#[test]
fn long_public_texts_are_compressed() {
    let x = Exchange::start();
    let address = x.address();
    let details = format!("{SITE}/v1/prediction-markets/events");
    for path in ["/openapi.json", "/asyncapi.json", "/site/market.json", &details] {
        let (head, packed) = fetch(&address, path, "Accept-Encoding: gzip\r\n");
        assert!(head.contains("\r\ncontent-encoding: gzip"), "{path}: {head}");
        assert!(head.contains("\r\nvary: Accept-Encoding"), "{path}: {head}");
        let (plain, whole) = fetch(&address, path, "Accept-Encoding: br, gzip;q=0\r\n");
        assert!(!plain.contains("content-encoding"), "{path}: {plain}");
        assert!(
            packed.starts_with(&[0x1f, 0x8b]) && packed.len() * 2 < whole.len(),
            "{path}: {}",
            packed.len()
        );
    }
    for path in ["/", "/signin", "/v1/symbols"] {
        let (head, _) = fetch(&address, path, "Accept-Encoding: gzip\r\n");
        assert!(!head.contains("content-encoding"), "{path}: {head}");
    }
}
