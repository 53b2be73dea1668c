//! The dollar price of a coin. The index is computed when it is asked for, so no currency is indexed for staking alone.

use crate::{Pair, Staking};
use buttonwood_model::{CurrencyId, Product, SymbolId};
use buttonwood_num::Money;
use buttonwood_room::Context;

/// The last trade of a currency's dollar book (BAL-013).
fn last_trade(context: &Context<'_, Staking>, currency: CurrencyId) -> Option<Money> {
    let dollar = context.ledger.dollar()?;
    let is_book = |symbol: &buttonwood_model::Symbol| {
        symbol.product == Product::Spot && (symbol.base, symbol.quote) == (currency, dollar)
    };
    let place = context.symbols.iter().position(is_book)?;
    let last = context.orders.last(SymbolId::from_index(place))?;
    Some(context.symbols.get(place)?.grid.value(Money::ONE, last))
}

/// The price at which a stake counts: that of the last trade, or of the fresh index where it is higher (D-101). A dollar is one dollar.
pub(crate) fn of_stake(context: &Context<'_, Staking>, currency: CurrencyId) -> Option<Money> {
    if Some(currency) == context.ledger.dollar() {
        return Some(Money::ONE);
    }
    last_trade(context, currency).max(context.sources.index(currency))
}

/// The price of one coin at an accrual: that of the last trade, else of the index, else the last that the pair had.
pub(crate) fn at_accrual(context: &Context<'_, Staking>, pair: &Pair) -> Option<Money> {
    let currency = pair.currency;
    if Some(currency) == context.ledger.dollar() {
        return Some(Money::ONE);
    }
    let latest = || context.sources.indices.latest().price(currency);
    last_trade(context, currency).or_else(|| context.sources.index(currency)).or_else(latest).or(pair.price)
}
