//! What happens to spot orders.

use buttonwood_model::{
    AccountId, CancelReason, ExecutionOption, OrderId, OrderKind, SessionId, Side, Slot, SymbolId, TextRef,
    TradeId,
};
use buttonwood_num::{Bps, Money, Price, Qty};
use serde::{Deserialize, Serialize};

/// One thing that happened. Each carries what the decision found, so that applying it searches for nothing.
///
/// Fills, a rest and a completion are about the order that [`Event::Placed`] entered before them in the same command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// An order entered; it is not on the book yet.
    Placed(Placed),
    /// The entered order traded with a resting one, at that one's price.
    Filled {
        /// The resting order.
        maker: Slot,
        /// The trade.
        trade: TradeId,
        /// How much.
        qty: Qty,
        /// What the resting order's owner pays.
        maker_fee: Money,
        /// What the entered order's owner pays.
        taker_fee: Money,
    },
    /// What is left of the entered order rests on the book and reserves its hold.
    Booked,
    /// The entered order traded completely.
    Completed,
    /// An order, the entered or a resting one, was cancelled.
    Cancelled {
        /// Where it lay.
        slot: Slot,
        /// Why.
        reason: CancelReason,
        /// Its id.
        order: OrderId,
    },
}

/// An order that entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    /// Its id.
    pub id: OrderId,
    /// Its limit; zero for market orders.
    pub price: Price,
    /// Its whole quantity.
    pub qty: Qty,
    /// Whose it is.
    pub account: AccountId,
    /// The key that placed it.
    pub session: SessionId,
    /// Its client id.
    pub client_id: TextRef,
    /// What it trades.
    pub symbol: SymbolId,
    /// Fee rate when it is the maker.
    pub maker_rate: Bps,
    /// Fee rate when it is the taker.
    pub taker_rate: Bps,
    /// Which way.
    pub side: Side,
    /// Limit or market.
    pub kind: OrderKind,
    /// Its execution option.
    pub option: Option<ExecutionOption>,
}
