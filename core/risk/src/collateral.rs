//! Collateral: other currencies that count as assets of an account with cross collateral, after a haircut.
//!
//! Decisions D-47, D-48.

use alloc::vec::Vec;
use buttonwood_model::CurrencyId;
use buttonwood_num::{Money, Round};
use core::cmp::Reverse;
use serde::{Deserialize, Serialize};

/// An amount of one currency that is held as collateral.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collateral {
    /// The amount held, in the currency.
    pub amount: Money,
    /// Dollars for one unit; zero without an index, and then the collateral counts nothing.
    pub index: Money,
    /// The percentage of the value that counts: 100 less the haircut.
    pub percent: u8,
}

/// The whole, in percent.
const WHOLE: i128 = 100;

impl Collateral {
    /// amount × index × percentage, rounded down at 10⁻¹⁹ after each of the two products. `None` beyond the range of money.
    pub fn value(&self) -> Option<Money> {
        self.counted()?.times(self.index, Round::Down)
    }

    /// amount × percentage, rounded down at 10⁻¹⁹: the part of the amount that counts. `None` beyond the range of money.
    pub(crate) fn counted(&self) -> Option<Money> {
        self.amount.mul_div(i128::from(self.percent), WHOLE, Round::Down)
    }

    /// The amount whose value at haircut is `margin`, rounded down at 10⁻¹⁹ and never more than is held: the most that orders may use
    /// or that may leave. A currency that counts nothing is free. Zero if `margin` is not positive.
    pub fn worth(&self, margin: Money) -> Money {
        let held = self.amount.max(Money::ZERO);
        let unit = self.index.units().checked_mul(i128::from(self.percent));
        match unit {
            Some(0) => held,
            Some(unit) if unit > 0 && margin > Money::ZERO => {
                // Beyond the range of money it is more than is held.
                margin
                    .mul_div(Money::ONE.units() * WHOLE, unit, Round::Down)
                    .map_or(held, |most| most.min(held))
            }
            Some(_) | None => Money::ZERO,
        }
    }

    /// The amount that pays for a debt at haircut value, rounded up at 10⁻¹⁹ and never more than is held; nothing of a currency that
    /// counts nothing.
    pub fn covering(&self, debt: Money) -> Money {
        let held = self.amount.max(Money::ZERO);
        let unit = self.index.units().checked_mul(i128::from(self.percent));
        let needed = unit.filter(|unit| *unit > 0 && debt > Money::ZERO);
        needed.map_or(Money::ZERO, |unit| {
            debt.mul_div(Money::ONE.units() * WHOLE, unit, Round::Up).map_or(held, |needed| needed.min(held))
        })
    }
}

/// Collateral that the insurance fund takes for what an account owes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seized {
    /// The currency.
    pub currency: CurrencyId,
    /// How much of it.
    pub amount: Money,
    /// The amount that the fund repays for it.
    pub repaid: Money,
}

impl Seized {
    /// The collateral that the fund takes at haircut value, that with the least haircut first, until nothing is `owed` or its `money` is
    /// spent. Both are what is left of them afterwards. Returns also whether no collateral is left.
    pub fn of(
        mut held: Vec<(CurrencyId, Collateral)>,
        owed: &mut Money,
        money: &mut Money,
    ) -> (Vec<Self>, bool) {
        held.sort_by_key(|(_, collateral)| Reverse(collateral.percent));
        let (mut seized, mut is_bare) = (Vec::new(), true);
        for (currency, collateral) in held {
            let pays = (*owed).min(*money);
            let amount = collateral.covering(pays);
            let value = Collateral { amount, ..collateral }.value().unwrap_or_default();
            // An amount that is not all was rounded up, so it is worth all that is paid.
            let repaid = if amount < collateral.amount { pays } else { value.min(pays) };
            if amount > Money::ZERO && repaid > Money::ZERO {
                seized.push(Self { currency, amount, repaid });
                *owed -= repaid;
                *money -= repaid;
            }
            is_bare &= amount == collateral.amount;
        }
        (seized, is_bare)
    }
}

#[cfg(test)]
mod tests;
