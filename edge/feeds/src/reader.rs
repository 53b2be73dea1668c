//! The state of a feed: its latest prices, the part of a document that is still to be sent, and the trouble that is logged.

use buttonwood_engine::index::FRESH;
use buttonwood_model::{CurrencyId, Time};
use buttonwood_num::Money;
use std::collections::BTreeMap;

/// A document is newer if it is so by more than two reads of the clocks differ.
const NEWER: u64 = Time::SECOND / 2;

/// The prices that a feed has sent, and the times at which they were so: those of their commands less their age.
#[derive(Debug, Default)]
pub(crate) struct Sent(BTreeMap<CurrencyId, (Money, Time)>);

impl Sent {
    /// The prices to send of a document that is so old now: those that changed, and those that are half stale where it is newer than theirs.
    pub(crate) fn due(
        &self,
        prices: &[(CurrencyId, Money)],
        age: u64,
        now: Time,
    ) -> Vec<(CurrencyId, Money)> {
        let of = time_of(age, now);
        let is_due = |(currency, price): &&(CurrencyId, Money)| {
            let sent = self.0.get(currency);
            sent.is_none_or(|(sent, time)| {
                sent != price || of >= time.plus(NEWER) && now >= time.plus(FRESH / 2)
            })
        };
        prices.iter().filter(is_due).copied().collect()
    }

    /// Notes that prices were sent at this time, so old.
    pub(crate) fn note(&mut self, prices: &[(CurrencyId, Money)], age: u64, now: Time) {
        self.0.extend(prices.iter().map(|(currency, price)| (*currency, (*price, time_of(age, now)))));
    }
}

fn time_of(age: u64, now: Time) -> Time {
    Time(now.0.saturating_sub(age))
}

/// A condition that is logged when it changes.
#[derive(Debug, Default)]
pub(crate) struct Noted(Option<String>);

/// How a condition changed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Change<'a> {
    /// It began, or is another one.
    Began(&'a str),
    /// It ended.
    Ended,
}

impl Noted {
    /// The change since the last call, if there is one.
    pub(crate) fn note(&mut self, now: Option<String>) -> Option<Change<'_>> {
        if self.0 == now {
            return None;
        }
        self.0 = now;
        Some(self.0.as_deref().map_or(Change::Ended, Change::Began))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BTC: CurrencyId = CurrencyId(1);
    const ETH: CurrencyId = CurrencyId(2);

    /// A price is sent when it changed, and again when it is half stale.
    #[test]
    fn what_changed_or_is_half_stale_is_sent() {
        let price = |currency, units| (currency, Money::from_units(units));
        let all = [price(BTC, 5), price(ETH, 3)];
        let mut sent = Sent::default();
        assert_eq!(sent.due(&all, 0, Time(7)), all);
        sent.note(&all, 0, Time(7));
        assert_eq!(sent.due(&all, 0, Time(6 + FRESH / 2)), []);
        let moved = [price(BTC, 6), price(ETH, 3)];
        assert_eq!(sent.due(&moved, 0, Time(8)), [price(BTC, 6)]);
        sent.note(&moved[..1], 0, Time(8));
        assert_eq!(sent.due(&moved, 0, Time(7 + FRESH / 2)), [price(ETH, 3)]);
        assert_eq!(sent.due(&moved, 0, Time(8 + FRESH / 2)), moved);
        // A document may lack a currency; a refused command was not sent.
        assert_eq!(sent.due(&moved[..1], 0, Time(9)), []);
        assert_eq!(sent.due(&all, 0, Time(9)), [price(BTC, 5)]);
        // A document that grows old is not sent again, a newer one before the price is stale.
        let old = FRESH / 2;
        sent.note(&all, old, Time(2 * FRESH));
        assert_eq!(sent.due(&all, old + 5, Time(2 * FRESH + 5)), []);
        assert_eq!(sent.due(&all, old, Time(2 * FRESH + NEWER)), all);
    }

    /// Trouble is logged once, when it changes and when it ends.
    #[test]
    fn a_condition_is_logged_once() {
        let mut noted = Noted::default();
        assert_eq!(noted.note(None), None);
        assert_eq!(noted.note(Some("a".into())), Some(Change::Began("a")));
        assert_eq!(noted.note(Some("a".into())), None);
        assert_eq!(noted.note(Some("b".into())), Some(Change::Began("b")));
        assert_eq!(noted.note(None), Some(Change::Ended));
        assert_eq!(noted.note(None), None);
    }
}
