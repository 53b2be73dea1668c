//! `halt` and `resume`: whether anything may trade.

use super::approval::Waiting;
use crate::command::Command;
use crate::operator::Operator;
use buttonwood_engine::{Operation, Proposed};
use buttonwood_gate::Refusal;
use buttonwood_wire::contract::Done;
use buttonwood_wire::{answer, json};

/// Also `POST /sandbox/halt`.
pub const HALT: Command = Command::once("halt", |operator, _| Box::pin(halt(operator)))
    .about("Halts trading: nothing new may trade until it is resumed.")
    .with_reason()
    .gives::<Halted>();

/// Also `POST /sandbox/resume`.
pub const RESUME: Command = Command::once("resume", |operator, _| Box::pin(resume(operator)))
    .about("Resumes trading; where two operators are needed, proposes it.")
    .with_reason()
    .gives::<Resumed>();

answer! {
    /// Trading is halted.
    struct Halted {
        /// Always `ok`.
        result: Done,
        /// Whether trading is halted now.
        halted: bool,
    }
}

answer! {
    /// Trading is resumed, or that is proposed.
    struct Resumed {
        /// Always `ok`.
        result: Done,
        /// Whether trading is halted now.
        halted: bool,
        /// The number of the proposal, if another operator must approve it.
        proposal: Option<u64>,
        /// When the proposal expires, in milliseconds.
        expires_ms: Option<u64>,
    }
}

async fn halt(operator: &Operator<'_>) -> Result<Vec<u8>, Refusal> {
    operator.send(Operation::Halt, |_| None).await?;
    Ok(json::body(&Halted { result: Done, halted: is_halted(operator) }))
}

async fn resume(operator: &Operator<'_>) -> Result<Vec<u8>, Refusal> {
    operator.send(Operation::Resume, |_| None).await?;
    let waiting = Waiting::of(operator, Proposed::Resume);
    let halted = is_halted(operator);
    let (proposal, expires_ms) = (waiting.proposal, waiting.expires_ms);
    Ok(json::body(&Resumed { result: Done, halted, proposal, expires_ms }))
}

fn is_halted(operator: &Operator<'_>) -> bool {
    operator.exchange.views().state().operations().is_halted()
}
