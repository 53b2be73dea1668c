//! Liquidations by hand, and zero prices against fractions.

use super::*;
use crate::rational::{Random, decimal, exact, ratio};

/// Assets of exactly maintenance keep the position, a unit less does not. Proves PERP-027.
#[test]
fn it_starts_below_maintenance() {
    let sums = Sums { assets: decimal("250"), positions: decimal("500"), ..Sums::default() };
    assert!(!is_due(Some(sums)) && !is_due(None));
    assert!(is_due(Some(Sums { assets: Money::from_units(sums.assets.units() - 1), ..sums })));
    // A flat account in debt has nothing to liquidate.
    assert!(!is_due(Some(Sums { assets: decimal("-1"), ..Sums::default() })));
}

/// The largest notional goes first, whatever its side; of equal ones the first.
#[test]
fn the_largest_position_goes_first() {
    let held = [("1", "50000"), ("-30", "2000"), ("60", "1000"), ("0", "9")];
    let held = held.map(|(quantity, mark)| (decimal(quantity), decimal(mark)));
    assert_eq!((largest(held), largest([held[0]])), (Some(1), Some(0)));
    assert_eq!((largest([held[3]]), largest([])), (None, None));
}

/// Half goes, rounded up to the lot; below 10,000 all of it, and a rest finer than the lot goes whole. Proves PERP-028.
#[test]
fn half_of_a_position_goes() {
    let lot = decimal("0.0001");
    let size = |quantity, mark| step(decimal(quantity), decimal(mark), lot);
    assert_eq!((size("1", "50000"), size("-1", "50000")), (decimal("0.5"), decimal("0.5")));
    assert_eq!((size("0.2001", "50000"), size("0.2", "50000")), (decimal("0.1001"), decimal("0.1")));
    assert_eq!(
        (size("0.1999", "50000"), size("-0.000001", "50000")),
        (decimal("0.1999"), decimal("0.000001"))
    );
    assert_eq!(step(decimal("1.5"), decimal("50000"), decimal("1")), decimal("1"));
    assert_eq!(step(decimal("0.5"), decimal("50000"), decimal("1")), decimal("0.5"));
    assert_eq!(step(decimal("1"), decimal("50000"), Money::ZERO), decimal("1"));
}

/// 1 BTC long at a mark of 49,700 with 200 of assets leaves nothing at 49,500; with 0.3 positions the third of a dollar rounds.
#[test]
fn the_zero_price_leaves_nothing() {
    let tick = decimal("0.5");
    let zero =
        |assets, quantity, mark| zero_price(decimal(assets), decimal(quantity), decimal(mark), tick).unwrap();
    assert_eq!(zero("200", "1", "49700"), decimal("49500"));
    assert_eq!(zero("200", "-1", "49700"), decimal("49900"));
    assert_eq!((zero("100", "3", "49700"), zero("100", "-3", "49700")), (decimal("49667"), decimal("49733")));
    // Without assets it is beyond the mark.
    assert_eq!(
        (zero("-100", "1", "49700"), zero("-100", "-1", "49700")),
        (decimal("49800"), decimal("49600"))
    );
    assert_eq!((zero("60000", "1", "49700"), zero("-60000", "-1", "49700")), (tick, tick));
    // A debt of a unit is a third of a unit for each: the next step.
    let unit = "-0.0000000000000000001";
    assert_eq!((zero(unit, "3", "100"), zero(unit, "-3", "100")), (decimal("100.5"), decimal("99.5")));
    assert_eq!(zero_price(decimal("1"), Money::ZERO, decimal("1"), tick), None);
    assert_eq!(zero_price(Money::MAX, Money::from_units(1), decimal("1"), tick), None);
}

/// Closed at the zero price, an account has at least nothing, and less than a step of the price for each unit.
#[test]
fn zero_prices_round_in_the_account_s_favour() {
    let mut random = Random::new(8);
    let tick = decimal("0.05");
    for _ in 0..1_000 {
        let (quantity, mark) = (random.amount(-9, 9, 6), random.amount(2_000, 3_000, 12));
        let assets = random.amount(-900, 900, 12);
        let Some(price) = zero_price(assets, quantity, mark, tick).filter(|price| *price > tick) else {
            continue;
        };
        let left = exact(assets) + (exact(price) - exact(mark)) * exact(quantity);
        let size = exact(quantity).max(-exact(quantity));
        assert!(left >= ratio(0, 1) && left < exact(tick) * size, "{assets:?} {quantity:?} {mark:?}");
        assert!((exact(price) / exact(tick)).is_integer());
    }
}

/// 0.5 % of what trades, rounded up, but never more than is left. Proves PERP-029.
#[test]
fn the_fee_never_makes_a_debt() {
    assert_eq!(fee(decimal("24850"), decimal("1000")), decimal("124.25"));
    assert_eq!(fee(decimal("-24850"), decimal("1000")), decimal("124.25"));
    assert_eq!(fee(decimal("24850"), decimal("100")), decimal("100"));
    assert_eq!(
        (fee(decimal("24850"), decimal("-1")), fee(Money::ZERO, decimal("1"))),
        (Money::ZERO, Money::ZERO)
    );
    assert_eq!(fee(Money::from_units(1), decimal("1")), Money::from_units(1));
    assert_eq!(fee(Money::from_units(i128::MIN), decimal("7")), decimal("7"));
}

/// The fund takes a position as long as it stays at zero or above at the mark.
#[test]
fn the_fund_takes_what_it_can_carry() {
    let takes = |fund, quantity, price, mark| {
        fund_takes(decimal(fund), decimal(quantity), decimal(price), decimal(mark))
    };
    assert!(takes("100", "1", "50100", "50000") && !takes("99.99", "1", "50100", "50000"));
    assert!(takes("100", "-1", "49900", "50000") && !takes("99.99", "-1", "49900", "50000"));
    // A position below the mark pays for itself, even for a fund in debt.
    assert!(takes("-50", "1", "49950", "50000") && !takes("-50.01", "1", "49950", "50000"));
    assert!(!fund_takes(Money::ZERO, Money::from_units(1), decimal("50000.5"), decimal("50000")));
    assert!(!fund_takes(Money::MAX, Money::MAX, Money::ZERO, Money::MAX));
}

/// No input panics.
#[test]
fn wild_amounts_are_refused() {
    let mut random = Random::new(9);
    for _ in 0..20_000 {
        let [one, two, three, four] = core::array::from_fn(|_| random.wild());
        let _ = (zero_price(one, two, three, four), fee(one, two), fund_takes(one, two, three, four));
        let _ = (step(one, two, three), largest([(one, two), (three, four)]));
    }
}
