//! The result of an auction.

use buttonwood_num::{Price, Qty};
use serde::{Deserialize, Serialize};

/// The collar of an auction: the middle of the continuous book in half ticks, so that a middle between two ticks is
/// exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collar(u128);

/// An auction's price differs from its collar by at most this fraction, one in 20: 5 % (AUCT-007).
const PART: u128 = 20;

impl Collar {
    /// The middle of two prices, or of one price given twice.
    pub fn between(bid: Price, ask: Price) -> Self {
        Self(u128::from(bid.ticks()) + u128::from(ask.ticks()))
    }

    /// In half ticks.
    pub const fn half_ticks(self) -> u128 {
        self.0
    }

    /// Whether a price differs by at most 5 % (AUCT-007).
    pub fn admits(self, price: Price) -> bool {
        (2 * u128::from(price.ticks())).abs_diff(self.0).saturating_mul(PART) <= self.0
    }
}

/// The result of an auction, or the result it would have now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The best bid of the continuous book.
    pub bid: Option<Price>,
    /// The best ask of the continuous book.
    pub ask: Option<Price>,
    /// The collar that the price must lie within.
    pub collar: Option<Collar>,
    /// The price; `None` if nothing trades, or only at prices outside the collar.
    pub price: Option<Price>,
    /// The quantity that trades at it.
    pub qty: Qty,
    /// The quantity that would trade at a price outside the collar.
    pub beyond: Qty,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five percent are admitted, one tick more is not; the middle of two ticks is exact. Proves AUCT-007 with the
    /// scenarios.
    #[test]
    fn five_percent_are_near_enough() {
        let admitted = |bid, ask| {
            let collar = Collar::between(Price::from_ticks(bid), Price::from_ticks(ask));
            let prices = || (1..300).filter(|ticks| collar.admits(Price::from_ticks(*ticks)));
            (prices().min(), prices().max())
        };
        assert_eq!(admitted(100, 100), (Some(95), Some(105)));
        assert_eq!(admitted(99, 102), (Some(96), Some(105)));
        assert_eq!(admitted(190, 210), (Some(190), Some(210)));
        assert_eq!(admitted(19, 19), (Some(19), Some(19)));
        assert_eq!(Collar::between(Price::from_ticks(99), Price::from_ticks(102)).half_ticks(), 201);
        let most = Price::from_ticks(u64::MAX);
        assert!(Collar::between(most, most).admits(most));
        assert!(!Collar::between(most, most).admits(Price::from_ticks(1)));
    }
}
