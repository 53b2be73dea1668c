//! The state of the room: the terms of instant orders, and the quotes that may be executed, which survive a restart.

use crate::{Command, Quote, QuoteId};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_ledger::{INSTANT, Ledger};
use buttonwood_model::{AccountId, CurrencyId, Fingerprint, RowHash, Time};
use buttonwood_num::{Bps, Money};
use buttonwood_room::{Changes, Room};
use core::convert::Infallible;
use serde::{Deserialize, Serialize};

/// The most quotes of an account that may be executed; a further one replaces the oldest.
pub const QUOTES_MAX: usize = 10;

/// The terms of instant orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The rate of the fee.
    pub fee: Bps,
    /// The limit on the exposure of the house account, in dollars.
    pub exposure: Money,
    /// How many dollars of other groups must rest on each side of a book that is a source of a reference; zero stands for 1,000 (D-179).
    pub depth: Money,
}

impl Default for Terms {
    fn default() -> Self {
        Self { fee: Bps(150), exposure: dollars(100_000), depth: Money::ZERO }
    }
}

/// An amount of whole dollars.
fn dollars(count: i128) -> Money {
    Money::from_units(count * Money::ONE.units())
}

impl Terms {
    /// How many dollars of other groups must rest on each side of a book that is a source of a reference.
    pub fn depth(self) -> Money {
        if self.depth == Money::ZERO { dollars(1_000) } else { self.depth }
    }

    /// Whether no fee can exceed what it is paid from, and neither the limit nor the depth is a debt.
    pub(crate) fn are_valid(self) -> bool {
        let amounts = [self.exposure, self.depth];
        u32::from(self.fee.0) <= Bps::WHOLE && !amounts.into_iter().any(Money::is_negative)
    }
}

/// A sum that the house account was given, as fingerprints have it.
const GIVEN: RowHash = RowHash::of("given");

/// A quote that is gone, as fingerprints have it.
const GONE: RowHash = RowHash::of("quote gone");

/// The state of the room.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversions {
    terms: Terms,
    /// The newest quote of all.
    last: QuoteId,
    /// The quotes that may be executed, and some that are too old.
    quotes: BTreeMap<QuoteId, Quote>,
    /// The ids of each account's quotes, oldest first.
    own: BTreeMap<AccountId, Vec<QuoteId>>,
    /// The sums that the house account of instant orders was given from `source`, by currency (D-180).
    given: BTreeMap<CurrencyId, Money>,
    /// The fingerprint of quotes, as they came and went, and of what was given.
    fingerprint: Fingerprint,
}

impl Conversions {
    /// The terms of instant orders.
    pub fn terms(&self) -> Terms {
        self.terms
    }

    /// The id that the next quote gets.
    pub fn next_quote(&self) -> QuoteId {
        QuoteId(self.last.0 + 1)
    }

    /// Every quote that may be executed, and some that are too old; oldest first.
    pub fn quotes(&self) -> impl Iterator<Item = &Quote> {
        self.quotes.values()
    }

    /// A quote that the account may execute now (WRAP-017).
    pub(crate) fn find(&self, id: QuoteId, account: AccountId, now: Time) -> Option<&Quote> {
        self.quotes.get(&id).filter(|quote| quote.account == account && !quote.is_expired(now))
    }

    /// The sum that the house account of instant orders was given of a currency, less the part that was taken back; none if it was
    /// never given any.
    pub fn given(&self, currency: CurrencyId) -> Option<Money> {
        self.given.get(&currency).copied()
    }

    /// Notes what the house account of instant orders got from `source`, or gave back.
    fn note_given(&mut self, currency: CurrencyId, amount: Money) {
        let given = self.given.entry(currency).or_default();
        *given = given.capped_add(amount);
        self.fingerprint.add(GIVEN.word(currency.0.into()).money(*given));
    }

    pub(crate) fn set_terms(&mut self, terms: Terms) {
        self.terms = terms;
    }

    /// Adds a quote; quotes that are too old by then are dropped.
    pub(crate) fn add(&mut self, quote: Quote) {
        while let Some((id, _)) = self.quotes.first_key_value().filter(|(_, old)| old.is_expired(quote.time))
        {
            let id = *id;
            self.remove(id);
        }
        let own = self.own.get(&quote.account);
        if let Some(oldest) = own.filter(|own| own.len() >= QUOTES_MAX).and_then(|own| own.first().copied()) {
            self.remove(oldest);
        }
        self.last = quote.id;
        self.fingerprint.add(quote.hash());
        self.quotes.insert(quote.id, quote);
        self.own.entry(quote.account).or_default().push(quote.id);
    }

    pub(crate) fn remove(&mut self, id: QuoteId) {
        let Some(quote) = self.quotes.remove(&id) else { return };
        self.fingerprint.add(GONE.word(id.0));
        if let Some(own) = self.own.get_mut(&quote.account) {
            own.retain(|other| *other != id);
            if own.is_empty() {
                self.own.remove(&quote.account);
            }
        }
    }
}

/// Nothing falls due: a quote that is too old is refused.
impl Room for Conversions {
    type Command = Command;
    type BrokenLaw = Infallible;
    type Found = ();

    /// The exposure of the house account of instant orders is what it lacks of what it was given (D-180).
    fn changed(&mut self, changes: &Changes, ledger: &Ledger, _time: Time) {
        let Some(instant) = ledger.house(INSTANT.name) else { return };
        for given in changes.given.iter().filter(|given| given.account == instant) {
            if let Some(currency) = given.asset.currency() {
                self.note_given(currency, given.amount);
            }
        }
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint.part("convert")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_model::{Side, SymbolId};
    use buttonwood_num::{Price, Qty};

    fn quote(id: u64) -> Quote {
        Quote {
            id: QuoteId(id),
            account: AccountId(3),
            symbol: SymbolId(1),
            side: Side::Buy,
            qty: Qty::from_hundredths(250),
            price: Price::from_ticks(50_000),
            fee: Money::from_units(7),
            time: Time(9),
        }
    }

    /// A replay that has another quote, none, or one that is gone, has another fingerprint; so has one that gave the house account another
    /// sum (INV-LEDGER-7).
    #[test]
    fn a_quote_that_differs_shows() {
        let after = |quotes: &[Quote], removed: u64, given: i128| {
            let mut conversions = Conversions::default();
            for quote in quotes {
                conversions.add(*quote);
            }
            conversions.remove(QuoteId(removed));
            conversions.note_given(CurrencyId(0), Money::from_units(given));
            conversions.fingerprint()
        };
        let right = quote(1);
        let live = after(&[right], 0, 5);
        assert_eq!(after(&[right], 0, 5), live);
        let wrong = [
            Quote { account: AccountId(4), ..right },
            Quote { symbol: SymbolId(2), ..right },
            Quote { side: Side::Sell, ..right },
            Quote { qty: Qty::from_hundredths(251), ..right },
            Quote { price: Price::from_ticks(50_001), ..right },
            Quote { fee: Money::from_units(-7), ..right },
            Quote { time: Time(10), ..right },
            quote(2),
        ];
        for wrong in wrong {
            assert_ne!(after(&[wrong], 0, 5), live, "{wrong:?}");
        }
        let others = [after(&[], 0, 5), after(&[right], 1, 5), after(&[right], 0, 6)];
        assert!(!others.contains(&live));
    }
}
