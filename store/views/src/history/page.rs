//! Pages by time (D-14): the oldest rows from a point on, sorted newest first, never ending inside a millisecond, but
//! in one of more rows than a page may have.
//!
//! A client pages with the highest time it got plus one millisecond. Were a page cut inside a millisecond, the rest
//! of that millisecond would be skipped; so the page gives back the rows of the millisecond it could not finish.

use super::chain::{Node, Walk};
use super::codec::Position;
use super::fault::Fault;
use super::row::Timed;

/// How long a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Rows asked for.
    pub rows: usize,
    /// Rows of a page that a single millisecond overfills, at most; no less than those asked for.
    pub most: usize,
}

/// Where a full page may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// After any row: the next page begins with an id.
    Anywhere,
    /// After a whole millisecond; one that alone overfills the page comes whole, as far as `most` rows go.
    Millisecond,
}

/// The oldest rows that `holds`, newest first. `holds` must be true for every row newer than one it is true for.
pub(super) fn oldest<R: Timed, F: Fn(Position) -> Result<Node<R>, Fault>>(
    walk: &Walk<F>,
    holds: impl Fn(&R) -> bool,
    limit: Limit,
    end: End,
) -> Result<Vec<R>, Fault> {
    if limit.rows == 0 {
        return Ok(Vec::new());
    }
    let Some(first) = walk.oldest(|node| holds(&node.row))? else { return Ok(Vec::new()) };
    let floor = first.link.ordinal;
    let full = after(floor, limit.rows);
    let Some(beyond) = walk.oldest(|node| node.link.ordinal >= full)? else {
        return walk.down(walk.head, floor);
    };
    let mut page = walk.down(beyond.link.prev, floor)?;
    if end == End::Anywhere {
        return Ok(page);
    }
    let unfinished = beyond.row.millis();
    if let Some(whole) = page.iter().position(|row| row.millis() < unfinished) {
        page.drain(..whole);
        return Ok(page);
    }
    let cut = after(floor, limit.most);
    let next = walk.oldest(|node| node.row.millis() > unfinished || node.link.ordinal >= cut)?;
    walk.down(next.map_or(walk.head, |node| node.link.prev), floor)
}

/// The ordinal so many rows after another.
fn after(ordinal: u64, rows: usize) -> u64 {
    ordinal.saturating_add(u64::try_from(rows).unwrap_or(u64::MAX))
}
