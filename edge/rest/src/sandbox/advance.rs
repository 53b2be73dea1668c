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
/// Turns the simulated traders take in one call at most; a longer move spaces them out.
const TURNS_MAX: u64 = 60;

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
    if start.plus(seconds * Time::SECOND) > LATEST {
        return Err(bad_value(
            "seconds",
            "a move to no later than 5138-01-01T00:00:00Z",
            &seconds.to_string(),
        ));
    }
    note(call).await?;
    // With simulated traders, a move of no time has no turn.
    let turns = if app.settings.steps.is_some() { seconds.min(TURNS_MAX) } else { 1 };
    for turn in 1..=turns {
        move_to(app, start.plus(seconds * Time::SECOND * turn / turns)).await?;
        if let Some(steps) = &app.settings.steps {
            steps.take().await;
        }
    }
    Ok(clock::answer(app))
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
