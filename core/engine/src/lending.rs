//! The careful prices of accounts (D-262): by them the house lends, and collateral carries positions of perpetuals.
//!
//! Reducing orders, marks and liquidations go by the index, so that an account without a reference loses nothing that it has.

use crate::{Desks, State};
use buttonwood_index::Latest;
use buttonwood_model::{AccountId, CurrencyId, Time};
use buttonwood_num::Money;
use buttonwood_trading::{Floor, Terms};

impl Desks {
    /// The careful prices of the coins of a margin account, and of the one that it is about to buy.
    #[cold]
    #[inline(never)]
    pub(crate) fn careful(
        &self,
        (floor, time): (&Floor, Time),
        account: AccountId,
        buys: Option<CurrencyId>,
    ) -> Latest {
        let coins = self.spot_margin.counted(&self.ledger, account);
        self.sources(floor, time).careful_of(coins.chain(buys), account)
    }

    /// The part of the collateral of a derivatives account that carries nothing new: its value at the index beyond that at careful prices.
    #[cold]
    #[inline(never)]
    pub(crate) fn uncounted(&self, (floor, time): (&Floor, Time), account: AccountId) -> Money {
        let careful = |currency| self.sources(floor, time).careful(currency, account);
        self.perps.uncounted(&self.ledger, self.indices.latest(), account, careful)
    }

    /// The part of the assets that carries no new order of a perpetual: advances (D-181), and what of the collateral does not count.
    pub(crate) fn not_carrying(&self, terms: &Terms<'_>) -> Money {
        let uncounted = self.uncounted((terms.floor, terms.time), terms.account);
        self.advanced(terms.account).capped_add(uncounted)
    }
}

impl State {
    /// The most of a currency that orders of a derivatives or margin account may use, and the most that may leave it (D-47, D-165), by the
    /// index and by careful prices. None for other accounts, and for currencies that its risk does not concern.
    pub fn margined(&self, account: AccountId, currency: CurrencyId) -> Option<[Money; 2]> {
        if self.desks.is_margin(account) {
            let advanced = self.desks.own_advances(account);
            let leaving = |latest: &Latest| {
                self.spot_margin().leaving(self.ledger(), latest, account, currency, advanced)
            };
            let available = self.ledger().balance(account, currency).available;
            let by_index = leaving(self.indices().latest())?;
            let careful = leaving(&self.desks.careful((&self.floor, self.stamp.time), account, None))?;
            return Some([available, by_index.min(careful).min(available)]);
        }
        if !self.is_derivatives(account) {
            return None;
        }
        let (gusd, now) = (self.gusd()?, self.stamp.time);
        let advanced = self.desks.advanced(account);
        let most = |latest: &Latest| {
            self.perps().available(self.ledger(), latest, account, (gusd, currency), advanced)
        };
        let by_index = most(self.indices().latest())?;
        if self.desks.uncounted((&self.floor, now), account) == Money::ZERO {
            return Some(by_index);
        }
        let collateral = self.perps().counted(self.ledger()).map(|counted| counted.currency);
        let prices = self.sources(now).careful_of(collateral, account);
        // Collateral without a careful price would be free, since it counts nothing.
        if !self.perps().is_carried(self.ledger(), &prices, account, gusd) {
            return Some([Money::ZERO; 2]);
        }
        let careful = most(&prices)?;
        let [usable, leaving] = by_index;
        let [careful_usable, careful_leaving] = careful;
        Some([usable.min(careful_usable), leaving.min(careful_leaving)])
    }
}
