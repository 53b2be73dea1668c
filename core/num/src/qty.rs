//! Quantities.

use core::iter::Sum;
use core::ops::{Add, AddAssign, Sub, SubAssign};
use serde::{Deserialize, Serialize};

/// Hundredths in one lot: quantities may carry two decimals beyond the lot (TYPE-019).
pub const HUNDREDTHS_PER_LOT: u128 = 100;

/// A quantity of the base currency in hundredths of the symbol's lot (the wire's `tick_size`).
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(Rust, packed(8))]
pub struct Qty(u128);

impl Qty {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// From hundredths of a lot.
    pub const fn from_hundredths(hundredths: u128) -> Self {
        Self(hundredths)
    }

    /// In hundredths of a lot.
    pub const fn hundredths(self) -> u128 {
        self.0
    }
}

impl core::fmt::Debug for Qty {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}/100", self.hundredths())
    }
}

impl Add for Qty {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.hundredths() + other.hundredths())
    }
}

impl Sub for Qty {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.hundredths() - other.hundredths())
    }
}

impl AddAssign for Qty {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Qty {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Qty {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::ZERO, Add::add)
    }
}
