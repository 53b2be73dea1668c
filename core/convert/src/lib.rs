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
mod house;
mod offer;
mod quote;
mod state;
mod wrap;

pub use buttonwood_ledger::INSTANT;
pub use command::{Answer, Command, Infrequent, Reject, decide, decide_own, evolve, exchanged, taken};
pub use execute::{Execute, Term};
pub use house::{HOUSES, ISSUER};
pub use quote::{QUOTE_AGE_MAX, QUOTE_ORDERS_MAX, Quote, QuoteAmounts, QuoteId, QuoteRequest, Spend};
pub use state::{Conversions, QUOTES_MAX, Terms};
pub use wrap::{Wrap, Wrapped};

use buttonwood_book::Orders;
use buttonwood_index::Sources;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, OrderId, Symbol, SymbolId, Time};

/// What a decision of this room reads.
#[derive(Clone, Copy, Debug)]
pub struct Market<'a> {
    /// Every symbol.
    pub symbols: &'a [Symbol],
    /// Every balance.
    pub ledger: &'a Ledger,
    /// Every live order.
    pub orders: &'a Orders,
    /// Where references come from.
    pub sources: Sources<'a>,
    /// Terms and quotes.
    pub conversions: &'a Conversions,
    /// The id that the next order gets.
    pub next_id: OrderId,
    /// The time of the command.
    pub time: Time,
}

/// The account that converts.
#[derive(Clone, Copy, Debug)]
pub struct Client<'a> {
    /// The account.
    pub account: AccountId,
    /// The jurisdiction of its owner (D-16).
    pub home: &'a str,
    /// The accounts of its group, in the order of their ids.
    pub own: &'a [AccountId],
}

impl<'a> Market<'a> {
    /// A symbol that the client may trade (SYM-005).
    fn symbol(&self, id: SymbolId, client: Client<'_>) -> Result<&'a Symbol, Reject> {
        let listed = self.symbols.get(id.index());
        let is_open = |symbol: &&Symbol| symbol.closed_to.iter().all(|closed| closed != client.home);
        listed.filter(is_open).ok_or(Reject::InvalidSymbol)
    }
}
