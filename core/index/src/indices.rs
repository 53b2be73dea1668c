//! The state of the room: pins, and the prices of feeds.

use crate::feeds::Feeds;
use crate::{FeedPrices, price};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_model::{CurrencyId, Time};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// The knowledge of prices apart from the books.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indices {
    pins: BTreeMap<CurrencyId, Money>,
    feeds: Feeds,
}

impl Indices {
    /// The price that the index of a currency is pinned to, in dollars.
    pub fn pin(&self, currency: CurrencyId) -> Option<Money> {
        self.pins.get(&currency).copied()
    }

    /// Pins the index of a currency, or returns it to its sources.
    pub fn set_pin(&mut self, currency: CurrencyId, price: Option<Money>) {
        match price {
            Some(price) => self.pins.insert(currency, price),
            None => self.pins.remove(&currency),
        };
    }

    /// Takes prices of a feed. True if an index may have changed.
    pub fn take(&mut self, prices: &FeedPrices, time: Time) -> bool {
        self.feeds.take(prices, time)
    }

    /// When the next price of a feed goes stale.
    pub fn stale_at(&self) -> Option<Time> {
        self.feeds.stale_at()
    }

    /// Drops prices of feeds that are stale.
    pub fn drop_stale(&mut self, now: Time) {
        self.feeds.drop_stale(now);
    }

    /// The median of the fresh prices that feeds have of a currency; none without any.
    pub fn of_feeds(&self, currency: CurrencyId, now: Time) -> Option<Money> {
        let fresh: Vec<Money> = self.fresh(currency, now).collect();
        price::index(&fresh, 1)
    }

    /// The prices of a currency that are fresh.
    pub(crate) fn fresh(&self, currency: CurrencyId, now: Time) -> impl Iterator<Item = Money> {
        self.feeds.fresh(currency, now)
    }
}
