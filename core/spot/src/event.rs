//! What happens to spot orders.

use buttonwood_book::NewOrder;
use buttonwood_model::{CancelReason, Held, OrderId, Slot, TradeId};
use buttonwood_num::{Money, Qty};
use serde::{Deserialize, Serialize};

/// One thing that happened. Each carries what the decision found, so that applying it searches for nothing.
///
/// Fills, a rest and a completion are about the order that [`Event::Placed`] entered before them in the same command. Each
/// order that enters so has one last event: its rest, its completion or its cancel. With that it settles for all of its fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// An order entered and rests on the book whole: it met nothing.
    Rested {
        /// The order.
        order: NewOrder,
        /// The balance that reserves what it needs.
        held: Held,
        /// How much that reserves.
        amount: Money,
    },
    /// An order entered; it is not on the book yet.
    Placed(NewOrder),
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
    Booked {
        /// The balance that reserves it.
        held: Held,
        /// How much it reserves.
        amount: Money,
    },
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
