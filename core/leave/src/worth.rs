//! The worth of currencies against advances.

use buttonwood_num::{Money, Round};

/// The currencies that count one dollar each.
pub const DOLLARS: [&str; 4] = ["USD", "GUSD", "USDC", "USDT"];

/// The worth of a currency against advances (D-181).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worth {
    /// One dollar.
    Dollar,
    /// 90 % of a fresh index, in dollars.
    Index(Money),
    /// Nothing: it has no fresh index.
    Nothing,
}

impl Worth {
    /// The value of an amount, in dollars, rounded down at 10⁻¹⁹ after each of the two products; nothing beyond the range of money.
    pub fn of(self, amount: Money) -> Money {
        match self {
            Self::Dollar => amount,
            Self::Index(index) => {
                let value =
                    amount.times(index, Round::Down).and_then(|value| value.mul_div(9, 10, Round::Down));
                value.unwrap_or(Money::ZERO)
            }
            Self::Nothing => Money::ZERO,
        }
    }

    /// The largest amount that counts at most this many dollars, rounded down; none if every amount does.
    pub(crate) fn most_within(self, dollars: Money) -> Option<Money> {
        match self {
            Self::Dollar => Some(dollars),
            Self::Index(index) => {
                let most = || dollars.mul_div(10, 9, Round::Down)?.over(index, Round::Down);
                Some(most().unwrap_or(Money::ZERO))
            }
            Self::Nothing => None,
        }
    }

    /// The value of an amount at the whole index, in dollars: the measure of losses. Nothing without a fresh index.
    pub fn in_full(self, amount: Money, round: Round) -> Option<Money> {
        match self {
            Self::Dollar => Some(amount),
            Self::Index(index) => amount.times(index, round),
            Self::Nothing => Some(Money::ZERO),
        }
    }
}
