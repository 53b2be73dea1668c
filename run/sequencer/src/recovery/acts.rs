//! The acts of operators, from the newest to the oldest, read next to a running exchange or without one.
//!
//! Each act names the one before it, so only the segments that hold acts are read.

use crate::Fault;
use crate::recovery::JOURNAL_DIR;
use buttonwood_disk::Folder;
use buttonwood_engine::{Audit, Event, Infrequent, Note, decode_events};
use buttonwood_journal::{self as journal, Batch, Reader};
use buttonwood_model::{Outbox, Seq, Stamp};
use std::collections::VecDeque;

/// An act of an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acted {
    /// Its number and time.
    pub stamp: Stamp,
    /// Who, what and why.
    pub note: Note,
    /// The number of the act before it; 0 if there is none.
    pub before: u64,
}

/// At most `limit` acts of a data directory, the newest first: the act of number `last`, which is durable, and those before it.
/// Archived segments are looked for in `archive`.
///
/// # Errors
/// [`Fault`] of the journal. Acts in archived segments that cannot be found end the list; if there is none before them, that is
/// [`journal::Fault::Archived`].
pub fn acts(
    dir: impl Into<Folder>,
    archive: Option<Folder>,
    last: u64,
    limit: usize,
) -> Result<Vec<Acted>, Fault> {
    let mut found: Vec<Acted> = Vec::new();
    let mut next = last;
    let mut reader = Reader::open(dir.into().folder(JOURNAL_DIR))?.with_archive(archive);
    let mut out = Outbox::default();
    while next > 0 && found.len() < limit {
        let mut here = Here { acts: VecDeque::new(), room: limit - found.len(), flaw: None };
        match reader.visit_segment(next, |batch| here.read(batch, next, &mut out)) {
            // The older ones are in the archive; asked for alone, they are refused.
            Err(journal::Fault::Archived { .. }) if !found.is_empty() => return Ok(found),
            visited => visited?,
        }
        if let Some(flaw) = here.flaw {
            return Err(flaw);
        }
        next = here.acts.front().map_or(0, |oldest| oldest.before);
        found.extend(here.acts.into_iter().rev());
    }
    Ok(found)
}

/// The newest acts of a segment.
struct Here {
    acts: VecDeque<Acted>,
    room: usize,
    flaw: Option<Fault>,
}

impl Here {
    /// Adds the acts of a batch up to the number `last`.
    fn read(&mut self, batch: &Batch<'_>, last: u64, out: &mut Outbox<Event>) {
        for (seq, bytes) in batch.frames().take_while(|(seq, _)| *seq <= last) {
            if self.flaw.is_some() {
                return;
            }
            out.clear();
            match decode_events(bytes, out) {
                Ok((time, _)) => self.note(Stamp { seq: Seq(seq), time }, out),
                Err(source) => self.flaw = Some(Fault::Frame { seq, source }),
            }
        }
    }

    /// Adds the act among a command's events, which is the last of them.
    fn note(&mut self, stamp: Stamp, out: &Outbox<Event>) {
        let (events, texts) = out.latest();
        let Some(Event::Infrequent(kept)) = events.last() else { return };
        if let Ok(Infrequent::Act(Audit::Acted(note, before))) = Infrequent::read(*kept, texts) {
            if self.acts.len() == self.room {
                self.acts.pop_front();
            }
            self.acts.push_back(Acted { stamp, note, before });
        }
    }
}
