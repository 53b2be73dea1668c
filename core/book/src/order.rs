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

/// A new order as it enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewOrder {
    /// Its id.
    pub id: OrderId,
    /// Its limit; zero for market orders.
    pub price: Price,
    /// Its whole quantity.
    pub qty: Qty,
    /// Its account.
    pub account: AccountId,
    /// The key that placed it (SES-001); [`SessionId::EXCHANGE`] if the exchange placed it.
    pub session: SessionId,
    /// The symbol it trades.
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

/// A live order: one cache line with everything that a match or a cancel reads. The rest is in its [`Entry`] and in
/// its [`Traded`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Order {
    /// The open quantity.
    pub remaining: Qty,
    /// Its limit.
    pub price: Price,
    /// Its id.
    pub id: OrderId,
    /// Its account.
    pub account: AccountId,
    /// The next order in its bucket of the index by id.
    #[serde(skip)]
    pub(crate) by_id: Derived<Link>,
    /// The balance that it reserves from; [`Held::NONE`] if it reserves nothing.
    pub held: Held,
    /// Its bucket in its account's index: the hash of its client id, or of its id without one.
    pub(crate) client_hash: u32,
    /// The symbol it trades.
    pub symbol: SymbolId,
    /// Its fee rates.
    pub rates: RatesId,
    /// Its class, and whether it is on a book.
    pub(crate) bits: ClassBits,
    /// The length of its client id, and which book it belongs to.
    pub(crate) text: TextLen,
    /// The rung of its price while it is on a book.
    #[serde(skip)]
    pub(crate) rung: Derived<Rung>,
    /// Its trades, if it is on a book and has traded.
    pub(crate) traded: Link,
}

impl Order {
    /// The content of a slot before its first use.
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

    /// Whether it is on a book, or an untriggered stop; it may hold nothing there.
    #[inline]
    pub fn is_booked(&self) -> bool {
        self.bits.is_booked()
    }

    /// Whether it rests on its symbol's continuous book.
    #[inline]
    pub fn is_resting(&self) -> bool {
        self.is_booked() && !self.is_auction_only() && !self.is_untriggered()
    }

    /// Whether it is a stop order that its stop price has not entered yet: on no book (ORD-041).
    #[inline]
    pub fn is_untriggered(&self) -> bool {
        self.bits.is_untriggered()
    }

    /// Whether it waits for an auction and trades in no other way (AUCT-001).
    #[inline]
    pub fn is_auction_only(&self) -> bool {
        self.text.is_auction_only()
    }
}

/// The length of a client id, 0 without one. The highest bit says that the order waits for an auction. Both share a
/// byte, so that an order stays one cache line.
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

/// An order's class in six bits; the two above say that it is indexed, and that it is an untriggered stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClassBits(u8);

impl ClassBits {
    /// Every index leads to it, and it holds its reserve: it is on a book, or an untriggered stop.
    const BOOKED: u8 = 0x80;
    /// It is an untriggered stop, on no book.
    const UNTRIGGERED: u8 = 0x40;

    /// The bits of an order that is not on a book.
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
    pub(crate) fn is_untriggered(self) -> bool {
        self.0 & Self::UNTRIGGERED != 0
    }

    #[inline]
    pub(crate) fn book(&mut self) {
        self.0 |= Self::BOOKED;
    }

    pub(crate) fn suspend(&mut self) {
        self.0 |= Self::BOOKED | Self::UNTRIGGERED;
    }

    pub(crate) fn trigger(&mut self) {
        self.0 &= OrderClass::BITS;
    }
}

/// How an order entered, for replies and the history. Apart from the order, since no match reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C, align(32))]
pub struct Entry {
    /// When it was placed.
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
    /// The content of a slot before its first use.
    pub(crate) const BLANK: Self = Self {
        placed: Time(0),
        session: SessionId(0),
        kind: OrderKind::Limit,
        option: None,
        text: Text::NONE,
    };
}

/// The trades of an order. Apart from the order, since most orders leave without a trade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traded {
    /// The quantity.
    pub qty: Qty,
    /// The notional in quote currency. It saturates, since a sell can trade for any amount over time.
    pub notional: Money,
}

impl Traded {
    #[inline]
    pub(crate) fn add(&mut self, qty: Qty, notional: Money) {
        self.qty += qty;
        self.notional = self.notional.capped_add(notional);
    }
}

/// A value that depends on how an index or a ladder was built, not on the order. Any two are equal.
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
