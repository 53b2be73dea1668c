//! The age of a document: by the time that it names, or else by when it or its modification time changed (D-270).

use crate::fetch::Fetched;
use buttonwood_engine::index::FRESH;
use std::time::{Duration, Instant, SystemTime};

/// A document's time may lie as far ahead of this machine's clock.
const AHEAD_MAX: Duration = Duration::from_secs(5);
/// Prices of documents that are as old do not count.
pub(crate) const AGE_MAX: Duration = Duration::from_micros(FRESH);

/// The moment of a read, by both clocks of the machine. The exchange's own clock may be manual.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) time: SystemTime,
    pub(crate) instant: Instant,
}

impl Moment {
    pub(crate) fn now() -> Self {
        Self { time: SystemTime::now(), instant: Instant::now() }
    }
}

/// The last document of a feed whose documents name no time.
#[derive(Debug)]
pub(crate) struct Watch {
    /// Whether such a document is always of now: that of a server, in a sandbox.
    counts_as_now: bool,
    last: Option<Seen>,
}

#[derive(Debug)]
struct Seen {
    fetched: Fetched,
    /// When it was seen to change; none at the first read of one that has a modification time.
    changed: Option<Instant>,
}

impl Watch {
    /// A watch of a feed that was not read yet.
    pub(crate) fn new(counts_as_now: bool) -> Self {
        Self { counts_as_now, last: None }
    }

    /// The age of a document that was read now, and names this time in milliseconds.
    ///
    /// # Errors
    /// Why its prices do not count, in text that can be logged and stays the same while the reason does.
    pub(crate) fn age(
        &mut self,
        fetched: Fetched,
        millis: Option<u64>,
        now: Moment,
    ) -> Result<Duration, &'static str> {
        let Some(millis) = millis else { return self.by_change(fetched, now) };
        let time = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(millis));
        let is_ahead = time.is_none_or(|time| time > now.time + AHEAD_MAX);
        if is_ahead {
            return Err("the document's 'time' is more than 5 seconds ahead of this machine's clock");
        }
        let age = time.and_then(|time| now.time.duration_since(time).ok()).unwrap_or_default();
        if age < AGE_MAX { Ok(age) } else { Err("the document's 'time' is a minute ago or longer") }
    }

    fn by_change(&mut self, fetched: Fetched, now: Moment) -> Result<Duration, &'static str> {
        if self.counts_as_now {
            return Ok(Duration::ZERO);
        }
        let by_clock = fetched.modified.and_then(|modified| since(modified, now.time));
        let changed = match &self.last {
            Some(last) if last.fetched == fetched => last.changed,
            Some(_) => Some(now.instant),
            None => by_clock.is_none().then_some(now.instant),
        };
        self.last = Some(Seen { fetched, changed });
        let by_change = changed.map(|changed| now.instant.duration_since(changed));
        let age = by_clock.into_iter().chain(by_change).min().unwrap_or(AGE_MAX);
        if age < AGE_MAX {
            return Ok(age);
        }
        Err("the document names no 'time', and neither it nor its modification time has changed for a minute")
    }
}

/// The time since a modification; none if it lies ahead of this machine's clock.
fn since(modified: SystemTime, now: SystemTime) -> Option<Duration> {
    let ahead = modified.duration_since(now).ok();
    if ahead.is_some_and(|ahead| ahead > AHEAD_MAX) {
        return None;
    }
    Some(now.duration_since(modified).unwrap_or_default())
}

#[cfg(test)]
mod tests;
