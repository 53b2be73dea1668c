//! References between orders, in four bytes each.

use alloc::vec::Vec;
use buttonwood_model::Slot;
use serde::{Deserialize, Serialize};

/// A slot or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link(u32);

impl Link {
    /// Nothing.
    pub const NONE: Self = Self(u32::MAX);

    /// To an order.
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

/// An order's neighbours. Apart from the orders, and dense: placing one order or removing it writes to those of three
/// or four strangers, whose own lines would each have to be fetched for four bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Near {
    /// The younger order at its price.
    pub(crate) next: Link,
    /// The older order at its price.
    pub(crate) prev: Link,
    /// The next order in its bucket of its account.
    pub(crate) chained: Link,
}

/// The neighbours of every order, by its slot; derived.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours(Vec<Near>);

impl Neighbours {
    /// Makes room for a slot.
    pub(crate) fn reach(&mut self, slot: Slot) {
        if self.0.len() <= slot.index() {
            self.0.resize(slot.index() + 1, Near::default());
        }
    }

    pub(crate) fn of(&self, slot: Slot) -> Near {
        *self.0.get(slot.index()).expect("the table reaches every slot in use")
    }

    pub(crate) fn of_mut(&mut self, slot: Slot) -> &mut Near {
        self.0.get_mut(slot.index()).expect("the table reaches every slot in use")
    }
}
