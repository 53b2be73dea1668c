//! The laws of positions (INV-PERP).

use crate::Perps;
use alloc::collections::BTreeMap;
use buttonwood_index::Latest;
use buttonwood_ledger::{CLEARING, Ledger};
use buttonwood_model::{AccountId, CurrencyId, SymbolId};
use buttonwood_num::Money;

/// A broken law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenLaw {
    /// The positions of the contract do not sum to zero.
    Unequal(SymbolId),
    /// The clearing account is not minus the cost of all open positions, and what funding has paid into it so far.
    Clearing(Money),
    /// The row's live quantities are not those of the account's live orders.
    Live(AccountId, SymbolId),
    /// The depth of a book is not the sum of its orders at each price.
    Depth,
    /// The deleveraging order that is kept of the contract is not that of its positions.
    Ranking(SymbolId),
}

impl Perps {
    /// The first broken law. `live` are the account, the contract, the index of the side and the remaining base quantity of
    /// every live order of this desk.
    pub fn broken_law(
        &self,
        (ledger, latest): (&Ledger, &Latest),
        gusd: Option<CurrencyId>,
        live: impl Iterator<Item = (AccountId, SymbolId, usize, Money)>,
    ) -> Option<BrokenLaw> {
        let (mut sums, mut cost) = (BTreeMap::new(), Money::ZERO);
        for row in self.rows() {
            *sums.entry(row.symbol).or_insert(Money::ZERO) += row.position.quantity;
            cost += row.position.cost;
        }
        if let Some((symbol, _)) = sums.into_iter().find(|(_, sum)| *sum != Money::ZERO) {
            return Some(BrokenLaw::Unequal(symbol));
        }
        let clearing = gusd.zip(ledger.house(CLEARING.name));
        let clearing = clearing.map_or(Money::ZERO, |(gusd, house)| ledger.balance(house, gusd).available);
        if clearing != self.funding.received() - cost {
            return Some(BrokenLaw::Clearing(clearing));
        }
        let unequal = self.unequal_live(live).map(|(account, symbol)| BrokenLaw::Live(account, symbol));
        unequal.or_else(|| self.misranked((ledger, latest)).map(BrokenLaw::Ranking))
    }

    fn unequal_live(
        &self,
        live: impl Iterator<Item = (AccountId, SymbolId, usize, Money)>,
    ) -> Option<(AccountId, SymbolId)> {
        let mut sums: BTreeMap<(AccountId, SymbolId), [Money; 2]> = BTreeMap::new();
        for (account, symbol, side, left) in live {
            let both = sums.entry((account, symbol)).or_default();
            if let Some(sum) = both.get_mut(side) {
                *sum += left;
            }
        }
        let unequal =
            |row: &&crate::Row| sums.get(&(row.account, row.symbol)).copied().unwrap_or_default() != row.live;
        let row = self.rows().iter().find(unequal).map(|row| (row.account, row.symbol));
        row.or_else(|| {
            // An order without a row.
            let has_row = |(account, symbol): &(AccountId, SymbolId)| self.has_row(*account, *symbol);
            sums.into_keys().find(|key| !has_row(key))
        })
    }
}
