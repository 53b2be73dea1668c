//! `event void`: pays the claims of an event back (D-106).

use super::{EventStatusName, Named, check_text, find_event, finish, symbol_of, wrong_event};
use buttonwood_engine::prediction::{Event, NewVoid, Status};
use buttonwood_engine::{PredictionCommand, PredictionReject, Reject};
use buttonwood_gate::{Payload, Reason, Refusal};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_operate::{Argument, Command, Effect, Form, Operator, field};
use buttonwood_wire::contract::{Decimal, Done, Flag, InPayload, Needed, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// A combo is named by its symbol.
pub(crate) const COMMAND: Command = Command::once("event void", Effect::Gives, |operator, fields| {
    Box::pin(run(operator, fields))
})
    .after("event dispute")
    .about("Makes an event void: each position gets its cost, or with --value that value for yes and the rest of a dollar for no.")
    .takes::<VoidEvent>(&[
        Argument::new("event", Form::Place),
        Argument::new("why", Form::Place),
        Argument::new("value", Form::Option),
        Argument::new("at_cost", Form::Switch),
    ])
    .gives::<EventVoided>();

/// `POST /sandbox/predictions/events/{event}/void`.
pub(crate) const CALL: Command = COMMAND
    .called::<VoidCall, EventVoided>(|operator, fields| Box::pin(call(operator, fields)))
    .about("Makes an event void: each position gets its cost, or with `value` that value for yes and the rest of a dollar for no.");

request! {
    /// An event to make void.
    struct VoidEvent in InPayload {
        /// The event's ticker; a combo's is its symbol.
        event: Needed<Text>,
        /// Why, for people.
        why: Needed<Text>,
        /// The dollars that each contract on yes gets, from 0 to 1; one on no gets the rest of its dollar.
        value: Decimal,
        /// Whether positions share the escrow by their costs, where all costs differ from it.
        at_cost: Flag<false>,
    }
}

request! {
    /// An event to make void.
    struct VoidCall in InPayload {
        /// The event's ticker; a combo's is its symbol.
        event: Needed<Text>,
        /// Why, for people and for the audit.
        reason: Needed<Text>,
        /// The dollars that each contract on yes gets, from 0 to 1; one on no gets the rest of its dollar.
        value: Decimal,
        /// Whether positions share the escrow by their costs, where all costs differ from it.
        at_cost: Flag<false>,
    }
}

answer! {
    /// The event that is void.
    struct EventVoided {
        /// Always `ok`.
        result: Done,
        /// Always `invalid`.
        status: EventStatusName,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = VoidEvent::of(fields);
    let event = find_event(operator, &request.event()?)?;
    let why = request.why()?;
    check_text("why", &why)?;
    let terms = (request.value(), request.at_cost()?);
    void(operator, &event, &why, terms).await
}

async fn call(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = VoidCall::of(fields);
    let event = find_event(operator, &request.event()?)?;
    let why = request.reason()?;
    check_text("reason", &why)?;
    let terms = (request.value(), request.at_cost()?);
    void(operator, &event, &why, terms).await
}

async fn void(
    operator: &Operator<'_>,
    event: &Named,
    why: &str,
    (value, at_cost): (Option<std::borrow::Cow<'_, str>>, bool),
) -> Result<Vec<u8>, Refusal> {
    let paid = value.as_deref().map(|text| {
        let value = field::money(text).filter(|value| *value <= Money::ONE);
        value.ok_or_else(|| bad_value("value", "a decimal from 0 to 1", text))
    });
    let paid = paid.transpose()?;
    if at_cost && paid.is_some() {
        return Err(bad_value("at_cost", "left out where there is a value", "true"));
    }
    let new = NewVoid { event: event.id, reason: why.to_owned(), value: paid, at_cost };
    let refuse = |reject| {
        if reject == Reject::Prediction(PredictionReject::CostsDiffer) {
            return Some(costs_differ(operator, event));
        }
        wrong_event(operator, event, reject)
    };
    operator.send(PredictionCommand::Void(Arc::new(new)), refuse).await?;
    finish(operator, event.id).await;
    Ok(json::body(&EventVoided { result: Done, status: EventStatusName(Status::Invalid.name()) }))
}

/// The refusal that names both sums of each contract in which they differ.
fn costs_differ(operator: &Operator<'_>, event: &Named) -> Refusal {
    let sums: Vec<_> = {
        let views = operator.exchange.views();
        let state = views.state();
        let room = state.predictions();
        let contracts = room.event(event.id).into_iter().flat_map(Event::contracts);
        contracts.map(|id| (id, room.sums_when_closed(state.ledger(), id))).collect()
    };
    let differ =
        sums.into_iter().filter(|(_, (costs, escrow))| costs != escrow).map(|(id, (costs, escrow))| {
            let (symbol, costs, escrow) = (symbol_of(operator, id), shown(costs), shown(escrow));
            format!("the positions of {symbol} cost {costs} and its escrow holds {escrow}")
        });
    let differ: Vec<String> = differ.collect();
    let message =
        format!("Field 'at_cost' must be true, or 'value' must be given: false; {}", differ.join(", "));
    Refusal::new(Reason::InvalidParameterValue, message)
}

fn shown(amount: Money) -> String {
    let mut out = Vec::new();
    amount.push_floored(&mut out, MONEY_DECIMALS);
    String::from_utf8(out).unwrap_or_default()
}
