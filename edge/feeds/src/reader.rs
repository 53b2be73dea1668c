//! The state of a feed: its latest prices, the part of a document that is still to be sent, and the trouble that is logged.

use buttonwood_engine::index::FRESH;
use buttonwood_model::{CurrencyId, Time};
use buttonwood_num::Money;
use std::collections::BTreeMap;

/// The prices that a feed has sent.
#[derive(Debug, Default)]
pub(crate) struct Sent(BTreeMap<CurrencyId, (Money, Time)>);

impl Sent {
    /// The prices to send: those that changed, and those that are half stale.
    pub(crate) fn due(&self, prices: &[(CurrencyId, Money)], now: Time) -> Vec<(CurrencyId, Money)> {
        let is_due = |(currency, price): &&(CurrencyId, Money)| {
            let sent = self.0.get(currency);
            sent.is_none_or(|(sent, time)| sent != price || now >= time.plus(FRESH / 2))
        };
        prices.iter().filter(is_due).copied().collect()
    }

    /// Notes that prices were sent at this time.
    pub(crate) fn note(&mut self, prices: &[(CurrencyId, Money)], now: Time) {
        self.0.extend(prices.iter().map(|(currency, price)| (*currency, (*price, now))));
    }
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
        assert_eq!(sent.due(&all, Time(7)), all);
        sent.note(&all, Time(7));
        assert_eq!(sent.due(&all, Time(6 + FRESH / 2)), []);
        let moved = [price(BTC, 6), price(ETH, 3)];
        assert_eq!(sent.due(&moved, Time(8)), [price(BTC, 6)]);
        sent.note(&moved[..1], Time(8));
        assert_eq!(sent.due(&moved, Time(7 + FRESH / 2)), [price(ETH, 3)]);
        assert_eq!(sent.due(&moved, Time(8 + FRESH / 2)), moved);
        // A document may lack a currency; a refused command was not sent.
        assert_eq!(sent.due(&moved[..1], Time(9)), []);
        assert_eq!(sent.due(&all, Time(9)), [price(BTC, 5)]);
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
