//! Conversions: an account exchanges one currency for another with a house account, at once and off the book.
//!
//! A wrap converts between a currency and its wrapped form, one for one (WRAP-001 to WRAP-008). An instant order executes a quote, whose
//! price is that of the book or of the index, whichever is better for the house (WRAP-009 to WRAP-018, D-179). A conversion prints no
//! trade: it moves no last price, triggers no stop and changes no book.
//!
//! Not here: who may call, and the ids of orders (`engine`).
#![no_std]
extern crate alloc;

mod command;
mod execute;
mod exposure;
mod offer;
mod quote;
mod state;
mod wrap;

pub use buttonwood_index::References;
pub use buttonwood_ledger::INSTANT;
pub use command::{Answer, Command, Infrequent, Reject, decide, decide_own, evolve, exchanged, taken};
pub use execute::{Execute, Term};
pub use exposure::exposure;
pub use quote::{QUOTE_AGE_MAX, QUOTE_ORDERS_MAX, Quote, QuoteAmounts, QuoteId, QuoteRequest, Spend};
pub use state::{Conversions, QUOTES_MAX, Terms};
pub use wrap::{Wrap, Wrapped};

use buttonwood_model::{AccountId, CurrencyId, Symbol, SymbolId};
use buttonwood_num::Money;
use buttonwood_room::Context;

/// The account that converts.
#[derive(Clone, Copy, Debug)]
pub struct Client<'a> {
    /// The account.
    pub account: AccountId,
    /// The jurisdiction of its owner (D-16).
    pub home: &'a str,
    /// The accounts of its group, in the order of their ids.
    pub own: &'a [AccountId],
    /// The references that the command has found for it.
    pub references: &'a References,
}

impl Client<'_> {
    /// The dollars of one unit of a currency, without the orders of the client's group (D-179).
    pub(crate) fn reference(self, context: &Context<'_, Conversions>, currency: CurrencyId) -> Option<Money> {
        self.references.of(context.sources, currency, self.own)
    }
}

/// A symbol that the client may trade (SYM-005).
fn symbol<'a>(
    context: &Context<'a, Conversions>,
    id: SymbolId,
    client: Client<'_>,
) -> Result<&'a Symbol, Reject> {
    let listed = context.symbols.get(id.index());
    let is_open = |symbol: &&Symbol| symbol.closed_to.iter().all(|closed| closed != client.home);
    listed.filter(is_open).ok_or(Reject::InvalidSymbol)
}
