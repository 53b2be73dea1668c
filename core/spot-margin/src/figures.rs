//! The figures of an account (the table of spot margin).

use crate::SpotMargin;
use crate::account::Account;
use buttonwood_index::Latest;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, CurrencyId, Symbol};
use buttonwood_num::Money;
use buttonwood_risk::spot::{Sums, liquidation_price};

/// The assets, debts and possible losses of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Assets, notional, and what is owed.
    pub sums: Sums,
    /// Assets less the initial part of the notional: collateral and power.
    pub available: Money,
    /// Σ price × remaining of live margin buys.
    pub reserved_buys: Money,
    /// The same of live margin sells.
    pub reserved_sells: Money,
    /// The fall of all prices at which liquidation starts; none without holdings.
    pub loss: Option<Money>,
    /// The price of the only holding at which liquidation starts.
    pub liquidation_price: Option<Money>,
}

impl Figures {
    /// The figures of an account beyond the range of money: values end at the largest number, and nothing is available, since every
    /// check refuses then.
    pub fn beyond_range(margin: &SpotMargin, account: AccountId) -> Self {
        let row = margin.row(account);
        Self {
            sums: Sums { assets: Money::MAX, notional: Money::MAX, owed: margin.borrowed(account) },
            available: Money::ZERO,
            reserved_buys: row.buys,
            reserved_sells: row.sells,
            loss: None,
            liquidation_price: None,
        }
    }

    /// The figures of an account. None beyond the range of money.
    pub fn of(
        margin: &SpotMargin,
        ledger: &Ledger,
        latest: &Latest,
        symbols: &[Symbol],
        account: AccountId,
    ) -> Option<Self> {
        let row = margin.row(account);
        Self::with(margin, symbols, &margin.account(ledger, latest, account), [row.buys, row.sells])
    }

    /// The figures of an account that stands like this, with the reserves of live margin buys and sells.
    pub(crate) fn with(
        margin: &SpotMargin,
        symbols: &[Symbol],
        account: &Account,
        [reserved_buys, reserved_sells]: [Money; 2],
    ) -> Option<Self> {
        let (sums, terms) = (account.sums()?, margin.terms());
        let mut held = account.holdings();
        let only = held.next().filter(|_| held.next().is_none());
        let price = only.and_then(|(currency, held)| {
            liquidation_price(sums.owed, held.quantity, margin.tick(symbols, currency)?, terms)
        });
        Some(Self {
            sums,
            available: sums.available(terms)?,
            reserved_buys,
            reserved_sells,
            loss: sums.loss(terms),
            liquidation_price: price,
        })
    }
}

impl SpotMargin {
    /// The price step of a currency's dollar book.
    fn tick(&self, symbols: &[Symbol], currency: CurrencyId) -> Option<Money> {
        let (_, symbol) = self.coins().find(|(coin, _)| coin.currency == currency)?;
        Some(symbols.get(symbol.index())?.grid.tick())
    }
}
