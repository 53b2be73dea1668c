//! `event halt`: whether the trading of an event is halted. It lasts until it is ended, also over restarts.

use super::{find_event, switch, wrong_event};
use buttonwood_engine::PredictionCommand;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_operate::{Argument, Command, Effect, Form, Operator};
use buttonwood_wire::contract::{Done, InPayload, Needed, Sent, Switch, Text};
use buttonwood_wire::{answer, json, request};

/// Also `POST /sandbox/predictions/events/{event}/halt`. A halt takes one operator, its end two (D-268).
pub(crate) const COMMAND: Command =
    Command::once("event halt", Effect::Opens, |operator, fields| Box::pin(run(operator, fields)))
        .after("event add")
        .about(
            "Halts the trading of an event and of combos with a leg on it; with --halted false it goes on.",
        )
        .alone(|_, fields| matches!(switch("halted", HaltEvent::of(fields).halted()), Ok(None | Some(true))))
        .stops()
        .takes::<HaltEvent>(&[Argument::new("event", Form::Place), Argument::new("halted", Form::Option)])
        .gives::<EventHalted>();

request! {
    /// A halt of an event, or its end.
    struct HaltEvent in InPayload {
        /// The event's ticker.
        event: Needed<Text>,
        /// Whether its trading is halted; true without it. Orders stay and can be cancelled.
        halted: Sent<Switch>,
    }
}

answer! {
    /// The halt of an event.
    struct EventHalted {
        /// Always `ok`.
        result: Done,
        /// Whether its trading is halted now.
        halted: bool,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = HaltEvent::of(fields);
    let event = find_event(operator, &request.event()?)?;
    let halted = switch("halted", request.halted())?.unwrap_or(true);
    let refuse = |reject| wrong_event(operator, &event, reject);
    operator.send(PredictionCommand::Halt(event.id, halted), refuse).await?;
    Ok(json::body(&EventHalted { result: Done, halted }))
}
