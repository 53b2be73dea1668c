//! The exposure of the house account of instant orders: the dollar value of what it lacks of what it was given, and its limit (D-180).

use crate::{Client, INSTANT, Market, Quote, Reject};
use buttonwood_model::{AccountId, CurrencyId, Product, Symbol, SymbolId};
use buttonwood_num::{Money, Price, Round};

/// Whose orders and which prices count in a valuation.
#[derive(Clone, Copy, Debug, Default)]
struct Prices<'a> {
    /// The accounts whose orders do not count.
    own: &'a [AccountId],
    /// A quoted currency and its quote, in dollars.
    quoted: Option<(CurrencyId, Money)>,
}

impl Market<'_> {
    /// Refuses a quote that the house account cannot give, or that would take its exposure beyond the limit. A quote that does not raise
    /// the exposure is good even where a lowered limit is passed already.
    pub(crate) fn check_offer(
        &self,
        symbol: &Symbol,
        quote: &Quote,
        client: Client<'_>,
    ) -> Result<(), Reject> {
        let house = self.ledger.house(INSTANT.name).ok_or(Reject::Unavailable)?;
        let amounts = quote.amounts(symbol).ok_or(Reject::NoLiquidity)?;
        let (given, taken) = (quote.given(symbol, &amounts), quote.taken(symbol, &amounts));
        if self.ledger.balance(house, given.0).available < given.1 {
            return Err(Reject::NoLiquidity);
        }
        let dollars = self.sources.reference(symbol.quote, client.own);
        let price = dollars
            .and_then(|dollars| symbol.grid.value(Money::ONE, quote.price).times(dollars, Round::Up))
            .ok_or(Reject::BeyondExposure)?;
        let prices = Prices { own: client.own, quoted: Some((symbol.base, price)) };
        let after =
            self.exposure_after(&[(given.0, -given.1), taken], prices).ok_or(Reject::BeyondExposure)?;
        let before = self.exposure_after(&[], prices);
        if after <= self.conversions.terms().exposure || before.is_some_and(|before| after <= before) {
            Ok(())
        } else {
            Err(Reject::BeyondExposure)
        }
    }

    /// The dollar value of what the house account lacks of what it was given, each currency at the higher of its reference and the last
    /// price of its dollar book, rounded up. None when it lacks a currency without a price, or more than money can count.
    pub fn exposure(&self) -> Option<Money> {
        self.exposure_after(&[], Prices::default())
    }

    /// The exposure after these changes of the house account's balances.
    fn exposure_after(&self, changes: &[(CurrencyId, Money)], prices: Prices<'_>) -> Option<Money> {
        let Some(house) = self.ledger.house(INSTANT.name) else { return Some(Money::ZERO) };
        let mut currencies = (0..self.ledger.currencies().len()).map(CurrencyId::from_index);
        currencies.try_fold(Money::ZERO, |sum, currency| {
            let of_currency = changes.iter().filter(|(of, _)| *of == currency);
            let balance = self.ledger.balance(house, currency).available;
            let after = of_currency.map(|(_, change)| *change).try_fold(balance, Money::checked_add)?;
            let given = self.conversions.given(currency).unwrap_or_default();
            let lacks = given.checked_sub(after)?;
            if lacks > Money::ZERO {
                sum.checked_add(self.value(currency, lacks, prices)?)
            } else {
                Some(sum)
            }
        })
    }

    /// What an amount of a currency is worth in dollars: at the highest of its reference, its quote and its last price, rounded up.
    fn value(&self, currency: CurrencyId, amount: Money, prices: Prices<'_>) -> Option<Money> {
        if self.sources.is_dollar(currency) {
            return Some(amount);
        }
        let quoted = prices.quoted.filter(|(of, _)| *of == currency).map(|(_, price)| price);
        let reference = self.sources.reference(currency, prices.own);
        let highest = [quoted, reference, self.last(currency)].into_iter().flatten().max()?;
        amount.times(highest, Round::Up)
    }

    /// The last price of a currency's dollar book, in dollars.
    fn last(&self, currency: CurrencyId) -> Option<Money> {
        let is_book = |symbol: &Symbol| {
            (symbol.base, Some(symbol.quote), symbol.product)
                == (currency, self.sources.dollar, Product::Spot)
        };
        let place = self.symbols.iter().position(is_book)?;
        let grid = &self.symbols.get(place)?.grid;
        let value = |price: Price| grid.value(Money::ONE, price);
        self.orders.last(SymbolId::from_index(place)).map(value)
    }
}
