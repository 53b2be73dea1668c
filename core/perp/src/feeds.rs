//! Which prices of feeds are taken, and which prices can be an index.
//!
//! A price that goes stale makes the marks due at that moment; a price that changes makes them due at the next full second, as a change
//! of a book does.
//!
//! Clauses: `PERP-012`; decision D-38. Not here: which prices are fresh (`index`), and where a feed's prices come from.

use crate::{Infrequent, Perps, Reject};
use alloc::collections::BTreeSet;
use buttonwood_index::{FRESH, FeedPrices};
use buttonwood_model::{BytesRef, CurrencyId, Outbox};
use buttonwood_num::Money;
use buttonwood_risk::price;
use buttonwood_room::Context;

/// Decides prices of a feed.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Perps>,
    new: &FeedPrices,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let currencies: BTreeSet<CurrencyId> = new.prices.iter().map(|(currency, _)| *currency).collect();
    let is_repeated = currencies.len() < new.prices.len();
    if !FeedPrices::is_name(&new.feed) || new.prices.is_empty() || is_repeated || new.age >= FRESH {
        return Err(Reject::BadFeed);
    }
    if !currencies.into_iter().all(|currency| can_have_index(context, currency)) {
        return Err(Reject::Unknown);
    }
    if !new.prices.iter().all(|(currency, price)| can_be_index(context, *currency, *price)) {
        return Err(Reject::BadPrice);
    }
    out.push_named(&Infrequent::FeedPriced(new.clone()));
    Ok(())
}

/// Whether a currency can have an index: it is listed, and no dollar, whose index is one.
pub(crate) fn can_have_index(context: &Context<'_, Perps>, currency: CurrencyId) -> bool {
    context.ledger.currencies().get(currency.index()).is_some() && !context.sources.is_dollar(currency)
}

/// Whether a price can be an index: it is positive, and its mark can be counted.
pub fn is_index(price: Money) -> bool {
    price > Money::ZERO && price::mark(None, price).is_some()
}

/// Whether a price can be the index of a currency now: all that there is of the currency can be valued at it.
pub(crate) fn can_be_index(context: &Context<'_, Perps>, currency: CurrencyId, price: Money) -> bool {
    is_index(price) && context.ledger.can_value(currency, Money::ZERO, price)
}
