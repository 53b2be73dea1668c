//! Commands that change nothing: they get their answers, and no place in the journal.
//!
//! Callers without a key can send thousands of them, and each would take a block of 4 KiB. Their answers still wait for the batch in which
//! they were decided, since they may follow from commands of it that are not durable yet.

use buttonwood_engine::{AccessEvent, Body, Command, Event, Outcome, PredictionCommand, TradingCommand};

/// Whether a decided command, of a caller that waits for its answer, changes nothing, or only uses the nonce of a cancel. A key's refused call
/// stays in the journal: its nonce is durable before the refusal is sent (D-08), and the rate of the key bounds it.
#[cold]
#[inline(never)]
pub(super) fn changes_nothing(command: &Command, outcome: &Outcome, events: &[Event]) -> bool {
    match events {
        // A move of the clock is journaled for its time.
        [] => !matches!(command.body, Body::Founding(_)),
        [Event::Access(AccessEvent::NonceUsed(..))] => {
            is_cancel(&command.body) && !matches!(outcome, Outcome::Rejected(_))
        }
        _ => false,
    }
}

/// Whether a command cancels orders.
fn is_cancel(body: &Body) -> bool {
    matches!(
        body,
        Body::Trading(TradingCommand::Cancel(_) | TradingCommand::CancelSession | TradingCommand::CancelAll)
            | Body::Prediction(PredictionCommand::Cancel(_) | PredictionCommand::BatchCancel(_))
    )
}
