//! The exposure of the house account of instant orders: the dollar value of what it owes, and its limit.

use crate::{INSTANT, Market, Quote, Reject};
use buttonwood_model::{CurrencyId, Product, Side, Symbol, SymbolId};
use buttonwood_num::{Money, Price};

/// The currency that exposure is counted in.
const DOLLAR: &str = "USD";

impl Market<'_> {
    /// Refuses a quote that the house account cannot give, or that would take its exposure beyond the limit. A quote that does not raise
    /// the exposure is good even where a lowered limit is passed already.
    pub(crate) fn check_offer(&self, symbol: &Symbol, quote: &Quote) -> Result<(), Reject> {
        let house = self.ledger.house(INSTANT.name).ok_or(Reject::Unavailable)?;
        let amounts = quote.amounts(symbol).ok_or(Reject::NoLiquidity)?;
        let (given, taken) = (quote.given(symbol, &amounts), quote.taken(symbol, &amounts));
        self.ledger.can_give(house, given.0, given.1).map_err(|_| Reject::Unavailable)?;
        let after = self.exposure_after(&[(given.0, -given.1), taken]).ok_or(Reject::BeyondExposure)?;
        let is_within = after <= self.conversions.terms().exposure
            || self.exposure().is_some_and(|before| after <= before);
        if is_within { Ok(()) } else { Err(Reject::BeyondExposure) }
    }

    /// The dollar value of what the house account owes, each currency at the last price of its symbol with the dollar, rounded up. None
    /// when it owes a currency without a price, or more than money can count.
    pub fn exposure(&self) -> Option<Money> {
        self.exposure_after(&[])
    }

    /// The exposure after these changes of the house account's balances.
    fn exposure_after(&self, changes: &[(CurrencyId, Money)]) -> Option<Money> {
        let Some(house) = self.ledger.house(INSTANT.name) else { return Some(Money::ZERO) };
        let currencies = (0..self.ledger.currencies().len()).map(CurrencyId::from_index);
        let owed = currencies.filter_map(|currency| {
            let change = changes.iter().filter(|(of, _)| *of == currency).map(|(_, change)| *change).sum();
            let after = self.ledger.balance(house, currency).available.checked_add(change);
            match after {
                Some(after) => after.is_negative().then(|| self.value(currency, -after)),
                None => Some(None),
            }
        });
        { owed }.try_fold(Money::ZERO, |sum, value| sum.checked_add(value?))
    }

    /// What an amount of a currency is worth in dollars, rounded up to a hundredth of a lot.
    fn value(&self, currency: CurrencyId, amount: Money) -> Option<Money> {
        let dollar = self.ledger.currencies().iter().position(|listed| listed.code == DOLLAR)?;
        let dollar = CurrencyId::from_index(dollar);
        if currency == dollar {
            return Some(amount);
        }
        let is_priced = |symbol: &&Symbol| {
            (symbol.base, symbol.quote, symbol.product) == (currency, dollar, Product::Spot)
        };
        let at = self.symbols.iter().position(|symbol| is_priced(&symbol))?;
        let symbol = self.symbols.get(at)?;
        if symbol.wrap_enabled {
            return Some(amount);
        }
        let price = self.price(SymbolId::from_index(at))?;
        symbol.grid.notional(price, symbol.grid.qty_holding(amount)?)
    }

    /// The last price of a symbol; before its first trade the best ask, for which the house could buy back what it owes.
    fn price(&self, symbol: SymbolId) -> Option<Price> {
        self.orders.last(symbol).or_else(|| self.orders.book(symbol).side(Side::Sell).best())
    }
}
