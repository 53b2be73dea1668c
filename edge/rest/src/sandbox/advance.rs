//! `POST /sandbox/clock/advance`: move a manual clock.

use super::clock;
use buttonwood_call::{App, ControlCall, Route};
use buttonwood_engine::Reject;
use buttonwood_gate::{LATEST, Payload, Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::Time;
use buttonwood_wire::contract::{InPayload, Optional, Switch, Whole, WholeUpTo};
use buttonwood_wire::field::{self, bad_value};
use buttonwood_wire::request;

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/clock/advance", |call, _, fields| Box::pin(answer(call, fields)))
        .about("Moves a manual clock, and runs everything that falls due on the way.")
    .notes(&[
        "Sessions of browsers and the five minutes of their codes move along: people at the pages are not signed out by it, unless \
         `sessions` is true. Tokens of apps, mailed links and limits of sign-ins keep to the clock.",
    ])
        .takes::<Advance>()
        .gives::<clock::ExchangeTime>();

request! {
    /// How far the clock moves: by `seconds` or to `to_ms`.
    pub(crate) struct Advance in InPayload {
        /// Seconds to move: a century at most.
        seconds: WholeUpTo<SECONDS_MAX>,
        /// The time to move to, in milliseconds since 1970: not before now, and a century from now at most.
        to_ms: Whole,
        /// True: sessions of browsers and their codes end by the clock too, as they do where time passes by itself.
        sessions: Optional<Switch>,
    }
}

/// Seconds one call moves at most: a century.
const SECONDS_MAX: u64 = 100 * 366 * 24 * 3_600;

/// The end of a move, by the one field that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    /// So many seconds from now.
    Seconds(u64),
    /// This millisecond.
    Millis(u64),
}

impl Goal {
    fn of(fields: &Payload) -> Result<Self, Refusal> {
        let request = Advance::of(fields);
        match (request.seconds()?, request.to_ms()?) {
            (Some(seconds), None) => Ok(Self::Seconds(seconds)),
            (None, Some(millis)) => Ok(Self::Millis(millis)),
            (Some(_), Some(millis)) => {
                Err(bad_value("to_ms", "left out where 'seconds' says how far to move", &millis.to_string()))
            }
            (None, None) => {
                let message = "Missing required field 'seconds', or 'to_ms' in its place";
                Err(Refusal::new(Reason::MissingPayloadKey, message))
            }
        }
    }

    /// The refusal of its field.
    fn refuse(self, expected: &str) -> Refusal {
        let (field, value) = match self {
            Self::Seconds(seconds) => ("seconds", seconds),
            Self::Millis(millis) => ("to_ms", millis),
        };
        bad_value(field, expected, &value.to_string())
    }

    /// The moment that it names.
    fn end(self, now: Time) -> Result<Time, Refusal> {
        let end = match self {
            Self::Seconds(seconds) => now.plus(seconds * Time::SECOND),
            Self::Millis(millis) if millis < now.millis() => {
                return Err(self.refuse(&format!("at least {}, which is now", now.millis())));
            }
            // Now is shown in whole milliseconds, and may be later than that.
            Self::Millis(millis) => now.max(Time(millis.saturating_mul(1_000))),
        };
        if end > LATEST {
            return Err(self.refuse("a move to no later than 5138-01-01T00:00:00Z"));
        }
        if end > now.plus(SECONDS_MAX * Time::SECOND) {
            return Err(self.refuse("a move of a century at most"));
        }
        Ok(end)
    }
}

/// Moves time and runs everything that falls due on the way in order; answers when done.
async fn answer(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let (app, goal): (&App, Goal) = (call, Goal::of(fields)?);
    let ends_sessions = Advance::of(fields).sessions()?.unwrap_or(false);
    if !app.exchange.has_manual_clock() {
        return Err(goal.refuse("sent to an exchange started with --clock manual; this one's is real"));
    }
    // Concurrent moves run one after the other, so that each has its full length.
    let moves = app.part::<Moves>();
    let _moving = moves.0.lock().await;
    let start = app.exchange.now();
    let end = goal.end(start)?;
    note(call).await?;
    act_until(app, (start, end), ends_sessions).await?;
    move_to(app, end, ends_sessions).await?;
    Ok(clock::answer(app))
}

/// Held while a manual clock is being moved.
#[derive(Debug, Default)]
struct Moves(tokio::sync::Mutex<()>);

/// Stops in each beat of the simulated traders on the way, and lets them act there. In maintenance they do nothing.
async fn act_until(app: &App, (start, end): (Time, Time), ends_sessions: bool) -> Result<(), Refusal> {
    let Some(steps) = &app.settings().steps else { return Ok(()) };
    for beat in steps.beats(start, end) {
        move_to(app, beat, ends_sessions).await?;
        if !app.is_in_maintenance() {
            steps.act(beat).await;
        }
    }
    Ok(())
}

/// Notes the move in the audit. On a disk that takes cancels only it is not noted: time must go on there too.
async fn note(call: &ControlCall<'_>) -> Result<(), Refusal> {
    let noted = call.operator().decide(None).await?;
    if noted == Err(Reject::NoRoom) {
        tracing::warn!("a move of the clock is not in the audit: the disk is nearly full");
        return Ok(());
    }
    noted.map(|_| ()).map_err(|_| field::failed())
}

/// Moves the clock, and with it the ends of sessions unless the move ends them.
async fn move_to(app: &App, time: Time, ends_sessions: bool) -> Result<(), Refusal> {
    let exchange = &app.exchange;
    let moved = if ends_sessions { exchange.advance(time) } else { exchange.advance_with_browsers(time) };
    let moved = moved.map_err(|_| field::busy("The exchange is busy"))?;
    moved.await.map_err(|_| field::busy("The exchange is stopping"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_000_000_500);

    fn end(sent: &str) -> Result<Time, String> {
        let fields = Payload::read(sent.as_bytes().to_vec()).unwrap();
        Goal::of(&fields).and_then(|goal| goal.end(NOW)).map_err(|refusal| refusal.message)
    }

    /// A move has one end, which is not before now; now itself is the millisecond that the clock shows.
    #[test]
    fn a_move_has_one_end() {
        assert_eq!(end(r#"{"seconds":2}"#), Ok(Time(1_002_000_500)));
        assert_eq!(end(r#"{"seconds":"0"}"#), Ok(NOW));
        assert_eq!(end(r#"{"to_ms":1000000}"#), Ok(NOW));
        assert_eq!(end(r#"{"to_ms":"1000001"}"#), Ok(Time(1_000_001_000)));
        assert_eq!(end(r#"{"seconds":null,"to_ms":1000001}"#), Ok(Time(1_000_001_000)));
        for (sent, named) in [
            ("{}", "'seconds', or 'to_ms'"),
            (r#"{"seconds":1,"to_ms":1000001}"#, "'to_ms' must be left out"),
            (r#"{"to_ms":999999}"#, "'to_ms' must be at least 1000000"),
            (r#"{"to_ms":3200000000000}"#, "'to_ms' must be a move of a century"),
            (r#"{"to_ms":18446744073709551615}"#, "'to_ms' must be a move to no later"),
            (r#"{"to_ms":-1}"#, "'to_ms'"),
            (r#"{"to_ms":1.5}"#, "'to_ms'"),
            (r#"{"to_ms":null}"#, "'to_ms'"),
            (r#"{"seconds":3162240001}"#, "'seconds' must be at most"),
        ] {
            let message = end(sent).unwrap_err();
            assert!(message.contains(named), "{sent}: {message}");
        }
    }
}
