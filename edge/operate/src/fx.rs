//! `fx add`: another exchange rate (FX-008).

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::{Body, FxPair, FxRate, NewRates, RatesReject, Reject};
use buttonwood_gate::{LATEST, Payload, Refusal};
use buttonwood_num::Decimal as Number;
use buttonwood_wire::contract::{Decimal, DecimalText, Done, InPayload, Label, Needed, Text, Timestamp};
use buttonwood_wire::field::{bad_value, unknown_symbol};
use buttonwood_wire::text::{PLAIN, is_plain, visible};
use buttonwood_wire::{answer, json, request};

/// Also `POST /sandbox/fx`.
pub const COMMAND: Command =
    Command::once("fx add", Effect::SetsTerms, |operator, fields| Box::pin(run(operator, fields)))
        .about("Adds an exchange rate of a currency to the dollar.")
        .takes::<Rate>(&[
            Argument::new("pair", Form::Place),
            Argument::new("rate", Form::Place),
            Argument::new("time_ms", Form::Place).named("time"),
            Argument::new("provider", Form::Option),
        ])
        .gives::<AddedRate>();

request! {
    /// A rate.
    struct Rate in InPayload {
        /// The pair, such as EURUSD.
        pair: Needed<Text>,
        /// Dollars for one unit of the other currency, with at most 12 decimals.
        rate: Needed<Decimal>,
        /// The time from which it is the pair's rate; now without it.
        time_ms: Timestamp,
        /// Its source; `sandbox` without it.
        provider: Text,
    }
}

answer! {
    /// The rate that was added.
    struct AddedRate {
        /// Always `ok`.
        result: Done,
        /// The pair, in upper case.
        pair: String,
        /// Dollars for one unit of the other currency.
        rate: DecimalText,
        /// The time from which it is the pair's rate.
        time_ms: u64,
        /// Its source.
        provider: Label,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Rate::of(fields);
    let name = request.pair()?;
    let pair = FxPair::find(&name).ok_or_else(|| unknown_symbol(&name))?;
    let text = request.rate()?;
    let rate = Number::parse(text.as_bytes()).ok().and_then(FxRate::from_decimal);
    let rate = rate.ok_or_else(|| bad_value("rate", "a positive decimal of at most 12 decimals", &text))?;
    let millis = request.time_ms()?.unwrap_or_else(|| operator.now().millis());
    if millis > LATEST.millis() {
        return Err(bad_value("time_ms", "no later than 5138-01-01T00:00:00Z", &millis.to_string()));
    }
    let provider = request.provider()?.unwrap_or("sandbox".into()).into_owned();
    if !NewRates::is_provider(&provider) || !is_plain(&provider, provider.len()) {
        let expected = format!("at most 50 bytes, {PLAIN}");
        return Err(bad_value("provider", &expected, &visible(&provider)));
    }
    let new = NewRates { pair, provider: provider.clone(), rates: vec![(millis, rate)] };
    let refuse = |reject| {
        let Reject::Rates(RatesReject::Taken(_)) = reject else { return None };
        let expected = format!("a time for which {} has no rate yet", pair.name());
        Some(bad_value("time_ms", &expected, &millis.to_string()))
    };
    operator.send(Body::add_rates(new), refuse).await?;
    Ok(json::body(&AddedRate {
        result: Done,
        pair: pair.name().to_owned(),
        rate: DecimalText::of(|out| rate.push(out)),
        time_ms: millis,
        provider: Label(provider),
    }))
}
