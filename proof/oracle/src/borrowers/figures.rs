//! The naive figures of a margin account: exact fractions over lists, rounded once at the end as the tables say.

use buttonwood_engine::spot_margin::Figures;
use buttonwood_num::Money;
use num_bigint::BigInt;
use num_rational::BigRational;

/// A part of what an account has, with its index in dollars.
pub(super) struct Held {
    pub(super) quantity: Money,
    pub(super) index: Money,
    pub(super) tick: Money,
}

/// A live margin buy.
pub(super) struct Buy {
    /// Which of the holdings it buys.
    pub(super) of: usize,
    pub(super) base: Money,
    pub(super) value: Money,
    pub(super) fee: Money,
}

/// An account as lists.
pub(super) struct Account {
    pub(super) usd: Money,
    pub(super) owed: Money,
    pub(super) held: Vec<Held>,
    pub(super) buys: Vec<Buy>,
    /// Price × remaining of each live margin sell.
    pub(super) sells: Vec<Money>,
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

impl Account {
    pub(super) fn notional(&self) -> Money {
        self.held.iter().map(|held| down(&(exact(held.quantity) * exact(held.index)))).sum()
    }

    pub(super) fn assets(&self) -> Money {
        self.usd + self.notional() - self.owed
    }

    /// Below 5 % of the notional.
    pub(super) fn is_below_maintenance(&self) -> bool {
        exact(self.assets()) < exact(self.notional()) * ratio(1, 20)
    }

    /// Notional and live buys are at most five times the assets, after fees and what is paid above the index.
    pub(super) fn is_within_limit(&self) -> bool {
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
        exact(self.notional() + buys) <= exact(self.assets() - fees - lost) * ratio(5, 1)
    }

    /// The figures.
    pub(super) fn figures(&self) -> String {
        let (notional, assets) = (exact(self.notional()), exact(self.assets()));
        let zero = BigRational::from(BigInt::from(0));
        let leverage = if assets > zero { down(&(&notional / &assets)) } else { Money::ZERO };
        let available = self.assets() - up(&(&notional * ratio(1, 10)));
        let loss = (notional > zero).then(|| {
            let loss = (&assets - &notional * ratio(1, 20)) / (&notional * ratio(19, 20));
            to_step(&loss, &ratio(1, 10_000), false)
        });
        let mut holdings = self.held.iter().filter(|held| held.quantity > Money::ZERO);
        let only = holdings.next().filter(|_| holdings.next().is_none() && self.owed > Money::ZERO);
        let price = only.map(|held| {
            let price = exact(self.owed) / (exact(held.quantity) * ratio(19, 20));
            to_step(&price, &exact(held.tick), true)
        });
        let buys: Money = self.buys.iter().map(|buy| buy.value).sum();
        let sells: Money = self.sells.iter().copied().sum();
        let amounts = [self.assets(), self.notional(), self.owed, leverage, available, buys, sells];
        format!("{amounts:?} {loss:?} {price:?}")
    }
}

/// Those of the core, in the same words.
pub(super) fn of_core(figures: &Figures) -> String {
    let Figures { sums, available, reserved_buys, reserved_sells, loss, liquidation_price } = figures;
    let amounts =
        [sums.assets, sums.notional, sums.owed, sums.leverage(), *available, *reserved_buys, *reserved_sells];
    format!("{amounts:?} {loss:?} {liquidation_price:?}")
}
