//! The exposure of the house account of instant orders: the dollar value of what it lacks of what it was given, and its limit (D-180).

use crate::{Client, Conversions, INSTANT, Quote, References, Reject};
use buttonwood_model::{AccountId, CurrencyId, Product, Symbol, SymbolId};
use buttonwood_num::{Money, Price, Round};
use buttonwood_room::Context;

/// Whose orders and which prices count in a valuation.
#[derive(Clone, Copy, Debug)]
struct Prices<'a> {
    /// The accounts whose orders do not count.
    own: &'a [AccountId],
    /// The references that were found without these orders.
    references: &'a References,
    /// A quoted currency and its quote, in dollars.
    quoted: Option<(CurrencyId, Money)>,
}

/// Refuses a quote that the house account cannot give, or that would take its exposure beyond the limit. A quote that does not raise
/// the exposure is good even where a lowered limit is passed already.
pub(crate) fn check_offer(
    context: &Context<'_, Conversions>,
    symbol: &Symbol,
    quote: &Quote,
    client: Client<'_>,
) -> Result<(), Reject> {
    let house = context.ledger.house(INSTANT.name).ok_or(Reject::Unavailable)?;
    let amounts = quote.amounts(symbol).ok_or(Reject::NoLiquidity)?;
    let (given, taken) = (quote.given(symbol, &amounts), quote.taken(symbol, &amounts));
    if context.ledger.balance(house, given.0).available < given.1 {
        return Err(Reject::NoLiquidity);
    }
    let dollars = client.reference(context, symbol.quote);
    let price = dollars
        .and_then(|dollars| symbol.grid.value(Money::ONE, quote.price).times(dollars, Round::Up))
        .ok_or(Reject::BeyondExposure)?;
    let Client { own, references, .. } = client;
    let prices = Prices { own, references, quoted: Some((symbol.base, price)) };
    let after =
        exposure_after(context, &[(given.0, -given.1), taken], prices).ok_or(Reject::BeyondExposure)?;
    let before = exposure_after(context, &[], prices);
    if after <= context.room.terms().exposure || before.is_some_and(|before| after <= before) {
        Ok(())
    } else {
        Err(Reject::BeyondExposure)
    }
}

/// The dollar value of what the house account lacks of what it was given, each currency at the higher of its reference and the last
/// price of its dollar book, rounded up. None when it lacks a currency without a price, or more than money can count.
pub fn exposure(context: &Context<'_, Conversions>) -> Option<Money> {
    let references = References::default();
    exposure_after(context, &[], Prices { own: &[], references: &references, quoted: None })
}

/// The exposure after these changes of the house account's balances.
fn exposure_after(
    context: &Context<'_, Conversions>,
    changes: &[(CurrencyId, Money)],
    prices: Prices<'_>,
) -> Option<Money> {
    let Some(house) = context.ledger.house(INSTANT.name) else { return Some(Money::ZERO) };
    let mut currencies = (0..context.ledger.currencies().len()).map(CurrencyId::from_index);
    currencies.try_fold(Money::ZERO, |sum, currency| {
        let of_currency = changes.iter().filter(|(of, _)| *of == currency);
        let balance = context.ledger.balance(house, currency).available;
        let after = of_currency.map(|(_, change)| *change).try_fold(balance, Money::checked_add)?;
        let given = context.room.given(currency).unwrap_or_default();
        let lacks = given.checked_sub(after)?;
        if lacks > Money::ZERO {
            sum.checked_add(value(context, currency, lacks, prices)?)
        } else {
            Some(sum)
        }
    })
}

/// The worth of an amount of a currency in dollars: at the highest of its reference, its quote and its last price, rounded up.
fn value(
    context: &Context<'_, Conversions>,
    currency: CurrencyId,
    amount: Money,
    prices: Prices<'_>,
) -> Option<Money> {
    if context.sources.is_dollar(currency) {
        return Some(amount);
    }
    let quoted = prices.quoted.filter(|(of, _)| *of == currency).map(|(_, price)| price);
    let reference = prices.references.of(context.sources, currency, prices.own);
    let highest = [quoted, reference, last(context, currency)].into_iter().flatten().max()?;
    amount.times(highest, Round::Up)
}

/// The last price of a currency's dollar book, in dollars.
fn last(context: &Context<'_, Conversions>, currency: CurrencyId) -> Option<Money> {
    let is_book = |symbol: &Symbol| {
        (symbol.base, Some(symbol.quote), symbol.product) == (currency, context.sources.dollar, Product::Spot)
    };
    let place = context.symbols.iter().position(is_book)?;
    let grid = &context.symbols.get(place)?.grid;
    let value = |price: Price| grid.value(Money::ONE, price);
    context.orders.last(SymbolId::from_index(place)).map(value)
}
