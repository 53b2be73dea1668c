//! Basis points, and the division that rounds up.

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

/// `value` / `divisor`, rounded up, for a non-negative value and a positive divisor.
pub(crate) fn divide_up(value: i128, divisor: i128) -> i128 {
    let quotient = value / divisor;
    if value % divisor == 0 { quotient } else { quotient + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only a division with a remainder is rounded.
    #[test]
    fn only_a_rest_is_rounded() {
        for (value, divisor, up) in [(0, 3, 0), (6, 3, 2), (7, 3, 3), (2, 3, 1)] {
            assert_eq!(divide_up(value, divisor), up, "{value} / {divisor}");
        }
    }
}
