//! Spot margin: the figures of an account that buys with borrowed dollars, and what they allow.
//!
//! Assets are USD and holdings at the index, without a haircut, less what is owed. An account only borrows USD and never sells
//! short. The value of each holding is rounded down at 10⁻¹⁹. Sums are `None` beyond the range of money, and a caller refuses then.
//!
//! Clauses: `MARG-002` to `MARG-004`, `MARG-008`, `MARG-010`; decisions D-56 to D-58, D-60. A liquidation also uses the sums of
//! [`crate::liquidation`], with the index as the mark.

use crate::Leverage;
use crate::leverage::HUNDREDTHS;
use buttonwood_num::{Bps, Money, Round};

/// The terms of spot margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The part of the notional that is not available as collateral.
    pub initial: Bps,
    /// Below this part of the notional, the account is liquidated.
    pub maintenance: Bps,
    /// The highest notional, as a multiple of the assets.
    pub leverage: Leverage,
}

impl Terms {
    /// 10 % initial, 5 % maintenance, 5 times leverage.
    pub const USUAL: Self = Self { initial: Bps(1_000), maintenance: Bps(500), leverage: Leverage::FIVE };

    /// The share of a price that is left after maintenance, in parts of 10,000. `None` if that is nothing.
    fn kept(self) -> Option<i128> {
        Some(WHOLE - self.maintenance.get()).filter(|kept| *kept > 0)
    }
}

/// Parts of the whole in basis points.
const WHOLE: i128 = 10_000;

/// The step of `lossPercentage`: 4 decimals.
const FOURTH_DECIMAL: Money = Money::from_units(Money::ONE.units() / WHOLE);

/// An amount of one of the currencies that can be bought on margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The amount held, in the currency.
    pub quantity: Money,
    /// Dollars for one unit; zero without an index.
    pub index: Money,
}

impl Held {
    /// quantity × index, rounded down at 10⁻¹⁹. `None` beyond the range of money.
    pub fn value(&self) -> Option<Money> {
        self.quantity.times(self.index, Round::Down)
    }
}

/// The dollars of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cash {
    /// Its balance.
    pub usd: Money,
    /// Its debt.
    pub owed: Money,
}

impl Cash {
    /// Pays for a fill of a margin order and its fee: spends what is there and borrows the rest. `None` beyond the range of money.
    pub fn pay(self, cost: Money) -> Option<Self> {
        let spent = cost.min(self.usd.max(Money::ZERO));
        let borrowed = cost.checked_sub(spent)?;
        Some(Self { usd: self.usd.checked_sub(spent)?, owed: self.owed.checked_add(borrowed)? })
    }

    /// Takes money in: repays first. `None` beyond the range of money.
    pub fn receive(self, amount: Money) -> Option<Self> {
        let repaid = amount.min(self.owed.max(Money::ZERO));
        let rest = amount.checked_sub(repaid)?;
        Some(Self { usd: self.usd.checked_add(rest)?, owed: self.owed.checked_sub(repaid)? })
    }
}

/// The sums of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// `marginAssetValue`: USD + holdings at the index − owed.
    pub assets: Money,
    /// `notionalValue`: holdings at the index.
    pub notional: Money,
    /// `totalBorrowed`.
    pub owed: Money,
}

/// The risk that a buy and the live margin buys of its account would add.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buys {
    /// Σ price × remaining of the live margin buys, and of the part of the order that would rest.
    pub value: Money,
    /// Their fees.
    pub fees: Money,
    /// Σ (price − index) × remaining of those whose price is above the index, which counts as lost.
    pub above_index: Money,
}

impl Sums {
    /// The sums of cash and holdings.
    pub fn of(cash: Cash, holdings: impl IntoIterator<Item = Held>) -> Option<Self> {
        let mut notional = Money::ZERO;
        for held in holdings {
            notional = notional.checked_add(held.value()?)?;
        }
        let assets = cash.usd.checked_sub(cash.owed)?.checked_add(notional)?;
        Some(Self { assets, notional, owed: cash.owed })
    }

    /// `leverage`: notional ÷ assets, rounded down at 10⁻¹⁹; zero where assets are not above zero. It ends at the largest number.
    pub fn leverage(&self) -> Money {
        if self.assets <= Money::ZERO {
            return Money::ZERO;
        }
        self.notional.over(self.assets, Round::Down).unwrap_or(Money::MAX)
    }

    /// `availableCollateral`, `buyingPower` and `sellingPower`: assets less the initial part of the notional, which is rounded up at
    /// 10⁻¹⁹; may be negative.
    pub fn available(&self, terms: Terms) -> Option<Money> {
        self.assets.checked_sub(self.notional.mul_div(terms.initial.get(), WHOLE, Round::Up)?)
    }

    /// `lossPercentage`: (assets − maintenance) ÷ (notional − maintenance), rounded down at 4 decimals: the fall of all prices at
    /// which liquidation starts, as a fraction. Negative below maintenance. `None` without holdings and beyond the range of money.
    pub fn loss(&self, terms: Terms) -> Option<Money> {
        if self.notional <= Money::ZERO {
            return None;
        }
        let maintenance = self.notional.units().checked_mul(terms.maintenance.get())?;
        let left = Money::from_units(self.assets.units().checked_mul(WHOLE)?.checked_sub(maintenance)?);
        let whole = self.notional.units().checked_mul(terms.kept()?)?;
        left.mul_div(Money::ONE.units(), whole, Round::Down)?.to_step(FOURTH_DECIMAL, Round::Down)
    }

    /// Whether a margin buy is accepted. The sums are those after its immediate fills; notional and live buys may then be at most the
    /// highest leverage × (assets less fees and less what is paid above the index). False beyond the range of money.
    pub fn accepts(&self, buys: &Buys, terms: Terms) -> bool {
        let accepts = || {
            let assets = self.assets.checked_sub(buys.fees)?.checked_sub(buys.above_index)?;
            Some(terms.leverage.margin(self.notional.checked_add(buys.value)?)? <= assets)
        };
        accepts().unwrap_or(false)
    }

    /// Whether a fill of a margin order is covered; the sums are those after it. They are not below maintenance.
    pub fn covers(&self, terms: Terms) -> bool {
        self.excess(terms).is_some_and(|excess| excess >= 0)
    }

    /// Whether liquidation is due: something is held, and assets are below maintenance.
    pub fn is_due(&self, terms: Terms) -> bool {
        self.notional > Money::ZERO && self.excess(terms).is_some_and(|excess| excess < 0)
    }

    /// Assets less maintenance, in parts of 10,000 of a unit, so that nothing is rounded.
    fn excess(&self, terms: Terms) -> Option<i128> {
        let maintenance = self.notional.units().checked_mul(terms.maintenance.get())?;
        self.assets.units().checked_mul(WHOLE)?.checked_sub(maintenance)
    }

    /// The most USD that may leave: all of it without a debt; with one, as much as leaves notional and live margin buys (`buys`, in
    /// dollars) within the highest leverage. At least zero, and zero beyond the range of money.
    pub fn leaving_usd(&self, usd: Money, buys: Money, terms: Terms) -> Money {
        if self.owed <= Money::ZERO {
            return usd.max(Money::ZERO);
        }
        let most = || {
            let needed = terms.leverage.margin(self.notional.checked_add(buys)?)?;
            self.assets.checked_sub(needed)
        };
        most().unwrap_or(Money::ZERO).min(usd).max(Money::ZERO)
    }

    /// The most of a holding that may leave, by the same rule.
    pub fn leaving(&self, held: &Held, buys: Money, terms: Terms) -> Money {
        let all = held.quantity.max(Money::ZERO);
        if self.owed <= Money::ZERO {
            return all;
        }
        let most = || all.checked_sub(self.staying(held, buys, terms)?);
        most().unwrap_or(Money::ZERO).max(Money::ZERO)
    }

    /// The least of a holding that must stay. The value v of what stays counts in notional and assets alike, so with both of them
    /// without the holding, n + buys + v ≤ leverage × (a + v).
    fn staying(&self, held: &Held, buys: Money, terms: Terms) -> Option<Money> {
        let value = held.value()?;
        let cap = i128::from(terms.leverage.hundredths());
        let risk = self.notional.checked_sub(value)?.checked_add(buys)?.units().checked_mul(HUNDREDTHS)?;
        let missing = risk.checked_sub(self.assets.checked_sub(value)?.units().checked_mul(cap)?)?;
        if missing <= 0 {
            return Some(Money::ZERO);
        }
        Money::from_units(missing).mul_div(1, cap - HUNDREDTHS, Round::Up)?.over(held.index, Round::Up)
    }
}

/// `liquidationPrice` of an account with exactly one holding: owed ÷ (what maintenance leaves of the quantity), rounded up to the price
/// step. `None` without a debt or a holding, and beyond the range of money.
pub fn liquidation_price(owed: Money, quantity: Money, tick: Money, terms: Terms) -> Option<Money> {
    if owed <= Money::ZERO || quantity <= Money::ZERO {
        return None;
    }
    let divisor = quantity.units().checked_mul(terms.kept()?)?;
    owed.mul_div(WHOLE * Money::ONE.units(), divisor, Round::Up)?.to_step(tick, Round::Up)
}

#[cfg(test)]
mod tests;
