//! The money of an event: every payout and refund recomputed with a pencil, with kills between the steps.

use super::*;
use buttonwood_accept::{Dec, dec};

const ORDER: &str = "/v1/prediction-markets/order";

/// Accounts of three groups, whose terms are accepted.
fn exchange() -> Exchange {
    let x = Exchange::start();
    for key in TRADERS {
        x.as_(key).call("/v1/prediction-markets/terms/accept", json!({})).ok();
    }
    x
}

const TRADERS: [&str; 3] = ["trader", "counterparty", "restricted"];

/// The dollars of an account, those that are held included.
fn dollars(x: &Exchange, key: &str) -> Dec {
    x.as_(key).balance("USD").0
}

/// Places an order: `buy yes 10 @ 0.40` of a contract.
#[track_caller]
fn place(x: &Exchange, key: &str, contract: &str, words: &str) -> Value {
    let words: Vec<&str> = words.split(' ').collect();
    let order = json!({
        "symbol": contract, "orderType": "limit", "side": words[0], "outcome": words[1], "quantity": words[2],
        "price": words[4],
    });
    let answer = x.as_(key).call(ORDER, order);
    assert_eq!(answer.status(), 201, "{answer}");
    answer.json()
}

/// The trader pays 4 for ten yes as maker, the counterparty 6 for ten no as taker.
fn mint(x: &Exchange, contract: &str) {
    place(x, "trader", contract, "buy yes 10 @ 0.40");
    assert_eq!(place(x, "counterparty", contract, "buy no 10 @ 0.60")["status"], "filled");
}

fn kill(x: &Exchange) {
    x.kill9();
    x.restart();
}

fn list(x: &Exchange, ticker: &str) {
    let mut fields = lone(ticker, x.now_ms() + 7_200_000);
    fields["dispute_seconds"] = 600.into();
    control(x, "/events", &fields).ok();
}

fn resolve(x: &Exchange, ticker: &str, outcome: &str) {
    let body = json!({ "outcomes": { ticker: outcome }, "source": "x" });
    control(x, &format!("/events/{ticker}/resolve"), &body).ok();
}

/// The change of each account's dollars since `before`.
fn changes(x: &Exchange, before: [Dec; 3]) -> [Dec; 3] {
    let mut before = before.into_iter();
    TRADERS.map(|key| dollars(x, key) - before.next().unwrap())
}

/// A winner is paid one dollar a contract at the end of the window, once, whatever kills come between; live orders are cancelled and their
/// holds return with the resolution. Proves PM-027.
#[test]
fn winners_are_paid_once() {
    let x = exchange();
    list(&x, "RAIN");
    let before = TRADERS.map(|key| dollars(&x, key));
    mint(&x, "SVC-RAIN");
    // The maker's fee is 1 % of the smaller price, the taker's 5 %.
    let paid = [dec("-4.04"), dec("-6.2"), dec("0")];
    assert_eq!(changes(&x, before), paid);
    place(&x, "restricted", "SVC-RAIN", "buy yes 5 @ 0.30");
    let (amount, available) = x.as_("restricted").balance("USD");
    assert_eq!(amount - available, dec("1.575"), "price and the larger fee are held");
    kill(&x);
    resolve(&x, "RAIN", "no");
    let (amount, available) = x.as_("restricted").balance("USD");
    assert_eq!(amount, available, "the order is cancelled");
    kill(&x);
    x.advance(599);
    assert_eq!(changes(&x, before), paid, "nothing is paid within the window");
    kill(&x);
    x.advance(1);
    let settled = [dec("-4.04"), dec("3.8"), dec("0")];
    assert_eq!(changes(&x, before), settled);
    kill(&x);
    x.advance(10_000);
    assert_eq!(changes(&x, before), settled);
    laws::check(&x);
}

/// A void event pays each position its cost; a value pays it to each yes and the rest of a dollar to each no. Fees stay charged.
#[test]
fn void_events_are_paid_back() {
    let x = exchange();
    for (ticker, fields, expected) in [
        ("COST", json!({ "reason": "x" }), ["-0.04", "-0.2", "0"]),
        ("VALUE", json!({ "reason": "x", "value": "0.25" }), ["-1.54", "1.3", "0"]),
    ] {
        list(&x, ticker);
        let before = TRADERS.map(|key| dollars(&x, key));
        mint(&x, &format!("SVC-{ticker}"));
        kill(&x);
        control(&x, &format!("/events/{ticker}/void"), &fields).ok();
        assert_eq!(changes(&x, before), expected.map(dec), "{ticker}");
        kill(&x);
        x.advance(60);
        assert_eq!(changes(&x, before), expected.map(dec), "{ticker}");
    }
    laws::check(&x);
}

/// Where resales made the costs differ from the escrow, a void event is refused with both sums, and `at_cost` shares the escrow by cost.
#[test]
fn costs_that_differ_share_the_escrow() {
    let x = exchange();
    list(&x, "RAIN");
    mint(&x, "SVC-RAIN");
    place(&x, "trader", "SVC-RAIN", "sell yes 10 @ 0.70");
    place(&x, "restricted", "SVC-RAIN", "buy yes 10 @ 0.70");
    let before = TRADERS.map(|key| dollars(&x, key));
    let refusal = control(&x, "/events/RAIN/void", &json!({ "reason": "x" })).error();
    let words = "the positions of SVC-RAIN cost 13 and its escrow holds 10";
    assert!(refusal.message.contains(words), "{}", refusal.message);
    kill(&x);
    assert_eq!(changes(&x, before), [Dec::ZERO; 3]);
    control(&x, "/events/RAIN/void", &json!({ "reason": "x", "at_cost": true })).ok();
    let [trader, counterparty, restricted] = changes(&x, before);
    assert_eq!(trader, Dec::ZERO);
    // 60/13 and 70/13; balances are shown with 15 decimals.
    for (paid, expected) in [(counterparty, "4.615384615384615"), (restricted, "5.384615384615384")] {
        assert!((paid - dec(expected)).abs() < dec("0.00000000000001"), "{paid}");
    }
    laws::check(&x);
}

/// A combo pays yes when its last leg has settled as required, and no at once when one has not; a void leg pays it back.
#[test]
fn combos_follow_their_legs() {
    let x = exchange();
    for (number, [first, second], expected) in [
        (1, ["yes", "no"], ["5.96", "-6.2", "0"]),
        (2, ["no", ""], ["-4.04", "3.8", "0"]),
        (3, ["yes", "yes"], ["-4.04", "3.8", "0"]),
        (4, ["void", ""], ["-0.04", "-0.2", "0"]),
    ] {
        let events = ["A", "B"].map(|letter| format!("LEG{letter}{number}"));
        for ticker in &events {
            list(&x, ticker);
        }
        let legs = events.iter().zip(["yes", "no"]);
        let legs: Vec<Value> = legs
            .map(|(ticker, outcome)| json!({ "symbol": format!("SVC-{ticker}"), "outcome": outcome }))
            .collect();
        let combo =
            control(&x, "/combos", &json!({ "legs": legs })).ok()["symbol"].as_str().unwrap().to_owned();
        let before = TRADERS.map(|key| dollars(&x, key));
        mint(&x, &combo);
        kill(&x);
        for (ticker, outcome) in events.iter().zip([first, second]) {
            match outcome {
                "" => {}
                "void" => {
                    control(&x, &format!("/events/{ticker}/void"), &json!({ "reason": "x" })).ok();
                }
                outcome => {
                    resolve(&x, ticker, outcome);
                    kill(&x);
                    x.advance(600);
                }
            }
        }
        assert_eq!(changes(&x, before), expected.map(dec), "combo {number}");
    }
    laws::check(&x);
}

/// An order is refused while its event is halted and after it has closed; what rests stays in a halt, and can be cancelled.
#[test]
fn a_halt_keeps_orders() {
    let x = exchange();
    list(&x, "RAIN");
    let order = json!({
        "symbol": "SVC-RAIN", "orderType": "limit", "side": "buy", "outcome": "yes", "quantity": "1", "price": "0.4",
    });
    let rests = place(&x, "trader", "SVC-RAIN", "buy yes 10 @ 0.40");
    control(&x, "/events/RAIN/halt", &json!({ "halted": true })).ok();
    kill(&x);
    assert_eq!(x.as_("counterparty").call(ORDER, order.clone()).status(), 400);
    let (amount, available) = x.as_("trader").balance("USD");
    assert_eq!(amount - available, dec("4.2"));
    let cancel = json!({ "orderId": rests["orderId"] });
    x.as_("trader").call("/v1/prediction-markets/order/cancel", cancel).ok();
    control(&x, "/events/RAIN/halt", &json!({ "halted": false })).ok();
    place(&x, "counterparty", "SVC-RAIN", "buy no 1 @ 0.60");
    x.advance(7_200);
    assert_eq!(x.as_("counterparty").call(ORDER, order).status(), 400);
    laws::check(&x);
}
