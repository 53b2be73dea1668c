//! The life of an event by control calls: from its listing to its payout, also over kills, and every bad call.

use super::*;

/// The exchange is killed, and starts again on its directory.
fn kill(x: &Exchange) {
    x.kill9();
    x.restart();
}

/// Where an event without a strike stands: a call that sets one is refused, and says so.
#[track_caller]
fn status(x: &Exchange, event: &str) -> String {
    let refusal = control(x, &format!("/events/{event}/strike"), &json!({ "value": "1" })).error();
    let words = refusal.message.rsplit_once("it is ").unwrap_or_else(|| panic!("{}", refusal.message));
    words.1.to_owned()
}

#[track_caller]
fn halt(x: &Exchange, event: &str, halted: bool) {
    let answer = control(x, &format!("/events/{event}/halt"), &json!({ "halted": halted })).ok();
    assert_eq!(answer, json!({ "result": "ok", "halted": halted }));
}

/// Proposes that ANN wins.
fn resolve(x: &Exchange, event: &str, outcomes: &Value) -> Answer {
    let body = json!({ "outcomes": outcomes, "source": "the county clerk" });
    control(x, &format!("/events/{event}/resolve"), &body)
}

fn dispute(x: &Exchange, event: &str) -> Answer {
    control(x, &format!("/events/{event}/dispute"), &json!({ "reason": "a recount" }))
}

fn void(x: &Exchange, event: &str, fields: &Value) -> Answer {
    let mut body = fields.clone();
    body["reason"] = "annulled".into();
    control(x, &format!("/events/{event}/void"), &body)
}

/// The whole life of an event, with a kill between any two steps.
#[test]
fn an_event_lives() {
    let x = Exchange::start();
    let now = x.now_ms();
    let mut fields = several("VOTE", now + 7_200_000);
    fields["start_ms"] = (now + 3_600_000).into();
    fields["dispute_seconds"] = 600.into();
    let listed = control(&x, "/events", &fields).ok();
    let symbols = ["SVC-VOTE-ANN", "SVC-VOTE-BOB"];
    assert_eq!(
        listed,
        json!({ "result": "ok", "event_ticker": "VOTE", "symbols": symbols, "status": "approved" })
    );
    kill(&x);
    halt(&x, "VOTE", true);
    halt(&x, "VOTE", false);
    x.advance(3_600);
    assert_eq!(status(&x, "VOTE"), "active");
    kill(&x);
    halt(&x, "vote", true);
    kill(&x);
    halt(&x, "VOTE", false);
    x.advance(3_600);
    kill(&x);
    assert_eq!(status(&x, "VOTE"), "closed");
    assert!(control(&x, "/events/VOTE/halt", &json!({})).error().message.ends_with("it is closed"));

    let (ann, bob) = (json!({ "ANN": "yes", "BOB": "no" }), json!({ "BOB": "yes", "ANN": "no" }));
    let proposed = resolve(&x, "VOTE", &ann).ok();
    let settles = x.now_ms() + 600_000;
    assert_eq!(proposed, json!({ "result": "ok", "status": "under_review", "settles_at_ms": settles }));
    kill(&x);
    assert!(resolve(&x, "VOTE", &bob).error().message.contains("without proposed outcomes"));
    x.advance(599);
    let disputed = json!({ "result": "ok", "status": "under_review", "disputed": true });
    assert_eq!(dispute(&x, "VOTE").ok(), disputed);
    kill(&x);
    assert!(dispute(&x, "VOTE").error().message.contains("proposed outcomes that are not disputed"));
    x.advance(10_000);
    assert_eq!(status(&x, "VOTE"), "under_review");
    let proposed = resolve(&x, "VOTE", &bob).ok();
    assert_eq!(proposed["settles_at_ms"], x.now_ms() + 600_000);
    kill(&x);
    x.advance(600);
    assert_eq!(status(&x, "VOTE"), "settled");
    kill(&x);
    for refused in [resolve(&x, "VOTE", &ann), dispute(&x, "VOTE"), void(&x, "VOTE", &json!({}))] {
        assert!(refused.error().message.ends_with("it is settled"), "{refused}");
    }
    laws::check(&x);
}

/// Without a window the resolving call pays; an event is resolved before its expiry and its start too.
#[test]
fn a_resolution_without_a_window_is_paid_in_its_call() {
    let x = Exchange::start();
    let now = x.now_ms();
    for (ticker, start) in [("NOW", None), ("LATER", Some(now + 1_000_000))] {
        let mut fields = lone(ticker, now + 7_200_000);
        fields["dispute_seconds"] = 0.into();
        start.inspect(|start| fields["start_ms"] = (*start).into());
        assert_eq!(control(&x, "/events", &fields).ok()["symbols"], json!([format!("SVC-{ticker}")]));
        let answer = resolve(&x, ticker, &json!({ ticker: "no" })).ok();
        assert_eq!(answer, json!({ "result": "ok", "status": "settled", "settles_at_ms": now }));
        kill(&x);
        assert_eq!(status(&x, ticker), "settled");
    }
    laws::check(&x);
}

/// An event is made void at any time before it is settled, in each of the three forms.
#[test]
fn events_are_made_void() {
    let x = Exchange::start();
    let now = x.now_ms();
    let forms = [json!({}), json!({ "value": "0.25" }), json!({ "at_cost": true })];
    for (form, ticker) in forms.iter().zip(["ONE", "TWO", "THREE"]) {
        control(&x, "/events", &several(ticker, now + 7_200_000)).ok();
        if ticker != "ONE" {
            resolve(&x, ticker, &json!({ "ANN": "yes", "BOB": "no" })).ok();
        }
        if ticker == "THREE" {
            dispute(&x, ticker).ok();
        }
        kill(&x);
        assert_eq!(void(&x, ticker, form).ok(), json!({ "result": "ok", "status": "invalid" }));
        kill(&x);
        assert_eq!(status(&x, ticker), "invalid");
        let again = void(&x, ticker, form).error();
        assert!(again.message.contains("'event' must be an event that is not paid"), "{}", again.message);
    }
    laws::check(&x);
}

/// The same legs in any order are one combo, whose symbol has its month and twelve digits of its key's hash. Its legs make it void.
#[test]
fn combos_are_listed() {
    let x = Exchange::start();
    let now = x.now_ms();
    control(&x, "/events", &lone("RAIN", now + 7_200_000)).ok();
    control(&x, "/events", &several("VOTE", now + 3_600_000)).ok();
    let leg = |symbol: &str, outcome: &str| json!({ "symbol": symbol, "outcome": outcome });
    let (rain, ann) = (leg("SVC-RAIN", "yes"), leg("svc-vote-ann", "no"));
    let list = |legs: &[&Value]| control(&x, "/combos", &json!({ "legs": legs }));
    let first = list(&[&rain, &ann]).ok()["symbol"].as_str().unwrap().to_owned();
    let digits = first.strip_prefix("SVC-CMB-0126-").unwrap_or_else(|| panic!("{first}"));
    assert!(
        digits.len() == 12 && digits.bytes().all(|digit| b"0123456789ABCDEF".contains(&digit)),
        "{first}"
    );
    kill(&x);
    x.advance(60);
    assert_eq!(list(&[&ann, &rain]).ok()["symbol"], first.as_str());
    let other = list(&[&leg("SVC-VOTE-ANN", "yes"), &rain]).ok();
    assert_ne!(other["symbol"], first.as_str());

    let bob = leg("SVC-VOTE-BOB", "no");
    let six: Vec<Value> = vec![rain.clone(); 7];
    let all: Vec<&Value> = six.iter().collect();
    let combo = leg(&first, "yes");
    for (legs, words) in [
        (&[&rain][..], "'legs' must be 2 to 6 legs: 1 legs"),
        (&all, "'legs' must be 2 to 6 legs: 7 legs"),
        (&[&ann, &bob], "'legs' must be on different events: SVC-VOTE-"),
        (&[&rain, &rain], "'legs' must be on different events: SVC-RAIN"),
        (&[&rain, &combo], "'symbol' must be the symbol of a contract that is no combo"),
        (
            &[&rain, &leg("SVC-SNOW", "yes")],
            "'symbol' must be the symbol of a contract: SVC-SNOW; it is in leg 2",
        ),
        (&[&rain, &leg("btcusd", "yes")], "'symbol' must be the symbol of a contract: btcusd"),
        (&[&rain, &leg("SVC-VOTE-ANN", "maybe")], "'outcome' must be 'yes' or 'no': maybe; it is in leg 2"),
        (&[&rain, &json!({ "symbol": "SVC-VOTE-ANN" })], "Missing required field 'outcome'; it is in leg 2"),
    ] {
        let refusal = list(legs).error();
        assert!(refusal.message.contains(words), "{}", refusal.message);
    }
    assert!(control(&x, &format!("/events/{first}/halt"), &json!({})).error().message.contains("no combo"));
    x.advance(3_600);
    let closed = list(&[&rain, &bob]).error();
    assert!(closed.message.contains("its event is closed"), "{}", closed.message);
    void(&x, "VOTE", &json!({})).ok();
    assert_eq!(status(&x, &first), "invalid");
    laws::check(&x);
}

/// A strike's value is replaced until it is public.
#[test]
fn strikes_are_set() {
    let x = Exchange::start();
    let now = x.now_ms();
    let mut fields = lone("GOLD", now + 7_200_000);
    fields["strike"] = json!({ "type": "reference", "available_ms": now + 60_000 });
    control(&x, "/events", &fields).ok();
    let set = |value: &str| control(&x, "/events/GOLD/strike", &json!({ "value": value }));
    for value in ["1", "49123.45"] {
        let answer = json!({ "result": "ok", "value": value, "available_ms": now + 60_000 });
        assert_eq!(set(value).ok(), answer);
        kill(&x);
    }
    x.advance(60);
    assert!(set("2").error().message.contains("the value is public already: 2"));
    laws::check(&x);
}

/// Versions of the terms count up; rates are echoed.
#[test]
fn terms_and_fees_are_set() {
    let x = Exchange::start();
    for version in [2, 3] {
        let answer = control(&x, "/terms", &json!({ "content": "One.\nTwo." })).ok();
        assert_eq!(answer, json!({ "result": "ok", "version": version }));
        kill(&x);
    }
    let rates = json!({ "maker_bps": 0, "taker_bps": 10_000 });
    let answer = json!({ "result": "ok", "maker_bps": 0, "taker_bps": 10_000 });
    assert_eq!(control(&x, "/fees", &rates).ok(), answer);
    for (path, body, words) in [
        ("/terms", json!({}), "Missing required field 'content'"),
        ("/terms", json!({ "content": " \n" }), "'content' must be"),
        ("/terms", json!({ "content": 5 }), "'content' must be a string: 5"),
        ("/terms", json!({ "content": "a\u{0}b" }), "'content' must be"),
        ("/fees", json!({ "maker_bps": 10_001, "taker_bps": 1 }), "'maker_bps' must be at most 10000: 10001"),
        ("/fees", json!({ "maker_bps": 1 }), "Missing required field 'taker_bps'"),
        ("/fees", json!({ "maker_bps": -1, "taker_bps": 1 }), "'maker_bps' must be"),
    ] {
        let refusal = control(&x, path, &body).error();
        assert!(refusal.message.contains(words), "{body}: {}", refusal.message);
    }
    laws::check(&x);
}

/// Each bad field of a listing is refused by its name, and lists nothing.
#[test]
fn bad_listings_are_refused() {
    let x = Exchange::start();
    let now = x.now_ms();
    let hour = now + 3_600_000;
    let contract = |ticker: &str| json!({ "ticker": ticker, "label": "A label" });
    let many: Vec<Value> = (0..101).map(|number| contract(&format!("C{number}"))).collect();
    let long = "x".repeat(401);
    control(&x, "/events", &lone("USED", hour)).ok();
    let cases: &[(&str, Value, &str)] = &[
        ("ticker", "".into(), "'ticker' must be 1 to 24"),
        ("ticker", "rain".into(), "'ticker' must be 1 to 24 of the letters A to Z and digits: rain"),
        ("ticker", "RAIN-1".into(), "'ticker' must be"),
        ("ticker", 5.into(), "'ticker' must be a string: 5"),
        ("ticker", Value::Null, "'ticker' must be a string: null"),
        ("ticker", "USED".into(), "'ticker' must be one that no event has: USED"),
        ("title", "".into(), "'title' must be"),
        ("title", " Rain".into(), "'title' must be"),
        ("title", long.as_str().into(), "'title' must be"),
        ("title", Value::Null, "'title' must be a string: null"),
        ("category", "a\u{200b}b".into(), "'category' must be"),
        ("source", "".into(), "'source' must be"),
        ("expiry_ms", now.into(), "'expiry_ms' must be later than now"),
        ("expiry_ms", 1.into(), "'expiry_ms' must be later than now"),
        ("expiry_ms", "soon".into(), "'expiry_ms' must be a timestamp"),
        ("expiry_ms", 200_000_000_000_000_u64.into(), "'expiry_ms' must be no later than"),
        ("start_ms", hour.into(), "'expiry_ms' must be later than start_ms"),
        ("start_ms", (-1).into(), "'start_ms' must be a timestamp"),
        ("dispute_seconds", (366 * 86_400 + 1).into(), "'dispute_seconds' must be at most"),
        ("dispute_seconds", "1.5".into(), "'dispute_seconds' must be a whole number"),
        ("price_increment", "0.03".into(), "'price_increment' must be less than 1 and a divisor of 1"),
        ("price_increment", "1".into(), "'price_increment' must be less than 1"),
        ("price_increment", "0".into(), "'price_increment' must be a positive decimal: 0"),
        ("price_increment", "0.000000000001".into(), "'price_increment' must be of at most 13 decimals"),
        ("quantity_increment", "0.000000000001".into(), "'price_increment' must be of at most 13 decimals"),
        ("quantity_increment", "x".into(), "'quantity_increment' must be a positive decimal: x"),
        ("quantity_minimum", "1.005".into(), "'quantity_minimum' must be a multiple of quantity_increment"),
        ("quantity_minimum", "0".into(), "'quantity_minimum' must be a positive decimal: 0"),
        ("contracts", json!([]), "'contracts' must be an array of 1 to 100 contracts: 0 contracts"),
        ("contracts", many.into(), "'contracts' must be an array of 1 to 100 contracts: 101 contracts"),
        ("contracts", json!({}), "'contracts' must be an array of objects"),
        ("contracts", json!([contract("A"), contract("A")]), "a ticker of their own each: A"),
        (
            "contracts",
            json!([contract("A"), contract("b")]),
            "'ticker' must be 1 to 24 of the letters A to Z and digits: b; it is in contract 2",
        ),
        (
            "contracts",
            json!([contract("A"), { "ticker": "B" }]),
            "Missing required field 'label'; it is in contract 2",
        ),
        ("exclusive", "maybe".into(), "'exclusive' must be true or false: maybe"),
        ("strike", json!({}), "Missing required field 'type'; it is in 'strike'"),
        ("strike", json!({ "type": "odd" }), "'type' must be one of reference"),
        ("strike", json!({ "type": "above", "value": "high" }), "'value' must be a decimal"),
        ("strike", "high".into(), "'strike' must be an object: high"),
        ("closed_to", json!(["US-NY", "Europe"]), "'closed_to' must be a country's two letters"),
        ("closed_to", "US-NY".into(), "'closed_to' must be an array of strings"),
    ];
    for (field, value, words) in cases {
        let mut body = lone("RAIN", hour);
        body[*field] = value.clone();
        let refusal = control(&x, "/events", &body).error();
        assert!(refusal.message.contains(words), "{field} {value}: {}", refusal.message);
    }
    for field in ["ticker", "title", "category", "expiry_ms"] {
        let mut body = lone("RAIN", hour);
        body.as_object_mut().unwrap().remove(field);
        let refusal = control(&x, "/events", &body).error();
        assert_eq!(refusal.message, format!("Missing required field '{field}'"));
    }
    // Nothing of that has taken the ticker, and a lone contract has the event's.
    let mut body = lone("RAIN", hour);
    body["contracts"] = json!([contract("ANY")]);
    body["closed_to"] = json!(["us-ny"]);
    assert_eq!(control(&x, "/events", &body).ok()["symbols"], json!(["SVC-RAIN"]));
    laws::check(&x);
}

/// Each bad call on an event is refused by the field's name, and changes nothing.
#[test]
fn bad_calls_on_events_are_refused() {
    let x = Exchange::start();
    control(&x, "/events", &several("VOTE", x.now_ms() + 3_600_000)).ok();
    let source = |outcomes: Value| json!({ "outcomes": outcomes, "source": "x" });
    let (ann, annul) = (json!({ "ANN": "yes", "BOB": "no" }), "annulled");
    let cases: &[(&str, Value, &str)] = &[
        ("SNOW/halt", json!({}), "'event' must be the ticker of an event: SNOW"),
        ("SNOW/strike", json!({ "value": "1" }), "'event' must be the ticker of an event: SNOW"),
        ("SNOW/resolve", source(ann.clone()), "'event' must be the ticker of an event: SNOW"),
        ("SNOW/dispute", json!({ "reason": "x" }), "'event' must be the ticker of an event: SNOW"),
        ("SNOW/void", json!({ "reason": "x" }), "'event' must be the ticker of an event: SNOW"),
        ("VOTE/halt", json!({ "halted": 1 }), "'halted' must be true or false: 1"),
        ("VOTE/strike", json!({ "value": "1" }), "'event' must be an event with a strike: VOTE"),
        ("VOTE/strike", json!({ "value": "x" }), "'value' must be a decimal"),
        ("VOTE/strike", json!({}), "Missing required field 'value'"),
        ("VOTE/resolve", json!({ "outcomes": ann }), "Missing required field 'source'"),
        ("VOTE/resolve", json!({ "outcomes": ann, "source": "" }), "'source' must be"),
        ("VOTE/resolve", json!({ "source": "x" }), "Missing required field 'outcomes'"),
        ("VOTE/resolve", source(json!([])), "'outcomes' must be an object of strings: []"),
        ("VOTE/resolve", source(json!({})), "'outcomes' must be complete; 'ANN' has none"),
        ("VOTE/resolve", source(json!({ "ANN": "yes" })), "'outcomes' must be complete; 'BOB' has none: ANN"),
        (
            "VOTE/resolve",
            source(json!({ "ANN": "yes", "BOB": "no", "CAT": "no" })),
            "tickers of the contracts of VOTE: CAT",
        ),
        ("VOTE/resolve", source(json!({ "ANN": "yes", "BOB": "maybe" })), "'yes' or 'no' for 'BOB': maybe"),
        (
            "VOTE/resolve",
            source(json!({ "ANN": "yes", "BOB": true })),
            "'outcomes' must be an object of strings: true",
        ),
        (
            "VOTE/resolve",
            source(json!({ "ANN": "yes", "BOB": "yes" })),
            "exactly one yes: the event is exclusive: 2 yes",
        ),
        (
            "VOTE/resolve",
            source(json!({ "ANN": "no", "BOB": "no" })),
            "exactly one yes: the event is exclusive: 0 yes",
        ),
        (
            "VOTE/dispute",
            json!({ "reason": "x" }),
            "proposed outcomes that are not disputed: VOTE; it is active",
        ),
        ("VOTE/dispute", json!({}), "Missing required field 'reason'"),
        ("VOTE/void", json!({}), "Missing required field 'reason'"),
        ("VOTE/void", json!({ "reason": " " }), "'reason' must be"),
        (
            "VOTE/void",
            json!({ "reason": annul, "value": "1.01" }),
            "'value' must be a decimal from 0 to 1: 1.01",
        ),
        (
            "VOTE/void",
            json!({ "reason": annul, "value": "-0.5" }),
            "'value' must be a decimal from 0 to 1: -0.5",
        ),
        (
            "VOTE/void",
            json!({ "reason": annul, "value": "1", "at_cost": true }),
            "'at_cost' must be left out",
        ),
        ("VOTE/void", json!({ "reason": annul, "at_cost": "yes" }), "'at_cost' must be true or false: yes"),
    ];
    for (path, body, words) in cases {
        let answer = control(&x, &format!("/events/{path}"), body);
        let refusal = answer.error();
        assert!(
            answer.status() == 400 && refusal.message.contains(words),
            "{path} {body}: {}",
            refusal.message
        );
        assert_eq!(status(&x, "VOTE"), "active", "{path} {body}");
    }
    laws::check(&x);
}
