//! The journal's form of a command and its events: compact, versioned, ours alone.

use crate::{Command, Event, Infrequent, command_codec};
use alloc::vec::Vec;
use buttonwood_model::{NamedError, Outbox, Record, Seq, Stamp, Time};

/// The version of this form; a reader refuses any other.
pub const FORMAT: u8 = 8;

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
    /// It ends too early.
    Cut,
    /// Something in it stands for no event.
    NoEvent,
    /// It holds a frequent event of a kind that this build does not know.
    UnknownEvent {
        /// The room it belongs to; `the engine` where the room is unknown too.
        room: &'static str,
        /// The number of its kind.
        kind: u8,
    },
    /// An infrequent event or the command cannot be read, or a newer build wrote it.
    Named(NamedError),
    /// The command does not follow from the events, and the frame says that it does.
    Underivable,
    /// The command is written though it follows from the events.
    WrittenTwice,
    /// So many bytes follow the command, which is the last in a frame.
    Trailing(usize),
    /// So many bytes or events are more than a frame holds.
    TooLong(usize),
}

impl core::fmt::Display for FrameError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Version(version) => {
                write!(f, "frame of version {version}, this build reads version {FORMAT}")
            }
            Self::Cut => f.write_str("frame cannot be read: it ends too early"),
            Self::NoEvent => f.write_str("frame cannot be read: it holds what is no event"),
            Self::UnknownEvent { room, kind } => {
                write!(f, "event {kind} of {room} is unknown to this build: a newer one wrote it")
            }
            Self::TooLong(count) => write!(f, "{count} events or bytes of texts are more than a frame holds"),
            Self::Named(error) => write!(f, "frame cannot be read: {error}"),
            Self::Underivable => {
                f.write_str("frame cannot be read: its command does not follow from its events")
            }
            Self::WrittenTwice => {
                f.write_str("frame cannot be read: its command follows from its events, and is there too")
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

/// Appends a frame's bytes: version, time, texts, events, and last what of the command does not follow from these, which
/// replay has no need to read.
///
/// # Errors
/// When there are more events or bytes than 32 bits count.
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

/// Appends the events of a frame to `out`, where they are the latest command's, and returns its time and the bytes of the
/// command.
///
/// # Errors
/// [`FrameError`] when the bytes are no frame of this version; what was appended by then is [undone](Outbox::undo) by the
/// caller, if he goes on.
pub fn decode_events<'a>(bytes: &'a [u8], out: &mut Outbox<Event>) -> Result<(Time, &'a [u8]), FrameError> {
    out.begin();
    let (version, mut rest) = bytes.split_first().ok_or(FrameError::Cut)?;
    if *version != FORMAT {
        return Err(FrameError::Version(*version));
    }
    let rest = &mut rest;
    let time = Time::take(rest).ok_or(FrameError::Cut)?;
    let texts = take_texts(rest).ok_or(FrameError::Cut)?;
    out.texts.extend_from_slice(texts);
    for _ in 0..u32::take(rest).ok_or(FrameError::Cut)? {
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
/// [`FrameError`] when the bytes are no command of these events.
pub fn decode_command(bytes: &[u8], out: &Outbox<Event>) -> Result<Command, FrameError> {
    let (events, texts) = out.latest();
    command_codec::decode(bytes, events, texts)
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
mod tests;
