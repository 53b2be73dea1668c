//! One order, as the core holds it.

use crate::Link;
use crate::ladder::Rung;
use crate::texts::Text;
use buttonwood_model::{
    AccountId, CLIENT_ID_MAX, ExecutionOption, Held, OrderClass, OrderId, OrderKind, RatesId, SessionId,
    Side, SymbolId, TextRef, Time, record_of,
};
use buttonwood_num::{Money, Price, Qty};
use serde::{Deserialize, Serialize};

/// What an order is when it enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewOrder {
    /// Its id.
    pub id: OrderId,
    /// Its limit; zero for market orders.
    pub price: Price,
    /// Its whole quantity.
    pub qty: Qty,
    /// Whose it is.
    pub account: AccountId,
    /// The key that placed it (SES-001); [`SessionId::EXCHANGE`] for the exchange's own.
    pub session: SessionId,
    /// What it trades.
    pub symbol: SymbolId,
    /// Side, outcome and desk.
    pub class: OrderClass,
    /// Limit or market.
    pub kind: OrderKind,
    /// Its execution option.
    pub option: Option<ExecutionOption>,
    /// Its fee rates, fixed at entry (TYPE-011).
    pub rates: RatesId,
    /// Its client id, among the texts of its command.
    pub client_id: TextRef,
}

record_of!(NewOrder { id, price, qty, account, session, symbol, class, kind, option, rates, client_id });

/// A live order: one cache line, all that a match or a cancel reads. How it entered lies in its [`Entry`], what it has
/// traded in its [`Traded`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Order {
    /// What is left to trade.
    pub remaining: Qty,
    /// Its limit.
    pub price: Price,
    /// Its id.
    pub id: OrderId,
    /// Whose it is.
    pub account: AccountId,
    /// The next order in its bucket of the index by id.
    #[serde(skip)]
    pub(crate) by_id: Derived<Link>,
    /// Where the money it holds lies; [`Held::NONE`] when it holds none.
    pub held: Held,
    /// Which bucket of its account it lies in: the hash of the client id, if it has one.
    pub(crate) client_hash: u32,
    /// What it trades.
    pub symbol: SymbolId,
    /// Its fee rates.
    pub rates: RatesId,
    /// Its class, and whether it is on a book.
    pub(crate) bits: ClassBits,
    /// How many bytes its client id has, and which book it belongs to.
    pub(crate) text: TextLen,
    /// Where the level of its price lies, once it is on the book.
    #[serde(skip)]
    pub(crate) rung: Derived<Rung>,
    /// What it has traded while it was on the book, and before, if anything.
    pub(crate) traded: Link,
}

impl Order {
    /// What a place in the slab holds before it is first used.
    pub(crate) fn blank() -> Self {
        Self {
            remaining: Qty::ZERO,
            price: Price::from_ticks(0),
            id: OrderId(0),
            account: AccountId(0),
            by_id: Derived::default(),
            held: Held::NONE,
            client_hash: 0,
            symbol: SymbolId(0),
            rates: RatesId(0),
            bits: ClassBits::default(),
            text: TextLen::default(),
            rung: Derived::default(),
            traded: Link::NONE,
        }
    }

    /// Side, outcome and desk.
    #[inline]
    pub fn class(&self) -> OrderClass {
        self.bits.class()
    }

    /// The side of the book that it is on.
    #[inline]
    pub fn side(&self) -> Side {
        self.class().side()
    }

    /// Whether it is on a book; it may hold nothing there.
    #[inline]
    pub fn is_booked(&self) -> bool {
        self.bits.is_booked()
    }

    /// Whether it waits for an auction, and trades in no other way (AUCT-001).
    #[inline]
    pub fn is_auction_only(&self) -> bool {
        self.text.is_auction_only()
    }
}

/// How many bytes a client id has, 0 without one; the highest bit says that its order waits for an auction. Both in a byte,
/// so that an order stays one cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TextLen(u8);

impl TextLen {
    const AUCTION_ONLY: u8 = 0x80;

    #[inline]
    pub(crate) fn new(len: usize, option: Option<ExecutionOption>) -> Self {
        const { assert!(CLIENT_ID_MAX < 0x80, "the highest bit is free") };
        let len = u8::try_from(len).expect("client order ids are short");
        let is_auction_only = option == Some(ExecutionOption::AuctionOnly);
        Self(len | if is_auction_only { Self::AUCTION_ONLY } else { 0 })
    }

    #[inline]
    pub(crate) fn len(self) -> u8 {
        self.0 & !Self::AUCTION_ONLY
    }

    #[inline]
    pub(crate) fn is_auction_only(self) -> bool {
        self.0 & Self::AUCTION_ONLY != 0
    }
}

/// An order's class in seven bits; the highest says that it is on a book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClassBits(u8);

impl ClassBits {
    const BOOKED: u8 = !OrderClass::BITS;

    /// Of an order that is not on a book.
    #[inline]
    pub(crate) fn entering(class: OrderClass) -> Self {
        Self(class.bits())
    }

    #[inline]
    pub(crate) fn class(self) -> OrderClass {
        OrderClass::of_low_bits(self.0)
    }

    #[inline]
    pub(crate) fn is_booked(self) -> bool {
        self.0 & Self::BOOKED != 0
    }

    #[inline]
    pub(crate) fn book(&mut self) {
        self.0 |= Self::BOOKED;
    }
}

/// How an order entered: what answers and the history tell of it. Apart from the order, since no match reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C, align(32))]
pub struct Entry {
    /// When.
    pub placed: Time,
    /// The key that placed it.
    pub session: SessionId,
    /// Limit or market.
    pub kind: OrderKind,
    /// Its execution option.
    pub option: Option<ExecutionOption>,
    pub(crate) text: Text,
}

impl Entry {
    /// What a place holds before it is first used.
    pub(crate) const BLANK: Self = Self {
        placed: Time(0),
        session: SessionId(0),
        kind: OrderKind::Limit,
        option: None,
        text: Text::NONE,
    };
}

/// What an order has traded. Apart from the order, since most orders leave as whole as they came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traded {
    /// How much.
    pub qty: Qty,
    /// For how much, in quote currency; no more than can be counted, since a sell may be sold for any amount of money in time.
    pub notional: Money,
}

impl Traded {
    #[inline]
    pub(crate) fn add(&mut self, qty: Qty, notional: Money) {
        self.qty += qty;
        self.notional = self.notional.capped_add(notional);
    }
}

/// What depends on how an index or a ladder was built, not on what the order is: any two are equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Derived<T>(pub(crate) T);

impl<T> PartialEq for Derived<T> {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl<T> Eq for Derived<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_a_cache_line_and_a_half() {
        assert_eq!((size_of::<Order>(), align_of::<Order>()), (64, 64));
        assert_eq!((size_of::<Entry>(), align_of::<Entry>()), (32, 32));
    }
}
