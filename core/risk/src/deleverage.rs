//! Deleveraging: which opposite position comes next, and the price it gets.
//!
//! Decision D-54.

use crate::Position;
use crate::figures::size;
use crate::price::TWELFTH_DECIMAL;
use buttonwood_num::{Money, Round, mul_div};
use core::cmp::Reverse;

/// Where a position stands in the deleveraging order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// It has a profit: (profit ÷ cost) × (notional ÷ assets of the account), in units of 10⁻⁹, rounded down.
    Profit(u128),
    /// It has a profit, and its account no assets.
    NoAssets,
    /// It has no profit.
    NoProfit,
}

/// Units of a score in one.
const SCORE_UNITS: i128 = 1_000_000_000;

impl Score {
    /// The score of a position at the mark, in an account with these assets. A score beyond the range of numbers is the highest.
    pub fn of(position: &Position, mark: Money, assets: Money) -> Self {
        let Some(profit) = position.unrealised(mark).filter(|profit| *profit > Money::ZERO) else {
            return Self::NoProfit;
        };
        if assets <= Money::ZERO {
            return Self::NoAssets;
        }
        let score = || {
            let [value, cost] = [size(position.value(mark)?)?, size(position.cost)?];
            // Two divisions that round down are one that rounds down the whole.
            let weighed =
                mul_div(profit.units().checked_mul(SCORE_UNITS)?, value.units(), cost.units(), Round::Down)?;
            u128::try_from(weighed / assets.units()).ok()
        };
        Self::Profit(score().unwrap_or(u128::MAX))
    }

    /// The key to sort by, with the smaller one first; of equal ones the older account comes first.
    pub fn rank(self) -> (u8, Reverse<u128>) {
        match self {
            Self::Profit(score) => (0, Reverse(score)),
            Self::NoAssets => (1, Reverse(0)),
            Self::NoProfit => (2, Reverse(0)),
        }
    }

    /// The score as it is shown; zero where there is none.
    pub fn shown(self) -> Money {
        let units = match self {
            Self::Profit(score) => score,
            Self::NoAssets | Self::NoProfit => 0,
        };
        let unit = Money::ONE.units() / SCORE_UNITS;
        i128::try_from(units)
            .ok()
            .and_then(|units| units.checked_mul(unit))
            .map_or(Money::MAX, Money::from_units)
    }
}

/// The price at which a position is closed against a bankrupt one: the zero price, but never beyond the mark or the position's average
/// cost, whichever lets it pay more. No account then pays more than its unrealised profit, and a position without profit closes at
/// the mark or better.
///
/// The average cost is rounded at 12 decimals in the position's favour, so that price × quantity is exact. `None` for a flat position.
pub fn price(position: &Position, zero_price: Money, mark: Money) -> Option<Money> {
    if position.is_flat() {
        return None;
    }
    // A short position buys, and pays with a high price; a long one sells, and pays with a low one.
    let is_short = position.quantity.is_negative();
    let round = if is_short { Round::Down } else { Round::Up };
    let average = position.cost.over(position.quantity, round)?.to_step(TWELFTH_DECIMAL, round)?;
    Some(if is_short { zero_price.min(mark.max(average)) } else { zero_price.max(mark.min(average)) })
}

#[cfg(test)]
mod tests;
