//! Margin accounts by hand, and random accounts against fractions.

use super::*;
use crate::rational::{Exact, Random, ceil, decimal, exact, floor, ratio};
use alloc::vec::Vec;

const TERMS: Terms = Terms::USUAL;

fn cash(usd: &str, owed: &str) -> Cash {
    Cash { usd: decimal(usd), owed: decimal(owed) }
}

fn held(quantity: &str, index: &str) -> Held {
    Held { quantity: decimal(quantity), index: decimal(index) }
}

fn sums(assets: &str, notional: &str, owed: &str) -> Sums {
    Sums { assets: decimal(assets), notional: decimal(notional), owed: decimal(owed) }
}

/// The examples of the facts: 10,000 of assets leave 8,500 at a notional of 15,000 and 6,000 at 40,000. Proves MARG-004.
#[test]
fn an_account_by_hand() {
    let small = Sums::of(cash("0", "5000"), [held("0.2", "50000"), held("2", "2500")]).unwrap();
    assert_eq!(small, sums("10000", "15000", "5000"));
    assert_eq!((small.leverage(), small.available(TERMS)), (decimal("1.5"), Some(decimal("8500"))));
    let large = Sums::of(cash("0", "30000"), [held("0.8", "50000")]).unwrap();
    assert_eq!((large.leverage(), large.available(TERMS)), (decimal("4"), Some(decimal("6000"))));
    // (10,000 − 2,000) ÷ 38,000 = 0.21052…; 30,000 ÷ (0.95 × 0.8) = 39,473.684…
    assert_eq!(large.loss(TERMS), Some(decimal("0.2105")));
    let price = liquidation_price(large.owed, decimal("0.8"), decimal("0.01"), TERMS);
    assert_eq!(price, Some(decimal("39473.69")));
    // It can lose all of its value, and more, without a debt.
    let free = Sums::of(cash("100", "0"), [held("1", "100")]).unwrap();
    assert_eq!((free.loss(TERMS), free.leverage()), (Some(decimal("2.0526")), decimal("0.5")));
    assert_eq!(liquidation_price(free.owed, decimal("1"), decimal("0.01"), TERMS), None);
    // 10 × 0.95 × p is above 950 by a unit: a tenth of a unit for each, and the next step.
    let owed = Money::from_units(950 * Money::ONE.units() + 1);
    assert_eq!(liquidation_price(owed, decimal("10"), decimal("0.01"), TERMS), Some(decimal("100.01")));
    assert_eq!((Sums::default().loss(TERMS), Sums::default().leverage()), (None, Money::ZERO));
    assert_eq!(sums("499", "10000", "9501").loss(TERMS), Some(decimal("-0.0002")));
}

/// A buy spends what is there and borrows the rest; money that comes in repays first.
#[test]
fn dollars_are_borrowed_and_repaid() {
    let start = cash("10000", "0");
    assert_eq!(start.pay(decimal("4000")), Some(cash("6000", "0")));
    let borrowed = start.pay(decimal("25000")).unwrap();
    assert_eq!(borrowed, cash("0", "15000"));
    assert_eq!(borrowed.receive(decimal("5000")), Some(cash("0", "10000")));
    assert_eq!(borrowed.receive(decimal("15001.5")), Some(cash("1.5", "0")));
    // Amounts that cannot be are neither spent nor repaid.
    assert_eq!(cash("-5", "1").pay(decimal("3")), Some(cash("-5", "4")));
    assert_eq!(cash("1", "-5").receive(decimal("3")), Some(cash("4", "-5")));
    assert_eq!(Cash { usd: Money::ZERO, owed: Money::MAX }.pay(decimal("1")), None);
}

/// 10,000 of assets carry 50,000 and not a unit more; fees and what is paid above the index lower them. Proves MARG-010.
#[test]
fn a_buy_is_accepted_up_to_five_times() {
    let buys = |value, fees, above_index| {
        let [value, fees, above_index] = [value, fees, above_index].map(decimal);
        Buys { value, fees, above_index }
    };
    let account = sums("10000", "20000", "10000");
    assert!(account.accepts(&buys("30000", "0", "0"), TERMS));
    assert!(!account.accepts(&buys("30000.0000000000000000001", "0", "0"), TERMS));
    assert!(account.accepts(&buys("29500", "60", "40"), TERMS));
    assert!(!account.accepts(&buys("29500", "60", "40.0000000000000000001"), TERMS));
    assert!(!sums("-1", "0", "1").accepts(&Buys::default(), TERMS));
    let endless = Buys { value: Money::MAX, ..Buys::default() };
    assert!(!account.accepts(&endless, TERMS));
}

/// At 5 % of the notional the account keeps its holdings, a unit below it does not.
#[test]
fn liquidation_starts_below_maintenance() {
    let edge = sums("2000", "40000", "38000");
    assert!(edge.covers(TERMS) && !edge.is_due(TERMS));
    let below = Sums { assets: Money::from_units(edge.assets.units() - 1), ..edge };
    assert!(!below.covers(TERMS) && below.is_due(TERMS));
    // Nothing is held: nothing can be sold.
    assert!(!sums("-5", "0", "5").is_due(TERMS) && !sums("-5", "0", "5").covers(TERMS));
}

/// With a debt, assets of 10,000 and holdings of 30,000: 20,000 ÷ 4 of the holdings may leave. Without a debt everything may.
#[test]
fn a_debt_keeps_holdings_in() {
    let btc = held("0.6", "50000");
    let account = Sums::of(cash("0", "20000"), [btc]).unwrap();
    assert_eq!(account.leaving(&btc, Money::ZERO, TERMS), decimal("0.1"));
    assert_eq!(account.leaving(&btc, decimal("10000"), TERMS), decimal("0.05"));
    assert_eq!(account.leaving(&btc, decimal("50000"), TERMS), Money::ZERO);
    assert_eq!(account.leaving_usd(Money::ZERO, Money::ZERO, TERMS), Money::ZERO);
    // Dollars that came in and have not repaid yet.
    let paid = Sums::of(cash("5000", "20000"), [btc]).unwrap();
    assert_eq!(paid.leaving_usd(decimal("5000"), Money::ZERO, TERMS), decimal("5000"));
    assert_eq!(paid.leaving_usd(decimal("5000"), decimal("30000"), TERMS), decimal("3000"));
    let free = Sums::of(cash("7", "0"), [btc]).unwrap();
    assert_eq!(free.leaving(&btc, decimal("99999999"), TERMS), decimal("0.6"));
    assert_eq!(free.leaving_usd(decimal("7"), decimal("99999999"), TERMS), decimal("7"));
    // A currency that counts nothing may leave only from an account within its limit.
    let unpriced = held("3", "0");
    assert_eq!(account.leaving(&unpriced, Money::ZERO, TERMS), decimal("3"));
    assert_eq!(sums("2", "10", "8").leaving(&unpriced, Money::ZERO, TERMS), decimal("3"));
    assert_eq!(sums("1", "10", "9").leaving(&unpriced, Money::ZERO, TERMS), Money::ZERO);
}

/// Straight from the text of the table, and the most that may leave is the most indeed.
#[test]
fn figures_are_those_of_fractions() {
    let mut random = Random::new(16);
    for _ in 0..500 {
        let held: Vec<Held> = (0..random.between(1, 4))
            .map(|_| {
                let index = random.amount(1, 5_000, 12);
                // Some coins cost next to nothing.
                let index = index.mul_div(1, [1, 10_i128.pow(12)][usize::from(random.is_even())], Round::Up);
                Held { quantity: random.amount(0, 9, 10), index: index.unwrap() }
            })
            .collect();
        let cash = Cash { usd: random.amount(0, 2_000, 15), owed: random.amount(0, 30_000, 15) };
        let sums = Sums::of(cash, held.iter().copied()).unwrap();
        let notional: Exact =
            held.iter().map(|held| exact(floor(&(exact(held.quantity) * exact(held.index))))).sum();
        let assets = exact(cash.usd) - exact(cash.owed) + &notional;
        assert_eq!((exact(sums.notional), exact(sums.assets)), (notional.clone(), assets.clone()));
        assert_eq!(sums.available(TERMS), Some(floor(&(&assets - &notional / ratio(10, 1)))));
        if notional > ratio(0, 1) {
            let loss = (&assets - &notional / ratio(20, 1)) / (&notional * ratio(19, 20));
            let parts = (loss * ratio(10_000, 1)).floor() / ratio(10_000, 1);
            assert_eq!(exact(sums.loss(TERMS).unwrap()), parts);
        }
        assert_eq!(sums.is_due(TERMS), notional > ratio(0, 1) && assets < &notional / ratio(20, 1));
        let buys = random.amount(0, 9_000, 12);
        most_may_leave(cash, &held, sums, buys);
        let first = held[0];
        if cash.owed > Money::ZERO && first.quantity > Money::ZERO {
            let plain = exact(cash.owed) / exact(first.quantity) * ratio(20, 19);
            let price = exact(ceil(&((plain * ratio(100, 1)).ceil() / ratio(100, 1))));
            let found = liquidation_price(cash.owed, first.quantity, decimal("0.01"), TERMS).unwrap();
            assert_eq!(exact(found), price);
        }
    }
}

fn most_may_leave(cash: Cash, held: &[Held], sums: Sums, buys: Money) {
    let first = held[0];
    let within = |left: Money| {
        let rest = Held { quantity: left, ..first };
        let sums = Sums::of(cash, held[1..].iter().copied().chain([rest])).unwrap();
        exact(sums.notional) + exact(buys) <= exact(sums.assets) * ratio(5, 1)
    };
    let most = sums.leaving(&first, buys, TERMS);
    if cash.owed == Money::ZERO {
        assert_eq!(most, first.quantity);
    } else if most == Money::ZERO {
        assert!(first.quantity == Money::ZERO || !within(Money::from_units(first.quantity.units() - 1)));
    } else {
        let left = first.quantity.checked_sub(most).unwrap();
        assert!(within(left), "{cash:?} {held:?}");
        assert!(left == Money::ZERO || !within(Money::from_units(left.units() - 1)), "{cash:?} {held:?}");
    }
}

/// At the liquidation price the account keeps its holding, one step below it does not.
#[test]
fn liquidation_happens_at_its_price() {
    let mut random = Random::new(17);
    for _ in 0..1_000 {
        let (quantity, owed) = (random.amount(1, 9, 8), random.amount(1, 90_000, 19));
        let price = liquidation_price(owed, quantity, decimal("0.01"), TERMS).unwrap();
        let due = |index: Money| {
            let cash = Cash { usd: Money::ZERO, owed };
            Sums::of(cash, [Held { quantity, index }]).unwrap().is_due(TERMS)
        };
        assert!(!due(price) && due(price.checked_sub(decimal("0.01")).unwrap()), "{owed:?} {quantity:?}");
    }
}

/// No input panics.
#[test]
fn wild_amounts_are_refused() {
    let mut random = Random::new(18);
    let odd = Terms { initial: Bps(u16::MAX), maintenance: Bps(10_000), leverage: Leverage::MIN };
    for terms in [TERMS, odd] {
        for _ in 0..10_000 {
            let [one, two, three, four] = core::array::from_fn(|_| random.wild());
            let (cash, held) = (Cash { usd: one, owed: two }, Held { quantity: three, index: four });
            let _ = (cash.pay(three), cash.receive(four), Sums::of(cash, [held, held]));
            let sums = Sums { assets: one, notional: two, owed: three };
            let _ = (sums.leverage(), sums.available(terms), sums.loss(terms), sums.covers(terms));
            let buys = Buys { value: two, fees: three, above_index: four };
            let _ = (sums.is_due(terms), sums.accepts(&buys, terms), sums.leaving_usd(four, one, terms));
            let _ = (sums.leaving(&held, four, terms), liquidation_price(one, two, three, terms));
        }
    }
}
