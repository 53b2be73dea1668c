//! `audit`: who did what, when and why.

use crate::Shared;
use crate::command::{Argument, Command, Form, Lines};
use crate::operator::Operator;
use buttonwood_gate::{Payload, Reason, Refusal};
use buttonwood_sequencer::Acted;
use buttonwood_wire::contract::{Flag, InPayload, Label, Text, Whole};
use buttonwood_wire::field::{bad_value, failed};
use buttonwood_wire::{answer, json, request};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The command; without a running process the command line reads the journal itself.
pub const COMMAND: Command = Command::list("audit", |operator, fields, lines| {
    Box::pin(run(operator, fields, lines))
})
.about("Lists what operators did, the newest first; with --follow in order, and goes on with what they do.")
.follows("follow")
.takes::<Audit>(&[
    Argument::new("limit", Form::Option),
    Argument::new("follow", Form::Switch),
    Argument::new("archive", Form::Path),
])
.gives::<Act>();

/// Acts of a list unless the operator says otherwise.
const LIMIT: u64 = 100;
/// Acts that are read at once.
const PAGE: u64 = 1_000;
/// How long it takes at most until a new act is shown.
const PAUSE: Duration = Duration::from_millis(200);

request! {
    /// Which acts.
    struct Audit in InPayload {
        /// How many at most; 100 without it.
        limit: Whole,
        /// Whether to go on with what operators do from now on.
        follow: Flag<false>,
        /// The folder that old segments of the journal were moved to, as an absolute path; without it that of the running exchange.
        archive: Text,
    }
}

answer! {
    /// One act of an operator.
    struct Act {
        /// Its number in the journal.
        seq: u64,
        /// Its time, in milliseconds.
        time_ms: u64,
        /// The user, or `control` for a control call of the sandbox.
        who: Label,
        /// The command and its arguments.
        what: Label,
        /// The reason; empty if none was given.
        why: Label,
    }
}

/// The line of an act.
pub fn line(acted: &Acted) -> Vec<u8> {
    let Acted { stamp, note, .. } = acted;
    let label = |text: &String| Label(text.clone());
    let [who, what, why] = [&note.who, &note.what, &note.why].map(label);
    json::body(&Act { seq: stamp.seq.0, time_ms: stamp.time.millis(), who, what, why })
}

/// The number of acts that the arguments ask for.
///
/// # Errors
/// The refusal of a wrong number.
pub fn limit(fields: &Payload) -> Result<u64, Refusal> {
    match Audit::of(fields).limit()? {
        Some(0) => Err(bad_value("limit", "at least 1", "0")),
        limit => Ok(limit.unwrap_or(LIMIT)),
    }
}

/// The folder of archived segments that the arguments name.
///
/// # Errors
/// The refusal of a path that is not absolute.
pub fn archive(fields: &Payload) -> Result<Option<PathBuf>, Refusal> {
    let path = Audit::of(fields).archive()?;
    let is_relative = |path: &&Cow<'_, str>| !Path::new(&***path).is_absolute();
    match path.as_ref().filter(is_relative) {
        Some(relative) => Err(bad_value("archive", "an absolute path", relative)),
        None => Ok(path.map(|path| PathBuf::from(&*path))),
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload, lines: &Lines) -> Result<(), Refusal> {
    let (limit, follows) = (limit(fields)?, Audit::of(fields).follow()?);
    let acts = Acts { shared: operator, archive: archive(fields)? };
    let last = acts.latest();
    if !follows {
        return list(&acts, lines, last, limit).await;
    }
    let mut shown = show(&acts, lines, last, limit).await?;
    loop {
        tokio::time::sleep(PAUSE).await;
        let last = acts.latest();
        if last > shown {
            shown = follow(&acts, lines, last, shown).await?;
        }
    }
}

/// The newest acts of operators, a JSON object each, the newest first: a page at most. Of a journal whose older part is not there any
/// more, it has what is there.
///
/// # Errors
/// The refusal where none can be read.
pub async fn newest(shared: &Shared, limit: u64) -> Result<Vec<Vec<u8>>, Refusal> {
    let acts = Acts { shared, archive: None };
    let (mut next, mut lines) = (acts.latest(), Vec::new());
    let limit = usize::try_from(limit.min(PAGE)).unwrap_or(1);
    while next > 0 && lines.len() < limit {
        let left = u64::try_from(limit - lines.len()).unwrap_or(1);
        let read = match acts.page(next, left).await {
            Err(refusal) if lines.is_empty() => return Err(refusal),
            Err(_) => break,
            Ok(read) => read,
        };
        lines.extend(read.iter().map(line));
        next = read.last().map_or(0, |oldest| oldest.before);
    }
    Ok(lines)
}

/// Where the acts are read.
struct Acts<'a> {
    shared: &'a Shared,
    /// Where archived segments are looked for, if not in the exchange's own archive.
    archive: Option<PathBuf>,
}

impl Acts<'_> {
    /// The number of the last act.
    fn latest(&self) -> u64 {
        self.shared.exchange.views().state().last_act()
    }

    /// The act of number `last` and those before it, a page at most.
    async fn page(&self, last: u64, limit: u64) -> Result<Vec<Acted>, Refusal> {
        let limit = usize::try_from(limit.min(PAGE)).unwrap_or(1);
        let read = self.shared.exchange.acts(self.archive.clone(), last, limit).await;
        read.map_err(|fault| {
            if fault.is_archived() {
                return Refusal::new(Reason::InvalidParameterValue, fault.to_string());
            }
            tracing::error!(%fault, "the acts of operators cannot be read");
            failed()
        })
    }
}

/// Sends the newest acts first, a page at a time.
async fn list(from: &Acts<'_>, lines: &Lines, mut next: u64, mut left: u64) -> Result<(), Refusal> {
    while next > 0 && left > 0 {
        let acts = from.page(next, left).await?;
        for acted in &acts {
            if !lines.send(line(acted)).await {
                return Ok(());
            }
            left -= 1;
        }
        next = acts.last().map_or(0, |oldest| oldest.before);
    }
    Ok(())
}

/// Sends the latest acts in order, a page at most; returns the number of the last one.
async fn show(from: &Acts<'_>, lines: &Lines, last: u64, limit: u64) -> Result<u64, Refusal> {
    for acted in from.page(last, limit).await?.iter().rev() {
        lines.send(line(acted)).await;
    }
    Ok(last)
}

/// Sends the acts after `shown` in order; returns the number of the last one.
async fn follow(from: &Acts<'_>, lines: &Lines, last: u64, shown: u64) -> Result<u64, Refusal> {
    let mut new: Vec<Acted> = Vec::new();
    let mut next = last;
    while next > shown {
        let acts = from.page(next, PAGE).await?;
        next = acts.last().map_or(0, |oldest| oldest.before);
        new.extend(acts.into_iter().filter(|acted| acted.stamp.seq.0 > shown));
    }
    for acted in new.iter().rev() {
        lines.send(line(acted)).await;
    }
    Ok(last)
}
