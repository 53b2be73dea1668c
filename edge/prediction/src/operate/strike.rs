//! `event strike`: the value of an event's strike.

use super::{find_event, time, wrong_event};
use buttonwood_engine::prediction::{Strike, StrikeKind};
use buttonwood_engine::{PredictionCommand, PredictionReject, Reject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_num::Decimal;
use buttonwood_operate::{Argument, Command, Effect, Form, Operator};
use buttonwood_wire::contract::{Done, InPayload, Needed, Text, Timestamp};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request, words};

/// The longest value, in bytes.
const VALUE_MAX: usize = 40;

/// Also `POST /sandbox/predictions/events/{event}/strike`.
pub(crate) const COMMAND: Command =
    Command::once("event strike", Effect::SetsTerms, |operator, fields| Box::pin(run(operator, fields)))
        .after("event halt")
        .about("Sets the value of an event's strike; it may be replaced until it is public.")
        .takes::<SetStrike>(&[Argument::new("event", Form::Place), Argument::new("value", Form::Place)])
        .gives::<StrikeSet>();

request! {
    /// The value of a strike.
    struct SetStrike in InPayload {
        /// The event's ticker.
        event: Needed<Text>,
        /// The value: a decimal.
        value: Needed<Text>,
    }
}

words! {
    /// How the value of a strike decides.
    pub(super) struct StrikeKindName: "reference", "above", "spread", "over", "over_or_equal", "under", "under_or_equal"
}

request! {
    /// A strike.
    pub(super) struct AddStrike in InPayload {
        /// How the value decides.
        kind as "type": Needed<StrikeKindName>,
        /// The value, a decimal; without it, it is set later.
        value: Text,
        /// When the value is public; at once without it.
        available_ms: Timestamp,
    }
}

answer! {
    /// The strike from now on.
    struct StrikeSet {
        /// Always `ok`.
        result: Done,
        /// The value.
        value: String,
        /// When it is public.
        available_ms: u64,
    }
}

/// The strike of a new event.
pub(super) fn read(operator: &Operator<'_>, fields: &Payload) -> Result<Strike, Refusal> {
    let strike = fields_of(operator, fields);
    strike.map_err(|refusal| refusal.and("it is in 'strike'"))
}

fn fields_of(operator: &Operator<'_>, fields: &Payload) -> Result<Strike, Refusal> {
    let request = AddStrike::of(fields);
    let name = request.kind()?;
    let kind = StrikeKind::ALL.into_iter().find(|kind| kind.name() == name);
    let names = StrikeKind::ALL.map(StrikeKind::name).join(", ");
    let kind = kind.ok_or_else(|| bad_value("type", &format!("one of {names}"), &name))?;
    let value = request.value()?;
    value.as_deref().map_or(Ok(()), check)?;
    let now = operator.exchange.now();
    let available = request.available_ms()?.map_or(Ok(now), |millis| time("available_ms", millis))?;
    Ok(Strike { kind, value: value.map(std::borrow::Cow::into_owned), available })
}

fn check(value: &str) -> Result<(), Refusal> {
    let digits = value.strip_prefix('-').unwrap_or(value);
    if value.len() <= VALUE_MAX && Decimal::parse(digits.as_bytes()).is_ok() {
        return Ok(());
    }
    Err(bad_value("value", &format!("a decimal of at most {VALUE_MAX} characters"), value))
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = SetStrike::of(fields);
    let event = find_event(operator, &request.event()?)?;
    let value = request.value()?;
    check(&value)?;
    let refuse = |reject| {
        if reject == Reject::Prediction(PredictionReject::BadStrike) {
            return Some(bad_value("value", "left as it is: the value is public already", &value));
        }
        wrong_event(operator, &event, reject)
    };
    operator.send(PredictionCommand::SetStrike(event.id, value.clone().into_owned()), refuse).await?;
    let available_ms = {
        let views = operator.exchange.views();
        let event = views.state().predictions().event(event.id);
        event.and_then(|event| event.strike.as_ref()).map_or(0, |strike| strike.available.millis())
    };
    Ok(json::body(&StrikeSet { result: Done, value: value.into_owned(), available_ms }))
}
