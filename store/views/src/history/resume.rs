//! The order events that a client missed: those of an account, or of all accounts of a group, after one that it knows.
//!
//! The query follows the rows of each account back from the newest one, and reads no more of them than its caller allows. Every order that
//! closed since then has the place of its facts in one of these rows; the others are live, or close while the query reads.

use super::codec::Position;
use super::fault::Fault;
use super::order_events::{ClosedRow, OrderEventRow, RowStep};
use super::predictions::{ClosedContractOrder, PredictionRow};
use super::query::{Query, Reads, TRADES, Which};
use super::row::TradeRow;
use crate::order_event::{AccountEvent, EventId, OrderChange, OrderFill, RefusedEvent, Step};
use buttonwood_engine::OrderState;
use buttonwood_model::{AccountId, Claim, OrderId, SessionId};
use buttonwood_num::{Money, Price, Qty};
use std::collections::BTreeMap;

const ORDER_EVENTS: Which = |history| &history.logs.order_events;
const PREDICTIONS: Which = |history| &history.logs.predictions;

/// The answer to a client that reconnects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resumed {
    /// The events after the one that it knows, oldest first.
    Missed(Vec<AccountEvent>),
    /// The event that it names is none of the account's newest.
    Unknown,
}

/// A row, and where it is.
pub(super) type Placed = (Position, OrderEventRow);

/// An account, and where its newest row is.
pub(super) type Head = (AccountId, Option<Position>);

/// A walk back along the events of accounts, one account after the other.
struct Walk<'a> {
    /// The event that the client knows.
    after: EventId,
    /// How many events it may have missed, with this one.
    most: usize,
    /// Newer events so far.
    count: &'a mut usize,
    /// Whether the event was found.
    is_known: &'a mut bool,
}

impl Query<'_> {
    /// The events of an account's orders after `after`, which must be one of the account's newest `most` events. `live` is a live order as
    /// if no trade had been broken ([`OrderState::with_broken`]); it is called after the account's newest event was read, so an order that
    /// it does not find is closed.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn order_events_after(
        &self,
        account: AccountId,
        after: EventId,
        most: usize,
        live: impl Fn(OrderId) -> Option<OrderState>,
    ) -> Result<Resumed, Fault> {
        self.order_events_of_all_after(&[account], after, most, live)
    }

    /// The events of the orders of several accounts after `after`, as of one moment, which must be one of their newest `most` events.
    ///
    /// # Errors
    /// As [`Query::order_events_after`].
    pub fn order_events_of_all_after(
        &self,
        accounts: &[AccountId],
        after: EventId,
        most: usize,
        live: impl Fn(OrderId) -> Option<OrderState>,
    ) -> Result<Resumed, Fault> {
        let reads = self.reads();
        // All at once: a client skips what it is told live up to the newest event that is returned.
        let heads: Vec<Head> = self.head(|index| {
            let head = |account: &AccountId| (*account, index.newest_order_event(*account));
            accounts.iter().map(head).collect()
        });
        let (mut events, mut count, mut is_known) = (Vec::new(), 0, false);
        for (account, head) in heads {
            let walk = Walk { after, most, count: &mut count, is_known: &mut is_known };
            let Some(rows) = self.changes_after(account, head, walk, &reads)? else {
                return Ok(Resumed::Unknown);
            };
            let of_account = self.events_of((account, head), &rows, &live, &reads)?;
            events.extend(of_account.into_iter().filter(|event| event.id() > after));
        }
        // Those of one account are in order.
        events.sort_by_key(AccountEvent::id);
        Ok(if is_known { Resumed::Missed(events) } else { Resumed::Unknown })
    }

    /// The events of an account's rows, which are the newest first, oldest first.
    fn events_of(
        &self,
        (account, head): Head,
        rows: &[Placed],
        live: impl Fn(OrderId) -> Option<OrderState>,
        reads: &Reads,
    ) -> Result<Vec<AccountEvent>, Fault> {
        let orders = self.orders_of(account, rows, head, live, reads)?;
        let mut events = Vec::new();
        for (at, row) in rows.iter().rev() {
            if let RowStep::Refused(order) = row.step {
                events.push(AccountEvent::Refused(RefusedEvent { id: row.first, time: row.time, order }));
                continue;
            }
            let change = self.change_with(account, (*at, row), &orders, reads)?;
            events.extend(change.events().map(AccountEvent::Order));
        }
        Ok(events)
    }

    /// The change of a row of an account, whose order is among `orders`.
    pub(super) fn change_with(
        &self,
        account: AccountId,
        (at, row): (Position, &OrderEventRow),
        orders: &BTreeMap<OrderId, OrderState>,
        reads: &Reads,
    ) -> Result<OrderChange, Fault> {
        let order = orders.get(&row.order).filter(|order| order.account == account);
        self.change_of(at, row, order.ok_or_else(|| self.damaged(ORDER_EVENTS, at))?, reads)
    }

    /// The rows of an account with events after one, newest first; none if that is not among the newest, or is the id of several.
    fn changes_after(
        &self,
        account: AccountId,
        head: Option<Position>,
        walk: Walk<'_>,
        reads: &Reads,
    ) -> Result<Option<Vec<Placed>>, Fault> {
        let Walk { after, most, count, is_known } = walk;
        if after.is_shared() {
            return Ok(None);
        }
        let mut rows = Vec::new();
        let mut next = head;
        while let Some(at) = next {
            let (row, prev) = self.order_event_at(account, at, reads)?;
            *count += usize::from(row.first > after) + usize::from(row.is_double && row.last() > after);
            if *count >= most {
                return Ok(None);
            }
            *is_known |= row.first == after || row.last() == after;
            if row.last() <= after {
                break;
            }
            rows.push((at, row));
            if row.first <= after {
                break;
            }
            next = prev;
        }
        Ok(Some(rows))
    }

    /// The facts of the orders of these rows.
    pub(super) fn orders_of(
        &self,
        account: AccountId,
        rows: &[Placed],
        head: Option<Position>,
        live: impl Fn(OrderId) -> Option<OrderState>,
        reads: &Reads,
    ) -> Result<BTreeMap<OrderId, OrderState>, Fault> {
        let mut orders = BTreeMap::new();
        for (at, row) in rows {
            if let Some(closed) = row.closed {
                orders.insert(row.order, self.closed_order(*at, row, closed, reads)?);
            }
        }
        let mut is_missing = false;
        for (_, row) in rows {
            if orders.contains_key(&row.order) || matches!(row.step, RowStep::Refused(_)) {
                continue;
            }
            match live(row.order) {
                Some(order) => drop(orders.insert(row.order, order)),
                None => is_missing = true,
            }
        }
        if is_missing {
            self.closed_since(account, head, reads, &mut orders)?;
        }
        Ok(orders)
    }

    /// Adds the orders that closed after the row `head` was the newest.
    fn closed_since(
        &self,
        account: AccountId,
        head: Option<Position>,
        reads: &Reads,
        orders: &mut BTreeMap<OrderId, OrderState>,
    ) -> Result<(), Fault> {
        let mut next = self.head(|index| index.newest_order_event(account));
        while let Some(at) = next.filter(|_| next > head) {
            let (row, prev) = self.order_event_at(account, at, reads)?;
            if let Some(closed) = row.closed {
                orders.insert(row.order, self.closed_order(at, &row, closed, reads)?);
            }
            next = prev;
        }
        Ok(())
    }

    pub(super) fn order_event_at(
        &self,
        account: AccountId,
        at: Position,
        reads: &Reads,
    ) -> Result<(OrderEventRow, Option<Position>), Fault> {
        reads.count()?;
        let found = self.row(ORDER_EVENTS, at, OrderEventRow::decode)?;
        if found.0.account == account { Ok(found) } else { Err(self.damaged(ORDER_EVENTS, at)) }
    }

    /// The order that a row closes, as it ended.
    fn closed_order(
        &self,
        at: Position,
        row: &OrderEventRow,
        closed: ClosedRow,
        reads: &Reads,
    ) -> Result<OrderState, Fault> {
        reads.count()?;
        let order = match closed {
            ClosedRow::Order(place) => self.order_at(place)?.0.order,
            ClosedRow::Contract { row: place, session, price, stop } => {
                let found = self.row(PREDICTIONS, place, |_, body| PredictionRow::decode(body))?;
                let PredictionRow::Order(order) = found else { return Err(self.damaged(ORDER_EVENTS, at)) };
                on_book(&order, (session, price, stop))
            }
        };
        if (order.id, order.account) == (row.order, row.account) {
            Ok(order)
        } else {
            Err(self.damaged(ORDER_EVENTS, at))
        }
    }

    /// The change of a row: `order` has the facts of its order.
    fn change_of(
        &self,
        at: Position,
        row: &OrderEventRow,
        order: &OrderState,
        reads: &Reads,
    ) -> Result<OrderChange, Fault> {
        let (step, reason, trade) = match row.step {
            RowStep::Accepted => (Step::Accepted, None, None),
            RowStep::Booked => (Step::Booked, None, None),
            RowStep::Filled(place) => {
                reads.count()?;
                let (trade, _) = self.row(TRADES, place, TradeRow::decode)?;
                if trade.order != row.order {
                    return Err(self.damaged(ORDER_EVENTS, at));
                }
                (Step::Filled(OrderFill::from(&trade)), None, Some(place))
            }
            RowStep::Cancelled(reason) => (Step::Cancelled(reason), Some(reason), None),
            RowStep::CancelRejected => (Step::CancelRejected, None, None),
            RowStep::Closed => (Step::Closed, None, None),
            // It has no change.
            RowStep::Refused(_) => return Err(self.damaged(ORDER_EVENTS, at)),
        };
        let left = order.original.hundredths().checked_sub(row.executed.hundredths());
        let remaining = left.map(Qty::from_hundredths).ok_or_else(|| self.damaged(ORDER_EVENTS, at))?;
        let closed = row.closed.map(|closed| match closed {
            ClosedRow::Order(row) | ClosedRow::Contract { row, .. } => row,
        });
        let notional = row.notional;
        let order = OrderState { remaining, notional, reason, broken: Qty::ZERO, ..*order };
        let OrderEventRow { first, time, is_double, spend, .. } = *row;
        Ok(OrderChange { first, time, step, is_double, order, spend, trade, closed })
    }
}

/// A closed order of a contract as on the book, with what its row of events has: its session, limit and stop price.
fn on_book(
    order: &ClosedContractOrder,
    (session, price, stop): (SessionId, Price, Option<Price>),
) -> OrderState {
    OrderState {
        id: order.order,
        account: order.account,
        session,
        symbol: order.contract,
        side: if order.claim == Claim::Yes { order.side } else { order.side.opposite() },
        claim: order.claim,
        kind: order.kind,
        option: order.option,
        price,
        original: order.original,
        remaining: order.remaining,
        notional: Money::ZERO,
        broken: Qty::ZERO,
        placed: order.placed,
        reason: order.reason,
        client_id: order.client_id,
        stop,
    }
}
