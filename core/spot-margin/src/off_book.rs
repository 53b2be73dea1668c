//! The records of a liquidation: what was sold on the book, and what the insurance fund took of the rest, off the book.
//!
//! A takeover is an order and a trade of both accounts, without a fee, and is not public (D-52).

use buttonwood_model::{AccountId, CurrencyId, OrderId, TradeId};
use buttonwood_num::Money;
use buttonwood_risk::machine;
use core::iter;
use serde::{Deserialize, Serialize};

/// The rest that the book left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// The currency.
    pub currency: CurrencyId,
    /// How much.
    pub quantity: Money,
    /// The zero price, in dollars.
    pub price: Money,
}

/// The account sold on the book, or could not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sold {
    /// The account.
    pub account: AccountId,
    /// The fee that it pays to the fund for the traded part.
    pub fee: Money,
    /// The rest that the book left of the part; none if it took all.
    pub rest: Option<Rest>,
}

/// The fund took what the book left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenOver {
    /// The account.
    pub account: AccountId,
    /// The rest that the fund took.
    pub rest: Rest,
    /// The price that it paid, in dollars.
    pub cost: Money,
    /// The account's order, which the trade completes.
    pub order: OrderId,
    /// The fund's order.
    pub fund_order: OrderId,
    /// The trade.
    pub trade: TradeId,
}

impl TakenOver {
    /// The ids of orders and trade, in their order.
    pub fn ids(&self) -> impl Iterator<Item = u64> + use<> {
        machine::ids_taken(self.order, iter::once((self.fund_order, self.trade)))
    }
}
