//! The trading of an event: its start, halts, its end, and the value of its strike.

use crate::listing::{TEXT_MAX, check_text, events_of, symbol_of};
use crate::state::Step;
use crate::{Event, Infrequent, Predictions, Reject, Status, Work};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_model::{BytesRef, EventId, Outbox, SymbolId, SymbolStatus, Time};
use buttonwood_num::Decimal;
use buttonwood_room::Context;
use buttonwood_trading as trading;

/// The longest value of a strike, in bytes.
const STRIKE_MAX: usize = 40;

/// Begins the trading of an event whose start has come.
///
/// # Errors
/// [`Reject::NotDue`].
pub(crate) fn start<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    id: EventId,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let event = context.room.event(id).ok_or(Reject::UnknownEvent)?;
    if event.status != Status::Approved || event.is_closed || event.start > context.time {
        return Err(Reject::NotDue);
    }
    out.push_named(&Infrequent::Opened(id));
    if !event.is_halted {
        event.contracts().for_each(|contract| set_status(context, contract, SymbolStatus::Open, out));
    }
    Ok(())
}

pub(crate) fn evolve_start(room: &mut Predictions, id: EventId) {
    let Some(event) = room.events.get_mut(id.index()) else { return };
    event.status = Status::Active;
    let start = event.start;
    room.agenda.remove(&(start, Step::Start, id));
    room.fold_event(id);
}

/// Halts the trading of an event and of the combos with a leg on it, or lets it go on.
///
/// # Errors
/// [`Reject`].
pub(crate) fn halt<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    id: EventId,
    is_halted: bool,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let room = context.room;
    let event = room.event(id).ok_or(Reject::UnknownEvent)?;
    if !event.legs.is_empty() {
        return Err(Reject::IsCombo);
    }
    if !event.is_before_close() {
        return Err(Reject::NotTrading);
    }
    out.push_named(&Infrequent::Halted(id, is_halted));
    let of = |is_halted| if is_halted { SymbolStatus::CancelOnly } else { SymbolStatus::Open };
    if event.status == Status::Active {
        event.contracts().for_each(|contract| set_status(context, contract, of(is_halted), out));
    }
    for combo in open_combos(room, id) {
        let others =
            events_of(room, &combo.legs).any(|other| other.is_halted && other.ticker != event.ticker);
        combo.contracts().for_each(|contract| set_status(context, contract, of(is_halted || others), out));
    }
    Ok(())
}

pub(crate) fn evolve_halt(room: &mut Predictions, id: EventId, is_halted: bool) {
    let Some(event) = room.events.get_mut(id.index()) else { return };
    event.is_halted = is_halted;
    room.fold_event(id);
    for combo in room.combos_on(id).to_vec() {
        let is_halted =
            room.event(combo).is_some_and(|combo| events_of(room, &combo.legs).any(|event| event.is_halted));
        if let Some(combo) = room.events.get_mut(combo.index()) {
            combo.is_halted = is_halted;
        }
        room.fold_event(combo);
    }
}

/// Ends the trading of an event whose expiry has come.
///
/// # Errors
/// [`Reject::NotDue`].
pub(crate) fn expire<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    id: EventId,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let event = context.room.event(id).ok_or(Reject::UnknownEvent)?;
    if !event.is_before_close() || event.expiry > context.time {
        return Err(Reject::NotDue);
    }
    push_close(context, id, out);
    Ok(())
}

/// Ends the trading of an event and of the combos with a leg on it, unless it has ended. Their orders are cancelled in steps.
pub(crate) fn push_close<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    id: EventId,
    out: &mut Outbox<E>,
) {
    let room = context.room;
    let Some(event) = room.event(id).filter(|event| !event.is_closed) else { return };
    let combos = open_combos(room, id).flat_map(Event::contracts);
    for contract in event.contracts().chain(combos) {
        set_status(context, contract, SymbolStatus::CancelOnly, out);
    }
    out.push_named(&Infrequent::Closed(id));
}

pub(crate) fn evolve_close(room: &mut Predictions, id: EventId, time: Time) {
    let combos: Vec<EventId> = room.combos_on(id).to_vec();
    for id in [id].into_iter().chain(combos) {
        close(room, id, time);
    }
}

fn close(room: &mut Predictions, id: EventId, time: Time) {
    let Some(event) = room.events.get_mut(id.index()).filter(|event| !event.is_closed) else { return };
    event.is_closed = true;
    if event.legs.is_empty() && matches!(event.status, Status::Approved | Status::Active) {
        event.status = Status::Closed;
    }
    let (start, expiry, contracts) = (event.start, event.expiry, event.contracts());
    room.agenda.remove(&(start, Step::Start, id));
    room.agenda.remove(&(expiry, Step::Expire, id));
    for contract in contracts {
        room.add_work(Work::Close(contract), time);
    }
    room.fold_event(id);
}

/// The combos with a leg on an event that still trade.
fn open_combos(room: &Predictions, id: EventId) -> impl Iterator<Item = &Event> {
    room.combos_on(id).iter().filter_map(|combo| room.event(*combo)).filter(|combo| combo.is_before_close())
}

fn set_status<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    contract: SymbolId,
    to: SymbolStatus,
    out: &mut Outbox<E>,
) {
    if symbol_of(context, contract).is_some_and(|symbol| symbol.status != to) {
        out.push_named(&trading::Infrequent::SymbolStatusChanged(contract, to));
    }
}

/// Checks the value of a strike: a decimal number.
///
/// # Errors
/// [`Reject::BadStrike`].
pub(crate) fn check_value(value: &str) -> Result<(), Reject> {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let is_good = value.len() <= STRIKE_MAX && Decimal::parse(digits.as_bytes()).is_ok();
    if is_good { Ok(()) } else { Err(Reject::BadStrike) }
}

/// Sets the value of an event's strike, until it is public.
///
/// # Errors
/// [`Reject`].
pub(crate) fn set_strike<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    id: EventId,
    value: &str,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let event = context.room.event(id).ok_or(Reject::UnknownEvent)?;
    let strike = event.strike.as_ref().ok_or(Reject::NoStrike)?;
    check_text(value, TEXT_MAX).and_then(|()| check_value(value)).map_err(|_| Reject::BadStrike)?;
    if strike.value.is_some() && context.time >= strike.available {
        return Err(Reject::BadStrike);
    }
    out.push_named(&Infrequent::StrikeSet(id, value.into()));
    Ok(())
}

pub(crate) fn evolve_strike(room: &mut Predictions, id: EventId, value: String) {
    if let Some(strike) = room.events.get_mut(id.index()).and_then(|event| event.strike.as_mut()) {
        strike.value = Some(value);
    }
    room.fold_event(id);
}
