//! The naive figures of a margin account: exact fractions over lists, rounded once at the end as the tables say.

use buttonwood_engine::spot_margin::{Conditions, Figures};
use buttonwood_num::Money;
use num_bigint::BigInt;
use num_rational::BigRational;

/// A part of what an account has, with its index in dollars.
pub(crate) struct Held {
    pub(crate) quantity: Money,
    pub(crate) index: Money,
    pub(crate) tick: Money,
}

/// A live margin buy.
pub(crate) struct Buy {
    /// Which of the holdings it buys.
    pub(crate) of: usize,
    pub(crate) base: Money,
    pub(crate) value: Money,
    pub(crate) fee: Money,
}

/// An account as lists.
pub(crate) struct Account {
    pub(crate) conditions: Conditions,
    pub(crate) usd: Money,
    pub(crate) owed: Money,
    pub(crate) held: Vec<Held>,
    pub(crate) buys: Vec<Buy>,
    /// Price × remaining of each live margin sell.
    pub(crate) sells: Vec<Money>,
}

fn exact(money: Money) -> BigRational {
    BigRational::new(money.units().into(), Money::ONE.units().into())
}

fn ratio(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

/// Rounded down, or up, to a multiple of a step.
fn to_step(value: &BigRational, step: &BigRational, up: bool) -> Money {
    let steps = value / step;
    let whole = if up { steps.ceil() } else { steps.floor() };
    let units = (whole * step * exact(Money::from_units(1)).recip()).to_integer();
    Money::from_units(i128::try_from(units).unwrap())
}

fn down(value: &BigRational) -> Money {
    to_step(value, &exact(Money::from_units(1)), false)
}

fn up(value: &BigRational) -> Money {
    to_step(value, &exact(Money::from_units(1)), true)
}

/// The interest of an hour on what is owed: the annual rate divided by the hours of a year, cut to 14 decimals; the product rounded up.
pub(crate) fn interest(owed: Money, annual: Money) -> Money {
    let hourly = to_step(&(exact(annual) / ratio(8_760, 1)), &ratio(1, 100_000_000_000_000), false);
    up(&(exact(owed) * exact(hourly)))
}

/// The part of a holding that is sold next: half of it, up to the lot, or all of it where that is worth less than 10,000 dollars.
pub(crate) fn part(held: &Held, lot: Money) -> Money {
    if exact(held.quantity) * exact(held.index) < ratio(10_000, 1) {
        return held.quantity;
    }
    to_step(&(exact(held.quantity) / ratio(2, 1)), &exact(lot), true).min(held.quantity)
}

/// The price at which selling all of a holding leaves nothing of the assets, up to the price step, and at least one step.
pub(crate) fn zero_price(assets: Money, held: &Held) -> Money {
    to_step(&(exact(held.index) - exact(assets) / exact(held.quantity)), &exact(held.tick), true)
        .max(held.tick)
}

/// The lowest price of a forced sale: 5 % below the index, up to the price step.
pub(crate) fn edge(held: &Held) -> Money {
    to_step(&(exact(held.index) * ratio(95, 100)), &exact(held.tick), true)
}

/// What the account pays the fund of what it sold: half a percent, and no more than it has.
pub(crate) fn fee(traded: Money, assets: Money) -> Money {
    up(&(exact(traded) * ratio(1, 200))).min(assets).max(Money::ZERO)
}

/// What a quantity costs, up to the last decimal.
pub(crate) fn cost(quantity: Money, price: Money) -> Money {
    up(&(exact(quantity) * exact(price)))
}

/// What a quantity is worth, down to the last decimal.
pub(crate) fn worth(quantity: Money, price: Money) -> Money {
    down(&(exact(quantity) * exact(price)))
}

impl Account {
    pub(crate) fn notional(&self) -> Money {
        self.held.iter().map(|held| down(&(exact(held.quantity) * exact(held.index)))).sum()
    }

    pub(crate) fn assets(&self) -> Money {
        self.usd + self.notional() - self.owed
    }

    /// Below the part of the notional that is maintenance.
    pub(crate) fn is_below_maintenance(&self) -> bool {
        exact(self.assets()) < exact(self.notional()) * self.maintenance()
    }

    fn maintenance(&self) -> BigRational {
        ratio(self.conditions.maintenance.0.into(), 10_000)
    }

    /// Notional and the live buys, without their fees, are at most the highest multiple of the assets: more may not leave.
    pub(crate) fn may_have_left(&self) -> bool {
        let buys: Money = self.buys.iter().map(|buy| buy.value).sum();
        exact(self.notional() + buys) <= exact(self.assets()) * self.highest()
    }

    fn highest(&self) -> BigRational {
        ratio(self.conditions.leverage.hundredths().into(), 100)
    }

    /// Notional and live buys are at most the highest multiple of the assets, after fees and what is paid above the index.
    pub(crate) fn is_within_limit(&self) -> bool {
        let buys: Money = self.buys.iter().map(|buy| buy.value).sum();
        let fees: Money = self.buys.iter().map(|buy| buy.fee).sum();
        let mut lost = Money::ZERO;
        for (at, held) in self.held.iter().enumerate() {
            let above = |buy: &&Buy| buy.of == at && exact(buy.value) > exact(buy.base) * exact(held.index);
            let above: Vec<&Buy> = self.buys.iter().filter(above).collect();
            let value: Money = above.iter().map(|buy| buy.value).sum();
            let base: Money = above.iter().map(|buy| buy.base).sum();
            lost += value - down(&(exact(base) * exact(held.index)));
        }
        exact(self.notional() + buys) <= exact(self.assets() - fees - lost) * self.highest()
    }

    /// The figures.
    pub(crate) fn figures(&self) -> String {
        let (notional, assets) = (exact(self.notional()), exact(self.assets()));
        let zero = BigRational::from(BigInt::from(0));
        let leverage = if assets > zero { down(&(&notional / &assets)) } else { Money::ZERO };
        let initial = ratio(self.conditions.initial.0.into(), 10_000);
        let available = self.assets() - up(&(&notional * initial));
        let maintenance = self.maintenance();
        let kept = ratio(1, 1) - &maintenance;
        let loss = (notional > zero).then(|| {
            let loss = (&assets - &notional * &maintenance) / (&notional * &kept);
            to_step(&loss, &ratio(1, 10_000), false)
        });
        let mut holdings = self.held.iter().filter(|held| held.quantity > Money::ZERO);
        let only = holdings.next().filter(|_| holdings.next().is_none() && self.owed > Money::ZERO);
        let price = only.map(|held| {
            let price = exact(self.owed) / (exact(held.quantity) * &kept);
            to_step(&price, &exact(held.tick), true)
        });
        let buys: Money = self.buys.iter().map(|buy| buy.value).sum();
        let sells: Money = self.sells.iter().copied().sum();
        let amounts = [self.assets(), self.notional(), self.owed, leverage, available, buys, sells];
        format!("{amounts:?} {loss:?} {price:?}")
    }
}

/// Those of the core, in the same words.
pub(crate) fn of_core(figures: &Figures) -> String {
    let Figures { sums, available, reserved_buys, reserved_sells, loss, liquidation_price } = figures;
    let amounts =
        [sums.assets, sums.notional, sums.owed, sums.leverage(), *available, *reserved_buys, *reserved_sells];
    format!("{amounts:?} {loss:?} {liquidation_price:?}")
}
