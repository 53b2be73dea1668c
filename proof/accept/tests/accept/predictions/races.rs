//! Orders that race with halts, a resolution and a void: afterwards every balance is recomputed from the trades.

use super::public::text;
use super::*;
use buttonwood_accept::{Actor, Dec, dec, laws, wait_until};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const KEYS: [&str; 4] = ["trader", "counterparty", "restricted", "broker"];
/// Orders of each key. With all fills the lists of trades stay within a page.
const ORDERS: u64 = 100;

/// Places orders near the middle, on both sides and outcomes, and cancels some; returns how many contracts its orders traded at entry.
/// Every reply fits a market that is open, halted or closed.
fn trade(actor: &Actor, seed: u64, answered: &AtomicUsize) -> Dec {
    let (mut random, mut filled) = (seed, Dec::ZERO);
    let mut draw = |count: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % count
    };
    for _ in 0..ORDERS {
        let (side, outcome) = (["buy", "buy", "sell"][index(draw(3))], ["yes", "no"][index(draw(2))]);
        let words = format!("{side} {outcome} {} at 0.{}", 1 + draw(5), 47 + draw(7));
        let answer = actor.call(ORDER, limit(&words));
        match answer.status() {
            201 => {
                let order = answer.json();
                filled = filled + Dec::wire(&order["filledQuantity"]);
                if draw(4) == 0 {
                    let cancel = actor.call(CANCEL, json!({ "orderId": order["orderId"] }));
                    assert!([200, 422].contains(&cancel.status()), "{cancel}");
                }
            }
            400 => assert!(answer.coded(400, "InvalidInput").contains(RAIN), "{answer}"),
            _ => drop(answer.coded(422, "InsufficientFunds")),
        }
        answered.fetch_add(1, Ordering::Relaxed);
    }
    filled
}

fn index(number: u64) -> usize {
    usize::try_from(number).expect("a small number")
}

fn trades(x: &Exchange) -> Vec<Value> {
    let page = x.get("/v1/trades/SVC-RAIN?limit_trades=500").ok();
    page.as_array().expect("trades").clone()
}

/// The account's dollars and claims on yes and on no, by its own trades alone; and how many contracts it traded as taker.
fn by_trades(x: &Exchange, key: &str) -> ([Dec; 3], Dec) {
    let rows = x.as_(key).call("/v1/mytrades", json!({ "symbol": RAIN, "limit_trades": 500 })).ok();
    let mut held = [Dec::ZERO; 3];
    let mut taken = Dec::ZERO;
    for row in rows.as_array().expect("trades") {
        let (quantity, price) = (Dec::wire(&row["amount"]), Dec::wire(&row["price"]));
        let claim = if row["outcome"] == "yes" { 1 } else { 2 };
        let (dollars, claims) = (quantity * price, quantity);
        if row["type"] == "Buy" {
            held[0] = held[0] - dollars;
            held[claim] = held[claim] + claims;
        } else {
            held[0] = held[0] + dollars;
            held[claim] = held[claim] - claims;
        }
        held[0] = held[0] - Dec::wire(&row["fee_amount"]);
        if row["aggressor"] == true {
            taken = taken + quantity;
        }
    }
    (held, taken)
}

/// Runs traders against halts and `end`; afterwards yes and no pay these parts of a dollar each.
fn race(end: impl Fn(&Exchange), [yes, no]: [&str; 2]) {
    let x = Exchange::start();
    list(&x, json!({ "ticker": "RAIN", "title": "Rain", "category": "weather", "dispute_seconds": 0 }));
    for key in KEYS {
        accept(&x, key);
        x.credit(key, "USD", "10000");
    }
    let before = KEYS.map(|key| x.as_(key).balance("USD").0);
    let actors = KEYS.map(|key| x.fresh(key));
    let answered = AtomicUsize::new(0);
    let reaches =
        |count: usize| wait_until("orders are answered", || answered.load(Ordering::Relaxed) >= count);
    let filled = thread::scope(|scope| {
        let traders: Vec<_> = actors
            .iter()
            .zip(1..)
            .map(|(actor, seed)| {
                let answered = &answered;
                scope.spawn(move || trade(actor, seed, answered))
            })
            .collect();
        for round in 1..=3 {
            reaches(60 * round);
            x.control("/sandbox/predictions/events/RAIN/halt", &json!({ "halted": true })).ok();
            let halted = trades(&x);
            reaches(60 * round + 20);
            assert_eq!(trades(&x), halted, "a halted event does not trade");
            x.control("/sandbox/predictions/events/RAIN/halt", &json!({ "halted": false })).ok();
        }
        reaches(260);
        end(&x);
        let last = trades(&x);
        let filled: Vec<Dec> = traders.into_iter().map(|trader| trader.join().expect("no panic")).collect();
        assert_eq!(trades(&x), last, "nothing trades after the end");
        filled
    });
    x.advance(60);
    let all = trades(&x);
    assert!(!all.is_empty(), "nothing traded");
    let mut of_all = [Dec::ZERO; 2];
    for ((key, before), filled) in KEYS.into_iter().zip(before).zip(filled) {
        let ([dollars, own_yes, own_no], taken) = by_trades(&x, key);
        assert_eq!(taken, filled, "{key}: replies and trades differ");
        of_all = [of_all[0] + own_yes, of_all[1] + own_no];
        let (amount, available) = x.as_(key).balance("USD");
        let expected = dollars + own_yes * dec(yes) + own_no * dec(no);
        assert_eq!((amount - before, amount), (expected, available), "{key}");
        assert_eq!((active(&x, key), positions(&x, key)), (vec![], vec![]), "{key}");
    }
    assert_eq!(of_all[0], of_all[1], "claims are created in pairs");
    let collateral = x.get(&format!("{ROOT}/events/RAIN/collateral")).ok();
    assert_eq!(some(&collateral["contracts"][0], &["yes", "no", "escrow"]), ["0", "0", "0"], "{collateral}");
    laws::check(&x);
}

/// Every reply fits one order of events, and each claim on the winner has brought a dollar, netted or paid.
#[test]
fn orders_race_with_a_resolution() {
    let end = |x: &Exchange| {
        let body = json!({ "outcomes": { "RAIN": "yes" }, "source": "the weather" });
        let answer = x.control("/sandbox/predictions/events/RAIN/resolve", &body).ok();
        assert_eq!(text(&answer["status"]), "settled");
    };
    race(end, ["1", "0"]);
}

/// The same, where half a dollar is paid for each claim.
#[test]
fn orders_race_with_a_void() {
    let end = |x: &Exchange| {
        let body = json!({ "reason": "called off", "value": "0.5" });
        x.control("/sandbox/predictions/events/RAIN/void", &body).ok();
    };
    race(end, ["0.5", "0.5"]);
}
