//! Storage of client order ids: a short one lies in its order's entry, a longer one in chained chunks of 32 bytes, so
//! that any length is stored without allocating once warm.

use buttonwood_model::{CLIENT_ID_MAX, ClientId, Slab, Slot, copy_text};
use serde::{Deserialize, Serialize};

/// Bytes in the entry.
const NEAR: usize = 18;
/// Bytes of text in a chunk.
const CHUNK: usize = 28;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Chunk {
    bytes: [u8; CHUNK],
    next: u32,
}

/// A text of at most [`NEAR`] bytes, or the number of the first chunk of a longer one. The length is stored
/// elsewhere, so that removing a text does not read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Text([u8; NEAR]);

impl Text {
    /// No text.
    pub(crate) const NONE: Self = Self([0; NEAR]);

    fn first_chunk(self) -> Slot {
        let [a, b, c, d, ..] = self.0;
        Slot(u32::from_le_bytes([a, b, c, d]))
    }

    fn at(slot: u32) -> Self {
        let mut bytes = [0; NEAR];
        if let Some(place) = bytes.first_chunk_mut() {
            *place = slot.to_le_bytes();
        }
        Self(bytes)
    }
}

/// The pool of texts that are too long for their entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Texts {
    chunks: Slab<Chunk>,
}

impl Texts {
    /// Stores a text in its place in the entry.
    #[inline]
    pub(crate) fn store(&mut self, text: &[u8], place: &mut Text) {
        if text.len() > NEAR {
            *place = self.store_far(text);
        } else {
            copy_text(&mut place.0, text);
        }
    }

    #[cold]
    fn store_far(&mut self, text: &[u8]) -> Text {
        let mut first = 0;
        // Last piece first, so that each chunk has its successor when it is written.
        for piece in text.chunks(CHUNK).rev() {
            let slot = self.chunks.take(|| Chunk { bytes: [0; CHUNK], next: 0 });
            let chunk = &mut self.chunks[slot];
            if let Some(place) = chunk.bytes.get_mut(..piece.len()) {
                place.copy_from_slice(piece);
            }
            chunk.next = first;
            first = slot.0;
        }
        Text::at(first)
    }

    /// Whether a text of this length must be freed with [`Texts::free`].
    pub(crate) fn is_far(len: u8) -> bool {
        usize::from(len) > NEAR
    }

    /// Frees the chunks of a long text.
    pub(crate) fn free(&mut self, text: Text, len: u8) {
        let mut at = text.first_chunk();
        for _ in 0..usize::from(len).div_ceil(CHUNK) {
            let next = self.chunks[at].next;
            self.chunks.free(at);
            at = Slot(next);
        }
    }

    /// Reads a text back; `None` if the length is 0.
    pub(crate) fn read(&self, text: Text, len: u8) -> Option<ClientId> {
        if len == 0 {
            return None;
        }
        let mut whole = [0; CLIENT_ID_MAX.next_multiple_of(CHUNK)];
        self.pieces(&text, len).zip(whole.chunks_mut(CHUNK)).for_each(|(piece, place)| {
            if let Some(place) = place.get_mut(..piece.len()) {
                place.copy_from_slice(piece);
            }
        });
        whole.get(..usize::from(len)).map(ClientId::copied)
    }

    /// Whether a stored text equals `other`.
    pub(crate) fn equals(&self, text: Text, len: u8, other: &[u8]) -> bool {
        usize::from(len) == other.len() && self.pieces(&text, len).eq(other.chunks(CHUNK))
    }

    /// The bytes of a text, in pieces of at most [`CHUNK`].
    fn pieces<'a>(&'a self, text: &'a Text, len: u8) -> impl Iterator<Item = &'a [u8]> {
        let len = usize::from(len);
        let near = (len <= NEAR).then(|| text.0.get(..len).unwrap_or_default());
        let far = if len <= NEAR { 0 } else { len.div_ceil(CHUNK) };
        let chunks = core::iter::successors(Some(text.first_chunk()), |at| Some(Slot(self.chunks[*at].next)));
        let far = chunks.take(far).enumerate().map(move |(index, at)| {
            let chunk: &'a [u8] = &self.chunks[at].bytes;
            chunk.get(..(len - index * CHUNK).min(CHUNK)).unwrap_or_default()
        });
        near.into_iter().chain(far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Proves ORD-012.
    #[test]
    fn texts_of_every_length_are_kept_and_their_places_reused() {
        let mut texts = Texts::default();
        for _ in 0..2 {
            let kept: Vec<_> = (1..=100u8)
                .map(|len| {
                    let text: Vec<u8> = (0..len).map(|at| b'a' + (at + len) % 26).collect();
                    let mut place = Text::NONE;
                    texts.store(&text, &mut place);
                    (place, len, text)
                })
                .collect();
            for (stored, len, text) in &kept {
                assert_eq!(texts.read(*stored, *len).unwrap().as_str().as_bytes(), text);
                assert!(texts.equals(*stored, *len, text));
                let mut other = text.clone();
                *other.last_mut().unwrap() ^= 1;
                assert!(!texts.equals(*stored, *len, &other));
                assert!(!texts.equals(*stored, *len, &text[1..]));
            }
            for (stored, len, _) in kept.iter().filter(|(_, len, _)| Texts::is_far(*len)) {
                texts.free(*stored, *len);
            }
            assert!(texts.chunks.is_empty());
        }
        assert_eq!(texts.read(Text::NONE, 0), None);
    }
}
