//! Orders at the edge of the range of money, at every desk and on every side: they are refused, or they trade, and no law breaks (D-183,
//! D-260).
#![expect(clippy::indexing_slicing, reason = "what a test cannot do, fails it")]

use crate::predictions::{ANN, BOB, CAT, RAIN, Stage, money};
use crate::spot_margin;
use buttonwood_engine::prediction::CLAIMS_MAX;
use buttonwood_engine::{AccountKind, Answer, Body, PlaceReject, Reject, TradingCommand, TradingReject};
use buttonwood_model::{OrderKind, Side, SymbolId};
use buttonwood_num::{Money, Price, Qty};

/// The most that one credit gives.
const CREDIT: &str = "500000000000000000";

fn beyond() -> Answer {
    Answer::Rejected(Reject::Trading(TradingReject::Place(PlaceReject::BeyondFunds)))
}

/// Customers who share nearly all dollars that money can count.
fn rich() -> Stage {
    let mut stage = Stage::new();
    for who in [ANN, BOB, CAT] {
        for _ in 0..11 {
            let credit = Body::credit(stage.accounts[who], vec![(stage.usd, money(CREDIT))]);
            assert_eq!(stage.own(credit), Answer::Done);
        }
    }
    stage
}

/// So many whole claims.
fn claims(number: u64) -> Money {
    Money::from_units(i128::from(number) * money("1").units())
}

/// An order of so many claims, otherwise as the words say.
fn order(stage: &mut Stage, who: usize, words: &str, number: u64) -> Answer {
    let mut place = stage.place(RAIN, words);
    place.qty = Qty::from_hundredths(place.qty.hundredths() * u128::from(number));
    stage.call(who, TradingCommand::Place(place))
}

fn cancel_all(stage: &mut Stage) {
    for who in [ANN, BOB, CAT] {
        stage.call(who, TradingCommand::CancelAll);
    }
}

/// Claims may be out up to [`CLAIMS_MAX`]; the order that would mint one more is refused, whichever outcome it buys. Sales are not, and make room.
#[test]
fn claims_at_the_edge_are_refused_or_counted() {
    let mut stage = rich();
    let most = 4_000_000_000_000_000_000;
    assert_eq!(claims(most), CLAIMS_MAX);
    assert!(order(&mut stage, ANN, "buy yes 1 @ 0.01", most).order().is_ok());
    assert_eq!(order(&mut stage, BOB, "buy no 1 @ 0.99", most + 1), beyond());
    assert_eq!(order(&mut stage, CAT, "buy yes 1 @ 0.01", most + 1), beyond());
    assert!(order(&mut stage, BOB, "buy no 1 @ 0.99", most).order().is_ok());
    assert_eq!(stage.escrow(), CLAIMS_MAX);
    for words in ["buy yes 1 @ 0.99", "buy no 1 @ 0.01", "buy yes 1 @ 0.99 ioc", "buy no 1 @ 0.99 fok"] {
        assert_eq!(stage.order(CAT, words), beyond(), "{words}");
    }
    let part = 3_000_000_000_000_000_000;
    assert!(order(&mut stage, BOB, "sell no 1 @ 0.99", part).order().is_ok());
    assert!(order(&mut stage, ANN, "sell yes 1 @ 0.01", part).order().is_ok());
    assert_eq!(stage.escrow(), claims(most - part));
    assert!(stage.order(CAT, "buy yes 1 @ 0.99").order().is_ok());
    stage.replays();
}

/// A buyer at the highest price waits, and a seller comes: the claims on both outcomes change hands so, and their costs are nearly twice the
/// escrow.
#[test]
fn costs_of_both_outcomes_stay_in_range() {
    let mut stage = rich();
    let half = 2_000_000_000_000_000_000;
    for (who, words) in [
        (ANN, "buy yes 1 @ 0.50"),
        (BOB, "buy no 1 @ 0.50"),
        (CAT, "buy yes 1 @ 0.99"),
        (ANN, "sell yes 1 @ 0.99"),
        (ANN, "buy no 1 @ 0.99"),
        (BOB, "sell no 1 @ 0.99"),
    ] {
        assert!(order(&mut stage, who, words, half).order().is_ok(), "{words}");
    }
    let costs = stage.exchange.state.predictions().contract(RAIN).unwrap().costs;
    assert_eq!(costs, claims(3_960_000_000_000_000_000));
    assert_eq!(stage.void(None, true), Answer::Done);
    stage.catch_up();
    assert_eq!(stage.escrow(), Money::ZERO);
    stage.replays();
}

/// Every size from a lot to beyond the range, in powers of two, for each outcome, side, price and way to enter, against what rests of the
/// rounds before: nothing ends the exchange, and all laws hold after every command.
#[test]
fn no_size_of_claims_ends_the_exchange() {
    let mut stage = rich();
    let mut accepted = 0;
    for power in (7..128).rev().step_by(3) {
        for price in [1, 50, 99] {
            for (who, side) in [(ANN, "buy yes"), (BOB, "buy no"), (CAT, "sell yes"), (ANN, "sell no")] {
                let mut place = stage.place(RAIN, &format!("{side} 1 @ 0.50"));
                place.price = Price::from_ticks(price);
                for qty in [(1_u128 << power) - 1, 1 << power] {
                    place.qty = Qty::from_hundredths(qty - qty % 100);
                    let answer = stage.call(who, TradingCommand::Place(place));
                    accepted += usize::from(answer.order().is_ok());
                }
                (place.kind, place.stop) = (OrderKind::StopLimit, place.price);
                stage.call(who, TradingCommand::Place(place));
                stage.catch_up();
            }
        }
        cancel_all(&mut stage);
    }
    assert!(accepted > 100, "{accepted}");
    stage.replays();
}

/// The same at the desks of cash, spot margin and perpetuals, whose orders meet on one book each.
#[test]
fn no_size_ends_the_exchange_at_the_other_desks() {
    let mut stage = spot_margin::Stage::new();
    let (margin, gusd) = (stage.margin, stage.exchange.find_currency("GUSD"));
    let cash = stage.trader("cash", AccountKind::Exchange);
    let [long, short] = ["long", "short"].map(|name| stage.trader(name, AccountKind::Derivatives));
    for trader in [cash, margin] {
        stage.credit(trader, stage.btc, "1000000000000");
    }
    for _ in 0..16 {
        for trader in [cash, margin] {
            stage.credit(trader, stage.usd, CREDIT);
        }
        for trader in [long, short] {
            stage.credit(trader, gusd, CREDIT);
        }
    }
    stage.feed("50000");
    let (spot, swap) = (SymbolId(0), SymbolId(1));
    let mut accepted = 0;
    for power in (3..93).rev().step_by(3) {
        for price in [1, 50_000, u64::MAX / 100] {
            for side in [Side::Buy, Side::Sell] {
                let parties = [
                    (spot, cash, side, false),
                    (spot, margin, side.opposite(), true),
                    (spot, margin, side, true),
                    (spot, cash, side.opposite(), false),
                    (swap, long, side, false),
                    (swap, short, side.opposite(), false),
                ];
                for (symbol, trader, side, on_margin) in parties {
                    let answer = stage.place_at(symbol, trader, side, (1 << power, price), on_margin);
                    accepted += usize::from(answer.order().is_ok());
                    assert_eq!(stage.exchange.state.broken_law(), None, "2^{power} at {price}");
                }
            }
        }
        for trader in [cash, margin, long, short] {
            stage.call(trader, TradingCommand::CancelAll);
        }
        stage.feed("50000");
    }
    assert!(accepted > 50, "{accepted}");
}
