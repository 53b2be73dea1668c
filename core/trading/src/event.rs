//! What happens to spot orders.

use alloc::vec::Vec;
use buttonwood_book::NewOrder;
use buttonwood_model::{CancelReason, Held, OrderId, Record, Slot, TradeId};
use buttonwood_num::{Money, Price, Qty};

/// One thing that happened. Each carries what the decision found, so that applying it searches for nothing.
///
/// Fills, a rest and a completion are about the order that [`Event::Placed`] entered before them in the same command. Each
/// order that enters so has one last event: its rest, its completion or its cancel. With that it settles for all of its fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Two resting orders traded in an auction, at its price.
    Crossed {
        /// Who buys.
        buy: Slot,
        /// Who sells.
        sell: Slot,
        /// The trade.
        trade: TradeId,
        /// At which price.
        price: Price,
        /// How much.
        qty: Qty,
        /// What the buyer and the seller pay the house.
        fees: [Money; 2],
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
    /// A cancel came too late for an order that waits for an auction: nothing changed (AUCT-003).
    CancelRejected {
        /// Where it lies.
        slot: Slot,
        /// Its id.
        order: OrderId,
    },
}

impl Event {
    /// Kinds that a frame tells apart: their numbers are below. A kind is never given another meaning; a field is added by a new
    /// kind.
    pub const KINDS: u8 = 8;
}

/// In a frame: which event, in a byte, and its fields in their order.
impl Record for Event {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Rested { order, held, amount } => {
                out.push(0);
                order.put(out);
                held.put(out);
                amount.put(out);
            }
            Self::Placed(order) => {
                out.push(1);
                order.put(out);
            }
            Self::Filled { maker, trade, qty, maker_fee, taker_fee } => {
                out.push(2);
                maker.put(out);
                trade.put(out);
                qty.put(out);
                maker_fee.put(out);
                taker_fee.put(out);
            }
            Self::Booked { held, amount } => {
                out.push(3);
                held.put(out);
                amount.put(out);
            }
            Self::Completed => out.push(4),
            Self::Cancelled { slot, reason, order } => {
                out.push(5);
                slot.put(out);
                reason.put(out);
                order.put(out);
            }
            Self::Crossed { buy, sell, trade, price, qty, fees: [buyer_fee, seller_fee] } => {
                out.push(6);
                buy.put(out);
                sell.put(out);
                trade.put(out);
                price.put(out);
                qty.put(out);
                buyer_fee.put(out);
                seller_fee.put(out);
            }
            Self::CancelRejected { slot, order } => {
                out.push(7);
                slot.put(out);
                order.put(out);
            }
        }
    }

    #[inline]
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let event = match u8::take(bytes)? {
            0 => Self::Rested {
                order: Record::take(bytes)?,
                held: Record::take(bytes)?,
                amount: Record::take(bytes)?,
            },
            1 => Self::Placed(Record::take(bytes)?),
            2 => Self::Filled {
                maker: Record::take(bytes)?,
                trade: Record::take(bytes)?,
                qty: Record::take(bytes)?,
                maker_fee: Record::take(bytes)?,
                taker_fee: Record::take(bytes)?,
            },
            3 => Self::Booked { held: Record::take(bytes)?, amount: Record::take(bytes)? },
            4 => Self::Completed,
            5 => Self::Cancelled {
                slot: Record::take(bytes)?,
                reason: Record::take(bytes)?,
                order: Record::take(bytes)?,
            },
            6 => Self::Crossed {
                buy: Record::take(bytes)?,
                sell: Record::take(bytes)?,
                trade: Record::take(bytes)?,
                price: Record::take(bytes)?,
                qty: Record::take(bytes)?,
                fees: [Record::take(bytes)?, Record::take(bytes)?],
            },
            7 => Self::CancelRejected { slot: Record::take(bytes)?, order: Record::take(bytes)? },
            _ => return None,
        };
        Some(event)
    }
}
