//! The deleveraging order of positions (D-54).

use crate::position::size;
use crate::{Perps, Row};
use buttonwood_ledger::Ledger;
use buttonwood_model::CurrencyId;
use buttonwood_num::Money;
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

/// Parts of one that a score counts.
const PARTS: u128 = 1_000_000_000;

impl Score {
    /// The score of a position at the mark.
    pub fn of(perps: &Perps, ledger: &Ledger, gusd: CurrencyId, row: &Row) -> Self {
        let Some(contract) = perps.contract(row.symbol) else { return Self::NoProfit };
        let figures = row.position.value(contract.mark).zip(row.position.unrealised(contract.mark));
        let Some((value, profit)) = figures.filter(|(_, profit)| *profit > Money::ZERO) else {
            return Self::NoProfit;
        };
        let assets = perps.sums(ledger, row.account, gusd, None).map(|sums| sums.assets);
        let Some(assets) = assets.filter(|assets| *assets > Money::ZERO) else { return Self::NoAssets };
        // Both divisions round down, which is one rounding down of the whole.
        let parts = size(profit).checked_mul(PARTS).and_then(|parts| i128::try_from(parts).ok());
        let weighed =
            parts.and_then(|parts| Money::from_units(parts).scaled(size(value), size(row.position.cost)));
        Self::Profit(weighed.map_or(u128::MAX, |weighed| size(weighed) / size(assets)))
    }

    /// A sort key: the smaller one comes first.
    pub fn rank(self) -> (u8, Reverse<u128>) {
        match self {
            Self::Profit(score) => (0, Reverse(score)),
            Self::NoAssets => (1, Reverse(0)),
            Self::NoProfit => (2, Reverse(0)),
        }
    }

    /// The score as it is shown: zero where there is none.
    pub fn shown(self) -> Money {
        match self {
            Self::Profit(score) => {
                let units = score.checked_mul(10_000_000_000).and_then(|units| i128::try_from(units).ok());
                units.map_or(Money::MAX, Money::from_units)
            }
            Self::NoAssets | Self::NoProfit => Money::ZERO,
        }
    }
}
