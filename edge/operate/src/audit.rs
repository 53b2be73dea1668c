//! `audit`: who did what, when and why.

use crate::command::{Argument, Command, Form, Lines};
use crate::operator::Operator;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_sequencer::Acted;
use buttonwood_wire::contract::{Flag, InPayload, Label, Whole};
use buttonwood_wire::field::{bad_value, failed};
use buttonwood_wire::{answer, json, request};
use std::time::Duration;

/// The command; without a running process the command line reads the journal itself.
pub const COMMAND: Command = Command::list("audit", |operator, fields, lines| {
    Box::pin(run(operator, fields, lines))
})
.about("Lists what operators did, the newest first; with --follow in order, and goes on with what they do.")
.takes::<Audit>(&[Argument::new("limit", Form::Option), Argument::new("follow", Form::Switch)])
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
    }
}

answer! {
    /// What an operator did.
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

async fn run(operator: &Operator<'_>, fields: &Payload, lines: &Lines) -> Result<(), Refusal> {
    let (limit, follows) = (limit(fields)?, Audit::of(fields).follow()?);
    let last = latest(operator);
    if !follows {
        return list(operator, lines, last, limit).await;
    }
    let mut shown = show(operator, lines, last, limit).await?;
    loop {
        tokio::time::sleep(PAUSE).await;
        let last = latest(operator);
        if last > shown {
            shown = follow(operator, lines, last, shown).await?;
        }
    }
}

fn latest(operator: &Operator<'_>) -> u64 {
    operator.exchange.views().state().last_act()
}

/// The act of number `last` and those before it, a page at most.
async fn page(operator: &Operator<'_>, last: u64, limit: u64) -> Result<Vec<Acted>, Refusal> {
    let limit = usize::try_from(limit.min(PAGE)).unwrap_or(1);
    operator.exchange.acts(last, limit).await.map_err(|fault| {
        tracing::error!(%fault, "the acts of operators cannot be read");
        failed()
    })
}

/// Sends the newest acts first, a page at a time.
async fn list(operator: &Operator<'_>, lines: &Lines, mut next: u64, mut left: u64) -> Result<(), Refusal> {
    while next > 0 && left > 0 {
        let acts = page(operator, next, left).await?;
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
async fn show(operator: &Operator<'_>, lines: &Lines, last: u64, limit: u64) -> Result<u64, Refusal> {
    for acted in page(operator, last, limit).await?.iter().rev() {
        lines.send(line(acted)).await;
    }
    Ok(last)
}

/// Sends the acts after `shown` in order; returns the number of the last one.
async fn follow(operator: &Operator<'_>, lines: &Lines, last: u64, shown: u64) -> Result<u64, Refusal> {
    let mut new: Vec<Acted> = Vec::new();
    let mut next = last;
    while next > shown {
        let acts = page(operator, next, PAGE).await?;
        next = acts.last().map_or(0, |oldest| oldest.before);
        new.extend(acts.into_iter().filter(|acted| acted.stamp.seq.0 > shown));
    }
    for acted in new.iter().rev() {
        lines.send(line(acted)).await;
    }
    Ok(last)
}
