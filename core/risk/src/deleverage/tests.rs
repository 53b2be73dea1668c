//! Scores and bounded prices by hand, and the promise that nobody pays more than his profit.

use super::*;
use crate::rational::{Random, decimal, exact, floor, ratio};

fn position(quantity: &str, cost: &str) -> Position {
    Position { quantity: decimal(quantity), cost: decimal(cost), realised: Money::ZERO }
}

/// 1 BTC bought at 40,000, at 50,000, with 20,000 of assets: 0.25 × 2.5 = 0.625.
#[test]
fn a_score_by_hand() {
    let mark = decimal("50000");
    let score = Score::of(&position("1", "40000"), mark, decimal("20000"));
    assert_eq!((score, score.shown()), (Score::Profit(625_000_000), decimal("0.625")));
    // Short at 60,000: 10,000 ÷ 60,000 × 50,000 ÷ 20,000, rounded down.
    let short = Score::of(&position("-1", "-60000"), mark, decimal("20000"));
    assert_eq!((short, short.shown()), (Score::Profit(416_666_666), decimal("0.416666666")));
    assert_eq!(Score::of(&position("1", "50000"), mark, decimal("1")), Score::NoProfit);
    assert_eq!(Score::of(&position("1", "40000"), mark, Money::ZERO), Score::NoAssets);
    assert_eq!((Score::NoAssets.shown(), Score::NoProfit.shown()), (Money::ZERO, Money::ZERO));
    // An account with a unit of assets has the highest score.
    let highest = Score::of(&position("1", "40000"), mark, Money::from_units(1));
    assert!(highest.rank() < score.rank() && score.rank() < short.rank());
    assert!(short.rank() < Score::NoAssets.rank() && Score::NoAssets.rank() < Score::NoProfit.rank());
    assert_eq!(Score::Profit(u128::MAX).shown(), Money::MAX);
}

/// Against fractions.
#[test]
fn scores_round_down_once() {
    let mut random = Random::new(10);
    for _ in 0..1_000 {
        let quantity = random.amount(-9, 9, 6);
        let (mark, entry) = (random.amount(1, 60_000, 12), random.amount(1, 60_000, 9));
        let position =
            Position { quantity, cost: floor(&(exact(quantity) * exact(entry))), realised: Money::ZERO };
        let assets = random.amount(1, 90_000, 15);
        let profit = exact(quantity) * exact(mark) - exact(position.cost);
        let score = Score::of(&position, mark, assets);
        if profit <= ratio(0, 1) {
            assert_eq!(score, Score::NoProfit);
            continue;
        }
        let notional = exact(quantity) * exact(mark);
        let plain = profit / exact(position.cost) * notional / exact(assets) * ratio(1_000_000_000, 1);
        let plain = plain.clone().max(-plain).floor().to_integer();
        assert_eq!(score, Score::Profit(u128::try_from(plain).unwrap()));
    }
}

/// A short position bought at 60,000, at a mark of 50,000, pays up to its average cost; one without profit closes at the mark.
#[test]
fn prices_stop_at_the_average_cost() {
    let at = |position: &Position, zero, mark| price(position, decimal(zero), decimal(mark)).unwrap();
    let short = position("-1", "-60000");
    assert_eq!(
        (at(&short, "50500", "50000"), at(&short, "70000", "50000")),
        (decimal("50500"), decimal("60000"))
    );
    assert_eq!(
        (at(&short, "49000", "50000"), at(&short, "70000", "65000")),
        (decimal("49000"), decimal("65000"))
    );
    let long = position("1", "40000");
    assert_eq!(
        (at(&long, "49500", "50000"), at(&long, "30000", "50000")),
        (decimal("49500"), decimal("40000"))
    );
    assert_eq!(
        (at(&long, "51000", "50000"), at(&long, "30000", "35000")),
        (decimal("51000"), decimal("35000"))
    );
    // A third: the price is rounded in favour of the one who pays.
    assert_eq!(at(&position("3", "100000"), "30000", "50000"), decimal("33333.333333333334"));
    assert_eq!(at(&position("-3", "-100000"), "50000", "30000"), decimal("33333.333333333333"));
    assert_eq!(price(&Position::default(), decimal("1"), decimal("1")), None);
}

/// Whatever the zero price, closing any part costs at most the part's unrealised profit, and nothing without profit.
#[test]
fn nobody_pays_more_than_the_profit() {
    let mut random = Random::new(11);
    for _ in 0..3_000 {
        let quantity = random.amount(-9, 9, 6);
        let entries = [random.amount(1, 60_000, 9), random.amount(1, 60_000, 9)];
        let (one, two) = (random.amount(0, 1, 6), random.amount(0, 1, 6));
        // An average of two fills, so that its decimals do not end.
        let [first, second] = [(one, entries[0]), (two, entries[1])].map(|(part, entry)| {
            let filled = floor(&(exact(quantity) * exact(part) * ratio(1, 1)));
            let filled = filled.to_step(Money::from_units(10_i128.pow(13)), Round::Cut).unwrap();
            (filled, filled.times(entry, Round::Cut).unwrap())
        });
        let opened = Position::default().after(first.0, first.1).unwrap().position;
        let held = opened.after(second.0, second.1).unwrap().position;
        let (zero, mark) = (random.amount(1, 60_000, 1), random.amount(1, 60_000, 12));
        let Some(price) = price(&held, zero, mark) else { continue };
        let part = held.quantity.mul_div(random.between(1, 4), 4, Round::Cut).unwrap();
        let part = part.to_step(Money::from_units(10_i128.pow(13)), Round::Cut).unwrap();
        let closing = Money::from_units(-part.units());
        let value = closing.times(price, Round::Cut).unwrap();
        assert_eq!(exact(value), exact(closing) * exact(price), "the trade is exact");
        let applied = held.after(closing, value).unwrap();
        // Its payment: the amount that the part would have realised at the mark, less the amount that it realises.
        let at_mark = held.after(closing, closing.times(mark, Round::Cut).unwrap()).unwrap().realised;
        let pays = exact(at_mark) - exact(applied.realised);
        assert!(pays <= exact(at_mark).max(ratio(0, 1)), "{held:?} {zero:?} {mark:?} {price:?}");
        // The zero price stands wherever the bound allows it.
        let good = if held.quantity.is_negative() { price <= zero } else { price >= zero };
        assert!(good, "{held:?} {zero:?} {mark:?}");
    }
}

/// No input panics.
#[test]
fn wild_amounts_are_refused() {
    let mut random = Random::new(12);
    for _ in 0..20_000 {
        let held = Position { quantity: random.wild(), cost: random.wild(), realised: random.wild() };
        let score = Score::of(&held, random.wild(), random.wild());
        let _ = (score.rank(), score.shown(), price(&held, random.wild(), random.wild()));
    }
}
