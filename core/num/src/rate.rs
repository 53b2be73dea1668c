//! Basis points and the directions a division may round to.

use serde::{Deserialize, Serialize};

/// Basis points: 1 bps is 1/100 of a percent (TYPE-010).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Bps(pub u16);

impl Bps {
    /// Basis points in the whole.
    pub const WHOLE: u32 = 10_000;

    /// The rate as a factor of [`Bps::WHOLE`].
    pub fn get(self) -> i128 {
        i128::from(self.0)
    }
}

/// Where a division that does not come out even ends; always an argument, never a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// Toward zero.
    Down,
    /// Away from zero.
    Up,
}

impl Round {
    /// `value` / `divisor` for a non-negative value and a positive divisor.
    pub fn divide(self, value: i128, divisor: i128) -> i128 {
        let quotient = value / divisor;
        match self {
            Self::Up if value % divisor != 0 => quotient + 1,
            Self::Up | Self::Down => quotient,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Up and down differ only where a division does not come out even.
    #[test]
    fn only_a_rest_is_rounded() {
        for (value, divisor, down, up) in [(0, 3, 0, 0), (6, 3, 2, 2), (7, 3, 2, 3), (2, 3, 0, 1)] {
            assert_eq!(Round::Down.divide(value, divisor), down, "{value} / {divisor}");
            assert_eq!(Round::Up.divide(value, divisor), up, "{value} / {divisor}");
        }
    }
}
