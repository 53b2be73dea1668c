//! `GET /v2/fxrate/{symbol}/{timestamp}`: the exchange rate of a currency to the dollar at a time (FX-001 to FX-009).

use buttonwood_call::{App, Auth, Call, Route};
use buttonwood_engine::FxPair;
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_model::{Role, Time};
use buttonwood_wire::contract::{DecimalNumber, Label};
use buttonwood_wire::time::{iso_millis, moment_millis};
use buttonwood_wire::{answer, field, json, words};

/// Auditor.
pub(crate) const ROUTE: Route = Route::signed_get("/v2/fxrate/{symbol}/{timestamp}", answer)
    .by(Auth::Session)
    .roles(&[Role::Auditor])
    .about("Shows the exchange rate of a currency to the dollar at a time: the newest that was not later.")
    .gives::<ExchangeRate>();

words! {
    /// The kind of a rate.
    struct Benchmark: "Spot"
}

answer! {
    /// An exchange rate, for reference only.
    struct ExchangeRate {
        /// The pair, in upper case.
        pair as "fxPair": String,
        /// Dollars for one unit of the other currency.
        rate: DecimalNumber,
        /// The time of the rate, in milliseconds.
        as_of as "asOf": u64,
        /// The same time.
        timestamp: u64,
        /// The source of the rate.
        provider: Label,
        /// Always `Spot`.
        benchmark: Benchmark,
    }
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let (name, time) = call.parameter().split_once('/').unwrap_or_default();
    let pair = FxPair::find(name).ok_or_else(|| field::unknown_symbol(name))?;
    let millis = moment_millis(time).ok_or_else(|| unreadable(time))?;
    let asked = Time(millis.saturating_mul(1_000));
    let views = app.exchange.views();
    let rates = views.state().rates();
    // A rate of the future is not known yet, even if it is stored already.
    let quote = rates.at(pair, asked.min(app.now_of(&views))).ok_or_else(|| {
        let first = rates.of(pair).next().map(|quote| quote.time);
        too_early(pair, asked, first)
    })?;
    let as_of = quote.time.millis();
    Ok(Reply::json(json::body(&ExchangeRate {
        pair: pair.name().to_owned(),
        rate: DecimalNumber::of(|out| quote.rate.push(out)),
        as_of,
        timestamp: as_of,
        provider: Label(quote.provider.to_owned()),
        benchmark: Benchmark("Spot"),
    })))
}

fn unreadable(text: &str) -> Refusal {
    let message = format!(
        "The time in the path must be milliseconds or seconds since 1970, or ISO 8601 with its zone: '{}'",
        quoted(text)
    );
    Refusal::new(Reason::InvalidTimestampInPayload, message)
}

fn too_early(pair: FxPair, asked: Time, first: Option<Time>) -> Refusal {
    let name = pair.name();
    let message = match first {
        Some(first) => {
            let [asked, first] = [asked, first].map(iso_millis);
            format!("{name} has no rate of {asked} or before: its first one is of {first}")
        }
        None => format!("{name} has no rate"),
    };
    Refusal::new(Reason::InvalidParameterValue, message)
}
