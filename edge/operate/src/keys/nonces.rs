//! `key reset-nonces`: lets a key begin again after a nonce that was too high (D-26).

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::AccessCommand;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_wire::contract::{Done, InPayload, Needed, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// Also `POST /sandbox/nonces/reset`. A call that was signed before can be sent again, so it takes two operators.
pub const RESET: Command =
    Command::once("key reset-nonces", Effect::Opens, |operator, fields| Box::pin(run(operator, fields)))
        .about(
            "Lets a key begin again with any nonce; calls that it has signed before can then be sent again.",
        )
        .with_reason()
        .takes::<ResetNonces>(&[Argument::new("api_key", Form::Place)])
        .gives::<NoncesReset>();

request! {
    /// A key whose nonces begin again.
    struct ResetNonces in InPayload {
        /// The text of the key.
        api_key: Needed<Text>,
    }
}

answer! {
    /// The key whose nonces began again.
    struct NoncesReset {
        /// Always `ok`.
        result: Done,
        /// The text of the key.
        api_key: String,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let api_key = ResetNonces::of(fields).api_key()?;
    let known = operator.gate.keys().find(api_key.as_bytes());
    let known = known.ok_or_else(|| bad_value("api_key", "the text of a key", &api_key))?;
    let changes = !operator.is_dry_run();
    if changes {
        // Calls admitted before the reset must not note their nonces after it.
        known.overtake_calls();
    }
    operator.send(AccessCommand::ResetNonces(known.key.session), |_| None).await?;
    if changes {
        known.reset_nonce();
    }
    Ok(json::body(&NoncesReset { result: Done, api_key: known.key.api_key.clone() }))
}
