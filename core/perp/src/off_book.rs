//! Trades off the book: positions that the insurance fund takes over, and positions that are deleveraged.
//!
//! They are orders and trades of their accounts, without a fee, and are not public (D-52). Not here: who trades, and at which price.

use alloc::vec::Vec;
use buttonwood_model::{AccountId, OrderId, Side, SymbolId, TradeId};
use buttonwood_num::{Money, Qty};
use buttonwood_risk::machine;
use serde::{Deserialize, Serialize};

/// Why positions change hands off the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// The insurance fund takes a position over.
    TakenOver,
    /// Opposite positions are closed.
    Deleveraged,
}

/// A trade off the book with one other account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OffBook {
    /// The other account.
    pub account: AccountId,
    /// Its order, which this trade completes.
    pub order: OrderId,
    /// The trade.
    pub trade: TradeId,
    /// The price, of at most 12 decimals; not always a price of the symbol's grid.
    pub price: Money,
    /// How much.
    pub qty: Qty,
}

/// The rest that the book left of a liquidation, and the fee for the part that it took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// The account that is liquidated.
    pub account: AccountId,
    /// The contract.
    pub symbol: SymbolId,
    /// The side of the account.
    pub side: Side,
    /// The account's order, which all trades complete together; the id is used only if there are trades.
    pub order: OrderId,
    /// The amount that the account pays to the insurance fund.
    pub fee: Money,
    /// Why the positions change hands.
    pub kind: Kind,
    /// The trades.
    pub trades: Vec<OffBook>,
    /// The quantity that the next command deals with.
    pub left: Qty,
}

impl Taken {
    /// The ids of orders and trades, in their order.
    pub fn ids(&self) -> impl Iterator<Item = u64> {
        machine::ids_taken(self.order, self.trades.iter().map(|trade| (trade.order, trade.trade)))
    }
}
