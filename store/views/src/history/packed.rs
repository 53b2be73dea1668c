//! The numbers of a row follow from its fields: each takes its own, in the order in which the row declares them.

use super::codec::{self, Damage, Position};
use super::index::Index;
use super::row::{
    kind, kind_code, option, option_code, put_client_id, reason, reason_code, side, side_code, take_client_id,
};
use buttonwood_model::{
    AccountId, CancelReason, ClientId, Code, CurrencyId, ExecutionOption, OrderId, OrderKind, SessionId,
    Side, SymbolId, Time, TradeId,
};
use buttonwood_num::{Money, Price, Qty};
use std::mem;

/// A value of which a row is made.
pub(super) trait Packed: Sized {
    /// How many numbers it takes.
    const COUNT: usize;

    /// Passes its numbers on, one after the other.
    fn put(&self, next: &mut impl FnMut(u64));

    /// Takes its numbers, and the bytes after the numbers of the row if it has such.
    fn take(body: &mut Body<'_>) -> Result<Self, Damage>;

    /// Appends its bytes after the numbers of the row.
    fn put_rest(&self, _out: &mut Vec<u8>) {}
}

/// A part of the links of a row `R`. Its numbers also depend on the position of the row and on its fields.
pub(super) trait Linked<R>: Sized {
    /// How many numbers it takes.
    const COUNT: usize;

    /// Passes its numbers on, for the row at `at`.
    fn put_at(&self, at: Position, row: &R, next: &mut impl FnMut(u64));

    /// Takes its numbers, for the row at `at`.
    fn take_at(at: Position, row: &R, body: &mut Body<'_>) -> Result<Self, Damage>;
}

/// A row that is linked to earlier rows.
pub(super) trait Chained {
    /// Its links.
    type Links;

    /// Links the row at `at` to those before it.
    fn link(&self, at: Position, index: &mut Index) -> Self::Links;
}

/// The rest of the body of a row.
pub(super) struct Body<'a> {
    /// Numbers.
    pub(super) numbers: &'a [u64],
    /// The bytes after the numbers.
    pub(super) rest: &'a [u8],
}

impl Body<'_> {
    /// The next number.
    pub(super) fn number(&mut self) -> Result<u64, Damage> {
        self.numbers_of().map(|[number]| number)
    }

    /// The next `N` numbers.
    pub(super) fn numbers_of<const N: usize>(&mut self) -> Result<[u64; N], Damage> {
        let (first, after) = self.numbers.split_first_chunk().ok_or(Damage)?;
        self.numbers = after;
        Ok(*first)
    }
}

/// Declares the fields of a row in the order of their numbers, and gives the row its bytes. A row that is linked to others has the numbers of
/// its links after its own.
///
/// A row whose struct has another form names the places of its numbers in their order (`stored by`), and the row without them.
macro_rules! row {
    ($row:ident linked by $links:ty, stored by $blank:path { $($($part:ident).+: $type:ty,)+ }) => {
        impl $row {
            /// The numbers of its fields.
            const NUMBERS: usize = 0 $(+ <$type as $crate::history::packed::Packed>::COUNT)+;

            fn set(&self, next: &mut impl FnMut(u64)) {
                $(<$type as $crate::history::packed::Packed>::put(&self.$($part).+, next);)+
            }

            fn put_rest(&self, out: &mut Vec<u8>) {
                $(<$type as $crate::history::packed::Packed>::put_rest(&self.$($part).+, out);)+
            }

            fn read(body: &mut $crate::history::packed::Body<'_>) -> Result<Self, $crate::history::codec::Damage> {
                let mut row = $blank();
                $(row.$($part).+ = <$type as $crate::history::packed::Packed>::take(body)?;)+
                Ok(row)
            }
        }

        $crate::history::packed::row!(@bytes $row $links);
    };
    ($(#[$about:meta])* pub struct $row:ident { $($(#[$doc:meta])* pub $field:ident: $type:ty,)+ } $(linked by $links:ty)?) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $row {
            $($(#[$doc])* pub $field: $type,)+
        }

        impl $row {
            /// The numbers of its fields.
            const NUMBERS: usize = 0 $(+ <$type as $crate::history::packed::Packed>::COUNT)+;

            fn set(&self, next: &mut impl FnMut(u64)) {
                $($crate::history::packed::Packed::put(&self.$field, next);)+
            }

            fn put_rest(&self, out: &mut Vec<u8>) {
                $($crate::history::packed::Packed::put_rest(&self.$field, out);)+
            }

            fn read(body: &mut $crate::history::packed::Body<'_>) -> Result<Self, $crate::history::codec::Damage> {
                Ok(Self { $($field: $crate::history::packed::Packed::take(body)?),+ })
            }
        }

        $crate::history::packed::row!(@bytes $row $($links)?);
    };
    (@bytes $row:ident) => {
        impl $row {
            /// Appends the body of the row.
            pub(super) fn encode(&self, out: &mut Vec<u8>) {
                let mut numbers = [0; Self::NUMBERS];
                let mut places = numbers.iter_mut();
                self.set(&mut |number| *places.next().expect("every number is counted") = number);
                $crate::history::codec::pack(out, &numbers);
                self.put_rest(out);
            }

            /// Reads the body of a row.
            pub(super) fn decode(body: &[u8]) -> Result<Self, $crate::history::codec::Damage> {
                let (numbers, rest): ([u64; Self::NUMBERS], _) = $crate::history::codec::unpack(body)?;
                let mut body = $crate::history::packed::Body { numbers: &numbers, rest };
                let row = Self::read(&mut body)?;
                if body.rest.is_empty() { Ok(row) } else { Err($crate::history::codec::Damage) }
            }
        }

        impl $crate::history::kinds::Stored for $row {
            fn put(&self, _at: $crate::history::Position, _index: &mut $crate::history::Index, out: &mut Vec<u8>) {
                self.encode(out);
            }

            fn take(_at: $crate::history::Position, body: &[u8]) -> Result<Self, $crate::history::codec::Damage> {
                Self::decode(body)
            }
        }
    };
    (@bytes $row:ident $links:ty) => {
        impl $row {
            /// Appends the body of the row at `at`.
            pub(super) fn encode(&self, at: $crate::history::Position, links: $links, out: &mut Vec<u8>) {
                let mut numbers = [0; Self::NUMBERS + <$links as $crate::history::packed::Linked<Self>>::COUNT];
                let mut places = numbers.iter_mut();
                let mut next = |number| *places.next().expect("every number is counted") = number;
                self.set(&mut next);
                $crate::history::packed::Linked::put_at(&links, at, self, &mut next);
                $crate::history::codec::pack(out, &numbers);
                self.put_rest(out);
            }

            /// Reads the body of the row at `at`.
            pub(super) fn decode(
                at: $crate::history::Position,
                body: &[u8],
            ) -> Result<(Self, $links), $crate::history::codec::Damage> {
                let (numbers, rest) = $crate::history::codec::unpack::<
                    { Self::NUMBERS + <$links as $crate::history::packed::Linked<Self>>::COUNT },
                >(body)?;
                let mut body = $crate::history::packed::Body { numbers: &numbers, rest };
                let row = Self::read(&mut body)?;
                let links = <$links as $crate::history::packed::Linked<Self>>::take_at(at, &row, &mut body)?;
                if body.rest.is_empty() { Ok((row, links)) } else { Err($crate::history::codec::Damage) }
            }
        }

        $crate::history::packed::row!(@stored $row);
    };
    (@stored $row:ident) => {
        impl $crate::history::kinds::Stored for $row {
            fn put(&self, at: $crate::history::Position, index: &mut $crate::history::Index, out: &mut Vec<u8>) {
                let links = $crate::history::packed::Chained::link(self, at, index);
                self.encode(at, links, out);
            }

            fn take(at: $crate::history::Position, body: &[u8]) -> Result<Self, $crate::history::codec::Damage> {
                Self::decode(at, body).map(|(row, _)| row)
            }
        }
    };
}

pub(super) use row;

/// Declares the links of a row in the order of their numbers.
macro_rules! links {
    ($(#[$about:meta])* pub(super) struct $links:ident of $row:ty { $($(#[$doc:meta])* pub(super) $field:ident: $type:ty,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) struct $links {
            $($(#[$doc])* pub(super) $field: $type,)+
        }

        impl $crate::history::packed::Linked<$row> for $links {
            const COUNT: usize = 0 $(+ <$type as $crate::history::packed::Linked<$row>>::COUNT)+;

            fn put_at(&self, at: $crate::history::Position, row: &$row, next: &mut impl FnMut(u64)) {
                $($crate::history::packed::Linked::put_at(&self.$field, at, row, next);)+
            }

            fn take_at(
                at: $crate::history::Position,
                row: &$row,
                body: &mut $crate::history::packed::Body<'_>,
            ) -> Result<Self, $crate::history::codec::Damage> {
                Ok(Self { $($field: $crate::history::packed::Linked::take_at(at, row, body)?),+ })
            }
        }
    };
}

pub(super) use links;

/// A count, whatever the row.
impl<R> Linked<R> for u64 {
    const COUNT: usize = 1;

    fn put_at(&self, _at: Position, _row: &R, next: &mut impl FnMut(u64)) {
        next(*self);
    }

    fn take_at(_at: Position, _row: &R, body: &mut Body<'_>) -> Result<Self, Damage> {
        body.number()
    }
}

/// An earlier row of the same file, as the distance back to it.
impl<R> Linked<R> for Option<Position> {
    const COUNT: usize = 1;

    fn put_at(&self, at: Position, _row: &R, next: &mut impl FnMut(u64)) {
        next(codec::distance(at, *self));
    }

    fn take_at(at: Position, _row: &R, body: &mut Body<'_>) -> Result<Self, Damage> {
        codec::linked(at, body.number()?)
    }
}

/// A number as it is, or one that is narrower.
macro_rules! numbers {
    ($($type:ident),+) => {$(
        impl Packed for $type {
            const COUNT: usize = 1;

            fn put(&self, next: &mut impl FnMut(u64)) {
                next(self.0.into());
            }

            fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
                Ok(Self(body.number()?.try_into()?))
            }
        }
    )+};
}

numbers!(AccountId, SessionId, SymbolId, CurrencyId);

/// A number of 64 bits.
macro_rules! wide {
    ($($type:ident),+) => {$(
        impl Packed for $type {
            const COUNT: usize = 1;

            fn put(&self, next: &mut impl FnMut(u64)) {
                next(self.0);
            }

            fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
                body.number().map(Self)
            }
        }
    )+};
}

wide!(OrderId, TradeId, Time);

impl Packed for u64 {
    const COUNT: usize = 1;

    fn put(&self, next: &mut impl FnMut(u64)) {
        next(*self);
    }

    fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
        body.number()
    }
}

impl Packed for bool {
    const COUNT: usize = 1;

    fn put(&self, next: &mut impl FnMut(u64)) {
        next((*self).into());
    }

    fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
        match body.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Damage),
        }
    }
}

impl Packed for Code {
    const COUNT: usize = 1;

    fn put(&self, next: &mut impl FnMut(u64)) {
        next(self.to_bits());
    }

    fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
        Self::from_bits(body.number()?).ok_or(Damage)
    }
}

impl Packed for Price {
    const COUNT: usize = 1;

    fn put(&self, next: &mut impl FnMut(u64)) {
        next(self.ticks());
    }

    fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
        body.number().map(Self::from_ticks)
    }
}

/// A number of 128 bits, in halves.
impl Packed for u128 {
    const COUNT: usize = 2;

    fn put(&self, next: &mut impl FnMut(u64)) {
        codec::halves(*self).into_iter().for_each(next);
    }

    fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
        body.numbers_of().map(|[low, high]| codec::whole(low, high))
    }
}

impl Packed for Qty {
    const COUNT: usize = u128::COUNT;

    fn put(&self, next: &mut impl FnMut(u64)) {
        self.hundredths().put(next);
    }

    fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
        u128::take(body).map(Self::from_hundredths)
    }
}

impl Packed for Money {
    const COUNT: usize = u128::COUNT;

    fn put(&self, next: &mut impl FnMut(u64)) {
        codec::zigzag(self.units()).put(next);
    }

    fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
        u128::take(body).map(codec::unzigzag).map(Self::from_units)
    }
}

/// The bytes of a UUID.
impl Packed for [u8; 16] {
    const COUNT: usize = u128::COUNT;

    fn put(&self, next: &mut impl FnMut(u64)) {
        u128::from_be_bytes(*self).put(next);
    }

    fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
        u128::take(body).map(u128::to_be_bytes)
    }
}

/// An enum as the code of its variant.
macro_rules! coded {
    ($($type:ty, $code:path, $value:path;)+) => {$(
        impl $crate::history::packed::Packed for $type {
            const COUNT: usize = 1;

            fn put(&self, next: &mut impl FnMut(u64)) {
                next($code(*self));
            }

            fn take(body: &mut $crate::history::packed::Body<'_>) -> Result<Self, $crate::history::codec::Damage> {
                $value(body.number()?)
            }
        }
    )+};
}

pub(super) use coded;

coded! {
    Side, side_code, side;
    OrderKind, kind_code, kind;
    ExecutionOption, option_code, option;
    CancelReason, reason_code, reason;
}

/// An enum of forms with fields: the number of the form, then those of its fields, then zeros up to the count.
macro_rules! forms {
    ($type:ty, $count:literal, { $($number:literal = $form:ident { $($place:tt: $field:ident),* },)+ }) => {
        impl $crate::history::packed::Packed for $type {
            const COUNT: usize = $count;

            fn put(&self, next: &mut impl FnMut(u64)) {
                let mut numbers = [0; Self::COUNT];
                let mut places = numbers.iter_mut();
                let mut set = |number| *places.next().expect("the count has room for every form") = number;
                match self {
                    $(Self::$form { $($place: $field),* } => {
                        set($number);
                        $($crate::history::packed::Packed::put($field, &mut set);)*
                    })+
                }
                numbers.into_iter().for_each(next);
            }

            fn take(body: &mut $crate::history::packed::Body<'_>) -> Result<Self, $crate::history::codec::Damage> {
                let [form, fields @ ..]: [u64; Self::COUNT] = body.numbers_of()?;
                let mut body = $crate::history::packed::Body { numbers: &fields, rest: &[] };
                let value = match form {
                    $($number => Self::$form { $($place: $crate::history::packed::Packed::take(&mut body)?),* },)+
                    _ => return Err($crate::history::codec::Damage),
                };
                let is_whole = body.numbers.iter().all(|number| *number == 0);
                if is_whole { Ok(value) } else { Err($crate::history::codec::Damage) }
            }
        }
    };
}

pub(super) use forms;

/// An optional value whose number is never zero: zero is none.
macro_rules! or_zero {
    ($($type:ident),+) => {$(
        impl Packed for Option<$type> {
            const COUNT: usize = 1;

            fn put(&self, next: &mut impl FnMut(u64)) {
                match self {
                    None => next(0),
                    Some(value) => value.put(next),
                }
            }

            fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
                if let Some((0, after)) = body.numbers.split_first() {
                    body.numbers = after;
                    return Ok(None);
                }
                $type::take(body).map(Some)
            }
        }
    )+};
}

or_zero!(OrderId, Price, ExecutionOption, CancelReason);

/// A row of another file. Zero is none.
impl Packed for Option<Position> {
    const COUNT: usize = 1;

    fn put(&self, next: &mut impl FnMut(u64)) {
        next(self.map_or(0, Position::get));
    }

    fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
        body.number().map(Position::new)
    }
}

/// None follows the codes of the sides.
impl Packed for Option<Side> {
    const COUNT: usize = 1;

    fn put(&self, next: &mut impl FnMut(u64)) {
        next(self.map_or(NO_SIDE, side_code));
    }

    fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
        match body.number()? {
            NO_SIDE => Ok(None),
            code => side(code).map(Some),
        }
    }
}

/// The code of no side.
const NO_SIDE: u64 = 2;

/// Zero is none; accounts begin at one.
impl Packed for Option<AccountId> {
    const COUNT: usize = 1;

    fn put(&self, next: &mut impl FnMut(u64)) {
        next(self.map_or(0, |account| u64::from(account.0) + 1));
    }

    fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
        let account = body.number()?.checked_sub(1).map(u32::try_from).transpose()?;
        Ok(account.map(AccountId))
    }
}

/// It takes the bytes after the numbers.
impl Packed for Option<ClientId> {
    const COUNT: usize = 0;

    fn put(&self, _next: &mut impl FnMut(u64)) {}

    fn take(body: &mut Body<'_>) -> Result<Self, Damage> {
        take_client_id(mem::take(&mut body.rest))
    }

    fn put_rest(&self, out: &mut Vec<u8>) {
        put_client_id(out, self.as_ref());
    }
}
