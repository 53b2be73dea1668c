//! Prices.

use serde::{Deserialize, Serialize};

/// A price in ticks of its symbol (the wire's `quote_increment`); zero means no price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Price(u64);

impl Price {
    /// From ticks.
    pub const fn from_ticks(ticks: u64) -> Self {
        Self(ticks)
    }

    /// In ticks.
    pub const fn ticks(self) -> u64 {
        self.0
    }
}
