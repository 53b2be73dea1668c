//! The web pages as a browser receives them: heads, statuses, files. `cargo xtask browser` shows how they look and behave.

use std::time::Duration;

use buttonwood_accept::{Answer, Exchange, json, raw};

fn page(x: &Exchange, path: &str) -> Answer {
    let answer = x.get(path);
    assert_eq!(answer.reply.header("content-type"), Some("text/html; charset=utf-8"), "{answer}");
    let policy = answer.reply.header("content-security-policy").unwrap_or_default();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"), "{answer}");
    answer
}

/// Every listed symbol has a page, in any letter case; other methods are refused.
#[test]
fn markets_have_pages() {
    let x = Exchange::start();
    for (path, parts) in [
        (
            "/markets/btcusd",
            ["data-symbol=\"btcusd\"", "data-status=\"open\"", "prices in steps of\n  0.01 USD"],
        ),
        ("/markets/ETHBTC", ["data-symbol=\"ethbtc\"", "data-status=\"open\"", "data-price-decimals=\"5\""]),
        ("/markets/avaxgusdperp?frame=1h", ["AVAX", "data-status=\"open\"", "perpetual contract"]),
    ] {
        let answer = page(&x, path);
        assert_eq!(answer.status(), 200, "{answer}");
        let text = answer.reply.text();
        for part in parts {
            assert!(text.contains(part), "{part}: {answer}");
        }
        let head = x.anyone().send("HEAD", path, &[], b"");
        assert_eq!((head.status(), head.reply.text().as_str()), (200, ""), "{head}");
        let length = head.reply.header("content-length").unwrap_or_default();
        assert_eq!(length, text.len().to_string(), "{head}");
    }
    for method in ["POST", "PUT", "DELETE"] {
        let answer = x.anyone().send(method, "/markets/btcusd", &[], b"");
        assert_eq!((answer.status(), answer.reply.header("allow")), (405, Some("GET, HEAD")), "{answer}");
    }
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
    let long = format!("/markets/{}", "x".repeat(2_000));
    for path in
        ["/markets/nosuch", "/markets/", "/markets/btcusd/", "/markets/btcusd%20", "/markets/%3Cb%3E", &long]
    {
        let answer = page(&x, path);
        assert_eq!(answer.status(), 404, "{answer}");
        let text = answer.reply.text();
        assert!(text.contains("No such market") && text.len() < 4_000, "{answer}");
        assert_eq!(x.anyone().send("HEAD", path, &[], b"").status(), 404);
    }
    let answer = page(&x, "/markets/a&'b");
    assert!(answer.reply.text().contains("<code>a&amp;&#39;b</code>"), "{answer}");
    x.get("/markets").refused(404, "EndpointNotFound");
}

/// A symbol that is listed while the exchange runs has its page at once, and a page shows the symbol's status of now.
#[test]
fn pages_follow_the_symbols() {
    let x = Exchange::start();
    let fields = json!({
        "symbol": "dogegbp", "base_currency": "DOGE", "quote_currency": "GBP", "tick_size": "0.000001",
        "quote_increment": "0.00001", "min_order_size": "0.1"
    });
    assert_eq!(page(&x, "/markets/dogegbp").status(), 404);
    x.control("/sandbox/symbols", &fields).ok();
    assert_eq!(page(&x, "/markets/dogegbp").status(), 200);
    x.set_status("dogegbp", "cancel_only");
    let text = page(&x, "/markets/dogegbp").reply.text();
    assert!(text.contains("data-status=\"cancel_only\""), "{text}");
    assert!(page(&x, "/").reply.text().contains("<a href=\"/markets/dogegbp\">DOGE/GBP</a>"));
    x.control("/sandbox/maintenance", &json!({ "on": true })).ok();
    x.get("/markets/dogegbp").refused(503, "Maintenance");
}

/// The front page's rows and its list of all symbols lead to the pages; a page's strip lists the markets with orders.
#[test]
fn markets_are_linked() {
    let x = Exchange::start();
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    let front = page(&x, "/").reply.text();
    assert!(front.contains("<th scope=\"row\"><a href=\"/markets/btcusd\">btcusd</a></th>"), "{front}");
    let listed = x.get("/v1/symbols").ok();
    for symbol in listed.as_array().expect("an array") {
        let link = format!("<li><a href=\"/markets/{}\">", symbol.as_str().expect("a text"));
        assert!(front.contains(&link), "{link}");
    }
    let other = page(&x, "/markets/ethusd").reply.text();
    let strip = [
        "<li><a href=\"/markets/btcusd\">BTC/USD</a></li>",
        "<li><a href=\"/markets/ethusd\" aria-current=\"page\">ETH/USD</a></li>",
    ];
    assert!(other.contains(&strip.concat()), "{other}");
}

/// Pages load only files of this exchange, and have no script or style of their own, as their policy demands.
#[test]
fn pages_load_only_their_own_files() {
    let x = Exchange::start();
    for path in ["/", "/docs", "/markets/btcusd", "/markets/nosuch"] {
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
    text.split('"').filter(|word| word.starts_with("/site/"))
}

/// The modules that the market page's script imports are there, and the binary carries the licence of the library in it.
#[test]
fn modules_and_licences_are_served() {
    let x = Exchange::start();
    let script = x.get("/site/market.js").reply.text();
    let modules: Vec<&str> = script.split('"').filter_map(|word| word.strip_prefix("./")).collect();
    assert_eq!(modules, ["candles.js", "decimal.js", "depth.js", "poll.js"]);
    for script in ["front", "docs", "poll"] {
        let script = x.get(&format!("/site/{script}.js")).reply.text();
        assert!(script.contains("from \"./failure.js\""), "{script}");
    }
    for module in modules.into_iter().chain(["failure.js"]) {
        assert_eq!(x.get(&format!("/site/{module}")).status(), 200, "{module}");
    }
    let licence = x.get("/site/lightweight-charts/LICENSE").reply.text();
    assert!(licence.contains("Apache License") && licence.contains("Version 2.0"), "{licence}");
    let page = page(&x, "/markets/btcusd").reply.text();
    for part in ["TradingView Lightweight Charts", "<a href=\"https://www.tradingview.com/\">"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
