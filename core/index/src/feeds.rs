//! Feeds: prices from outside, which count for an index next to the currency's own dollar book.
//!
//! Each price is a command, as old as its document was then, and fresh until it is a minute old. A stale one is dropped when indices are taken, so
//! that a feed that is no longer configured leaves nothing behind.
//!
//! Clauses: `PERP-012`; decision D-38. Not here: where a feed's prices come from.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_model::{CurrencyId, Time};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// A price is fresh until it is this old.
pub const FRESH: u64 = 60 * Time::SECOND;
/// The longest name of a feed, in bytes.
pub const NAME_MAX: usize = 50;

/// The prices of a feed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedPrices {
    /// The name of the feed.
    pub feed: String,
    /// Dollars for one unit of each currency.
    pub prices: Vec<(CurrencyId, Money)>,
    /// How old they are, in microseconds by the clock of the machine that read them.
    pub age: u64,
}

impl FeedPrices {
    /// Whether a feed may have this name: letters, digits, `-`, `_` and `.`.
    pub fn is_name(name: &str) -> bool {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(plain)
    }
}

/// A price, and the time of its command less its age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Price {
    price: Money,
    time: Time,
}

impl Price {
    fn stale_at(self) -> Time {
        self.time.plus(FRESH)
    }
}

/// The prices of all feeds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Feeds {
    prices: BTreeMap<CurrencyId, BTreeMap<String, Price>>,
    /// When the first of them goes stale.
    stale_at: Option<Time>,
}

impl Feeds {
    /// The prices of a currency that are fresh.
    pub(crate) fn fresh(&self, currency: CurrencyId, now: Time) -> impl Iterator<Item = Money> {
        let prices = self.prices.get(&currency).into_iter().flat_map(BTreeMap::values);
        prices.filter(move |price| now < price.stale_at()).map(|price| price.price)
    }

    /// When the next price goes stale.
    pub(crate) fn stale_at(&self) -> Option<Time> {
        self.stale_at
    }

    /// Takes prices. True if an index may have changed.
    pub(crate) fn take(&mut self, new: &FeedPrices, time: Time) -> bool {
        let time_of_price = Time(time.0.saturating_sub(new.age));
        let mut changed = false;
        for (currency, price) in &new.prices {
            let feeds = self.prices.entry(*currency).or_default();
            let before = feeds.insert(new.feed.clone(), Price { price: *price, time: time_of_price });
            changed |= before.is_none_or(|before| before.price != *price || before.stale_at() <= time);
        }
        self.find_stale();
        changed
    }

    /// Drops what is stale.
    pub(crate) fn drop_stale(&mut self, now: Time) {
        if self.stale_at.is_none_or(|time| time > now) {
            return;
        }
        for feeds in self.prices.values_mut() {
            feeds.retain(|_, price| now < price.stale_at());
        }
        self.prices.retain(|_, feeds| !feeds.is_empty());
        self.find_stale();
    }

    fn find_stale(&mut self) {
        self.stale_at = self.prices.values().flat_map(BTreeMap::values).map(|price| price.stale_at()).min();
    }
}

#[cfg(test)]
mod tests;
