//! Pages by time (D-14): the oldest rows from a point on, sorted newest first. A page never ends inside a
//! millisecond, unless that millisecond alone has more rows than a page may have.
//!
//! A client pages with the highest time it got plus one millisecond. If a page ended inside a millisecond, the client
//! would skip the rest of that millisecond; so the page leaves out the rows of a millisecond that it cannot complete.

use super::chain::{Node, Walk};
use super::codec::Position;
use super::fault::Fault;
use super::row::Timed;

/// The length of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Requested rows.
    pub rows: usize,
    /// Most rows of a page that a single millisecond overfills; not less than `rows`.
    pub most: usize,
}

/// Where a full page may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// After any row: the next page begins with an id.
    Anywhere,
    /// After a whole millisecond. A millisecond that alone overfills the page is returned whole, up to `most` rows.
    Millisecond,
}

/// The oldest rows for which `holds` is true, newest first. `holds` must then be true for every newer row too.
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

/// The ordinal `rows` rows after another.
fn after(ordinal: u64, rows: usize) -> u64 {
    ordinal.saturating_add(u64::try_from(rows).unwrap_or(u64::MAX))
}
