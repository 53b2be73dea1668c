//! Client order ids.

use serde::{Deserialize, Serialize};

/// Characters a client order id may have at most (D-18).
pub const CLIENT_ID_MAX: usize = 100;

/// A client order id of 1 to 100 characters out of letters, digits and `# - . : _` (ORD-012).
///
/// It is stored inline, so that passing one never allocates. The bytes come first and aligned, so that a copy reads
/// in the same pieces as were written.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(8))]
pub struct ClientId {
    bytes: [u8; CLIENT_ID_MAX],
    len: u8,
}

/// Why a text is no client order id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientIdError {
    /// More than 100 characters.
    TooLong,
    /// Empty, or a character outside the permitted set.
    BadCharacter,
}

impl ClientId {
    /// Checks and copies a text.
    ///
    /// # Errors
    /// [`ClientIdError`].
    pub fn new(text: &str) -> Result<Self, ClientIdError> {
        if text.chars().count() > CLIENT_ID_MAX {
            return Err(ClientIdError::TooLong);
        }
        let permitted = |byte: u8| byte.is_ascii_alphanumeric() || b"#-.:_".contains(&byte);
        if text.is_empty() || !text.bytes().all(permitted) {
            return Err(ClientIdError::BadCharacter);
        }
        Ok(Self::copied(text.as_bytes()))
    }

    /// The initial value for an id of sixteen characters, the most frequent length.
    const OF_SIXTEEN: Self = Self { bytes: [0; CLIENT_ID_MAX], len: 16 };

    /// A text that [`ClientId::new`] accepted before; longer texts are cut.
    #[inline]
    pub fn copied(text: &[u8]) -> Self {
        let mut id = Self::OF_SIXTEEN;
        // The length is written with the rest of its piece: a later copy of that piece would stall on a separate
        // byte.
        if let (Some(place), Ok(text)) = (id.bytes.first_chunk_mut(), <&[u8; 16]>::try_from(text)) {
            *place = *text;
            return id;
        }
        Self::of_any_length(text)
    }

    #[inline(never)]
    fn of_any_length(text: &[u8]) -> Self {
        let len = text.len().min(CLIENT_ID_MAX);
        let mut bytes = [0; CLIENT_ID_MAX];
        copy_text(&mut bytes, text);
        Self { len: u8::try_from(len).unwrap_or(u8::MAX), bytes }
    }

    /// The characters.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    /// The characters as text.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

/// Copies the beginning of a text, as much as fits.
#[inline]
pub fn copy_text(room: &mut [u8], text: &[u8]) {
    // Sixteen characters, the most frequent length, are copied without a loop.
    if let (Some(to), Ok(from)) = (room.first_chunk_mut::<16>(), <&[u8; 16]>::try_from(text)) {
        *to = *from;
        return;
    }
    let len = text.len().min(room.len());
    if let (Some(to), Some(from)) = (room.get_mut(..len), text.get(..len)) {
        to.copy_from_slice(from);
    }
}

impl core::fmt::Debug for ClientId {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ClientId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ClientId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        Self::new(text).map_err(|_| serde::de::Error::custom("no client order id"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    /// Proves ORD-012.
    #[test]
    fn takes_a_hundred_permitted_characters_and_no_more() {
        let long = |count: usize| (0..count).map(|_| 'a').collect::<String>();
        assert_eq!(ClientId::new(&long(100)).unwrap().as_str(), long(100));
        assert_eq!(ClientId::new(&long(101)), Err(ClientIdError::TooLong));
        assert!(ClientId::new("Az09#-.:_").is_ok());
        for text in ["", "a b", "é", "a\n", "<b>", "a/b"] {
            assert_eq!(ClientId::new(text), Err(ClientIdError::BadCharacter), "{text:?}");
        }
    }
}
