//! A table of reusable places: the one spot of the core that indexes.

use crate::Slot;
use alloc::vec::Vec;
use core::ops::{Index, IndexMut};
use serde::{Deserialize, Serialize};

/// Values in numbered places; a freed place is the next to be taken again.
///
/// Its exact layout, the order of free places included, is part of the state: events name slots, so a restored
/// slab must hand out the same ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slab<T> {
    values: Vec<T>,
    free: Vec<Slot>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Slab<T> {
    /// Empty.
    pub const fn new() -> Self {
        Self { values: Vec::new(), free: Vec::new() }
    }

    /// The slot that the next [`Slab::take`] will use.
    pub fn next_slot(&self) -> Slot {
        self.free.last().copied().unwrap_or_else(|| Slot::from_index(self.values.len()))
    }

    /// Takes a place. It holds what it last held, or `blank` if it is new: the caller writes what it needs in place,
    /// which is cheaper than moving a whole value there.
    pub fn take(&mut self, blank: impl FnOnce() -> T) -> Slot {
        if let Some(slot) = self.retake() {
            return slot;
        }
        let slot = Slot::from_index(self.values.len());
        self.values.push(blank());
        slot
    }

    /// Takes a place that was given back, if there is one; it holds what it last held.
    #[inline]
    pub fn retake(&mut self) -> Option<Slot> {
        self.free.pop()
    }

    /// What a place holds or last held, if there is one of this number.
    #[inline]
    pub fn look(&self, slot: Slot) -> Option<&T> {
        self.values.get(slot.index())
    }

    /// Gives a place back; its old value stays until it is reused, and must not be read.
    pub fn free(&mut self, slot: Slot) {
        self.free.push(slot);
    }

    /// Places in use.
    pub fn len(&self) -> usize {
        self.values.len() - self.free.len()
    }

    /// Whether no place is in use.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every place that was ever used, freed ones included.
    pub fn places(&self) -> impl Iterator<Item = (Slot, &T)> {
        self.values.iter().enumerate().map(|(index, value)| (Slot::from_index(index), value))
    }
}

impl<T> Index<Slot> for Slab<T> {
    type Output = T;

    #[expect(clippy::indexing_slicing, reason = "a slot is only ever made by this slab")]
    fn index(&self, slot: Slot) -> &T {
        &self.values[slot.index()]
    }
}

impl<T> IndexMut<Slot> for Slab<T> {
    #[expect(clippy::indexing_slicing, reason = "a slot is only ever made by this slab")]
    fn index_mut(&mut self, slot: Slot) -> &mut T {
        &mut self.values[slot.index()]
    }
}
