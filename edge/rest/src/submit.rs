//! Commands on their way to the exchange.

use crate::app::App;
use buttonwood_engine::Command;
use buttonwood_gate::Refusal;
use buttonwood_sequencer::{Pending, Receipt};
use buttonwood_wire::field;

/// Queues a command. When the queue is full, its nonce is still used, and journaled soon.
pub(crate) fn send(app: &App, command: Command) -> Result<Pending, Refusal> {
    let caller = command.caller;
    app.exchange.submit(command).map_err(|_| {
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
