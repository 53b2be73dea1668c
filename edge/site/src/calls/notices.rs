//! The news of the chosen account, and of the others of its group: `/site/notices`. Pages ask for it when a stream tells of a change, and now and then, since some of it
//! is in no stream.
//!
//! The events of orders and the lines of the statement have a number each that only rises; a cursor names both, the
//! last event of the other accounts, and the time of the last position in a contract that ended. Rows that came after it are new.

mod contracts;
mod lines;
mod news;
mod orders;
mod others;
mod standing;

use super::caller::Caller;
use super::interface::{chosen, held};
use super::watching::{self, SessionLeft};
use buttonwood_call::Later;
use buttonwood_gate::{Refusal, missing_role};
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, Role, Roles};
use buttonwood_views::history::Fault;
use buttonwood_wire::contract::{InQuery, Nullable, Query, Text};
use buttonwood_wire::field::{bad_query, busy};
use buttonwood_wire::{answer, json, request};
use news::News;
use others::Short;
use standing::Margin;

/// Rows of each kind in an answer at most: more at once are more than a person follows.
const MOST: usize = 200;

request! {
    /// Which news.
    struct Asked in InQuery {
        /// The cursor of an earlier answer.
        after: Text,
        /// `true`: the newest rows, also those up to the cursor.
        all: Text,
        /// `all`: also news of the other accounts of the group.
        accounts: Text,
    }
}

answer! {
    /// The news of an account.
    struct Told {
        /// The cursor to ask with next time.
        cursor: String,
        /// The news, the newest last.
        rows: Vec<News>,
        /// Whether older news that belong here are left out, or may be, since there was too much to read.
        more: bool,
        /// The other accounts whose margin is short.
        short: Vec<Short>,
        /// How an account with borrowed money or positions stands; null for any other.
        margin: Nullable<Margin>,
        /// How long the session lasts.
        session: SessionLeft,
    }
}

/// The numbers of the last event of an order, of the last line of the statement, and of the last event of an order of another account that
/// the page has, and the time of the last position that ended, in microseconds. A cursor of an earlier build lacks the last ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cursor {
    event: u64,
    entry: u64,
    others: Option<u64>,
    settled: Option<u64>,
}

/// Nothing is new: the page has just begun to watch.
const BEGIN: Cursor = Cursor { event: u64::MAX, entry: u64::MAX, others: None, settled: None };

impl Cursor {
    fn read(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('-').collect();
        let number = |text: &str| text.parse().ok();
        let (event, entry, others, settled) = match parts[..] {
            [event, entry] => (event, entry, None, None),
            [event, entry, others] => (event, entry, Some(number(others)?), None),
            [event, entry, "", settled] => (event, entry, None, Some(number(settled)?)),
            [event, entry, others, settled] => (event, entry, Some(number(others)?), Some(number(settled)?)),
            _ => return None,
        };
        Some(Self { event: number(event)?, entry: number(entry)?, others, settled })
    }

    fn text(self) -> String {
        let Self { event, entry, others, settled } = self;
        let others = others.map(|number| number.to_string());
        match (others, settled) {
            (None, None) => format!("{event}-{entry}"),
            (Some(others), None) => format!("{event}-{entry}-{others}"),
            (others, Some(settled)) => format!("{event}-{entry}-{}-{settled}", others.unwrap_or_default()),
        }
    }
}

/// The news that a call wants.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    after: Option<Cursor>,
    /// Also rows up to the cursor.
    is_all: bool,
    /// Also rows of the other accounts of the group.
    is_of_group: bool,
}

impl Wanted {
    fn read(query: Query<'_>) -> Result<Self, Refusal> {
        let asked = Asked::of(query);
        let cursor = |text| {
            Cursor::read(text).ok_or_else(|| bad_query("after", "the cursor of an earlier answer", text))
        };
        let after = asked.after().map(cursor).transpose()?;
        let is_all = match asked.all() {
            None => after.is_none(),
            Some("true") => true,
            Some(other) => return Err(bad_query("all", "true, or left out", other)),
        };
        let is_of_group = match asked.accounts() {
            None => false,
            Some("all") => true,
            Some(other) => return Err(bad_query("accounts", "all, or left out", other)),
        };
        Ok(Self { after, is_all, is_of_group })
    }
}

/// Orders are shown to those who may list them, money to those who may read the statement.
pub(super) fn list<'a>(caller: &'a Caller<'a>, query: Query<'a>) -> Later<'a> {
    Box::pin(async move {
        let held = held(caller)?;
        let account = chosen(&held)?;
        let wanted = Wanted::read(query)?;
        let readers = Roles::of(&[Role::Trader, Role::FundManager, Role::Auditor]);
        if !held.roles.allows(readers) {
            return Err(missing_role("your user", held.roles, readers));
        }
        let sees_orders = held.roles.allows(Roles::of(&[Role::Trader, Role::Auditor]));
        let told = told(caller, account, wanted, sees_orders).await?;
        Ok(Reply::json(json::body(&told)))
    })
}

async fn told(
    caller: &Caller<'_>,
    account: AccountId,
    wanted: Wanted,
    sees_orders: bool,
) -> Result<Told, Refusal> {
    let Wanted { after, is_all, is_of_group } = wanted;
    let known = after.unwrap_or(BEGIN);
    let mut cursor = after.unwrap_or_default();
    let mut found = lines::read(caller.app, account, (known.entry, is_all), !sees_orders).await?;
    cursor.entry = found.last.max(cursor.entry);
    let mut short = Vec::new();
    if sees_orders {
        let own = own_orders(caller, account, (known.event, is_all)).await?;
        cursor.event = found.add(own).max(cursor.event);
        let ended = contracts::settled(caller, account, known.settled.unwrap_or(u64::MAX), is_all).await?;
        cursor.settled = Some(found.add(ended).max(cursor.settled.unwrap_or(0)));
        found.rows.extend(contracts::resolved(caller.app.exchange.views().state(), account));
    }
    if sees_orders && is_of_group {
        let of_others = known.others.unwrap_or(u64::MAX);
        let others = others::read(caller, account, (of_others, is_all)).await?;
        short = others.short;
        cursor.others = Some(found.add(others.read).max(cursor.others.unwrap_or(0)));
    }
    found.rows.sort_by_key(|row| row.at);
    let margin = {
        let views = caller.app.exchange.views();
        standing::of(views.state(), account)
    };
    Ok(Told {
        cursor: cursor.text(),
        rows: found.rows,
        more: found.more,
        short,
        margin: Nullable(margin),
        session: watching::left(caller)?,
    })
}

/// The news of the orders of the account of the call.
async fn own_orders(caller: &Caller<'_>, account: AccountId, known: (u64, bool)) -> Result<Read, Refusal> {
    let found = orders::read(caller.app, vec![account], known, orders::OWN).await?;
    let (stops, are_more) = orders::stops(caller.app, &[account], usize::MAX);
    let rows = found.rows.into_iter().chain(stops).map(|(_, row)| row).collect();
    Ok(Read { last: found.last, rows, more: found.more || are_more })
}

/// The newest rows of one kind.
#[derive(Debug)]
struct ReadOf<T> {
    /// The number of the newest that was read, which may be no news.
    last: u64,
    rows: Vec<T>,
    /// Whether rows are left out.
    more: bool,
}

type Read = ReadOf<News>;

impl<T> Default for ReadOf<T> {
    fn default() -> Self {
        Self { last: 0, rows: Vec::new(), more: false }
    }
}

impl Read {
    /// Adds rows of another kind, and returns the number of the newest.
    fn add(&mut self, other: Self) -> u64 {
        self.rows.extend(other.rows);
        self.more |= other.more;
        other.last
    }
}

fn unread(fault: &Fault) -> Refusal {
    tracing::error!(%fault, "history cannot be read");
    busy("A part of the history that this list needs is damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_have_two_to_four_numbers() {
        let cursor = |others, settled| Some(Cursor { event: 7, entry: 9, others, settled });
        assert_eq!(Cursor::read("7-9"), cursor(None, None));
        assert_eq!(Cursor::read("7-9-1"), cursor(Some(1), None));
        assert_eq!(Cursor::read("7-9-1-2"), cursor(Some(1), Some(2)));
        assert_eq!(Cursor::read("7-9--2"), cursor(None, Some(2)));
        for text in ["7-9", "7-9-1", "7-9-1-2", "7-9--2"] {
            assert_eq!(Cursor::read(text).map(Cursor::text).as_deref(), Some(text));
        }
        for wrong in ["", "7", "7-", "-9", "7-9-", "7-9-1-", "7-9-1-2-3", "a-b", "7-9-c", "7 - 9"] {
            assert_eq!(Cursor::read(wrong), None, "{wrong}");
        }
    }
}
