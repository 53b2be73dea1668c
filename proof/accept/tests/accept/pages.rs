//! The web pages as a browser receives them: heads, statuses, files. `cargo xtask browser` shows how they look and behave.

use std::time::Duration;

use buttonwood_accept::{Answer, Exchange, Value, json, raw};

fn page(x: &Exchange, path: &str) -> Answer {
    let answer = x.get(path);
    assert_eq!(answer.reply.header("content-type"), Some("text/html; charset=utf-8"), "{answer}");
    let policy = answer.reply.header("content-security-policy").unwrap_or_default();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"), "{answer}");
    answer
}

/// The block of data of a page.
fn data(text: &str) -> Value {
    let block = text.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>"));
    serde_json::from_str(block.expect("a block of data").0).expect("JSON")
}

/// Every listed symbol has a page, in any letter case; other methods are refused. Addresses of earlier builds lead to it.
#[test]
fn symbols_have_pages() {
    let x = Exchange::start();
    for (path, symbol, kind, tick) in [
        ("/trade/btcusd", "btcusd", "spot", "0.01"),
        ("/trade/ETHBTC", "ethbtc", "spot", "0.00001"),
        ("/trade/avaxgusdperp?frame=1h", "avaxgusdperp", "perpetual", "0.001"),
    ] {
        let answer = page(&x, path);
        assert_eq!(answer.status(), 200, "{answer}");
        let text = answer.reply.text();
        let shown = &data(&text)["page"];
        assert_eq!((&shown["symbol"], &shown["kind"]), (&json!(symbol), &json!(kind)), "{shown}");
        assert_eq!((&shown["tick"], &shown["status"]), (&json!(tick), &json!("open")), "{shown}");
        let head = x.anyone().send("HEAD", path, &[], b"");
        assert_eq!((head.status(), head.reply.text().as_str()), (200, ""), "{head}");
        let length = head.reply.header("content-length").unwrap_or_default();
        assert_eq!(length, text.len().to_string(), "{head}");
    }
    for method in ["POST", "PUT", "DELETE"] {
        let answer = x.anyone().send(method, "/trade/btcusd", &[], b"");
        assert_eq!((answer.status(), answer.reply.header("allow")), (405, Some("GET, HEAD")), "{answer}");
    }
    let moved = x.get("/markets/btcusd");
    assert_eq!((moved.status(), moved.reply.header("location")), (301, Some("/trade/btcusd")), "{moved}");
    let first = x.get("/trade");
    let location = first.reply.header("location").unwrap_or_default().to_owned();
    assert_eq!((first.status(), x.get(&location).status()), (303, 200), "{first}");
}

/// A file has a tag that a browser shows again, is compressed for those who take that, and is otherwise the same.
#[test]
fn files_are_compressed_and_tagged() {
    let x = Exchange::start();
    let visitor = x.anyone();
    let plain = visitor.get("/site/base.css");
    let tag = plain.reply.header("etag").expect("a tag").to_owned();
    assert_eq!(plain.reply.header("cache-control"), Some("no-cache"), "{plain}");
    let packed = visitor.send("GET", "/site/base.css", &[("accept-encoding", "br, gzip")], b"");
    assert_eq!(packed.reply.header("content-encoding"), Some("gzip"), "{packed}");
    assert_eq!(packed.reply.header("vary"), Some("Accept-Encoding"), "{packed}");
    assert!(
        packed.reply.body.len() < plain.reply.body.len() && plain.reply.header("content-encoding").is_none()
    );
    let held = visitor.send("GET", "/site/base.css", &[("if-none-match", &tag)], b"");
    assert_eq!((held.status(), held.reply.body.len()), (304, 0), "{held}");
    let other = visitor.send("GET", "/site/base.css", &[("if-none-match", "\"other\"")], b"");
    assert_eq!((other.status(), other.reply.text()), (200, plain.reply.text()));
}

/// A request for a page whose end or host could be read in two ways is refused, like one for a route.
#[test]
fn a_page_is_not_shown_to_an_ambiguous_request() {
    let x = Exchange::start();
    let host = format!("Host: {}\r\n", x.base_url().trim_start_matches("http://"));
    for (fields, why) in [
        (host.clone() + &host, "more than one Host"),
        (String::new(), "no Host"),
        (host.clone() + "Content-Length: 0\r\nContent-Length: 0\r\n", "more than one Content-Length"),
    ] {
        let request = format!("GET /docs HTTP/1.1\r\nConnection: close\r\n{fields}\r\n");
        let answer = raw::send(&x, request.as_bytes(), Duration::from_secs(10));
        assert_eq!((answer.status(), answer.worded()), (Some(400), Ok(())), "{}", answer.text());
        assert!(answer.text().contains(why) && answer.closed, "{}", answer.text());
    }
}

/// A symbol that does not exist has a page that says so, with status 404; its name shows as text.
#[test]
fn unknown_markets_are_not_found() {
    let x = Exchange::start();
    let long = format!("/trade/{}", "x".repeat(2_000));
    for path in ["/trade/nosuch", "/trade/", "/trade/btcusd/", "/trade/btcusd%20", "/trade/%3Cb%3E", &long] {
        let answer = page(&x, path);
        assert_eq!(answer.status(), 404, "{answer}");
        let text = answer.reply.text();
        assert!(text.contains("No such market") && text.len() < 4_000, "{answer}");
        assert_eq!(x.anyone().send("HEAD", path, &[], b"").status(), 404);
    }
    let answer = page(&x, "/trade/a&'b");
    assert!(answer.reply.text().contains("<code>a&amp;&#39;b</code>"), "{answer}");
    x.get("/markets").refused(404, "EndpointNotFound");
    page(&x, "/operator");
    assert_eq!(x.get("/operator").status(), 404, "for operators alone");
}

/// A symbol that is listed while the exchange runs has its page at once, and a page shows the symbol's status of now.
#[test]
fn pages_follow_the_symbols() {
    let x = Exchange::start();
    let fields = json!({
        "symbol": "dogegbp", "base_currency": "DOGE", "quote_currency": "GBP", "tick_size": "0.000001",
        "quote_increment": "0.00001", "min_order_size": "0.1"
    });
    assert_eq!(page(&x, "/trade/dogegbp").status(), 404);
    x.control("/sandbox/symbols", &fields).ok();
    assert_eq!(page(&x, "/trade/dogegbp").status(), 200);
    x.set_status("dogegbp", "cancel_only");
    let text = page(&x, "/trade/dogegbp").reply.text();
    assert_eq!(data(&text)["page"]["status"], "cancel_only", "{text}");
    assert!(page(&x, "/").reply.text().contains("<a href=\"/trade/dogegbp\">DOGE/GBP</a>"));
    x.control("/sandbox/maintenance", &json!({ "on": true })).ok();
    x.get("/trade/dogegbp").refused(503, "Maintenance");
}

/// The front page's table leads to the pages of all symbols; a page's data name the markets with orders.
#[test]
fn markets_are_linked() {
    let x = Exchange::start();
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    let front = page(&x, "/").reply.text();
    let listed = x.get("/v1/symbols").ok();
    for symbol in listed.as_array().expect("an array") {
        let link = format!("<a href=\"/trade/{}\">", symbol.as_str().expect("a text"));
        assert!(front.contains(&link), "{link}");
    }
    let other = data(&page(&x, "/trade/ethusd").reply.text());
    let expected =
        json!([{ "symbol": "btcusd", "title": "BTC/USD" }, { "symbol": "ethusd", "title": "ETH/USD" }]);
    assert_eq!(other["page"]["markets"], expected);
}

/// Pages load only files of this exchange, and have no script or style of their own, as their policy demands.
#[test]
fn pages_load_only_their_own_files() {
    let x = Exchange::start();
    for path in ["/", "/docs", "/trade/btcusd", "/trade/nosuch", "/predictions", "/signin"] {
        let text = page(&x, path).reply.text();
        for part in ["<style", " style=", " onclick=", "javascript:"] {
            assert!(!text.contains(part), "{part}: {text}");
        }
        let is_data = |tag: &str| tag.starts_with(" type=\"application/json\"");
        let inline = text.split("<script").skip(1).find(|tag| !is_data(tag) && !tag.contains("src=\"/site/"));
        assert_eq!(inline, None);
        for file in files(&text) {
            let answer = x.get(file);
            assert_eq!(answer.status(), 200, "{answer}");
            let kind = answer.reply.header("content-type").unwrap_or_default();
            let wanted = match file.rsplit('.').next() {
                Some("js") => "text/javascript; charset=utf-8",
                Some("css") => "text/css; charset=utf-8",
                Some("svg") => "image/svg+xml",
                _ => "text/plain; charset=utf-8",
            };
            assert_eq!(kind, wanted, "{file}");
        }
    }
}

/// The files that a page or a script of modules names.
fn files(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').filter(|word| word.starts_with("/site/") && word.contains('.'))
}

/// Every module that a page's script imports is there, directly or through others; so are the licences of libraries.
#[test]
fn modules_and_licences_are_served() {
    let x = Exchange::start();
    let pages = [
        "front",
        "docs",
        "trade",
        "predictions",
        "account",
        "money",
        "clearing",
        "staking",
        "statement",
        "operator",
        "console",
        "calls",
        "requests",
        "signup",
        "signin",
        "password",
        "security",
        "keys",
        "apps",
        "sessions",
    ];
    let mut due: Vec<String> = pages.iter().map(|page| format!("/site/{page}.js")).collect();
    let mut seen: Vec<String> = Vec::new();
    while let Some(path) = due.pop() {
        let script = x.get(&path);
        assert_eq!(script.status(), 200, "{path}");
        let text = script.reply.text();
        let folder = path.rsplit_once('/').expect("a path").0;
        for name in text.split('"').filter(|word| word.rsplit('.').next() == Some("js")) {
            let named = match (name.strip_prefix("./"), name.strip_prefix("../")) {
                (Some(name), _) => format!("{folder}/{name}"),
                (_, Some(name)) => format!("/site/{name}"),
                (None, None) => continue,
            };
            if !seen.contains(&named) {
                seen.push(named.clone());
                due.push(named);
            }
        }
    }
    for path in ["lightweight-charts/LICENSE", "htm/LICENSE"] {
        let licence = x.get(&format!("/site/{path}")).reply.text();
        assert!(licence.contains("Apache License") && licence.contains("Version 2.0"), "{licence}");
    }
    assert!(x.get("/site/preact/LICENSE").reply.text().contains("MIT License"));
    let page = page(&x, "/trade/btcusd").reply.text();
    for part in ["TradingView Lightweight Charts", "<a href=\"https://www.tradingview.com/\">"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
