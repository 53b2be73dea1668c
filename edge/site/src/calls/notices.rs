//! The news of the chosen account: `/site/notices`. Pages ask for it when a stream tells of a change, and now and then, since some of it
//! is in no stream.
//!
//! The events of orders and the lines of the statement have a number each that only rises; a cursor names both. Rows that came after it are new.

mod lines;
mod news;
mod orders;
mod standing;

use super::caller::Caller;
use super::interface::{chosen, held};
use super::watching::{self, SessionLeft};
use buttonwood_gate::{Refusal, missing_role};
use buttonwood_http::Reply;
use buttonwood_model::{Role, Roles};
use buttonwood_rest::Later;
use buttonwood_views::history::Fault;
use buttonwood_wire::contract::{InQuery, Nullable, Query, Text};
use buttonwood_wire::field::{bad_query, busy};
use buttonwood_wire::{answer, json, request};
use news::News;
use standing::Margin;

/// Rows of each kind that an answer reads: more at once are more than a person follows.
const MOST: usize = 200;

request! {
    /// Which news.
    struct Asked in InQuery {
        /// The cursor of an earlier answer.
        after: Text,
        /// `true`: the newest rows, also those up to the cursor.
        all: Text,
    }
}

answer! {
    /// The news of an account.
    struct Told {
        /// The cursor to ask with next time.
        cursor: String,
        /// The news, the newest last.
        rows: Vec<News>,
        /// Whether older news that belong here are left out, since there were too many.
        more: bool,
        /// How an account with borrowed money or positions stands; null for any other.
        margin: Nullable<Margin>,
        /// How long the session lasts.
        session: SessionLeft,
    }
}

/// The numbers of the last event of an order and of the last line of the statement that were told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cursor {
    event: u64,
    entry: u64,
}

impl Cursor {
    fn read(text: &str) -> Option<Self> {
        let (event, entry) = text.split_once('-')?;
        Some(Self { event: event.parse().ok()?, entry: entry.parse().ok()? })
    }
}

/// Orders are shown to those who may list them, money to those who may read the statement.
pub(super) fn list<'a>(caller: &'a Caller<'a>, query: Query<'a>) -> Later<'a> {
    Box::pin(async move {
        let held = held(caller)?;
        let account = chosen(&held)?;
        let asked = Asked::of(query);
        let after = match asked.after() {
            None => None,
            Some(text) => {
                let wanted = "the cursor of an earlier answer";
                Some(Cursor::read(text).ok_or_else(|| bad_query("after", wanted, text))?)
            }
        };
        let is_all = match asked.all() {
            None => after.is_none(),
            Some("true") => true,
            Some(other) => return Err(bad_query("all", "true, or left out", other)),
        };
        let readers = Roles::of(&[Role::Trader, Role::FundManager, Role::Auditor]);
        if !held.roles.allows(readers) {
            return Err(missing_role("your user", held.roles, readers));
        }
        let sees_orders = held.roles.allows(Roles::of(&[Role::Trader, Role::Auditor]));
        // Without a cursor nothing is new: the page has just begun to watch.
        let known = after.unwrap_or(Cursor { event: u64::MAX, entry: u64::MAX });
        let mut rows = Vec::new();
        let mut cursor = after.unwrap_or_default();
        let mut more = false;
        if sees_orders {
            let read = orders::read(caller.app, account, known.event).await?;
            cursor.event = read.last.max(cursor.event);
            more |= read.more;
            rows.extend(read.rows);
        }
        let read = lines::read(caller.app, account, known.entry).await?;
        cursor.entry = read.last.max(cursor.entry);
        more |= read.more;
        rows.extend(read.rows);
        rows.retain(|row| is_all || row.is_new);
        rows.sort_by_key(|row| row.at);
        let told = Told {
            cursor: format!("{}-{}", cursor.event, cursor.entry),
            rows,
            more,
            margin: Nullable(standing::of(caller.app, account)),
            session: watching::left(caller)?,
        };
        Ok(Reply::json(json::body(&told)))
    })
}

/// The newest rows of one kind.
struct Read {
    /// The number of the newest.
    last: u64,
    rows: Vec<News>,
    /// Whether new rows are left out.
    more: bool,
}

fn unread(fault: &Fault) -> Refusal {
    tracing::error!(%fault, "history cannot be read");
    busy("A part of the history that this list needs is damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_have_two_numbers() {
        assert_eq!(Cursor::read("7-9"), Some(Cursor { event: 7, entry: 9 }));
        for wrong in ["", "7", "7-", "-9", "7-9-1", "a-b", "7 - 9"] {
            assert_eq!(Cursor::read(wrong), None, "{wrong}");
        }
    }
}
