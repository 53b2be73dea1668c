//! Collateral by hand and at its edges.

use super::*;
use crate::rational::decimal;
use alloc::vec;

fn btc(amount: &str, index: &str) -> Collateral {
    Collateral { amount: decimal(amount), index: decimal(index), percent: 90 }
}

/// 2 BTC at 50,000 count 90,000; a margin of 9,000 frees 0.2 of them.
#[test]
fn collateral_counts_after_its_haircut() {
    let held = btc("2", "50000");
    assert_eq!(held.value(), Some(decimal("90000")));
    assert_eq!((held.worth(decimal("9000")), held.worth(decimal("90001"))), (decimal("0.2"), decimal("2")));
    assert_eq!((held.worth(Money::ZERO), held.worth(decimal("-5"))), (Money::ZERO, Money::ZERO));
    assert_eq!(held.worth(decimal("1")), decimal("0.0000222222222222222"));
    assert_eq!(
        (held.covering(decimal("9000")), held.covering(decimal("1"))),
        (decimal("0.2"), decimal("0.0000222222222222223"))
    );
    // Of a unit nothing counts, and of two units one.
    let units = [1, 2].map(|units| Collateral { amount: Money::from_units(units), ..held }.value());
    assert_eq!(units, [Some(Money::ZERO), Some(Money::from_units(50_000))]);
    assert_eq!((held.covering(decimal("100000")), held.covering(Money::ZERO)), (decimal("2"), Money::ZERO));
}

/// Without an index it counts nothing, so all of it may leave, and none of it pays a debt.
#[test]
fn collateral_without_an_index_counts_nothing() {
    let held = btc("2", "0");
    assert_eq!((held.value(), held.worth(Money::ZERO)), (Some(Money::ZERO), decimal("2")));
    assert_eq!(held.covering(decimal("1")), Money::ZERO);
    // USDT has no haircut.
    let usdt = Collateral { amount: decimal("1000"), index: decimal("1"), percent: 100 };
    assert_eq!((usdt.value(), usdt.worth(decimal("400.5"))), (Some(decimal("1000")), decimal("400.5")));
    let most = Collateral { amount: Money::MAX, index: Money::MAX, percent: 90 };
    assert_eq!(
        (most.value(), most.worth(decimal("1")), most.covering(decimal("1"))),
        (None, Money::ZERO, Money::ZERO)
    );
}

/// Dollars pay before bitcoin, which has a haircut; without more money of the fund the rest of it stays.
#[test]
fn collateral_with_the_least_haircut_is_taken_first() {
    let [bitcoin, dollars] = [CurrencyId(1), CurrencyId(2)];
    let held = vec![
        (bitcoin, btc("2", "50000")),
        (dollars, Collateral { amount: decimal("1000"), index: Money::ONE, percent: 100 }),
    ];
    let (mut owed, mut money) = (decimal("10000"), decimal("20000"));
    let (seized, is_bare) = Seized::of(held.clone(), &mut owed, &mut money);
    let first = Seized { currency: dollars, amount: decimal("1000"), repaid: decimal("1000") };
    let second = Seized { currency: bitcoin, amount: decimal("0.2"), repaid: decimal("9000") };
    assert_eq!((seized, is_bare, owed, money), (vec![first, second], false, Money::ZERO, decimal("10000")));
    let (mut owed, mut money) = (decimal("200000"), decimal("5500"));
    let (seized, is_bare) = Seized::of(held.clone(), &mut owed, &mut money);
    let second = Seized { currency: bitcoin, amount: decimal("0.1"), repaid: decimal("4500") };
    assert_eq!((seized, is_bare, owed, money), (vec![first, second], false, decimal("194500"), Money::ZERO));
    let (mut owed, mut money) = (decimal("200000"), decimal("200000"));
    let (seized, is_bare) = Seized::of(held, &mut owed, &mut money);
    assert_eq!((seized.len(), is_bare, owed), (2, true, decimal("109000")));
}
