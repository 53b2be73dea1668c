//! The news among the order events of accounts: trades, and ends that the account did not request.
//!
//! The query follows the rows of each account back from the newest one, as that of a client that reconnects does (`resume`). It looks at the
//! step of a row alone to skip what is no news, so that an account with very many orders pays for its news only.

use super::codec::Position;
use super::fault::Fault;
use super::order_events::{OrderEventRow, RowStep};
use super::query::{Query, Reads};
use super::resume::{Head, Placed};
use crate::order_event::{EventId, OrderEvent};
use buttonwood_engine::OrderState;
use buttonwood_model::{AccountId, CancelReason, OrderId};
use std::collections::BTreeMap;

/// How much a query for news reads. Rows are shared evenly among the accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewsBound {
    /// Accounts: those whose orders changed last.
    pub accounts: usize,
    /// Rows of all accounts together.
    pub rows: usize,
    /// News of all accounts together.
    pub news: usize,
}

/// The news of accounts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderNews {
    /// The newest event of the accounts, which may be no news; 0 without any.
    pub last: u64,
    /// The events, those of an account oldest first. A second event of a row, such as the close after a fill, is among them.
    pub events: Vec<OrderEvent>,
    /// Whether all news after the known event are there.
    pub is_whole: bool,
}

/// The rows that a walk keeps, newest first.
#[derive(Default)]
struct Kept {
    news: Vec<Placed>,
    /// Rows that closed an order and are no news, by the order: they have its facts.
    closings: BTreeMap<OrderId, Placed>,
    last: u64,
    is_whole: bool,
}

impl Query<'_> {
    /// The news of accounts after the event `after`, of each the newest. `live` is as in [`Query::order_events_after`].
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn order_news(
        &self,
        accounts: &[AccountId],
        after: EventId,
        bound: NewsBound,
        live: impl Fn(OrderId) -> Option<OrderState>,
    ) -> Result<OrderNews, Fault> {
        let reads = self.reads();
        let mut heads: Vec<Head> = self.head(|index| {
            let head = |account: &AccountId| (*account, index.newest_order_event(*account));
            accounts.iter().map(head).filter(|(_, newest)| newest.is_some()).collect()
        });
        // A row lies after those of all changes before it.
        heads.sort_by_key(|(_, newest)| std::cmp::Reverse(*newest));
        let left_out = heads.split_off(heads.len().min(bound.accounts));
        let shares = heads.len().max(1);
        let share = NewsBound { rows: bound.rows / shares, news: bound.news / shares, ..bound };
        let mut found = OrderNews { is_whole: true, ..OrderNews::default() };
        for head in heads {
            let kept = self.news_rows(head, after, share, &reads)?;
            found.last = found.last.max(kept.last);
            found.is_whole &= kept.is_whole;
            found.events.extend(self.news_of(head, kept, &live, &reads)?);
        }
        if let Some((account, Some(newest))) = left_out.first() {
            let (row, _) = self.order_event_at(*account, *newest, &reads)?;
            found.is_whole &= row.last() <= after;
        }
        Ok(found)
    }

    fn news_rows(
        &self,
        (account, head): Head,
        after: EventId,
        share: NewsBound,
        reads: &Reads,
    ) -> Result<Kept, Fault> {
        let mut kept = Kept::default();
        let (mut count, mut next) = (0, head);
        while let Some(at) = next {
            if count >= share.rows || kept.news.len() >= share.news {
                return Ok(kept);
            }
            let (row, prev) = self.order_event_at(account, at, reads)?;
            kept.last = kept.last.max(row.last().0);
            if row.last() <= after {
                break;
            }
            count += 1;
            kept.add(at, &row);
            next = prev;
        }
        kept.is_whole = true;
        Ok(kept)
    }

    /// The events of the news among the rows of an account.
    fn news_of(
        &self,
        (account, head): Head,
        kept: Kept,
        live: impl Fn(OrderId) -> Option<OrderState>,
        reads: &Reads,
    ) -> Result<Vec<OrderEvent>, Fault> {
        let Kept { news, mut closings, .. } = kept;
        let mut rows = news.clone();
        rows.extend(news.iter().filter_map(|(_, row)| closings.remove(&row.order)));
        let orders = self.orders_of(account, &rows, head, live, reads)?;
        let mut events = Vec::new();
        for (at, row) in news.iter().rev() {
            events.extend(self.change_with(account, (*at, row), &orders, reads)?.events());
        }
        Ok(events)
    }
}

impl Kept {
    fn add(&mut self, at: Position, row: &OrderEventRow) {
        if is_news(&row.step) {
            self.news.push((at, *row));
        } else if row.closed.is_some() {
            self.closings.insert(row.order, (at, *row));
        }
    }
}

/// Whether a step is a trade, or an end that the account did not request.
fn is_news(step: &RowStep) -> bool {
    match step {
        RowStep::Filled(_) => true,
        RowStep::Cancelled(reason) => *reason != CancelReason::Requested,
        RowStep::Accepted
        | RowStep::Booked
        | RowStep::CancelRejected
        | RowStep::Closed
        | RowStep::Refused(_) => false,
    }
}
