//! `auction schedule` and `auction end`: when a symbol's auctions are (AUCT-001, AUCT-002). The fields are named as the notice of an
//! auction's opening names them.

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::{Reject, Schedule, ScheduleError, TradingCommand, TradingReject};
use buttonwood_gate::{LATEST, Payload, Refusal};
use buttonwood_model::{SymbolId, Time};
use buttonwood_wire::contract::{Done, Flag, InPayload, Needed, Text, Timestamp, WholeUpTo};
use buttonwood_wire::field::{bad_value, unknown_symbol};
use buttonwood_wire::{answer, json, request};

/// Also `POST /sandbox/symbols/{symbol}/auctions`, which ends them too.
pub const SCHEDULE: Command = Command::once("auction schedule", Effect::Prepares, |operator, fields| {
    Box::pin(schedule(operator, fields))
})
.about("Schedules a symbol's auctions, instead of those that were scheduled before.")
.takes::<Plan>(&[
    Argument::new("symbol", Form::Place),
    Argument::new("auction_time_ms", Form::Option),
    Argument::new("every_seconds", Form::Option),
    Argument::new("auction_open_ms", Form::Option),
    Argument::new("first_indicative_ms", Form::Option),
    Argument::new("indicative_every_seconds", Form::Option),
    Argument::new("last_cancel_time_ms", Form::Option),
])
.gives::<Planned>();

/// The same as a schedule that is not enabled.
pub(crate) const END: Command =
    Command::once("auction end", Effect::Halts, |operator, fields| Box::pin(end(operator, fields)))
        .about("Ends a symbol's auctions, and cancels the orders that wait for one.")
        .takes::<Ended>(&[Argument::new("symbol", Form::Place)])
        .gives::<Planned>();

request! {
    /// When the auctions of a symbol are.
    struct Plan in InPayload {
        /// The symbol.
        symbol: Needed<Text>,
        /// Whether there are any; false ends them.
        enabled: Flag<true>,
        /// When the next auction is; needed unless `enabled` is false.
        auction_time_ms: Timestamp,
        /// Seconds from one auction to the next; 0 for one auction only.
        every_seconds: WholeUpTo<EVERY_SECONDS_MAX>,
        /// When the auction takes orders; at once without it.
        auction_open_ms: Timestamp,
        /// When its first indication is; ten minutes before the auction without it.
        first_indicative_ms: Timestamp,
        /// Seconds from one indication to the next; 60 without it.
        indicative_every_seconds: WholeUpTo<EVERY_SECONDS_MAX>,
        /// Until when its orders can be cancelled; a minute before the auction without it.
        last_cancel_time_ms: Timestamp,
    }
}

request! {
    /// A symbol without auctions from now on.
    struct Ended in InPayload {
        /// The symbol.
        symbol: Needed<Text>,
    }
}

answer! {
    /// When the auctions of a symbol are from now on.
    struct Planned {
        /// Always `ok`.
        result: Done,
        /// The symbol, in upper case.
        symbol: String,
        /// Whether there are any.
        enabled: bool,
        /// When the next auction takes orders, unless it does at once.
        auction_open_ms: Option<u64>,
        /// When the next auction is.
        auction_time_ms: Option<u64>,
        /// When its first indication is, if it has any.
        first_indicative_ms: Option<u64>,
        /// Until when its orders can be cancelled.
        last_cancel_time_ms: Option<u64>,
        /// Seconds from one auction to the next; 0 for one auction only.
        every_seconds: Option<u64>,
        /// Seconds from one indication to the next.
        indicative_every_seconds: Option<u64>,
    }
}

/// Indications begin ten minutes before the auction, unless the call names a time (facts T§3.11).
const INDICATES: u64 = 600 * Time::SECOND;
/// They repeat every minute, unless the call names an interval.
const INDICATES_EVERY_SECONDS: u64 = 60;
/// The longest span from one auction or indication to the next.
const EVERY_SECONDS_MAX: u64 = Schedule::EVERY_MAX / Time::SECOND;
/// Orders for it can be cancelled until a minute before, unless the call names a time.
const LAST_CANCEL: u64 = 60 * Time::SECOND;

async fn schedule(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let name = Plan::of(fields).symbol()?;
    let symbol = find(operator, &name)?;
    let schedule = read(fields)?;
    send(operator, fields, (symbol, &name), schedule).await
}

async fn end(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let name = Ended::of(fields).symbol()?;
    let symbol = find(operator, &name)?;
    send(operator, fields, (symbol, &name), None).await
}

fn find(operator: &Operator<'_>, name: &str) -> Result<SymbolId, Refusal> {
    operator.find_symbol(name).map(|(id, _)| id).ok_or_else(|| unknown_symbol(name))
}

/// Sends the schedule of a symbol, whose name is for refusals; without one its auctions end.
async fn send(
    operator: &Operator<'_>,
    fields: &Payload,
    (symbol, name): (SymbolId, &str),
    schedule: Option<Schedule>,
) -> Result<Vec<u8>, Refusal> {
    let refuse = |reject| {
        if let Reject::Trading(TradingReject::Schedule(error)) = reject {
            return Some(refusal(fields, schedule.as_ref(), error));
        }
        let expected = "a spot symbol without an auction that is being settled";
        let is_busy = reject == Reject::Trading(TradingReject::NotNow);
        is_busy.then(|| bad_value("symbol", expected, name))
    };
    operator.send(TradingCommand::ScheduleAuctions(symbol, schedule), refuse).await?;
    Ok(shown(operator, symbol, schedule))
}

fn read(fields: &Payload) -> Result<Option<Schedule>, Refusal> {
    let plan = Plan::of(fields);
    if !plan.enabled()? {
        return Ok(None);
    }
    let time = time("auction_time_ms", plan.auction_time_ms()?)?;
    let time = time.ok_or_else(|| Refusal::missing_key("auction_time_ms"))?;
    let every = seconds(plan.every_seconds()?, 0);
    let opens = before("auction_open_ms", plan.auction_open_ms()?, time)?.unwrap_or(Schedule::ALWAYS);
    // Default times are limited by the times that the call names.
    let most = opens.min(if every == 0 { u64::MAX } else { every });
    let indicates = before("first_indicative_ms", plan.first_indicative_ms()?, time)?;
    let indicates = indicates.unwrap_or(INDICATES.min(most));
    let indicates_every = seconds(plan.indicative_every_seconds()?, INDICATES_EVERY_SECONDS);
    let last_cancel = before("last_cancel_time_ms", plan.last_cancel_time_ms()?, time)?;
    let last_cancel = last_cancel.unwrap_or(LAST_CANCEL.min(most / 2));
    Ok(Some(Schedule { time, every, opens, indicates, indicates_every, last_cancel }))
}

/// The span in a field of seconds, in microseconds.
fn seconds(sent: Option<u64>, default: u64) -> u64 {
    sent.unwrap_or(default).saturating_mul(Time::SECOND)
}

/// The time in a field, if the field is there.
fn time(name: &str, sent: Option<u64>) -> Result<Option<Time>, Refusal> {
    let Some(millis) = sent else { return Ok(None) };
    let time = Time(millis.saturating_mul(1_000));
    if time > LATEST {
        return Err(bad_value(name, "no later than 5138-01-01T00:00:00Z", &millis.to_string()));
    }
    Ok(Some(time))
}

/// The span from the time in a field to the auction, if the field is there.
fn before(name: &str, sent: Option<u64>, auction: Time) -> Result<Option<u64>, Refusal> {
    let Some(time) = time(name, sent)? else { return Ok(None) };
    let span = auction.0.checked_sub(time.0);
    span.map(Some).ok_or_else(|| bad_value(name, "no later than auction_time_ms", &time.millis().to_string()))
}

fn refusal(fields: &Payload, schedule: Option<&Schedule>, error: ScheduleError) -> Refusal {
    // If the first indication is in time, the fault is the interval: there are too many indications.
    let is_in_time = schedule.is_some_and(|schedule| {
        let room = if schedule.every == 0 { u64::MAX } else { schedule.every };
        schedule.indicates <= schedule.opens.min(room)
    });
    let (name, expected) = match error {
        ScheduleError::Past => ("auction_time_ms", "in the future"),
        ScheduleError::Every => ("every_seconds", "0 for one auction only, or from 60 to 31622400"),
        ScheduleError::Indicates if is_in_time && fields.field("indicative_every_seconds").is_some() => (
            "indicative_every_seconds",
            "at least 1, and fit no more than 100 times between first_indicative_ms and the auction",
        ),
        ScheduleError::Indicates => (
            "first_indicative_ms",
            "after auction_open_ms and the auction before, and no more than 100 times indicative_every_seconds \
             before the auction",
        ),
        ScheduleError::LastCancel => ("last_cancel_time_ms", "after auction_open_ms and the auction before"),
    };
    bad_value(name, expected, &fields.decimal_text(name).unwrap_or_default())
}

fn shown(operator: &Operator<'_>, symbol: SymbolId, schedule: Option<Schedule>) -> Vec<u8> {
    let opening = schedule.filter(|schedule| schedule.opens != Schedule::ALWAYS);
    let first = schedule.and_then(|schedule| schedule.next_indication(Time(0)));
    json::body(&Planned {
        result: Done,
        symbol: operator.names.symbol(symbol).name.to_ascii_uppercase(),
        enabled: schedule.is_some(),
        auction_open_ms: opening.map(|schedule| schedule.opening().millis()),
        auction_time_ms: schedule.map(|schedule| schedule.time.millis()),
        first_indicative_ms: first.map(Time::millis),
        last_cancel_time_ms: schedule.map(|schedule| schedule.last_cancel().millis()),
        every_seconds: schedule.map(|schedule| Time(schedule.every).seconds()),
        indicative_every_seconds: schedule.map(|schedule| Time(schedule.indicates_every).seconds()),
    })
}
