//! Fills by hand, and lists of random fills between two parties.

use super::*;
use crate::rational::{Exact, Random, decimal, exact, ratio};

/// Applies fills of (quantity, price) and checks quantity, cost and realised of the position, and what the fill realises.
fn check(fills: &[([&str; 2], [&str; 3], &str)]) {
    let mut position = Position::default();
    for ([quantity, price], after, realised) in fills {
        let quantity = decimal(quantity);
        let value = quantity.times(decimal(price), Round::Cut).unwrap();
        let applied = position.after(quantity, value).unwrap();
        let [held, cost, sum] = after.map(decimal);
        assert_eq!(applied.position, Position { quantity: held, cost, realised: sum });
        assert_eq!(applied.realised, decimal(realised), "{quantity:?} at {price}");
        position = applied.position;
    }
}

/// A long position bought at 50,000 and 52,000, sold in parts. Proves PERP-008.
#[test]
fn a_long_position_is_built_and_closed() {
    check(&[
        (["1", "50000"], ["1", "50000", "0"], "0"),
        (["1", "52000"], ["2", "102000", "0"], "0"),
        (["-0.5", "53000"], ["1.5", "76500", "1000"], "1000"),
        (["-1", "50000"], ["0.5", "25500", "0"], "-1000"),
        (["-0.5", "51500"], ["0", "0", "0"], "250"),
        (["-2", "51000"], ["-2", "-102000", "0"], "0"),
        (["1", "50000"], ["-1", "-51000", "1000"], "1000"),
    ]);
}

/// A fill through zero realises the whole old position and opens the new one at its own price.
#[test]
fn a_fill_through_zero_counts_anew() {
    check(&[
        (["2", "100"], ["2", "200", "0"], "0"),
        (["-1", "110"], ["1", "100", "10"], "10"),
        (["-4", "120"], ["-3", "-360", "0"], "20"),
        (["5", "100"], ["2", "200", "0"], "60"),
    ]);
}

/// A share of the cost that does not divide evenly leaves the remainder in the rest.
#[test]
fn the_remainder_stays_in_the_cost() {
    let unit = Money::from_units;
    let position = Position { quantity: unit(3), cost: unit(100), realised: unit(0) };
    let applied = position.after(unit(-1), unit(-40)).unwrap();
    assert_eq!(applied.position, Position { quantity: unit(2), cost: unit(67), realised: unit(7) });
    let short = Position { quantity: unit(-3), cost: unit(-100), realised: unit(0) };
    let applied = short.after(unit(1), unit(40)).unwrap();
    assert_eq!(applied.position, Position { quantity: unit(-2), cost: unit(-67), realised: unit(-7) });
    // A flip opens with its share of the value, rounded towards zero; the rest is realised.
    let applied =
        Position { quantity: unit(-1), cost: unit(-30), realised: unit(5) }.after(unit(3), unit(100));
    let opened = Position { quantity: unit(2), cost: unit(66), realised: unit(0) };
    assert_eq!(applied, Some(Applied { position: opened, realised: unit(-4) }));
    // No quantity is no fill.
    for held in [position, short, Position::default()] {
        assert_eq!(held.after(unit(0), unit(0)), Some(Applied { position: held, realised: unit(0) }));
    }
    assert_eq!(position.average_cost(Round::Down), decimal("33.3333333333333333333"));
    assert_eq!(position.average_cost(Round::Up), decimal("33.3333333333333333334"));
    assert_eq!(Position::default().average_cost(Round::Up), Money::ZERO);
}

/// The example of the facts: 0.2 at 20,000.18 is worth 4,000.036, and the profit is 999.946. Proves PERP-007.
#[test]
fn profit_is_quantity_times_mark_less_cost() {
    let long = Position { quantity: decimal("0.2"), cost: decimal("3000.09"), realised: Money::ZERO };
    let mark = decimal("20000.18");
    assert_eq!(
        (long.value(mark), long.unrealised(mark)),
        (Some(decimal("4000.036")), Some(decimal("999.946")))
    );
    assert_eq!(long.average_cost(Round::Down), decimal("15000.45"));
    let short = Position { quantity: decimal("-0.2"), cost: decimal("-3000.09"), realised: Money::ZERO };
    assert_eq!(short.value(mark), Some(decimal("-4000.036")));
    assert_eq!(short.unrealised(mark), Some(decimal("-999.946")));
    assert_eq!(short.average_cost(Round::Down), decimal("15000.45"));
}

/// Two parties trade with each other: what they realise and carry as cost sums to zero after every fill, and so does the profit.
/// Each party's profit in all is what it was paid, at any mark. Proves PERP-009.
#[test]
fn two_parties_conserve_money() {
    let mut random = Random::new(3);
    for _ in 0..40 {
        let (mut one, mut other) = (Position::default(), Position::default());
        let (mut money, mut paid): (Exact, Exact) = (ratio(0, 1), ratio(0, 1));
        let mut sum = ratio(0, 1);
        for _ in 0..40 {
            let (quantity, price) = (random.amount(-3, 3, 6), random.amount(1, 70_000, 9));
            let value = quantity.times(price, Round::Cut).unwrap();
            let opposite = |amount: Money| Money::from_units(-amount.units());
            let bought = one.after(quantity, value).unwrap();
            let sold = other.after(opposite(quantity), opposite(value)).unwrap();
            paid += exact(quantity) * exact(price);
            money += exact(bought.realised);
            assert_eq!(exact(bought.realised) + exact(sold.realised), ratio(0, 1));
            // Money realised, less the cost that is carried, is what was paid.
            assert_eq!(&money - exact(bought.position.cost), ratio(0, 1) - &paid);
            let flipped = one.quantity.is_negative() != bought.position.quantity.is_negative()
                || one.is_flat()
                || bought.position.is_flat();
            sum = if flipped { ratio(0, 1) } else { sum + exact(bought.realised) };
            assert_eq!(exact(bought.position.realised), sum);
            (one, other) = (bought.position, sold.position);
            assert_eq!((other.quantity, other.cost), (opposite(one.quantity), opposite(one.cost)));
            let mark = random.amount(1, 70_000, 12);
            assert_eq!(
                exact(one.unrealised(mark).unwrap()),
                exact(one.quantity) * exact(mark) - exact(one.cost)
            );
        }
    }
}

/// No input panics.
#[test]
fn wild_amounts_are_refused() {
    let mut random = Random::new(4);
    for _ in 0..20_000 {
        let position = Position { quantity: random.wild(), cost: random.wild(), realised: random.wild() };
        let _ = position.after(random.wild(), random.wild());
        let _ = (position.unrealised(random.wild()), position.average_cost(Round::Up));
    }
}
