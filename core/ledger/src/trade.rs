//! The movements of a trade.

use buttonwood_model::{AccountId, CurrencyId, Held, Side};
use buttonwood_num::Money;

/// The party of a trade that rested; it pays from its hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maker {
    /// The account.
    pub account: AccountId,
    /// The side it trades on.
    pub side: Side,
    /// Its fee, in quote currency.
    pub fee: Money,
    /// The balance that it pays from.
    pub held: Held,
    /// The amount that the trade frees of its hold.
    pub freed: Money,
}

/// An exchange of base for quote, and both fees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trade {
    /// The currency that the seller gives.
    pub base: CurrencyId,
    /// The currency that the buyer gives and that fees are in.
    pub quote: CurrencyId,
    /// The amount of base.
    pub amount: Money,
    /// The amount of quote.
    pub notional: Money,
    /// The party that rested.
    pub maker: Maker,
    /// The fee of the incoming party, in quote currency.
    pub taker_fee: Money,
}

/// An exchange of base for quote between two resting orders, in an auction, and both fees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// The currency that the seller gives.
    pub base: CurrencyId,
    /// The currency that the buyer gives and that fees are in.
    pub quote: CurrencyId,
    /// The amount of base.
    pub amount: Money,
    /// The amount of quote.
    pub notional: Money,
    /// The buying party.
    pub buyer: Maker,
    /// The selling party.
    pub seller: Maker,
}

/// The party that came in, settled after all its makers. It pays from what is available, since it reserved nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taker {
    /// The account.
    pub account: AccountId,
    /// The side it trades on.
    pub side: Side,
    /// The currency that was traded.
    pub base: CurrencyId,
    /// The currency that it was traded for and that fees are in.
    pub quote: CurrencyId,
}

/// Sums over the makers of one taker: what they gave, what they received, and both sides' fees; settled by the taker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Owed {
    pub(crate) given: Money,
    pub(crate) got: Money,
    pub(crate) fees: Money,
}
