//! The journal's encoding of everything on an order's path: each number in full width, little-endian, one after the
//! other. Writing a number is thus one store, and reading it one load.

use crate::{
    AccountId, BytesRef, CLIENT_ID_MAX, CancelReason, ClientId, ExecutionOption, Held, OrderClass, OrderId,
    OrderKind, RatesId, SessionId, Side, Slot, SymbolId, TextRef, Time, TradeId,
};
use alloc::vec::Vec;
use buttonwood_num::{Bps, Money, Price, Qty};

/// A value with a fixed layout in a frame.
pub trait Record: Sized {
    /// Appends its encoding.
    fn put(&self, out: &mut Vec<u8>);

    /// Decodes it from the front; `None` if the bytes are invalid or too few.
    fn take(bytes: &mut &[u8]) -> Option<Self>;
}

macro_rules! numbers {
    ($($int:ty),+) => {$(
        impl Record for $int {
            #[inline]
            fn put(&self, out: &mut Vec<u8>) {
                self.to_le_bytes().put(out);
            }

            #[inline]
            fn take(bytes: &mut &[u8]) -> Option<Self> {
                Record::take(bytes).map(Self::from_le_bytes)
            }
        }
    )+};
}

numbers!(u8, u16, u32, u64, u128, i128);

impl<const N: usize> Record for [u8; N] {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }

    #[inline]
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let (first, rest) = bytes.split_first_chunk()?;
        *bytes = rest;
        Some(*first)
    }
}

/// Encodes a struct field by field, in the given order.
#[macro_export]
macro_rules! record_of {
    ($type:ident { $($field:tt),+ $(,)? }) => {
        impl $crate::Record for $type {
            #[inline]
            fn put(&self, out: &mut ::alloc::vec::Vec<u8>) {
                $($crate::Record::put(&self.$field, out);)+
            }

            #[inline]
            fn take(bytes: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: $crate::Record::take(bytes)?),+ })
            }
        }
    };
}

/// Encodes an enum without fields as a byte.
macro_rules! record_as {
    ($type:ident { $($variant:ident = $code:literal),+ $(,)? }) => {
        impl Record for $type {
            #[inline]
            fn put(&self, out: &mut Vec<u8>) {
                let code: u8 = match self { $(Self::$variant => $code),+ };
                code.put(out);
            }

            #[inline]
            fn take(bytes: &mut &[u8]) -> Option<Self> {
                match u8::take(bytes)? { $($code => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

/// Encodes one of our number types as its integer.
macro_rules! record_by {
    ($type:ident, $to:ident, $from:ident) => {
        impl Record for $type {
            #[inline]
            fn put(&self, out: &mut Vec<u8>) {
                self.$to().put(out);
            }

            #[inline]
            fn take(bytes: &mut &[u8]) -> Option<Self> {
                Record::take(bytes).map(Self::$from)
            }
        }
    };
}

record_of!(AccountId { 0 });
record_of!(SessionId { 0 });
record_of!(SymbolId { 0 });
record_of!(RatesId { 0 });
record_of!(Slot { 0 });
record_of!(Held { 0 });
record_of!(OrderId { 0 });
record_of!(TradeId { 0 });
record_of!(Time { 0 });
record_of!(Bps { 0 });
record_of!(TextRef { start, len });
record_of!(BytesRef { start, len });
record_by!(Price, ticks, from_ticks);
record_by!(Qty, hundredths, from_hundredths);
record_by!(Money, units, from_units);
record_as!(Side { Buy = 0, Sell = 1 });
record_as!(OrderKind { Limit = 0, Market = 1, MarketSpend = 2, StopLimit = 3 });
record_as!(CancelReason {
    MakerOrCancelWouldTake = 0,
    ImmediateOrCancelWouldPost = 1,
    FillOrKillWouldNotFill = 2,
    SelfCrossPrevented = 3,
    ExceedsPriceLimits = 4,
    Requested = 5,
    MarketClosed = 6,
    AuctionCancelled = 7,
    Uncovered = 8,
    TradingClosed = 9,
    InsufficientFunds = 10,
});

impl Record for OrderClass {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        self.bits().put(out);
    }

    #[inline]
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Self::from_bits(u8::take(bytes)?)
    }
}

impl Record for Option<ExecutionOption> {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        let code: u8 = match self {
            None => 0,
            Some(ExecutionOption::MakerOrCancel) => 1,
            Some(ExecutionOption::ImmediateOrCancel) => 2,
            Some(ExecutionOption::FillOrKill) => 3,
            Some(ExecutionOption::AuctionOnly) => 4,
        };
        code.put(out);
    }

    #[inline]
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        match u8::take(bytes)? {
            0 => Some(None),
            1 => Some(Some(ExecutionOption::MakerOrCancel)),
            2 => Some(Some(ExecutionOption::ImmediateOrCancel)),
            3 => Some(Some(ExecutionOption::FillOrKill)),
            4 => Some(Some(ExecutionOption::AuctionOnly)),
            _ => None,
        }
    }
}

/// Its length in a byte, then its characters.
impl Record for ClientId {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        let text = self.as_bytes();
        u8::try_from(text.len()).unwrap_or(u8::MAX).put(out);
        out.extend_from_slice(text);
    }

    #[inline]
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let len = usize::from(u8::take(bytes)?);
        let (text, rest) = bytes.split_at_checked(len)?;
        *bytes = rest;
        (1..=CLIENT_ID_MAX).contains(&len).then(|| Self::copied(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Claim, Desk, Nonce};
    use alloc::vec;
    use core::fmt::Debug;

    /// Checks that a value is encoded as these bytes, and is decoded from them and from no fewer.
    fn lies_as<T: Record + PartialEq + Debug>(value: &T, bytes: &[u8]) {
        let mut written = Vec::new();
        value.put(&mut written);
        assert_eq!(written, bytes, "{value:?}");
        let more = [bytes, &[0xEE]].concat();
        let rest = &mut more.as_slice();
        assert_eq!((T::take(rest).as_ref(), *rest), (Some(value), &[0xEE][..]));
        for short in 0..bytes.len() {
            assert_eq!(T::take(&mut bytes.get(..short).unwrap()), None, "{short} bytes of {value:?}");
        }
    }

    /// The position of each byte is part of the journal's format.
    #[test]
    fn numbers_lie_in_full_width_lowest_byte_first() {
        lies_as(&Slot(0x0102_0304), &[4, 3, 2, 1]);
        lies_as(&SymbolId(0x0102), &[2, 1, 0, 0]);
        lies_as(&RatesId(0x0102), &[2, 1]);
        let class = OrderClass::new(Side::Sell, Claim::No, Desk::new(5));
        lies_as(&class, &[0b001_0111]);
        assert_eq!(OrderClass::take(&mut &[0x80][..]), None);
        lies_as(&OrderId(7), &[7, 0, 0, 0, 0, 0, 0, 0]);
        lies_as(&Price::from_ticks(0x0102), &[2, 1, 0, 0, 0, 0, 0, 0]);
        lies_as(&Qty::from_hundredths(1 << 64), &[0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        lies_as(&Money::from_units(-1), &[0xFF; 16]);
        lies_as(&TextRef { start: 0x0102, len: 3 }, &[2, 1, 3]);
        lies_as(&BytesRef { start: 1, len: 2 }, &[1, 0, 0, 0, 2, 0, 0, 0]);
        lies_as(&ClientId::copied(b"abc"), b"\x03abc");
        lies_as(&ClientId::copied(&[b'x'; CLIENT_ID_MAX]), &[vec![100], vec![b'x'; 100]].concat());
    }

    #[test]
    fn what_is_one_of_few_lies_in_a_byte() {
        fn all<T: Record + PartialEq + Debug>(values: &[T]) {
            for (code, value) in (0..).zip(values) {
                lies_as(value, &[code]);
            }
            let beyond = u8::try_from(values.len()).unwrap();
            assert_eq!(T::take(&mut [beyond].as_slice()), None, "{beyond}");
        }
        all(&[Side::Buy, Side::Sell]);
        all(&[OrderKind::Limit, OrderKind::Market, OrderKind::MarketSpend, OrderKind::StopLimit]);
        all(&[
            None,
            Some(ExecutionOption::MakerOrCancel),
            Some(ExecutionOption::ImmediateOrCancel),
            Some(ExecutionOption::FillOrKill),
            Some(ExecutionOption::AuctionOnly),
        ]);
        all(&[
            CancelReason::MakerOrCancelWouldTake,
            CancelReason::ImmediateOrCancelWouldPost,
            CancelReason::FillOrKillWouldNotFill,
            CancelReason::SelfCrossPrevented,
            CancelReason::ExceedsPriceLimits,
            CancelReason::Requested,
            CancelReason::MarketClosed,
            CancelReason::AuctionCancelled,
            CancelReason::Uncovered,
            CancelReason::TradingClosed,
            CancelReason::InsufficientFunds,
        ]);
    }

    /// A nonce takes as many words as its digits need, and has one encoding.
    #[test]
    fn a_nonce_lies_in_the_words_it_needs() {
        let nonce = |text: &str| Nonce::parse(text.as_bytes()).unwrap();
        lies_as(&nonce("0"), &[0, 0]);
        lies_as(&nonce("1700000000123"), &[13, 1, 0, 0x30, 0x12, 0, 0, 0, 0, 0x17]);
        lies_as(&nonce("0.5"), &[0, 1, 0, 0, 0, 0, 0, 0, 0, 0x50]);
        lies_as(
            &nonce("12345678901234567"),
            &[17, 2, 0x56, 0x34, 0x12, 0x90, 0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0, 0, 0, 0, 0x70],
        );
        let longest = nonce(&"9".repeat(64));
        lies_as(&longest, &[vec![64, 4], vec![0x99; 32]].concat());
        let too_many = [vec![64, 5], vec![0x99; 40]].concat();
        let zeros_behind: &[u8] = &[1, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        for bytes in [too_many.as_slice(), zeros_behind] {
            assert_eq!(Nonce::take(&mut &*bytes), None, "{bytes:?}");
        }
    }

    /// A client id that is empty or has more than a hundred characters is invalid.
    #[test]
    fn a_client_id_of_no_order_is_none() {
        for len in [0, 101, u8::MAX] {
            let bytes = [vec![len], vec![b'x'; usize::from(len)]].concat();
            assert_eq!(ClientId::take(&mut bytes.as_slice()), None, "{len}");
        }
    }
}
