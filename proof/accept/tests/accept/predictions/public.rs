//! Public reads: events, strikes, categories, combos, terms, collateral.

use super::{ROOT, exchange, limit, list, place, with};
use buttonwood_accept::{Answer, Exchange, Value, json, laws};

/// The start of every exchange in these tests.
const START: &str = "2026-01-01T00:00:00.000Z";
const NEXT_DAY: &str = "2026-01-02T00:00:00.000Z";
pub(super) const HOUR: u64 = 3_600;

fn get(x: &Exchange, path: &str) -> Answer {
    x.get(&format!("{ROOT}{path}"))
}

/// The tickers of a listing of events, and how many there are in all.
#[track_caller]
fn listed(x: &Exchange, path: &str) -> (Vec<String>, u64) {
    let page = get(x, path).ok();
    let tickers = page["data"].as_array().expect("events").iter().map(|event| text(&event["ticker"]));
    (tickers.collect(), page["pagination"]["total"].as_u64().expect("a number"))
}

#[track_caller]
fn tickers(x: &Exchange, path: &str) -> Vec<String> {
    listed(x, path).0
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// Proposes outcomes of an event without a window for disputes, which settles it.
pub(super) fn settle(x: &Exchange, event: &str, outcomes: &Value) {
    let body = json!({ "outcomes": outcomes, "source": "the weather service" });
    x.control(&format!("/sandbox/predictions/events/{event}/resolve"), &body).ok();
}

fn void(x: &Exchange, event: &str) {
    x.control(&format!("/sandbox/predictions/events/{event}/void"), &json!({ "reason": "called off" })).ok();
}

/// Events of two categories: ONE, then TWO and THREE.
fn three_events(x: &Exchange) {
    list(x, json!({ "ticker": "ONE", "title": "Snow in Oslo & Bergen", "category": "test sky" }));
    let several = json!([{ "ticker": "ANN", "label": "Ann" }, { "ticker": "BOB", "label": "Bob" }]);
    list(x, json!({ "ticker": "TWO", "title": "The CUP", "category": "test-cup", "contracts": several }));
    let start = x.now_ms() + 1_000 * HOUR;
    list(
        x,
        json!({ "ticker": "THREE", "title": "the cup again", "category": "test-cup", "start_ms": start }),
    );
}

/// Events are listed, the newest first, in pages, and filtered. Proves PM-001, PM-010.
#[test]
fn events_are_listed_in_pages_and_filtered() {
    let x = exchange();
    let (_, before) = listed(&x, "/events");
    three_events(&x);
    let page = get(&x, "/events").ok();
    assert_eq!(page["pagination"], json!({ "limit": 50, "offset": 0, "total": before + 3 }));
    assert_eq!(tickers(&x, "/events")[..4], ["THREE", "TWO", "ONE", "RAIN"]);
    let second = get(&x, "/events?limit=1&offset=1").ok();
    assert_eq!(second["pagination"], json!({ "limit": 1, "offset": 1, "total": before + 3 }));
    assert_eq!(second["data"][0]["ticker"], "TWO");
    assert_eq!(get(&x, "/events?limit=100000").ok()["pagination"]["limit"], 500);
    assert_eq!(listed(&x, "/events?offset=99999999999999999999999"), (Vec::new(), before + 3));

    for (query, expected) in [
        ("category=test-cup", vec!["THREE", "TWO"]),
        ("category=TEST-CUP&status=approved", vec!["THREE"]),
        ("category=test+sky&category=test-cup", vec!["THREE", "TWO", "ONE"]),
        ("category[]=test%20sky", vec!["ONE"]),
        ("category%5B%5D=test-cup&status%5B%5D=active&status%5B%5D=settled", vec!["TWO"]),
        ("category=nothing", vec![]),
        ("search=tHe%20cUp", vec!["THREE", "TWO"]),
        ("search=oslo+%26", vec!["ONE"]),
        ("category=test-cup&sport=ice_hockey", vec![]),
        ("category=test-cup&sports_market_type=moneyline&sports_market_subject=team", vec![]),
        ("category=test-cup&sports_market_scope=period&sports_market_metric=goals", vec![]),
    ] {
        let (found, total) = listed(&x, &format!("/events?{query}"));
        assert_eq!(found, expected, "{query}");
        assert_eq!(u64::try_from(found.len()).unwrap(), total, "{query}");
    }
}

/// Bad parameters are refused with a code, and name the parameter and its value. Proves PM-010, PM-035.
#[test]
fn bad_parameters_are_refused() {
    let x = exchange();
    let lists =
        ["/events", "/events/newly-listed", "/events/recently-settled", "/events/upcoming", "/combos"];
    for path in lists {
        for bad in ["limit=0", "limit=-1", "limit=x", "limit=1.5", "limit=", "offset=-1", "offset=x"] {
            let message = get(&x, &format!("{path}?{bad}")).coded(400, "InvalidInput");
            let (name, value) = bad.split_once('=').unwrap();
            assert!(message.contains(&format!("'{name}'")) && message.ends_with(value), "{bad}: {message}");
        }
    }
    for bad in ["status=open", "status[]=Active", "status="] {
        for path in ["/events", "/categories", "/combos?status=Active"] {
            let joint = if path.contains('?') { '&' } else { '?' };
            let bad = if path.contains("combos") { bad.replace("Active", "active") } else { bad.to_owned() };
            let message = get(&x, &format!("{path}{joint}{bad}")).coded(400, "InvalidInput");
            assert!(message.contains("'status' must be one of "), "{message}");
        }
    }
    for bad in [
        "sports_market_type=other&sports_market_type=pie",
        "sports_market_subject=cat",
        "sport=Ice%20Hockey",
        "sports_market_scope=",
        "sports_market_metric=a-b",
        "category=%",
        "search=%zz",
        "search=%FF",
    ] {
        get(&x, &format!("/events?{bad}")).coded(400, "InvalidInput");
    }
    get(&x, "/combos?contractId=x").coded(400, "InvalidInput");
    get(&x, "/combos?instrumentRegistered=maybe").coded(400, "InvalidInput");
}

/// An event and its contracts have their fields, and an unknown ticker is refused. Proves PM-002, PM-003.
#[test]
fn an_event_has_its_fields() {
    let x = exchange();
    let event = get(&x, "/events/rain").ok();
    let id = text(&event["id"]);
    let contract = json!({
        "id": format!("{id}-1"), "label": "Will it rain?", "prices": { "buy": {}, "sell": {} }, "status": "active",
        "createdAt": START, "expiryDate": NEXT_DAY, "resolutionSide": null,
        "termsAndConditionsUrl": "/v1/prediction-markets/terms", "ticker": "RAIN", "instrumentSymbol": "SVC-RAIN",
        "quantityIncrement": "0.01", "quantityMinimum": "1", "priceIncrement": "0.01", "priceMinimum": "0.01",
        "effectiveDate": START, "marketState": "open", "sortOrder": 0,
    });
    let expected = json!({
        "id": id, "title": "Will it rain?", "slug": "will-it-rain", "type": "binary", "category": "weather",
        "ticker": "RAIN", "status": "active", "createdAt": START, "contracts": [contract], "volume": "0",
        "effectiveDate": START, "expiryDate": NEXT_DAY, "startTime": START,
    });
    assert_eq!(event, expected);
    assert_eq!(tickers(&x, "/events?search=will+it+rain"), ["RAIN"]);

    place(&x, "trader", limit("buy yes 10 at 0.60"));
    place(&x, "counterparty", limit("buy no 5 at 0.30"));
    let prices = |x: &Exchange| get(x, "/events/RAIN").ok()["contracts"][0]["prices"].clone();
    assert_eq!(
        prices(&x),
        json!({
            "buy": { "yes": "0.70", "no": "0.40" }, "sell": { "yes": "0.60", "no": "0.30" },
            "bestBid": "0.60", "bestAsk": "0.70",
        })
    );
    place(&x, "counterparty", limit("buy no 10 at 0.40"));
    assert_eq!(
        prices(&x),
        json!({ "buy": { "yes": "0.70" }, "sell": { "no": "0.30" }, "bestAsk": "0.70", "lastTradePrice": "0.60" })
    );
    assert_eq!(get(&x, "/events/RAIN").ok()["volume"], "10");
    x.control("/sandbox/predictions/events/RAIN/halt", &json!({ "halted": true })).ok();
    let halted = get(&x, "/events/RAIN").ok();
    assert_eq!(
        (&halted["status"], &halted["contracts"][0]["marketState"]),
        (&json!("active"), &json!("closed"))
    );
    for path in ["/events/NOSUCH", "/events/NOSUCH/strike", "/events/NOSUCH/collateral", "/events/%"] {
        assert!(get(&x, path).coded(404, "NOT_FOUND").starts_with("Event not found: '"));
    }
}

/// The history of a resolution stays with the event; the outcome is on its contracts. Proves PM-002.
#[test]
fn a_resolution_is_shown() {
    let x = exchange();
    three_events(&x);
    let resolve = |outcomes: Value| {
        let body = json!({ "outcomes": outcomes, "source": "the referee" });
        x.control("/sandbox/predictions/events/TWO/resolve", &body).ok()
    };
    resolve(json!({ "ANN": "yes", "BOB": "no" }));
    let event = get(&x, "/events/TWO").ok();
    let step = json!({
        "timestamp": START, "state": "proposed", "outcomes": { "ANN": "yes", "BOB": "no" }, "source": "the referee",
    });
    let expected = json!({
        "state": "proposed", "source": "the referee", "settlesAt": "2026-01-01T01:00:00.000Z", "history": [step],
    });
    assert_eq!((&event["resolution"], &event["status"]), (&expected, &json!("under_review")));
    assert_eq!(event["contracts"][0]["resolutionSide"], Value::Null);
    x.control("/sandbox/predictions/events/TWO/dispute", &json!({ "reason": "a \"replay\"" })).ok();
    let disputed = get(&x, "/events/TWO").ok()["resolution"].clone();
    assert_eq!((&disputed["state"], &disputed["settlesAt"]), (&json!("disputed"), &Value::Null));
    let step = json!({ "timestamp": START, "state": "disputed", "reason": "a \"replay\"" });
    assert_eq!(disputed["history"][1], step);
    resolve(json!({ "ANN": "no", "BOB": "yes" }));
    x.advance(HOUR);
    let event = get(&x, "/events/TWO").ok();
    assert_eq!((&event["status"], &event["resolution"]["state"]), (&json!("settled"), &json!("final")));
    assert_eq!(event["resolvedAt"], "2026-01-01T01:00:00.000Z");
    let sides: Vec<_> = (0..2)
        .map(|at| ["resolutionSide", "settlementValue"].map(|name| event["contracts"][at][name].clone()))
        .collect();
    assert_eq!(json!(sides), json!([["no", "0"], ["yes", "1"]]));
}

/// A strike's value is public from its time on. Proves PM-004.
#[test]
fn a_strike_is_shown_when_it_is_public() {
    let x = exchange();
    let strike = json!({ "type": "reference", "available_ms": x.now_ms() + 1_000 * HOUR });
    list(&x, json!({ "ticker": "BTC", "title": "Bitcoin", "category": "crypto", "strike": strike }));
    x.control("/sandbox/predictions/events/BTC/strike", &json!({ "value": "49123.45" })).ok();
    let at = "2026-01-01T01:00:00.000Z";
    let hidden = json!({ "value": null, "type": "reference", "availableAt": at });
    assert_eq!(get(&x, "/events/btc/strike").ok(), hidden);
    assert_eq!(get(&x, "/events/BTC").ok()["contracts"][0]["strike"], hidden);
    x.advance(HOUR - 1);
    assert_eq!(get(&x, "/events/BTC/strike").ok(), hidden);
    x.advance(1);
    let shown = json!({ "value": "49123.45", "type": "reference", "availableAt": at });
    assert_eq!(get(&x, "/events/BTC/strike").ok(), shown);
    assert_eq!(get(&x, "/events/RAIN/strike").coded(404, "NOT_FOUND"), "Strike not found: 'RAIN'");
}

/// New events are listed for a day. Proves PM-005.
#[test]
fn new_events_are_listed_for_a_day() {
    let x = exchange();
    x.advance(12 * HOUR);
    let far = x.now_ms() + 1_000_000_000;
    for (ticker, category) in [("FIRST", "test"), ("SECOND", "other"), ("THIRD", "test")] {
        list(&x, json!({ "ticker": ticker, "title": ticker, "category": category, "expiry_ms": far }));
        x.advance(1);
    }
    let path = "/events/newly-listed";
    assert_eq!(tickers(&x, path)[..4], ["THIRD", "SECOND", "FIRST", "RAIN"]);
    assert_eq!(tickers(&x, "/events/newly-listed?category[]=test"), ["THIRD", "FIRST"]);
    assert_eq!(tickers(&x, "/events/newly-listed?category[]=test&limit=1&offset=1"), ["FIRST"]);
    x.advance(12 * HOUR - 3);
    assert_eq!(tickers(&x, path), ["THIRD", "SECOND", "FIRST"]);
    x.advance(12 * HOUR);
    assert_eq!(tickers(&x, path), ["THIRD", "SECOND"]);
    x.advance(2);
    assert!(tickers(&x, path).is_empty());
}

/// Settled events are listed for a day, the latest first, without void ones and without prices. Proves PM-006.
#[test]
fn settled_events_are_listed_for_a_day() {
    let x = exchange();
    let path = "/events/recently-settled";
    for ticker in ["FIRST", "SECOND", "VOIDED"] {
        list(&x, json!({ "ticker": ticker, "title": ticker, "category": "test", "dispute_seconds": 0 }));
    }
    place(&x, "trader", with("buy yes 10 at 0.60", &json!({ "symbol": "SVC-FIRST" })));
    place(&x, "counterparty", with("buy no 10 at 0.40", &json!({ "symbol": "SVC-FIRST" })));
    assert!(tickers(&x, path).is_empty());
    settle(&x, "SECOND", &json!({ "SECOND": "no" }));
    x.advance(60);
    settle(&x, "FIRST", &json!({ "FIRST": "yes" }));
    void(&x, "VOIDED");
    assert_eq!(tickers(&x, path), ["FIRST", "SECOND"]);
    let contract = get(&x, path).ok()["data"][0]["contracts"][0].clone();
    assert_eq!(contract["prices"], json!({ "buy": {}, "sell": {} }));
    let shown =
        ["resolutionSide", "marketState", "status", "settlementValue"].map(|name| text(&contract[name]));
    assert_eq!(shown, ["yes", "closed", "settled", "1"]);
    assert_eq!(tickers(&x, "/events?category=test&status=invalid"), ["VOIDED"]);
    x.advance(24 * HOUR - 60);
    assert_eq!(tickers(&x, path), ["FIRST"]);
    x.advance(60);
    assert!(tickers(&x, path).is_empty());
    laws::check(&x);
}

/// Approved events are listed, the soonest first, until they start. Proves PM-007.
#[test]
fn coming_events_are_listed_until_they_start() {
    let x = exchange();
    for (ticker, hours) in [("LATE", 3), ("SOON", 1), ("MIDDLE", 2)] {
        let start = x.now_ms() + 1_000 * hours * HOUR;
        list(&x, json!({ "ticker": ticker, "title": ticker, "category": "test", "start_ms": start }));
    }
    let path = "/events/upcoming?category=test";
    assert_eq!(tickers(&x, path), ["SOON", "MIDDLE", "LATE"]);
    let soon = get(&x, path).ok()["data"][0].clone();
    assert_eq!(
        [&soon["status"], &soon["contracts"][0]["marketState"]],
        [&json!("approved"), &json!("closed")]
    );
    assert_eq!(soon["startTime"], "2026-01-01T01:00:00.000Z");
    x.advance(HOUR);
    assert_eq!(tickers(&x, path), ["MIDDLE", "LATE"]);
    assert_eq!(get(&x, "/events/SOON").ok()["contracts"][0]["marketState"], "open");
}

/// Categories are listed once, and filtered. Proves PM-008.
#[test]
fn categories_are_listed_once() {
    let x = exchange();
    three_events(&x);
    let of = |path: &str| -> Vec<String> {
        let page = get(&x, path).ok();
        page["categories"].as_array().expect("categories").iter().map(text).collect()
    };
    let all = of("/categories");
    assert!(
        ["test sky", "test-cup", "weather"].iter().all(|name| all.contains(&(*name).to_owned())),
        "{all:?}"
    );
    assert!(all.is_sorted() && !all.contains(&"Combo".to_owned()), "{all:?}");
    settle_at_once(&x);
    assert_eq!(of("/categories?status=settled"), ["test-done"]);
    let both = of("/categories?status=settled&status[]=approved");
    assert!(both.contains(&"test-done".to_owned()) && both.contains(&"test-cup".to_owned()), "{both:?}");
}

fn settle_at_once(x: &Exchange) {
    list(x, json!({ "ticker": "DONE", "title": "Done", "category": "test-done", "dispute_seconds": 0 }));
    settle(x, "DONE", &json!({ "DONE": "yes" }));
}

/// A combo has its contract and its legs, which show their outcomes once their events settle. Proves PM-009.
#[test]
fn combos_have_legs() {
    let x = exchange();
    for ticker in ["UPS", "DOWNS"] {
        list(&x, json!({ "ticker": ticker, "title": ticker, "category": "test", "dispute_seconds": 0 }));
    }
    let legs = json!([{ "symbol": "SVC-UPS", "outcome": "yes" }, { "symbol": "SVC-DOWNS", "outcome": "no" }]);
    let symbol = text(&x.control("/sandbox/predictions/combos", &json!({ "legs": legs })).ok()["symbol"]);
    assert!(symbol.starts_with("SVC-CMB-0126-"), "{symbol}");
    let combo = get(&x, &format!("/combos/{}", symbol.to_lowercase())).ok();
    let contract = &combo["contract"];
    for (name, expected) in [
        ("contractTicker", symbol.as_str()),
        ("eventTicker", symbol.as_str()),
        ("category", "Combo"),
        ("contractStatus", "Active"),
        ("eventType", "combo"),
    ] {
        assert_eq!(contract[name], expected, "{combo}");
    }
    let leg = |at: usize| {
        let leg = &combo["legs"][at];
        let of = |name: &str| leg[name].clone();
        (
            of("legIndex"),
            of("requiredOutcome"),
            of("legOutcome"),
            of("resolvedAt"),
            leg["contract"]["eventTicker"].clone(),
        )
    };
    assert_eq!(leg(0), (json!(0), json!("Yes"), Value::Null, Value::Null, json!("UPS")));
    assert_eq!(leg(1), (json!(1), json!("No"), Value::Null, Value::Null, json!("DOWNS")));
    assert_eq!(combo["legs"][0]["contractId"], combo["legs"][0]["contract"]["contractId"]);

    let first = |query: &str| get(&x, &format!("/combos{query}")).ok()["combos"][0].clone();
    assert_eq!(first(""), combo);
    for name in [&contract["contractId"], &combo["legs"][1]["contractId"]] {
        assert_eq!(first(&format!("?contractId={}", text(name))), combo);
    }
    for query in ["?contractId=999999", "?instrumentRegistered=false", "?status=Settled", "?offset=1000"] {
        assert_eq!(get(&x, &format!("/combos{query}")).ok()["combos"], json!([]), "{query}");
    }
    assert!(!tickers(&x, "/events?limit=500").contains(&symbol));
    // A failed leg decides it.
    settle(&x, "UPS", &json!({ "UPS": "no" }));
    let settled = first("?status=Settled");
    assert_eq!(settled["contract"]["contractStatus"], "Settled");
    assert_eq!(settled["contract"]["resolutionSide"], "no");
    assert_eq!(
        (&settled["legs"][0]["legOutcome"], &settled["legs"][0]["resolvedAt"]),
        (&json!("No"), &json!(START))
    );
    assert!(get(&x, "/combos/SVC-UPS").coded(404, "NOT_FOUND").starts_with("Combo not found: '"));
    assert_eq!(get(&x, "/combos/nosuch").coded(404, "NOT_FOUND"), "Combo not found: 'nosuch'");
}

/// The latest terms are public. Proves PM-011.
#[test]
fn terms_are_public() {
    let x = exchange();
    let terms = get(&x, "/terms").ok();
    assert_eq!((&terms["termsType"], &terms["version"]), (&json!("PredictionsMarket"), &json!(1)));
    assert!(text(&terms["content"]).contains("one dollar") && terms["updatedAt"] == START, "{terms}");
    x.advance(HOUR);
    x.control("/sandbox/predictions/terms", &json!({ "content": "Be \"fair\".\nPay." })).ok();
    let expected = json!({
        "termsType": "PredictionsMarket", "version": 2, "content": "Be \"fair\".\nPay.",
        "updatedAt": "2026-01-01T01:00:00.000Z",
    });
    assert_eq!(get(&x, "/terms").ok(), expected);
}

/// Every pair of claims has its dollar in escrow, and the ledger shows the sum. Proves PM-018.
#[test]
fn every_pair_is_backed_by_a_dollar() {
    let x = exchange();
    let collateral = |x: &Exchange| get(x, "/events/rain/collateral").ok();
    let expected = |amount: &str| {
        let row = json!({ "symbol": "SVC-RAIN", "yes": amount, "no": amount, "escrow": amount });
        json!({ "eventTicker": "RAIN", "contracts": [row] })
    };
    assert_eq!(collateral(&x), expected("0"));
    place(&x, "trader", limit("buy yes 10.5 at 0.60"));
    place(&x, "counterparty", limit("buy no 10.5 at 0.40"));
    assert_eq!(collateral(&x), expected("10.5"));
    let house = |currency: &str| {
        let rows = x.get("/sandbox/ledger").ok()["currencies"].clone();
        let rows = rows.as_array().expect("rows").clone();
        rows.into_iter().find(|row| row["currency"] == currency).expect("listed")["house"].clone()
    };
    assert_eq!([&house("USD")["escrow"], &house("BTC")["escrow"]], [&json!("10.5"), &json!("0")]);
    assert!(house("USD")["promo"].is_string() && house("BTC")["promo"].is_string());
    laws::ledger_sums_to_zero(&x);
    // One yes and one no disappear.
    place(&x, "trader", limit("sell yes 4 at 0.50"));
    place(&x, "counterparty", limit("sell no 4 at 0.50"));
    assert_eq!(collateral(&x), expected("6.5"));
    let key = x.key("trader");
    let body = json!({ "group": key.group, "account": key.account });
    let message = x.control("/sandbox/accounts/close", &body).error().message;
    assert!(message.contains("contracts SVC-RAIN yes 6.5"), "{message}");
    laws::check(&x);
}
