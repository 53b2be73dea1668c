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

fn offered(quantity: &str, price: &str, own: &str) -> Offered {
    let [quantity, price, own, mark, lot] = [quantity, price, own, "50000", "0.0001"].map(decimal);
    Offered { quantity, price, mark, lot, own }
}

fn fund(assets: &str, holds: &str) -> Fund {
    Fund { assets: decimal(assets), holds: decimal(holds) }
}

/// The fund takes as much as a tenth of all that it then holds carries, cut to the lot. Proves PERP-029.
#[test]
fn the_fund_takes_what_a_tenth_carries() {
    let takes = |fund: Fund, quantity, price, own| fund.takes(&offered(quantity, price, own));
    // 100,000 dollars carry 1,000,000: 20 coins at the mark.
    let rich = fund("100000", "0");
    assert_eq!(takes(rich, "20", "50000", "0"), decimal("20"));
    assert_eq!(
        (takes(rich, "40", "50000", "0"), takes(rich, "-40", "50000", "0")),
        (decimal("20"), decimal("20"))
    );
    // Its gain or loss by the price counts: 100,000 + 250 q = 5,000 q, and 100,000 − 250 q = 5,000 q.
    assert_eq!(takes(rich, "40", "49750", "0"), decimal("21.0526"));
    assert_eq!(takes(rich, "-40", "49750", "0"), decimal("19.0476"));
    // So does what it holds already, here and elsewhere.
    assert_eq!(takes(fund("100000", "500000"), "40", "50000", "0"), decimal("10"));
    assert_eq!(takes(fund("100000", "500000"), "40", "50000", "10"), decimal("10"));
    assert_eq!(takes(fund("100000", "500000"), "-40", "50000", "10"), decimal("30"));
    assert_eq!(takes(fund("100000", "1000000.1"), "40", "50000", "0"), Money::ZERO);
    // A part that closes its own position is taken by a fund that carries too much, if it is enough.
    assert_eq!(takes(fund("90000", "1000000"), "-20", "50000", "20"), decimal("20"));
    assert_eq!(takes(fund("90000", "1000000"), "-100", "50000", "20"), decimal("38"));
    assert_eq!(takes(fund("90000", "2000000"), "-20", "50000", "20"), Money::ZERO);
    // A position smaller than a lot goes whole or not at all, and a fund without assets takes what pays for itself.
    assert_eq!(
        (takes(rich, "0.00005", "50000", "0"), takes(fund("0", "0"), "0.00005", "50000", "0")).0,
        decimal("0.00005")
    );
    assert_eq!(takes(fund("0", "0"), "1", "50000", "0"), Money::ZERO);
    assert_eq!(takes(fund("0", "0"), "1", "45000", "0"), decimal("1"));
    assert_eq!(takes(fund("-1", "0"), "1", "49000", "0"), Money::ZERO);
    let wild =
        Offered { quantity: Money::MAX, price: Money::ZERO, mark: Money::MAX, ..offered("1", "1", "0") };
    assert!(rich.takes(&wild) < Money::MAX, "what is beyond the range of money is not carried");
}

/// No larger part of whole lots would be carried.
#[test]
fn the_fund_takes_no_less() {
    let mut random = Random::new(178);
    for _ in 0..100 {
        let lot = decimal("0.01");
        let (quantity, own) = (random.amount(-9, 9, 3), random.amount(-9, 9, 3));
        let (price, mark) = (random.amount(90, 110, 2), decimal("100"));
        let (assets, others) = (random.amount(0, 200, 2), random.amount(0, 900, 2));
        let holds = Money::from_units(others.units() + own.units().abs() * 100);
        let offered = Offered { quantity, price, mark, lot, own };
        let taken = Fund { assets, holds }.takes(&offered);
        let carries = |part: Money| {
            let signed = exact(part) * ratio(quantity.units().signum(), 1);
            let gain = &signed * (exact(mark) - exact(price));
            let after = exact(own) + signed;
            let holds = exact(others) + after.clone().max(-after) * exact(mark);
            let assets = exact(assets) + gain;
            assets >= ratio(0, 1) && assets * ratio(10, 1) >= holds
        };
        let whole = Money::from_units(quantity.units().abs());
        let parts = (0..=whole.units() / lot.units()).map(|lots| Money::from_units(lots * lot.units()));
        let most = parts.chain([whole]).filter(|part| carries(*part)).max().unwrap_or(Money::ZERO);
        // Where it carries neither nothing nor its own position closed, it takes nothing.
        let own_closed = Money::from_units(own.units().abs().min(whole.units()) / lot.units() * lot.units());
        let begins =
            carries(Money::ZERO) || own.is_negative() != quantity.is_negative() && carries(own_closed);
        let expected = if begins || most == whole { most } else { Money::ZERO };
        assert_eq!(taken, expected, "{assets:?} {others:?} {offered:?}");
    }
}

/// No input panics.
#[test]
fn wild_amounts_are_refused() {
    let mut random = Random::new(9);
    for _ in 0..20_000 {
        let [one, two, three, four] = core::array::from_fn(|_| random.wild());
        let _ = (zero_price(one, two, three, four), fee(one, two));
        let offered = Offered { quantity: one, price: two, mark: three, lot: four, own: random.wild() };
        let _ = Fund { assets: random.wild(), holds: random.wild() }.takes(&offered);
        let _ = (step(one, two, three), largest([(one, two), (three, four)]));
    }
}
