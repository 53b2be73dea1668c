//! The index of each currency as it was taken last: what accounts are valued at, until indices are taken again.
//!
//! Not here: where an index comes from ([`crate::Sources`]), and when indices are taken (`perp`, with the marks).

use alloc::collections::BTreeMap;
use buttonwood_model::CurrencyId;
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// The index of a currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// Dollars for one unit.
    pub price: Money,
    /// Whether it had enough sources; otherwise it keeps the price that it had last, at which nothing new is lent or opened.
    pub is_fresh: bool,
}

/// The indices that were taken last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latest(BTreeMap<CurrencyId, Index>);

impl Latest {
    /// The index of a currency; none before it had one.
    pub fn index(&self, currency: CurrencyId) -> Option<Index> {
        self.0.get(&currency).copied()
    }

    /// Its price, in dollars; none before it had one.
    pub fn price(&self, currency: CurrencyId) -> Option<Money> {
        self.index(currency).map(|index| index.price)
    }

    /// Whether the index of a currency had enough sources.
    pub fn is_fresh(&self, currency: CurrencyId) -> bool {
        self.index(currency).is_some_and(|index| index.is_fresh)
    }

    /// Whether no currency has had an index.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes indices.
    pub fn take(&mut self, new: impl IntoIterator<Item = (CurrencyId, Index)>) {
        self.0.extend(new);
    }
}
