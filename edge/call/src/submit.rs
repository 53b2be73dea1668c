//! Commands on their way to the exchange.

use crate::app::App;
use buttonwood_engine::{Body, Caller, Command};
use buttonwood_gate::Refusal;
use buttonwood_sequencer::{Pending, Receipt};
use buttonwood_wire::field;
use std::time::Instant;

/// Queues the command of a call that was admitted at this moment, if figures are collected. When the queue is full, the nonce of a
/// key is still used, and journaled soon.
pub fn send(app: &App, caller: Caller, body: Body, at: Option<Instant>) -> Result<Pending, Refusal> {
    app.exchange.submit_at(Command { caller: Some(caller), body }, at).map_err(|_| {
        if !caller.session.is_held() {
            app.exchange.note_nonce(caller.session, caller.nonce);
        }
        field::busy("The exchange is busy")
    })
}

/// Waits until a command is durable.
pub async fn durable(pending: Pending) -> Result<Receipt, Refusal> {
    pending.await.map_err(|_| field::busy("The exchange is stopping"))
}
