//! The journal's form of a command and its events: compact, versioned, ours alone.

use crate::{Command, Event, Rare};
use alloc::vec::Vec;
use buttonwood_model::{Outbox, Seq, Stamp, Time};
use postcard::ser_flavors::Flavor;
use postcard::serialize_with_flavor;
use serde::Serialize;

/// The version of this form; a reader refuses any other.
pub const FORMAT: u8 = 5;

/// What one command was and did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Where and when it stands.
    pub stamp: Stamp,
    /// What happened.
    pub out: Outbox<Event>,
}

/// A frame cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// Written by another version.
    Version(u8),
    /// Not a frame.
    Malformed(postcard::Error),
    /// So many bytes follow the command, which is the last in a frame.
    Trailing(usize),
}

impl core::fmt::Display for FrameError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Version(version) => {
                write!(f, "frame of version {version}, this build reads version {FORMAT}")
            }
            Self::Malformed(error) => write!(f, "frame cannot be read: {error}"),
            Self::Trailing(bytes) => write!(f, "frame cannot be read: {bytes} bytes follow its command"),
        }
    }
}

impl core::error::Error for FrameError {}

impl From<postcard::Error> for FrameError {
    fn from(error: postcard::Error) -> Self {
        Self::Malformed(error)
    }
}

/// Appends a frame's bytes: version, time, texts, events, and last the command, which replay has no need to read.
///
/// # Errors
/// Only if the buffer cannot grow.
pub fn encode(
    time: Time,
    command: &Command,
    events: &[Event],
    texts: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), FrameError> {
    out.push(FORMAT);
    append(&time, out)?;
    append(texts, out)?;
    append(events, out)?;
    append(command, out)
}

fn append<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), FrameError> {
    Ok(serialize_with_flavor::<T, _, _>(value, Appended(out))?)
}

/// Numbers of few bytes are stored one by one: to call a copy for each would take longer.
const FEW: usize = 10;

/// What is written goes to the end of a buffer.
struct Appended<'a>(&'a mut Vec<u8>);

impl Flavor for Appended<'_> {
    type Output = ();

    #[inline]
    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    #[inline]
    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        if bytes.len() > FEW {
            self.0.extend_from_slice(bytes);
        } else {
            for byte in bytes {
                self.0.push(*byte);
            }
        }
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Appends the events of a frame to `out`, where they are the latest command's, and returns its time and the bytes of the
/// command.
///
/// # Errors
/// [`FrameError`] when the bytes are no frame of this version; what was appended by then is [undone](Outbox::undo) by the
/// caller, if he goes on.
pub fn decode_events<'a>(bytes: &'a [u8], out: &mut Outbox<Event>) -> Result<(Time, &'a [u8]), FrameError> {
    out.begin();
    let (version, rest) =
        bytes.split_first().ok_or(FrameError::Malformed(postcard::Error::DeserializeUnexpectedEnd))?;
    if *version != FORMAT {
        return Err(FrameError::Version(*version));
    }
    let (time, rest) = postcard::take_from_bytes::<Time>(rest)?;
    let (texts, rest) = postcard::take_from_bytes::<&[u8]>(rest)?;
    out.texts.extend_from_slice(texts);
    let (count, mut rest) = postcard::take_from_bytes::<usize>(rest)?;
    for _ in 0..count {
        let (event, after) = postcard::take_from_bytes::<Event>(rest)?;
        if let Event::Rare(kept) = event {
            Rare::read(kept, texts)?;
        }
        out.events.push(event);
        rest = after;
    }
    Ok((time, rest))
}

/// Reads the command of a frame from what [`decode_events`] returned.
///
/// # Errors
/// [`FrameError`] when the bytes are no command.
pub fn decode_command(bytes: &[u8]) -> Result<Command, FrameError> {
    match postcard::take_from_bytes(bytes)? {
        (command, []) => Ok(command),
        (_, rest) => Err(FrameError::Trailing(rest.len())),
    }
}

impl Frame {
    /// Reads a frame whose number the journal knows.
    ///
    /// # Errors
    /// [`FrameError`] when the bytes are no frame of this version.
    pub fn read(seq: Seq, bytes: &[u8]) -> Result<Self, FrameError> {
        let mut out = Outbox::default();
        let (time, _) = decode_events(bytes, &mut out)?;
        Ok(Self { stamp: Stamp { seq, time }, out })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Body;
    use alloc::string::ToString;
    use alloc::vec;

    #[test]
    fn nothing_may_follow_the_command() {
        let command = Command { caller: None, body: Body::CancelAll };
        let mut frame = vec![];
        encode(Time::default(), &command, &[], &[], &mut frame).unwrap();
        let read = |bytes: &[u8]| {
            let (_, rest) = decode_events(bytes, &mut Outbox::default()).unwrap();
            decode_command(rest)
        };
        assert_eq!(read(&frame), Ok(command));
        frame.extend([0, 0]);
        assert_eq!(read(&frame), Err(FrameError::Trailing(2)));
    }

    /// A frame of another version is refused by that version's name, whatever else it holds.
    #[test]
    fn another_version_is_refused_by_name() {
        let mut bytes = Vec::new();
        let command = Command { caller: None, body: Body::UseNonce };
        encode(Time(1), &command, &[], &[], &mut bytes).unwrap();
        assert!(decode_events(&bytes, &mut Outbox::default()).is_ok());
        for version in [FORMAT - 1, FORMAT + 1] {
            *bytes.first_mut().unwrap() = version;
            let refusal = decode_events(&bytes, &mut Outbox::default()).unwrap_err();
            assert_eq!(refusal, FrameError::Version(version));
            let text = alloc::format!("frame of version {version}, this build reads version {FORMAT}");
            assert_eq!(refusal.to_string(), text);
        }
    }
}
