//! Identifiers of this room.

use alloc::string::String;
use core::fmt::{self, Display, Write};
use serde::{Deserialize, Serialize};

/// The SHA-256 of a secret that the exchange drew, or of an e-mail address.
pub type Digest = [u8; 32];

/// A user. Ids count up from 0, and none is used again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UserId(pub u32);

impl UserId {
    /// The user's place in the table of users.
    pub fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// The user at a place of the table.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// The address from which someone signs in, as far as it tells people apart: a whole IPv4 address, mapped into IPv6, or the first 64
/// bits of an IPv6 address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Peer(pub [u8; 16]);

/// An app: its `client_id`, a UUID.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AppId(pub [u8; 16]);

/// The text is no UUID in lower-case hexadecimal digits with dashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppIdError;

impl AppId {
    /// The random UUID (RFC 9562, version 4) of these bits.
    pub const fn drawn(mut bits: [u8; 16]) -> Self {
        let [.., version, _, variant, _, _, _, _, _, _, _] = &mut bits;
        *version = *version & 0x0F | 0x40;
        *variant = *variant & 0x3F | 0x80;
        Self(bits)
    }

    /// Reads the text of a `client_id`, exactly as it was shown.
    ///
    /// # Errors
    /// [`AppIdError`].
    pub fn parse(text: &str) -> Result<Self, AppIdError> {
        let mut bits = [0_u8; 16];
        let digits = text.bytes().filter(|byte| *byte != b'-');
        let mut places = bits.iter_mut();
        let mut high = None;
        for byte in digits {
            let digit = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                _ => return Err(AppIdError),
            };
            match high.take() {
                None => high = Some(digit),
                Some(high) => *places.next().ok_or(AppIdError)? = high << 4 | digit,
            }
        }
        let id = Self(bits);
        let mut shown = String::new();
        let is_written = write!(shown, "{id}").is_ok();
        if is_written && shown == text { Ok(id) } else { Err(AppIdError) }
    }
}

impl Display for AppId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, byte) in self.0.iter().enumerate() {
            if matches!(place, 4 | 6 | 8 | 10) {
                f.write_char('-')?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    /// A `client_id` is a UUID, and only its own text is read back.
    #[test]
    fn ids_are_uuids() {
        let id = AppId::drawn([0xFF; 16]);
        let text = "ffffffff-ffff-4fff-bfff-ffffffffffff";
        assert_eq!(id.to_string(), text);
        assert_eq!(AppId::parse(text), Ok(id));
        let flat = text.replace('-', "");
        for other in [&text.to_uppercase(), &flat, &text[1..], &alloc::format!("{text}0"), "", "-", "é"] {
            assert_eq!(AppId::parse(other), Err(AppIdError), "{other}");
        }
    }
}
