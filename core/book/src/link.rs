//! References between orders, in four bytes each.

use alloc::vec::Vec;
use buttonwood_model::Slot;
use serde::{Deserialize, Serialize};

/// A slot or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link(u32);

impl Link {
    /// No order.
    pub const NONE: Self = Self(u32::MAX);

    /// A link to an order.
    pub const fn to(slot: Slot) -> Self {
        Self(slot.0)
    }

    /// The order, if any.
    pub const fn get(self) -> Option<Slot> {
        if self.0 == u32::MAX { None } else { Some(Slot(self.0)) }
    }

    /// Whether there is none.
    pub const fn is_none(self) -> bool {
        self.0 == u32::MAX
    }
}

impl Default for Link {
    fn default() -> Self {
        Self::NONE
    }
}

/// An order's neighbours. They are a dense table apart from the orders: placing or removing an order changes those of
/// three or four other orders, and a full cache line would be fetched for each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Near {
    /// The younger order at its price.
    pub(crate) next: Link,
    /// The older order at its price.
    pub(crate) prev: Link,
    /// The next order in the same bucket of its account.
    pub(crate) chained: Link,
}

/// The neighbours of every order, by slot; derived.
///
/// The first row belongs to no order. Links to no order lead there, so that writing to a neighbour needs no branch on
/// whether it exists, which would be unpredictable.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours(Vec<Near>);

impl Neighbours {
    /// Grows the table to include a slot.
    #[inline]
    pub(crate) fn reach(&mut self, slot: Slot) {
        let row = row(Link::to(slot));
        if self.0.len() <= row {
            self.0.resize(row + 1, Near::default());
        }
    }

    #[inline]
    pub(crate) fn of(&self, slot: Slot) -> Near {
        *self.0.get(row(Link::to(slot))).expect("the table reaches every slot in use")
    }

    /// The row that a link leads to.
    #[inline]
    pub(crate) fn row(&self, link: Link) -> Option<&Near> {
        self.0.get(row(link))
    }

    /// Notes the next order in the account's bucket of one that is in no queue.
    pub(crate) fn chain(&mut self, slot: Slot, chained: Link) {
        *self.beside(Link::to(slot)) = Near { chained, ..Near::default() };
    }

    /// The row of the order that a link leads to, or the row of no order.
    #[inline]
    pub(crate) fn beside(&mut self, link: Link) -> &mut Near {
        self.0.get_mut(row(link)).expect("the table reaches every slot in use")
    }
}

/// The row of no order comes before that of the first slot.
#[expect(clippy::as_conversions, reason = "usize holds 32 bits on every supported target")]
fn row(link: Link) -> usize {
    link.0.wrapping_add(1) as usize
}
