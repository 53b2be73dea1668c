//! The frequent events: what happens to orders.

use alloc::vec::Vec;
use buttonwood_book::NewOrder;
use buttonwood_model::{CancelReason, Held, OrderId, Record, Slot, TradeId};
use buttonwood_num::{Money, Price, Qty};

/// One event. It carries what the decision found, so that applying it needs no search.
///
/// [`Event::Filled`], [`Event::Booked`] and [`Event::Completed`] concern the order of the [`Event::Placed`]
/// before them in the same command, the taker. A taker has one last event: it is booked, completed or
/// cancelled. With that event it settles all of its fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An order entered and rests whole; it met no other order.
    Rested {
        /// The order.
        order: NewOrder,
        /// The balance that holds its reserve.
        held: Held,
        /// The amount reserved.
        amount: Money,
    },
    /// An order entered as a taker; it is not on the book.
    Placed(NewOrder),
    /// The taker traded with a resting order, at the resting order's price.
    Filled {
        /// The resting order.
        maker: Slot,
        /// The trade.
        trade: TradeId,
        /// How much.
        qty: Qty,
        /// The fee of the resting order's owner.
        maker_fee: Money,
        /// The fee of the taker's owner.
        taker_fee: Money,
    },
    /// Two resting orders traded in an auction, at its price.
    Crossed {
        /// The buyer's order.
        buy: Slot,
        /// The seller's order.
        sell: Slot,
        /// The trade.
        trade: TradeId,
        /// The auction's price.
        price: Price,
        /// How much.
        qty: Qty,
        /// The fees of buyer and seller.
        fees: [Money; 2],
    },
    /// The rest of the taker goes on the book and reserves its hold.
    Booked {
        /// The balance that holds its reserve.
        held: Held,
        /// The amount reserved.
        amount: Money,
    },
    /// The entered order waits on no book until a trade reaches its stop price, and reserves its hold (ORD-041).
    Suspended {
        /// The price of that trade.
        stop: Price,
        /// The balance that reserves it.
        held: Held,
        /// How much it reserves.
        amount: Money,
    },
    /// A trade reached the stop price of an order that waited: it frees its hold and enters as if it came now.
    Triggered {
        /// Where it lies.
        slot: Slot,
        /// Its id.
        order: OrderId,
        /// It queues as if it entered under this id.
        priority: OrderId,
    },
    /// The taker traded completely.
    Completed,
    /// An order, the taker or a resting one, was cancelled.
    Cancelled {
        /// Its slot.
        slot: Slot,
        /// Why.
        reason: CancelReason,
        /// Its id.
        order: OrderId,
    },
    /// A cancel came too late for an order that waits for an auction (AUCT-003), or the exchange itself placed the order;
    /// nothing changed.
    CancelRejected {
        /// Its slot.
        slot: Slot,
        /// Its id.
        order: OrderId,
    },
}

impl Event {
    /// How many kinds of events a frame can hold, numbered below. The meaning of a number never changes; a
    /// new field needs a new number.
    pub const KINDS: u8 = 10;
}

/// The form in a frame: the number of the kind in one byte, then the fields in their order.
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
            Self::Suspended { stop, held, amount } => {
                out.push(8);
                stop.put(out);
                held.put(out);
                amount.put(out);
            }
            Self::Triggered { slot, order, priority } => {
                out.push(9);
                slot.put(out);
                order.put(out);
                priority.put(out);
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
            8 => Self::Suspended {
                stop: Record::take(bytes)?,
                held: Record::take(bytes)?,
                amount: Record::take(bytes)?,
            },
            9 => Self::Triggered {
                slot: Record::take(bytes)?,
                order: Record::take(bytes)?,
                priority: Record::take(bytes)?,
            },
            _ => return None,
        };
        Some(event)
    }
}
