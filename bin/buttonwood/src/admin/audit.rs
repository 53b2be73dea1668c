//! `buttonwood admin audit` without a running exchange: reads the journal itself.

use super::Admin;
use crate::trouble::Trouble;
use crate::verify::check_directory;
use buttonwood_disk::Folder;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_operate::audit::{archive, limit, line};
use buttonwood_sequencer::{Fault, Past, acts};
use std::io::{ErrorKind, Write, stdout};

/// Acts that are read at once.
const PAGE: u64 = 1_000;

/// Prints the acts, the newest first.
pub(super) fn run(flags: &Admin) -> Result<(), Trouble> {
    let refused = |refusal: Refusal| Trouble::Refused(refusal.message);
    let fields = Payload::read(flags.arguments().into_bytes()).map_err(refused)?;
    if fields.flag("follow", false).map_err(refused)? {
        let shown = flags.data.display();
        return Err(Trouble::Refused(format!(
            "no exchange is running on {shown}: there is nothing to follow"
        )));
    }
    let mut left = limit(&fields).map_err(refused)?;
    let archive = archive(&fields).map_err(refused)?.as_ref().map(Folder::from);
    check_directory(&flags.data)?;
    let mut next = Past::open_with(&flags.data, archive.clone()).map_err(unread)?.state().last_act();
    let mut out = stdout().lock();
    while next > 0 && left > 0 {
        let page = acts(&flags.data, archive.clone(), next, usize::try_from(left.min(PAGE)).unwrap_or(1))
            .map_err(unread)?;
        for acted in &page {
            let printed = out.write_all(&line(acted)).and_then(|()| out.write_all(b"\n"));
            match printed {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
                printed => printed.map_err(|error| Trouble::System(format!("cannot write: {error}")))?,
            }
            left -= 1;
        }
        next = page.last().map_or(0, |oldest| oldest.before);
    }
    Ok(())
}

/// Archived segments that cannot be found are the caller's to name.
fn unread(fault: Fault) -> Trouble {
    if fault.is_archived() { Trouble::Refused(fault.to_string()) } else { fault.into() }
}
