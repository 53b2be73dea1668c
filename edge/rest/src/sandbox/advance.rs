//! `POST /sandbox/clock/advance`: move a manual clock.

use super::clock;
use super::control::ControlCall;
use crate::app::App;
use crate::route::Route;
use buttonwood_engine::Reject;
use buttonwood_gate::{LATEST, Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::Time;
use buttonwood_wire::contract::{InPayload, Needed, WholeUpTo};
use buttonwood_wire::field::{self, bad_value};
use buttonwood_wire::request;

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/clock/advance", |call, _, fields| Box::pin(answer(call, fields)))
        .about("Moves a manual clock, and runs everything that falls due on the way.")
        .takes::<Advance>()
        .gives::<clock::ExchangeTime>();

request! {
    /// How far the clock moves.
    pub(crate) struct Advance in InPayload {
        /// Seconds to move: a century at most.
        seconds: Needed<WholeUpTo<SECONDS_MAX>>,
    }
}

/// Seconds one call moves at most: a century.
const SECONDS_MAX: u64 = 100 * 366 * 24 * 3_600;

/// Moves time and runs everything that falls due on the way in order; answers when done.
async fn answer(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let (app, seconds): (&App, u64) = (call, Advance::of(fields).seconds()?);
    if !app.exchange.has_manual_clock() {
        return Err(bad_value(
            "seconds",
            "sent to an exchange started with --clock manual; this one's is real",
            &seconds.to_string(),
        ));
    }
    // Concurrent moves run one after the other, so that each has its full length.
    let _moving = app.moving.lock().await;
    let start = app.exchange.now();
    let end = start.plus(seconds * Time::SECOND);
    if end > LATEST {
        return Err(bad_value(
            "seconds",
            "a move to no later than 5138-01-01T00:00:00Z",
            &seconds.to_string(),
        ));
    }
    note(call).await?;
    act_until(app, start, end).await?;
    move_to(app, end).await?;
    Ok(clock::answer(app))
}

/// Stops in each beat of the simulated traders on the way, and lets them act there. In maintenance they do nothing.
async fn act_until(app: &App, start: Time, end: Time) -> Result<(), Refusal> {
    let Some(steps) = &app.settings.steps else { return Ok(()) };
    for beat in steps.beats(start, end) {
        move_to(app, beat).await?;
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

pub(super) async fn move_to(app: &App, time: Time) -> Result<(), Refusal> {
    let moved = app.exchange.advance(time).map_err(|_| field::busy("The exchange is busy"))?;
    moved.await.map_err(|_| field::busy("The exchange is stopping"))?;
    Ok(())
}
