//! The encoding of a command and its events in the journal; compact and versioned.

use crate::{Command, Event, Infrequent, command_codec};
use alloc::vec::Vec;
use buttonwood_model::{NamedError, Outbox, Record, Seq, Stamp, Time};

/// The version of the encoding; a reader refuses any other.
pub const FORMAT: u8 = 8;

/// The stamp and the events of one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The number and the time of the command.
    pub stamp: Stamp,
    /// The events, with their texts.
    pub out: Outbox<Event>,
}

/// Why a frame cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// Written by another version.
    Version(u8),
    /// It ends too early.
    Truncated,
    /// It holds bytes that are not an event.
    NoEvent,
    /// It holds a frequent event of a kind that this build does not know.
    UnknownEvent {
        /// The room of the event; `the engine` where the room is unknown too.
        room: &'static str,
        /// The number of its kind.
        kind: u8,
    },
    /// An infrequent event or the command cannot be read, or a newer build wrote it.
    Named(NamedError),
    /// The command does not follow from the events, and the frame says that it does.
    CommandMissing,
    /// This many bytes follow the command, which must end the frame.
    Trailing(usize),
    /// This many events, or bytes of texts, exceed what a frame can hold.
    TooLong(usize),
}

impl core::fmt::Display for FrameError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Version(version) => {
                write!(f, "frame of version {version}, this build reads version {FORMAT}")
            }
            Self::Truncated => f.write_str("frame cannot be read: it ends too early"),
            Self::NoEvent => f.write_str(
                "frame cannot be read: it holds an event that was not written by this build or an older one",
            ),
            Self::UnknownEvent { room, kind } => {
                write!(f, "event {kind} of {room} is unknown to this build: a newer one wrote it")
            }
            Self::TooLong(count) => write!(f, "{count} events or bytes of texts are more than a frame holds"),
            Self::Named(error) => write!(f, "frame cannot be read: {error}"),
            Self::CommandMissing => {
                f.write_str("frame cannot be read: its command does not follow from its events")
            }
            Self::Trailing(bytes) => write!(f, "frame cannot be read: {bytes} bytes follow its command"),
        }
    }
}

impl core::error::Error for FrameError {}

impl From<NamedError> for FrameError {
    fn from(error: NamedError) -> Self {
        Self::Named(error)
    }
}

/// Appends a frame's bytes: version, time, texts, events, and last the part of the command that does not
/// follow from these, which a replay does not read.
///
/// # Errors
/// When the number of events or of bytes exceeds 32 bits.
pub fn encode(
    time: Time,
    command: &Command,
    events: &[Event],
    texts: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), FrameError> {
    out.push(FORMAT);
    time.put(out);
    let count = |count: usize| u32::try_from(count).map_err(|_| FrameError::TooLong(count));
    count(texts.len())?.put(out);
    out.extend_from_slice(texts);
    count(events.len())?.put(out);
    for event in events {
        event.put(out);
    }
    command_codec::encode(command, events, texts, out);
    Ok(())
}

/// Appends the events of a frame to `out`, as its latest command, and returns the frame's time and the bytes
/// of the command.
///
/// # Errors
/// [`FrameError`] when the bytes are not a frame of this version. A caller that continues must
/// [undo](Outbox::undo) what was appended by then.
pub fn decode_events<'a>(bytes: &'a [u8], out: &mut Outbox<Event>) -> Result<(Time, &'a [u8]), FrameError> {
    out.begin();
    let (version, mut rest) = bytes.split_first().ok_or(FrameError::Truncated)?;
    if *version != FORMAT {
        return Err(FrameError::Version(*version));
    }
    let rest = &mut rest;
    let time = Time::take(rest).ok_or(FrameError::Truncated)?;
    let texts = take_texts(rest).ok_or(FrameError::Truncated)?;
    out.texts.extend_from_slice(texts);
    for _ in 0..u32::take(rest).ok_or(FrameError::Truncated)? {
        let bytes = *rest;
        let event = Event::take(rest).ok_or_else(|| no_event(bytes))?;
        if let Event::Infrequent(kept) = event {
            Infrequent::read(kept, texts)?;
        }
        out.events.push(event);
    }
    Ok((time, rest))
}

/// Why these bytes do not begin with an event.
#[cold]
fn no_event(bytes: &[u8]) -> FrameError {
    match bytes {
        [0, kind, ..] if *kind >= buttonwood_trading::Event::KINDS => {
            FrameError::UnknownEvent { room: "trading", kind: *kind }
        }
        [kind, ..] if *kind >= Event::KINDS => FrameError::UnknownEvent { room: "the engine", kind: *kind },
        _ => FrameError::NoEvent,
    }
}

fn take_texts<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = usize::try_from(u32::take(bytes)?).ok()?;
    let (texts, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(texts)
}

/// Reads the command of a frame from what [`decode_events`] returned and what it appended to `out`.
///
/// # Errors
/// [`FrameError`] when the bytes are not a command with these events.
pub fn decode_command(bytes: &[u8], out: &Outbox<Event>) -> Result<Command, FrameError> {
    let (events, texts) = out.latest();
    command_codec::decode(bytes, events, texts)
}

impl Frame {
    /// Decodes a frame; the journal knows its sequence number.
    ///
    /// # Errors
    /// [`FrameError`] when the bytes are not a frame of this version.
    pub fn read(seq: Seq, bytes: &[u8]) -> Result<Self, FrameError> {
        let mut out = Outbox::default();
        let (time, _) = decode_events(bytes, &mut out)?;
        Ok(Self { stamp: Stamp { seq, time }, out })
    }
}

#[cfg(test)]
mod tests;
