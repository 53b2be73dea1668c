//! The references at which volumes count trades that are not paid in dollars (D-265).
//!
//! Each is taken before a trade of its group, for a second, so that neither a last price nor the group's own orders make it. A
//! journal of an earlier build has none before its end: its trades count at last prices, as they did.

use alloc::collections::BTreeMap;
use buttonwood_model::{CurrencyId, GroupId, Time};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// How long a reference that was taken holds.
const SPAN: u64 = Time::SECOND;

/// The price of a currency for a group, as it was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The group; none for an account of the house.
    pub group: Option<GroupId>,
    /// The currency.
    pub currency: CurrencyId,
    /// Dollars for one unit; none without a reference.
    pub price: Option<Money>,
}

/// The references that were taken last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct References {
    /// Whether volumes go by references: since the first were taken.
    are_used: bool,
    rows: BTreeMap<(Option<GroupId>, CurrencyId), Row>,
}

/// A reference and the time when it was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Row {
    time: Time,
    price: Option<Money>,
}

impl References {
    /// Whether volumes go by references. In a journal of an earlier build they do not, until the first trade of this build.
    pub fn are_used(&self) -> bool {
        self.are_used
    }

    /// Whether the reference of a currency for a group was taken within the second before `now`.
    pub fn is_fresh(&self, group: Option<GroupId>, currency: CurrencyId, now: Time) -> bool {
        self.rows.get(&(group, currency)).is_some_and(|row| row.holds(now))
    }

    /// The reference of a currency for a group, as it was taken last.
    pub(crate) fn price(&self, group: Option<GroupId>, currency: CurrencyId) -> Option<Money> {
        self.rows.get(&(group, currency))?.price
    }

    /// Takes references, and drops those that hold no longer.
    pub(crate) fn take(&mut self, taken: &[Reference], now: Time) {
        self.are_used = true;
        self.rows.retain(|_, row| row.holds(now));
        for Reference { group, currency, price } in taken {
            self.rows.insert((*group, *currency), Row { time: now, price: *price });
        }
    }
}

impl Row {
    fn holds(&self, now: Time) -> bool {
        now < self.time.plus(SPAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BTC: CurrencyId = CurrencyId(1);
    const ANN: Option<GroupId> = Some(GroupId(0));
    const BOB: Option<GroupId> = Some(GroupId(1));

    /// A reference holds for its group and for a second, also one that says that there is none.
    #[test]
    fn a_reference_holds_for_a_second() {
        let mut references = References::default();
        assert!(!references.are_used() && !references.is_fresh(ANN, BTC, Time(0)));
        let price = Some(Money::ONE);
        let taken = [(ANN, price), (BOB, None)];
        references.take(&taken.map(|(group, price)| Reference { group, currency: BTC, price }), Time(5));
        let last = Time(4 + Time::SECOND);
        assert!(references.are_used() && references.is_fresh(ANN, BTC, last));
        assert!(references.is_fresh(BOB, BTC, last) && !references.is_fresh(None, BTC, last));
        assert!(!references.is_fresh(ANN, BTC, last.plus(1)));
        assert_eq!([ANN, BOB, None].map(|group| references.price(group, BTC)), [price, None, None]);
        references.take(&[], last);
        assert_eq!(references.rows.len(), 2);
        references.take(&[], last.plus(1));
        assert!(references.are_used() && references.rows.is_empty());
    }
}
