//! The command in a frame: what of it the frame's events do not tell already.
//!
//! Most orders that enter, and most cancels, can be read from what they did; writing them down once more would take as
//! many bytes again and most of the time of a frame.

use crate::frame::FrameError;
use crate::{Body, Caller, Command, Event, OrderRef, Place, SpotEvent};
use alloc::vec::Vec;
use buttonwood_book::NewOrder;
use buttonwood_model::{AccountId, CancelReason, ClientId, Nonce, OrderId, Record, SessionId};
use buttonwood_num::Money;

/// The whole command follows.
const WHOLE: u8 = 0;
/// A new order that the events tell.
const ENTERED: u8 = 1;
/// A cancel, by its id, of the order that the events tell; its account follows.
const CANCELLED: u8 = 2;
/// A cancel, by its client id, of the order that the events tell; its account and that id follow.
const CANCELLED_BY_CLIENT_ID: u8 = 3;

/// Appends a command whose events are these.
pub(crate) fn encode(
    command: &Command,
    events: &[Event],
    texts: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), FrameError> {
    if put_told(command, events, texts, out) { Ok(()) } else { put_whole(command, out) }
}

/// Appends what the events do not tell of a command; false, and nothing, when that is all of it.
#[inline]
fn put_told(command: &Command, events: &[Event], texts: &[u8], out: &mut Vec<u8>) -> bool {
    let (Some(caller), [Event::NonceUsed(session, nonce), Event::Spot(first), ..]) =
        (&command.caller, events)
    else {
        return false;
    };
    if (caller.session, &caller.nonce) != (*session, nonce) {
        return false;
    }
    match (&command.body, entered(first), cancelled(first)) {
        (Body::Place(place), Some(order), _)
            if caller.account == Some(order.account) && *place == placed(order, texts) =>
        {
            out.push(ENTERED);
            true
        }
        (Body::Cancel(by), _, Some(order)) => put_cancel(caller, by, order, out),
        _ => false,
    }
}

/// Appends a cancel of `order`; false, and nothing, when it names another or no account.
#[inline]
fn put_cancel(caller: &Caller, by: &OrderRef, order: OrderId, out: &mut Vec<u8>) -> bool {
    match (caller.account, by) {
        (Some(account), OrderRef::Id(id)) if *id == order => {
            out.push(CANCELLED);
            account.put(out);
            true
        }
        (Some(account), OrderRef::ClientId(client_id)) => {
            out.push(CANCELLED_BY_CLIENT_ID);
            account.put(out);
            client_id.put(out);
            true
        }
        _ => false,
    }
}

#[inline(never)]
fn put_whole(command: &Command, out: &mut Vec<u8>) -> Result<(), FrameError> {
    out.push(WHOLE);
    let taken = core::mem::take(out);
    *out = postcard::to_extend(command, taken)?;
    Ok(())
}

/// Reads the command whose events are these.
pub(crate) fn decode(bytes: &[u8], events: &[Event], texts: &[u8]) -> Result<Command, FrameError> {
    let (form, mut rest) = bytes.split_first().ok_or(FrameError::Cut)?;
    let command = if *form == WHOLE {
        let (command, after) = postcard::take_from_bytes(rest)?;
        if put_told(&command, events, texts, &mut Vec::new()) {
            return Err(FrameError::ToldTwice);
        }
        rest = after;
        command
    } else {
        take_told(*form, &mut rest, events, texts)?
    };
    if rest.is_empty() { Ok(command) } else { Err(FrameError::Trailing(rest.len())) }
}

fn take_told(form: u8, rest: &mut &[u8], events: &[Event], texts: &[u8]) -> Result<Command, FrameError> {
    let [Event::NonceUsed(session, nonce), Event::Spot(first), ..] = events else {
        return Err(FrameError::Untold);
    };
    let (account, body) = if form == ENTERED {
        let order = entered(first).ok_or(FrameError::Untold)?;
        (order.account, Body::Place(placed(order, texts)))
    } else {
        let account = AccountId::take(rest).ok_or(FrameError::Cut)?;
        let id = cancelled(first).ok_or(FrameError::Untold)?;
        let by = match form {
            CANCELLED => OrderRef::Id(id),
            CANCELLED_BY_CLIENT_ID => OrderRef::ClientId(ClientId::take(rest).ok_or(FrameError::Cut)?),
            _ => return Err(FrameError::Untold),
        };
        (account, Body::Cancel(by))
    };
    Ok(Command { caller: Some(caller_of(*session, account, nonce)), body })
}

fn caller_of(session: SessionId, account: AccountId, nonce: &Nonce) -> Caller {
    Caller { session, account: Some(account), nonce: *nonce }
}

fn entered(event: &SpotEvent) -> Option<&NewOrder> {
    match event {
        SpotEvent::Rested { order, .. } | SpotEvent::Placed(order) => Some(order),
        SpotEvent::Filled { .. }
        | SpotEvent::Crossed { .. }
        | SpotEvent::Booked { .. }
        | SpotEvent::Completed
        | SpotEvent::Cancelled { .. }
        | SpotEvent::CancelRejected { .. } => None,
    }
}

/// What was asked for when this order entered; one that named money was not, and is written whole.
fn placed(order: &NewOrder, texts: &[u8]) -> Place {
    Place {
        symbol: order.symbol,
        side: order.side,
        kind: order.kind,
        option: order.option,
        price: order.price,
        qty: order.qty,
        spend: Money::ZERO,
        client_id: order.client_id.of(texts).map(ClientId::copied),
    }
}

fn cancelled(event: &SpotEvent) -> Option<OrderId> {
    match event {
        SpotEvent::Cancelled { reason: CancelReason::Requested, order, .. } => Some(*order),
        SpotEvent::Rested { .. }
        | SpotEvent::Placed(_)
        | SpotEvent::Filled { .. }
        | SpotEvent::Booked { .. }
        | SpotEvent::Crossed { .. }
        | SpotEvent::Completed
        | SpotEvent::Cancelled { .. }
        | SpotEvent::CancelRejected { .. } => None,
    }
}
