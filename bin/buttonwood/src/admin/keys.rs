//! `buttonwood admin key list` without a running exchange: reads the journal itself.

use super::Admin;
use crate::trouble::Trouble;
use crate::verify::check_directory;
use buttonwood_operate::keys::list::keys;
use buttonwood_sequencer::Past;
use std::io::{ErrorKind, Write, stdout};

/// Prints every key, the oldest first.
pub(super) fn run(flags: &Admin) -> Result<(), Trouble> {
    check_directory(&flags.data)?;
    let past = Past::open(&flags.data)?;
    let mut out = stdout().lock();
    for line in keys(past.state(), |_| None) {
        let printed = out.write_all(&line).and_then(|()| out.write_all(b"\n"));
        match printed {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            printed => printed.map_err(|error| Trouble::System(format!("cannot write: {error}")))?,
        }
    }
    Ok(())
}
