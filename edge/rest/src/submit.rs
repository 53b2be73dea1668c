//! Commands on their way to the exchange.

use crate::app::App;
use buttonwood_engine::Command;
use buttonwood_gate::Refusal;
use buttonwood_sequencer::{Pending, Receipt};
use buttonwood_wire::field;
use std::time::Instant;

/// Queues a command that was admitted at this moment, if figures are collected. When the queue is full, its nonce is still used, and
/// journaled soon.
pub(crate) fn send(app: &App, command: Command, at: Option<Instant>) -> Result<Pending, Refusal> {
    let caller = command.caller;
    app.exchange.submit_at(command, at).map_err(|_| {
        if let Some(caller) = caller {
            app.exchange.note_nonce(caller.session, caller.nonce);
        }
        field::busy("The exchange is busy")
    })
}

/// Waits until a command is durable.
pub(crate) async fn durable(pending: Pending) -> Result<Receipt, Refusal> {
    pending.await.map_err(|_| field::busy("The exchange is stopping"))
}
