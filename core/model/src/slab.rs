//! A table of reusable slots: the only part of the core that indexes.

use crate::Slot;
use alloc::vec::Vec;
use core::ops::{Index, IndexMut};
use serde::{Deserialize, Serialize};

/// Values in numbered slots; the slot freed last is taken first.
///
/// Its exact layout, including the order of free slots, is part of the state: events name slots, so a restored slab
/// must hand out the same ones.
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
    /// An empty slab.
    pub const fn new() -> Self {
        Self { values: Vec::new(), free: Vec::new() }
    }

    /// The slot that the next [`Slab::take`] will use.
    pub fn next_slot(&self) -> Slot {
        self.free.last().copied().unwrap_or_else(|| Slot::from_index(self.values.len()))
    }

    /// Takes a slot. It contains its last value, or `blank` if it is new. The caller writes the fields in place,
    /// which is cheaper than moving a whole value.
    pub fn take(&mut self, blank: impl FnOnce() -> T) -> Slot {
        if let Some(slot) = self.retake() {
            return slot;
        }
        let slot = Slot::from_index(self.values.len());
        self.values.push(blank());
        slot
    }

    /// Takes a freed slot, if there is one; it contains its last value.
    #[inline]
    pub fn retake(&mut self) -> Option<Slot> {
        self.free.pop()
    }

    /// The current or last value of a slot, if the slot exists.
    #[inline]
    pub fn look(&self, slot: Slot) -> Option<&T> {
        self.values.get(slot.index())
    }

    /// Frees a slot; its value stays until the slot is reused, and must not be read.
    pub fn free(&mut self, slot: Slot) {
        self.free.push(slot);
    }

    /// Number of slots in use.
    pub fn len(&self) -> usize {
        self.values.len() - self.free.len()
    }

    /// Whether no slot is in use.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All slots ever used, including freed ones.
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
