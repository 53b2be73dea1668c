//! Instant orders: the execution of a quote (WRAP-015 to WRAP-018).

use crate::exposure::check_offer;
use crate::offer::offer;
use crate::quote::check_status;
use crate::{Client, Conversions, INSTANT, Quote, QuoteId, Reject, symbol};
use buttonwood_ledger::{About, Bucket, Cause, FEES, FeePart, Ledger, Posting};
use buttonwood_model::{ClientId, CurrencyId, OrderId, Side, Symbol, SymbolId};
use buttonwood_num::{Money, Price};
use buttonwood_room::Context;
use serde::{Deserialize, Serialize};

/// The command: execute a quote, whose terms the client repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execute {
    /// The quote.
    pub quote: QuoteId,
    /// Its symbol.
    pub symbol: SymbolId,
    /// Its side.
    pub side: Side,
    /// Its quantity, in the base currency.
    pub quantity: Money,
    /// Its price.
    pub price: Price,
    /// Its fee, in the quote currency.
    pub fee: Money,
    /// The client's id of the execution.
    pub client_id: Option<ClientId>,
}

/// A term of a quote that an execution must repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// The symbol.
    Symbol,
    /// The side.
    Side,
    /// The quantity.
    Quantity,
    /// The price.
    Price,
    /// The fee.
    Fee,
}

/// Decides an execution: the quote, or why it is refused.
pub(crate) fn decide(
    context: &Context<'_, Conversions>,
    client: Client<'_>,
    execute: &Execute,
) -> Result<Quote, Reject> {
    let quote = context.room.find(execute.quote, client.account, context.time);
    let quote = quote.ok_or(Reject::NoQuote)?;
    if execute.symbol != quote.symbol {
        return Err(Reject::Differs(Term::Symbol));
    }
    let symbol = symbol(context, quote.symbol, client)?;
    let amounts = quote.amounts(symbol).ok_or(Reject::NoLiquidity)?;
    if let Some(term) = difference(execute, quote, amounts.base) {
        return Err(Reject::Differs(term));
    }
    check_status(symbol)?;
    let offer = offer(context, (quote.symbol, symbol), quote.side, client, |depth, _| depth >= quote.qty);
    let holds = offer.and_then(|offer| offer.holds(quote, amounts.notional)).ok_or(Reject::NoLiquidity)?;
    if !holds {
        return Err(Reject::Moved(quote.id));
    }
    check_offer(context, symbol, quote, client)?;
    let paid = symbol.paid_in(quote.side);
    if context.ledger.balance(client.account, paid).available < amounts.spend {
        return Err(Reject::InsufficientFunds);
    }
    Ok(*quote)
}

/// The first term that differs from the quote.
fn difference(execute: &Execute, quote: &Quote, base: Money) -> Option<Term> {
    let terms = [
        (execute.side == quote.side, Term::Side),
        (execute.quantity == base, Term::Quantity),
        (execute.price == quote.price, Term::Price),
        (execute.fee == quote.fee, Term::Fee),
    ];
    terms.into_iter().find(|(is_equal, _)| !is_equal).map(|(_, term)| term)
}

/// Moves the money of an execution.
///
/// # Panics
/// When the event does not follow from the state.
pub(crate) fn settle(ledger: &mut Ledger, symbols: &[Symbol], order: OrderId, quote: &Quote) {
    let symbol = symbols.get(quote.symbol.index()).expect("the decision found the symbol");
    let house = |name| ledger.house(name).expect("the decision found the house accounts");
    let (instant, fees) = (house(INSTANT.name), house(FEES.name));
    let amounts = quote.amounts(symbol).expect("the decision bounded the amounts");
    let (given, taken) = (quote.given(symbol, &amounts), quote.taken(symbol, &amounts));
    let received = match quote.side {
        Side::Buy => given.1,
        Side::Sell => given.1 - quote.fee,
    };
    let posting = |account, asset: CurrencyId, amount| Posting {
        account,
        asset: asset.into(),
        bucket: Bucket::Available,
        amount,
    };
    let entry = [
        posting(quote.account, taken.0, -amounts.spend),
        posting(instant, taken.0, taken.1),
        posting(instant, given.0, -given.1),
        posting(quote.account, given.0, received),
        posting(fees, symbol.quote, quote.fee),
    ];
    let fee = FeePart { account: quote.account, asset: symbol.quote.into(), amount: quote.fee };
    ledger.post_with_fee(Cause::Conversion.about(About::Order(order)), &entry, &fee);
}
