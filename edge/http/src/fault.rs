//! Refusals by the server itself. The handler writes their bodies, since each interface has its own form of an error.

use crate::limits::{FIELDS_MAX, HEAD_MAX};
use std::fmt;

/// Why the server refuses a request or a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The request cannot be read as HTTP/1.1.
    Malformed,
    /// The head has too many bytes or too many fields.
    HeadTooLarge,
    /// Two readers could disagree where the request ends, or which host it names (D-03).
    Ambiguous(&'static str),
    /// The body has more than this many bytes.
    BodyTooLarge(usize),
    /// The connection failed while the body was read.
    BodyUnreadable,
    /// The body took too long.
    BodyLate,
    /// There are too many connections, and all of them are in use.
    TooManyConnections,
    /// The client's address has reached its limit of connections.
    TooManyOfAddress,
}

impl Fault {
    /// The HTTP status of the answer.
    pub fn status(self) -> u16 {
        match self {
            Self::Malformed | Self::Ambiguous(_) | Self::BodyUnreadable => 400,
            Self::BodyLate => 408,
            Self::BodyTooLarge(_) => 413,
            Self::HeadTooLarge => 431,
            Self::TooManyConnections | Self::TooManyOfAddress => 503,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str(
                "The request cannot be read as HTTP/1.1: its first line or one of its header fields is malformed",
            ),
            Self::HeadTooLarge => write!(
                f,
                "The head of the request is larger than {HEAD_MAX} bytes or has more than {FIELDS_MAX} fields"
            ),
            Self::Ambiguous(why) => write!(f, "The request's framing is ambiguous: {why}"),
            Self::BodyTooLarge(max) => write!(f, "The body is longer than {max} bytes"),
            Self::BodyUnreadable => f.write_str("The body cannot be read"),
            Self::BodyLate => f.write_str("The body did not arrive in time"),
            Self::TooManyConnections => f.write_str("Too many connections"),
            Self::TooManyOfAddress => f.write_str("Too many connections from this address"),
        }
    }
}
