//! What a trade moves.

use buttonwood_model::{AccountId, CurrencyId, Held, Side};
use buttonwood_num::Money;

/// Whoever rested: pays out of its hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maker {
    /// Whose.
    pub account: AccountId,
    /// Which way it trades.
    pub side: Side,
    /// What it pays the house, in quote currency.
    pub fee: Money,
    /// Which hold it pays from.
    pub held: Held,
    /// What the trade frees of that.
    pub freed: Money,
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
    /// Who rested.
    pub maker: Maker,
    /// What whoever came pays the house, in quote currency.
    pub taker_fee: Money,
}

/// An exchange of base for quote between two who rested, in an auction, and both fees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// What the seller gives.
    pub base: CurrencyId,
    /// What the buyer gives, and what fees are in.
    pub quote: CurrencyId,
    /// How much base.
    pub amount: Money,
    /// How much quote.
    pub notional: Money,
    /// Who buys.
    pub buyer: Maker,
    /// Who sells.
    pub seller: Maker,
}

/// Whoever came, once all it trades with have paid: it pays from what is available, since it never held anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taker {
    /// Whose.
    pub account: AccountId,
    /// Which way it trades.
    pub side: Side,
    /// What was traded.
    pub base: CurrencyId,
    /// For what, and what fees are in.
    pub quote: CurrencyId,
}

/// What the makers of one taker gave, what they got, and both sides' fees: the taker's to settle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Owed {
    pub(crate) given: Money,
    pub(crate) got: Money,
    pub(crate) fees: Money,
}
