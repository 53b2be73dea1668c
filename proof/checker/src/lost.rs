//! Conclusions from later replies about calls whose answers were lost. They rule out most calls that did not happen,
//! so the search need not try them.

use crate::names::{Names, account};
use crate::operation::{History, Operation, Request, Which};
use crate::reply::{Order, Reply};

/// When the exchange that got an unanswered call was dead; the end of time if it lived on.
pub(crate) fn death(history: &History, operation: &Operation) -> u64 {
    history.deaths.iter().copied().filter(|death| *death >= operation.invoked).min().unwrap_or(u64::MAX)
}

/// Whether a reply after the crash says that a lost order does not exist.
pub(crate) fn is_denied(history: &History, at: usize) -> bool {
    let Some(lost) = history.operations.get(at) else { return false };
    let Request::Place(place) = &lost.request else { return false };
    after(history, at).any(|(_, operation)| {
        let asked = if let Request::Status(Which::ClientId(asked), _) = &operation.request {
            Some(asked)
        } else {
            None
        };
        let is_about_it = asked.is_some() && asked == place.client_id.as_ref();
        is_about_it && matches!(operation.answer, Some((_, Reply::Refused(404, _))))
    })
}

/// Whether a reply after the crash shows an order live that a lost cancel would have ended.
pub(crate) fn is_outlived(history: &History, names: &Names, at: usize) -> bool {
    let Some(lost) = history.operations.get(at) else { return false };
    let is_ended = |order: &Order| {
        let placement = names.placement(order.id).and_then(|at| history.operations.get(at));
        // Only an order that surely existed before the cancel was sent was surely among all orders.
        let is_older = placement.is_some_and(|placement| {
            placement.answer.as_ref().is_some_and(|(responded, _)| *responded < lost.invoked)
        });
        match &lost.request {
            Request::Cancel(Which::Id(id)) => order.id == *id,
            Request::Cancel(Which::ClientId(name)) => {
                order.client_id.as_ref() == Some(name) && uses(history, at, name) == 1
            }
            Request::CancelSession => {
                is_older && placement.is_some_and(|placement| placement.key == lost.key)
            }
            Request::CancelAll => is_older,
            Request::Place(_)
            | Request::Status(..)
            | Request::Orders
            | Request::Balances
            | Request::Trades
            | Request::Book(_)
            | Request::Key(..) => false,
        }
    };
    after(history, at).any(|(_, operation)| {
        let shown = match &operation.answer {
            Some((_, Reply::Order(order))) => std::slice::from_ref(order.as_ref()),
            Some((_, Reply::Orders(orders))) => orders.as_slice(),
            Some(_) | None => &[],
        };
        shown.iter().any(|order| order.is_live && is_ended(order))
    })
}

/// The calls of the same account after the crash.
fn after(history: &History, at: usize) -> impl Iterator<Item = (usize, &Operation)> {
    let dead = history.operations.get(at).map_or(u64::MAX, |lost| death(history, lost));
    let owner = account(history, at);
    let calls = history.operations.iter().enumerate().filter(move |(_, operation)| operation.invoked > dead);
    calls.filter(move |(at, _)| account(history, *at) == owner)
}

/// The number of the account's orders with this client id.
fn uses(history: &History, at: usize, name: &str) -> usize {
    let owner = account(history, at);
    let has_name = |(at, operation): &(usize, &Operation)| {
        let Request::Place(place) = &operation.request else { return false };
        place.client_id.as_deref() == Some(name) && account(history, *at) == owner
    };
    history.operations.iter().enumerate().filter(has_name).count()
}
