//! The buffer that `decide` writes its events into.

use crate::{Named, put_named};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Events of the commands of a batch, and the texts they refer to; each command appends its own. The buffer is
/// reused, so that nothing is allocated once warm and nothing is copied on the way to the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outbox<E> {
    /// The events, in order.
    pub events: Vec<E>,
    /// Bytes of the texts.
    pub texts: Vec<u8>,
    /// Where the events and texts of the latest command begin.
    first: (usize, usize),
}

/// A reference to a text in an outbox; an empty one means no text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRef {
    pub(crate) start: u16,
    pub(crate) len: u8,
}

impl TextRef {
    /// The bytes in `texts`; `None` for no text.
    pub fn of(self, texts: &[u8]) -> Option<&[u8]> {
        let start = usize::from(self.start);
        if self.len == 0 { None } else { texts.get(start..start + usize::from(self.len)) }
    }
}

/// A reference to bytes in an outbox that are longer than a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BytesRef {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl BytesRef {
    /// The bytes in `texts`; `None` if out of range.
    pub fn of(self, texts: &[u8]) -> Option<&[u8]> {
        let start = usize::try_from(self.start).ok()?;
        texts.get(start..start.checked_add(usize::try_from(self.len).ok()?)?)
    }
}

impl<E> Default for Outbox<E> {
    fn default() -> Self {
        Self { events: Vec::new(), texts: Vec::new(), first: (0, 0) }
    }
}

impl<E> Outbox<E> {
    /// Empties the buffer and keeps its memory.
    pub fn clear(&mut self) {
        self.events.clear();
        self.texts.clear();
        self.first = (0, 0);
    }

    /// Begins another command.
    pub fn begin(&mut self) {
        self.first = (self.events.len(), self.texts.len());
    }

    /// Removes what the latest command appended.
    pub fn undo(&mut self) {
        self.events.truncate(self.first.0);
        self.texts.truncate(self.first.1);
    }

    /// Events and texts of the latest command.
    pub fn latest(&self) -> (&[E], &[u8]) {
        let since = "a command begins where the one before it ends";
        (self.events.get(self.first.0..).expect(since), self.texts.get(self.first.1..).expect(since))
    }

    /// Adds an event.
    #[inline]
    pub fn push(&mut self, event: impl Into<E>) {
        self.events.push(event.into());
    }

    /// Stores a text of at most 255 bytes; an event of the latest command refers to it.
    #[inline]
    pub fn keep(&mut self, text: &[u8]) -> TextRef {
        let start = u16::try_from(self.texts.len() - self.first.1).expect("a command carries one short text");
        // Sixteen characters, the most frequent length, are copied without a loop.
        match <&[u8; 16]>::try_from(text) {
            Ok(text) => self.texts.extend_from_slice(text),
            Err(_) => self.texts.extend_from_slice(text),
        }
        TextRef { start, len: u8::try_from(text.len()).expect("client order ids are short") }
    }

    /// Adds an infrequent event before the event of the latest command at place `at`.
    pub fn insert_named(&mut self, at: usize, event: &impl Named)
    where
        E: From<BytesRef>,
    {
        self.push_named(event);
        if let Some(later) = self.events.get_mut(self.first.0 + at..) {
            later.rotate_right(1);
        }
    }

    /// Adds an infrequent event; its record is stored among the texts.
    pub fn push_named(&mut self, event: &impl Named)
    where
        E: From<BytesRef>,
    {
        let start = self.texts.len();
        put_named(event, &mut self.texts);
        let short = |len: usize| u32::try_from(len).expect("a command carries less than 4 GiB");
        let (first, end) = (self.first.1, self.texts.len());
        self.events.push(BytesRef { start: short(start - first), len: short(end - start) }.into());
    }
}
