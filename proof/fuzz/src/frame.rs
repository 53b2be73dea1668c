//! The journal's encoding of a command and its events: arbitrary bytes are refused, or equal the encoding of the
//! decoded values.

use buttonwood_engine::{Event, decode_command, decode_events, encode};
use buttonwood_model::Outbox;

/// Reads and checks one frame.
pub fn run(bytes: &[u8]) {
    let mut out = Outbox::<Event>::default();
    let Ok((time, rest)) = decode_events(bytes, &mut out) else { return };
    let Ok(command) = decode_command(rest, &out) else { return };
    let mut written = Vec::new();
    encode(time, &command, &out.events, &out.texts, &mut written).expect("a buffer grows");
    let mut again = Outbox::default();
    let (same_time, rest) = decode_events(&written, &mut again).expect("what is written can be read");
    assert_eq!((same_time, &again), (time, &out));
    assert_eq!(decode_command(rest, &again).as_ref(), Ok(&command));
    // Numbers in infrequent events may have a longer encoding than needed, and a command may be whole although it
    // follows from its events; everything else has only one encoding.
    assert!(written == bytes || written.len() < bytes.len(), "{written:?}\n{bytes:?}");
    // This build writes one form.
    let mut twice = Vec::new();
    encode(time, &command, &again.events, &again.texts, &mut twice).expect("a buffer grows");
    assert_eq!(twice, written);
}
