//! What a trade moves.

use buttonwood_model::{AccountId, CurrencyId, Held};
use buttonwood_num::Money;

/// One side of a trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Party {
    /// Whose.
    pub account: AccountId,
    /// What it pays the house, in quote currency.
    pub fee: Money,
    /// Which hold it pays from and what the trade frees of that; nothing for a party that pays from what is available.
    pub freed: Option<(Held, Money)>,
}

/// An exchange of base for quote, and both fees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trade {
    /// What the seller gives.
    pub base: CurrencyId,
    /// What the buyer gives, and what fees are in.
    pub quote: CurrencyId,
    /// How much base.
    pub amount: Money,
    /// How much quote.
    pub notional: Money,
    /// Who gets the base.
    pub buyer: Party,
    /// Who gets the quote.
    pub seller: Party,
}
