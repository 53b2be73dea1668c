//! The careful prices: the lower of index and reference, by which the house lends and takes collateral, and by which collateral carries
//! positions (D-262). A pin is both.
//!
//! The index alone may be the best quote of one group: in a sandbox it has one source. Liquidations go by the index.

use crate::{Index, Latest, Sources};
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;

impl Sources<'_> {
    /// The careful price of a currency for an account, in dollars: orders of its own group make none. None without a reference.
    pub fn careful(&self, currency: CurrencyId, account: AccountId) -> Option<Money> {
        let index = self.indices.latest().price(currency)?;
        Some(index.min(self.reference(currency, self.bound.members(account))?))
    }

    /// These currencies as the house lends for them to an account: each at its careful price, and without one not at all.
    pub fn careful_of(&self, currencies: impl IntoIterator<Item = CurrencyId>, account: AccountId) -> Latest {
        let mut careful = Latest::default();
        careful.take(currencies.into_iter().filter_map(|currency| {
            let price = self.careful(currency, account)?;
            Some((currency, Index { price, is_fresh: self.indices.latest().is_fresh(currency) }))
        }));
        careful
    }
}
