//! The events that a directory of an earlier build is given at its next start.

use super::public::text;
use super::*;
use crate::recovery::{copy, journal};
use buttonwood_accept::{Dec, dec, laws, private_folder};
use std::fs;
use std::path::Path;

/// A directory of a build without prediction markets.
const EARLIER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/directories/format-8-spot");

fn start(data: &Path) -> Exchange {
    Exchange::builder().without("--seed").start_in(data)
}

/// How many events of how many categories and types there are, how many are approved, how many combos there are, and the dollars of
/// `promo`.
#[track_caller]
fn given(x: &Exchange) -> ([usize; 5], Dec) {
    let events = x.get(&format!("{ROOT}/events?limit=500")).ok()["data"].clone();
    let events = events.as_array().expect("events");
    let kinds = |field: &str| {
        let mut words: Vec<String> = events.iter().map(|event| text(&event[field])).collect();
        words.sort_unstable();
        words.dedup();
        words.len()
    };
    let combos = x.get(&format!("{ROOT}/combos")).ok()["combos"].as_array().expect("combos").len();
    let approved = events.iter().filter(|event| event["status"] == "approved").count();
    let ledger = x.get("/sandbox/ledger").ok();
    let dollars = ledger["currencies"].as_array().expect("rows").iter().find(|row| row["currency"] == "USD");
    let promo = Dec::wire(&dollars.expect("dollars")["house"]["promo"]);
    ([events.len(), kinds("category"), kinds("type"), approved, combos], promo)
}

/// An older sandbox is given events, a combo and the money of rewards at its next start, once, and they trade.
#[test]
fn an_older_sandbox_is_given_events() {
    let home = private_folder();
    let data = home.path().join("data");
    copy(Path::new(EARLIER), &data);
    for _ in 0..2 {
        let x = start(&data);
        let ([events, categories, types, approved, combos], promo) = given(&x);
        assert!(events >= 5 && categories >= 3, "{events} of {categories}");
        assert_eq!((types, approved, combos, promo), (2, 1, 1, dec("1000000")));
        x.kill9();
    }
    let x = start(&data);
    for key in ["trader", "counterparty"] {
        accept(&x, key);
    }
    let event = json!({ "symbol": "SVC-DEMOBTC" });
    place(&x, "trader", with("buy yes 1 at 0.60", &event));
    assert_eq!(place(&x, "counterparty", with("buy no 1 at 0.40", &event))["status"], "filled");
    laws::check(&x);
}

/// A start that ends between the events and the combo is made good by the next one.
#[test]
fn a_kill_between_events_and_combo_is_made_good() {
    let home = private_folder();
    let data = home.path().join("data");
    copy(Path::new(EARLIER), &data);
    let mark = fs::read(data.join("journal/watermark")).expect("a file");
    let x = start(&data);
    let whole = given(&x);
    x.kill9();
    // The combo is the last batch of such a start: its end is torn off, and it was never acknowledged.
    let (segment, end) = journal(&data);
    let mut bytes = fs::read(&segment).expect("a segment");
    bytes[end - 6..=end].fill(0);
    fs::write(&segment, &bytes).expect("a segment");
    fs::write(data.join("journal/watermark"), mark).expect("a file");
    let x = start(&data);
    assert!(x.log().contains("left out a torn batch"), "{}", x.log());
    assert_eq!(given(&x), whole);
    laws::check(&x);
}
