//! Which prices are fresh, and when the first of them goes stale.

use super::*;
use alloc::vec;

const BTC: CurrencyId = CurrencyId(3);
const ETH: CurrencyId = CurrencyId(4);

fn prices(feed: &str, prices: &[(CurrencyId, i128)]) -> FeedPrices {
    let prices = prices.iter().map(|(currency, units)| (*currency, Money::from_units(*units)));
    FeedPrices { feed: feed.into(), prices: prices.collect(), age: 0 }
}

fn fresh(feeds: &Feeds, currency: CurrencyId, now: u64) -> Vec<i128> {
    feeds.fresh(currency, Time(now)).map(Money::units).collect()
}

/// A price is fresh for a minute. The same price again changes nothing but its time, unless it had gone stale.
#[test]
fn a_price_is_fresh_for_a_minute() {
    let mut feeds = Feeds::default();
    assert_eq!(feeds.stale_at(), None);
    assert!(feeds.take(&prices("a", &[(BTC, 5), (ETH, 2)]), Time(0)));
    assert!(feeds.take(&prices("b", &[(BTC, 7)]), Time(10)));
    assert_eq!((fresh(&feeds, BTC, FRESH - 1), fresh(&feeds, ETH, 20)), (vec![5, 7], vec![2]));
    assert_eq!((fresh(&feeds, BTC, FRESH), fresh(&feeds, ETH, FRESH)), (vec![7], vec![]));
    assert_eq!(feeds.stale_at(), Some(Time(FRESH)));
    assert!(!feeds.take(&prices("a", &[(BTC, 5), (ETH, 2)]), Time(20)), "nothing changed");
    assert_eq!(feeds.stale_at(), Some(Time(FRESH + 10)));
    assert!(feeds.take(&prices("a", &[(BTC, 5), (ETH, 3)]), Time(30)), "one price changed");
    assert!(feeds.take(&prices("b", &[(BTC, 7)]), Time(FRESH + 10)), "it had gone stale");
}

/// A price is as old as its document was: one that was 20 microseconds old goes stale as much earlier.
#[test]
fn a_price_has_the_age_of_its_document() {
    let mut feeds = Feeds::default();
    feeds.take(&FeedPrices { age: 20, ..prices("a", &[(BTC, 5)]) }, Time(100));
    assert_eq!(feeds.stale_at(), Some(Time(FRESH + 80)));
    assert_eq!([FRESH + 79, FRESH + 80].map(|now| fresh(&feeds, BTC, now).len()), [1, 0]);
}

/// A stale price is dropped, and nothing else.
#[test]
fn stale_prices_are_dropped() {
    let mut feeds = Feeds::default();
    feeds.take(&prices("a", &[(BTC, 5), (ETH, 2)]), Time(0));
    feeds.take(&prices("b", &[(BTC, 7)]), Time(10));
    let all = feeds.clone();
    feeds.drop_stale(Time(FRESH - 1));
    assert_eq!(feeds, all);
    feeds.drop_stale(Time(FRESH));
    let mut rest = Feeds::default();
    rest.take(&prices("b", &[(BTC, 7)]), Time(10));
    assert_eq!(feeds, rest);
    feeds.drop_stale(Time(FRESH + 10));
    assert_eq!(feeds, Feeds::default());
}

/// Names are short and plain.
#[test]
fn names_are_plain() {
    let long = "x".repeat(NAME_MAX);
    for name in ["a", "lab-1", "index.example_2", &long] {
        assert!(FeedPrices::is_name(name), "{name}");
    }
    for name in ["", "a b", "a/b", "a=b", "é", "a\n", &(long + "x")] {
        assert!(!FeedPrices::is_name(name), "{name}");
    }
}
