//! The command in a frame: the part that cannot be derived from the frame's events.
//!
//! Most new orders, most cancels and new exchange rates follow from their events. Writing them too would double
//! the size of a frame and take most of its encoding time.

use crate::frame::FrameError;
use crate::{
    AccessEvent, Body, Caller, Command, Event, Infrequent, NewRates, OrderRef, Place, RatesCommand,
    RatesInfrequent, TradingCommand, TradingEvent,
};
use alloc::vec::Vec;
use buttonwood_book::NewOrder;
use buttonwood_model::{
    AccountId, CancelReason, ClientId, Nonce, OrderId, Record, SessionId, named, put_named, take_named,
};
use buttonwood_num::{Money, Price};

/// The whole command follows.
const WHOLE: u8 = 0;
/// A new order that follows from the events.
const ENTERED: u8 = 1;
/// A cancel by order id of the order in the events; the account follows.
const CANCELLED: u8 = 2;
/// A cancel by client order id of the order in the events; the account and the client order id follow.
const CANCELLED_BY_CLIENT_ID: u8 = 3;
/// New exchange rates that are those of the only event. They are many: a sandbox begins with 15,000.
const RATES_ADDED: u8 = 4;

/// The sender of a command, as a named record.
#[derive(Debug)]
enum Sender {
    /// The exchange itself, or an operator.
    Exchange,
    /// A key.
    Key(Caller),
}

named!(Sender, "caller", { Exchange {} = "exchange" 1, Key { 0: caller } = "key" 1 });

/// Appends the command of these events.
pub(crate) fn encode(command: &Command, events: &[Event], texts: &[u8], out: &mut Vec<u8>) {
    if !put_derived(command, events, texts, out) {
        put_infrequent(command, events, texts, out);
    }
}

/// Appends the part of the command that does not follow from the events. Returns false, and appends nothing,
/// when that is the whole command.
#[inline]
fn put_derived(command: &Command, events: &[Event], texts: &[u8], out: &mut Vec<u8>) -> bool {
    let (Some(caller), [Event::Access(AccessEvent::NonceUsed(session, nonce)), Event::Trading(first), ..]) =
        (&command.caller, events)
    else {
        return false;
    };
    if (caller.session, &caller.nonce) != (*session, nonce) {
        return false;
    }
    match (&command.body, entered(first), cancelled(first)) {
        (Body::Trading(TradingCommand::Place(place)), Some(order), _)
            if caller.account == Some(order.account) && *place == placed(order, texts) =>
        {
            out.push(ENTERED);
            true
        }
        (Body::Trading(TradingCommand::Cancel(by)), _, Some(order)) => put_cancel(caller, by, order, out),
        _ => false,
    }
}

/// Appends a cancel of `order`. Returns false, and appends nothing, when the cancel names another order, or
/// the caller no account.
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
fn put_infrequent(command: &Command, events: &[Event], texts: &[u8], out: &mut Vec<u8>) {
    if let (None, Body::Rates(RatesCommand::AddRates(new))) = (&command.caller, &command.body)
        && added_rates(events, texts).is_some_and(|added| added == **new)
    {
        return out.push(RATES_ADDED);
    }
    out.push(WHOLE);
    put_named(&command.caller.map_or(Sender::Exchange, Sender::Key), out);
    command.body.put(out);
}

/// Decodes the command of these events. A whole command may follow from them: an earlier build derived fewer.
pub(crate) fn decode(bytes: &[u8], events: &[Event], texts: &[u8]) -> Result<Command, FrameError> {
    let (form, mut rest) = bytes.split_first().ok_or(FrameError::Truncated)?;
    let rest = &mut rest;
    let command = if *form == WHOLE {
        let caller = match take_named(rest)?.read()? {
            Sender::Exchange => None,
            Sender::Key(caller) => Some(caller),
        };
        Command { caller, body: Body::read(take_named(rest)?)? }
    } else if *form == RATES_ADDED {
        let added = added_rates(events, texts).ok_or(FrameError::CommandMissing)?;
        Command { caller: None, body: Body::add_rates(added) }
    } else {
        take_derived(*form, rest, events, texts)?
    };
    if rest.is_empty() { Ok(command) } else { Err(FrameError::Trailing(rest.len())) }
}

fn take_derived(form: u8, rest: &mut &[u8], events: &[Event], texts: &[u8]) -> Result<Command, FrameError> {
    let [Event::Access(AccessEvent::NonceUsed(session, nonce)), Event::Trading(first), ..] = events else {
        return Err(FrameError::CommandMissing);
    };
    let (account, body) = if form == ENTERED {
        let order = entered(first).ok_or(FrameError::CommandMissing)?;
        (order.account, TradingCommand::Place(placed(order, texts)).into())
    } else {
        let account = AccountId::take(rest).ok_or(FrameError::Truncated)?;
        let id = cancelled(first).ok_or(FrameError::CommandMissing)?;
        let by = match form {
            CANCELLED => OrderRef::Id(id),
            CANCELLED_BY_CLIENT_ID => OrderRef::ClientId(ClientId::take(rest).ok_or(FrameError::Truncated)?),
            _ => return Err(FrameError::CommandMissing),
        };
        (account, Body::Trading(TradingCommand::Cancel(by)))
    };
    Ok(Command { caller: Some(caller_of(*session, account, nonce)), body })
}

fn added_rates(events: &[Event], texts: &[u8]) -> Option<NewRates> {
    let [Event::Infrequent(kept)] = events else { return None };
    match Infrequent::read(*kept, texts) {
        Ok(Infrequent::Rates(RatesInfrequent::RatesAdded(added))) => Some(added),
        Ok(_) | Err(_) => None,
    }
}

fn caller_of(session: SessionId, account: AccountId, nonce: &Nonce) -> Caller {
    Caller { session, account: Some(account), nonce: *nonce }
}

fn entered(event: &TradingEvent) -> Option<&NewOrder> {
    match event {
        TradingEvent::Rested { order, .. } | TradingEvent::Placed(order) => Some(order),
        TradingEvent::Filled { .. }
        | TradingEvent::Crossed { .. }
        | TradingEvent::Booked { .. }
        | TradingEvent::Suspended { .. }
        | TradingEvent::Triggered { .. }
        | TradingEvent::Completed
        | TradingEvent::Cancelled { .. }
        | TradingEvent::CancelRejected { .. } => None,
    }
}

/// The command that placed this order. An order that named money to spend, or a stop price, does not follow from its first
/// event, so its command is written whole.
fn placed(order: &NewOrder, texts: &[u8]) -> Place {
    Place {
        symbol: order.symbol,
        side: order.class.side(),
        claim: order.class.claim(),
        kind: order.kind,
        option: order.option,
        price: order.price,
        qty: order.qty,
        spend: Money::ZERO,
        client_id: order.client_id.of(texts).map(ClientId::copied),
        stop: Price::default(),
        margin: order.class.desk() == buttonwood_spot_margin::DESK,
    }
}

fn cancelled(event: &TradingEvent) -> Option<OrderId> {
    match event {
        TradingEvent::Cancelled { reason: CancelReason::Requested, order, .. } => Some(*order),
        TradingEvent::Rested { .. }
        | TradingEvent::Placed(_)
        | TradingEvent::Filled { .. }
        | TradingEvent::Booked { .. }
        | TradingEvent::Suspended { .. }
        | TradingEvent::Triggered { .. }
        | TradingEvent::Crossed { .. }
        | TradingEvent::Completed
        | TradingEvent::Cancelled { .. }
        | TradingEvent::CancelRejected { .. } => None,
    }
}
