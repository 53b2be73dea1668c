//! Infrequent events and command records: written with a name, a version and a length, so that later builds can add
//! to them.
//!
//! A new field is added at the end of a record's last struct, and the record's version goes up by one. In older records
//! the field reads as zero (none, false, empty, the first variant). A reader refuses unknown names and newer versions.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value that a journal stores under a name.
pub trait Named: Sized {
    /// The room it belongs to: the first part of its full name, `room.name`.
    const ROOM: &'static str;

    /// Its name within the room, and its version, which starts at 1.
    fn label(&self) -> (&'static str, u8);

    /// Appends its fields.
    fn put_body(&self, out: &mut Vec<u8>);

    /// Reads it from its name, its version and its fields.
    ///
    /// # Errors
    /// [`NamedError`].
    fn read_body(name: &str, version: u8, body: &[u8]) -> Result<Self, NamedError>;
}

/// A shared value has the record of the value.
impl<T: Named> Named for Arc<T> {
    const ROOM: &'static str = T::ROOM;

    fn label(&self) -> (&'static str, u8) {
        T::label(self)
    }

    fn put_body(&self, out: &mut Vec<u8>) {
        T::put_body(self, out);
    }

    fn read_body(name: &str, version: u8, body: &[u8]) -> Result<Self, NamedError> {
        T::read_body(name, version, body).map(Self::new)
    }
}

/// A named record cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedError {
    /// It ends too early, or its length says so.
    Cut,
    /// No record of this build has this name.
    Unknown(String),
    /// This build reads only older versions of it.
    Newer {
        /// Its full name.
        name: String,
        /// Its version.
        version: u8,
        /// The version that this build writes.
        known: u8,
    },
    /// Its fields cannot be decoded.
    Malformed(String),
}

impl core::fmt::Display for NamedError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Cut => f.write_str("a record ends too early"),
            Self::Unknown(name) => {
                write!(f, "record '{name}' is unknown to this build: a newer one wrote it")
            }
            Self::Newer { name, version, known } => {
                write!(f, "record '{name}' has version {version}, this build reads it up to version {known}")
            }
            Self::Malformed(name) => write!(f, "the fields of record '{name}' cannot be read"),
        }
    }
}

impl core::error::Error for NamedError {}

/// A record as [`put_named`] wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedRecord<'a> {
    /// Its room.
    pub room: &'a str,
    /// Its name within the room.
    pub name: &'a str,
    /// Its version.
    pub version: u8,
    /// Its fields.
    pub body: &'a [u8],
}

/// Bytes of the length field.
const LENGTH: usize = 4;

/// Appends a record: the length of its full name in a byte, the name, the version, the length of the fields, the
/// fields.
///
/// # Panics
/// If a record has 4 GiB, which memory prevents.
pub fn put_named<T: Named>(record: &T, out: &mut Vec<u8>) {
    let (name, version) = record.label();
    let len = T::ROOM.len() + 1 + name.len();
    out.push(u8::try_from(len).expect("names are short"));
    out.extend_from_slice(T::ROOM.as_bytes());
    out.push(b'.');
    out.extend_from_slice(name.as_bytes());
    out.push(version);
    let at = out.len();
    out.extend_from_slice(&[0; LENGTH]);
    record.put_body(out);
    let len = u32::try_from(out.len() - at - LENGTH).expect("a record is smaller than 4 GiB");
    if let Some(place) = out.get_mut(at..at + LENGTH) {
        place.copy_from_slice(&len.to_le_bytes());
    }
}

/// Takes a record from the front.
///
/// # Errors
/// [`NamedError::Cut`].
pub fn take_named<'a>(bytes: &mut &'a [u8]) -> Result<NamedRecord<'a>, NamedError> {
    take_record(bytes).ok_or(NamedError::Cut)
}

fn take_record<'a>(bytes: &mut &'a [u8]) -> Option<NamedRecord<'a>> {
    let (len, rest) = bytes.split_first()?;
    let (name, rest) = rest.split_at_checked(usize::from(*len))?;
    let (version, rest) = rest.split_first()?;
    let (len, rest) = rest.split_first_chunk::<LENGTH>()?;
    let (body, rest) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*len)).ok()?)?;
    let (room, name) = core::str::from_utf8(name).ok()?.split_once('.')?;
    *bytes = rest;
    Some(NamedRecord { room, name, version: *version, body })
}

impl NamedRecord<'_> {
    /// Its full name.
    pub fn full_name(&self) -> String {
        [self.room, ".", self.name].concat()
    }

    /// Decodes it as a record of room `T`.
    ///
    /// # Errors
    /// [`NamedError`], also for a record of another room.
    pub fn read<T: Named>(&self) -> Result<T, NamedError> {
        if self.room == T::ROOM {
            T::read_body(self.name, self.version, self.body)
        } else {
            Err(self.unknown())
        }
    }

    /// The error for a record that no room of this build knows.
    pub fn unknown(&self) -> NamedError {
        NamedError::Unknown(self.full_name())
    }
}

/// Appends fields in the format of every record's body.
///
/// # Panics
/// Never: each of our values can be encoded.
pub fn put_fields<T: Serialize>(fields: &T, out: &mut Vec<u8>) {
    let taken = core::mem::take(out);
    *out = postcard::to_extend(fields, taken).expect("a value of our own can be written");
}

/// More zero bytes than all fields that will ever be added to a record need.
const ZEROS: usize = 256;

/// Decodes fields that a build wrote when the record had `version`; the current version is `known`.
///
/// # Errors
/// [`NamedError::Newer`] or [`NamedError::Malformed`].
pub fn read_fields<T: DeserializeOwned>(
    room: &str,
    name: &str,
    [version, known]: [u8; 2],
    body: &[u8],
) -> Result<T, NamedError> {
    let full_name = || [room, ".", name].concat();
    let malformed = |_| NamedError::Malformed(full_name());
    if version > known || version == 0 {
        return Err(NamedError::Newer { name: full_name(), version, known });
    }
    if version == known {
        let (fields, rest) = postcard::take_from_bytes(body).map_err(malformed)?;
        return if rest.is_empty() { Ok(fields) } else { Err(NamedError::Malformed(full_name())) };
    }
    let mut padded = Vec::with_capacity(body.len() + ZEROS);
    padded.extend_from_slice(body);
    padded.resize(body.len() + ZEROS, 0);
    let (fields, rest) = postcard::take_from_bytes(&padded).map_err(malformed)?;
    if rest.len() <= ZEROS { Ok(fields) } else { Err(NamedError::Malformed(full_name())) }
}

/// Implements [`Named`] for an enum: a room, and for each variant its fields by position, its name and its version.
#[macro_export]
macro_rules! named {
    ($type:ty, $room:literal, { $($variant:ident { $($place:tt : $field:ident),* } = $name:literal $version:literal),+ $(,)? }) => {
        impl $crate::Named for $type {
            const ROOM: &'static str = $room;

            fn label(&self) -> (&'static str, u8) {
                match self { $(Self::$variant { .. } => ($name, $version)),+ }
            }

            fn put_body(&self, out: &mut ::alloc::vec::Vec<u8>) {
                match self { $(Self::$variant { $($place: $field),* } => $crate::put_fields(&($($field,)*), out)),+ }
            }

            fn read_body(name: &str, version: u8, body: &[u8]) -> Result<Self, $crate::NamedError> {
                match name {
                    $($name => {
                        let ($($field,)*) = $crate::read_fields($room, name, [version, $version], body)?;
                        Ok(Self::$variant { $($place: $field),* })
                    })+
                    _ => Err($crate::NamedError::Unknown([$room, ".", name].concat())),
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[derive(Debug, PartialEq)]
    enum Old {
        Moved(u32, String),
        Stopped,
    }

    #[derive(Debug, PartialEq)]
    enum New {
        Moved(u32, String, Option<u64>, bool),
        Stopped,
        Started,
    }

    named!(Old, "test", { Moved { 0: at, 1: to } = "moved" 1, Stopped {} = "stopped" 1 });
    named!(New, "test", {
        Moved { 0: at, 1: to, 2: by, 3: is_late } = "moved" 2,
        Stopped {} = "stopped" 1,
        Started {} = "started" 1,
    });

    fn written<T: Named>(record: &T) -> Vec<u8> {
        let mut bytes = alloc::vec![0xEE];
        put_named(record, &mut bytes);
        bytes.split_off(1)
    }

    fn read<T: Named>(bytes: &[u8]) -> Result<T, NamedError> {
        let mut rest = bytes;
        let record = take_named(&mut rest)?;
        assert!(rest.is_empty());
        record.read()
    }

    /// The position of each byte is part of the journal's format.
    #[test]
    fn a_record_has_a_name_a_version_and_a_length() {
        let bytes = written(&Old::Moved(5, "b".into()));
        assert_eq!(bytes, [&[10][..], b"test.moved", &[1, 3, 0, 0, 0, 5, 1, b'b']].concat());
        for short in 0..bytes.len() {
            assert_eq!(take_named(&mut &bytes[..short]), Err(NamedError::Cut), "{short}");
        }
    }

    /// A record of an older build is read with zeros in the fields that it lacks.
    #[test]
    fn a_field_may_be_added() {
        assert_eq!(read(&written(&Old::Moved(5, "b".into()))), Ok(New::Moved(5, "b".into(), None, false)));
        let all = New::Moved(5, "b".into(), Some(9), true);
        assert_eq!(read(&written(&all)), Ok(all));
        assert_eq!(read(&written(&Old::Stopped)), Ok(New::Stopped));
    }

    /// A record of a newer build is refused by name.
    #[test]
    fn newer_records_are_refused_by_name() {
        let newer = read::<Old>(&written(&New::Moved(5, "b".into(), None, false))).unwrap_err();
        assert_eq!(
            newer.to_string(),
            "record 'test.moved' has version 2, this build reads it up to version 1"
        );
        let unknown = read::<Old>(&written(&New::Started)).unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "record 'test.started' is unknown to this build: a newer one wrote it"
        );
    }

    /// A record of another room is unknown, even with a name of this one.
    #[test]
    fn another_room_is_another_record() {
        let mut bytes = written(&Old::Stopped);
        bytes.splice(1..5, *b"rest");
        assert_eq!(read::<Old>(&bytes), Err(NamedError::Unknown("rest.stopped".into())));
    }

    /// Truncated fields and surplus fields are refused.
    #[test]
    fn damaged_fields_are_refused() {
        for body in [&[5][..], &[5, 1, b'b', 0], &[5, 9, b'b']] {
            let read = read_fields::<(u32, String)>("test", "moved", [1, 1], body);
            assert_eq!(read, Err(NamedError::Malformed("test.moved".into())), "{body:?}");
        }
        // An older record may be shorter than the present one, but not longer.
        assert!(read_fields::<(u32, String)>("test", "moved", [1, 2], &[5, 1, b'b', 0]).is_err());
    }
}
