//! Collateral by hand and at its edges.

use super::*;
use crate::rational::decimal;

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
