//! The journal's encoding of a command and its events: arbitrary bytes are refused, or equal the encoding of the
//! decoded values.

use buttonwood_engine::{Event, decode_command, decode_events, encode};
use buttonwood_model::Outbox;

/// Reads and checks one frame.
pub fn run(bytes: &[u8]) {
    let mut out = Outbox::<Event>::default();
    let Ok((time, rest)) = decode_events(bytes, &mut out) else { return };
    let Ok(command) = decode_command(rest, &out) else { return };
    let is_whole = rest.first() == Some(&0);
    let mut written = Vec::new();
    encode(time, &command, &out.events, &out.texts, &mut written).expect("a buffer grows");
    let mut again = Outbox::default();
    let (same_time, rest) = decode_events(&written, &mut again).expect("what is written can be read");
    assert_eq!((same_time, &again), (time, &out));
    assert_eq!(decode_command(rest, &again).as_ref(), Ok(&command));
    // The record of a whole command may be of an older version, its numbers may be longer than needed, and it may follow
    // from the events; everything else has only one encoding.
    assert!(written == bytes || is_whole, "{written:?}\n{bytes:?}");
    // This build writes one encoding of each value.
    let mut twice = Vec::new();
    encode(time, &command, &again.events, &again.texts, &mut twice).expect("a buffer grows");
    assert_eq!(twice, written);
}
