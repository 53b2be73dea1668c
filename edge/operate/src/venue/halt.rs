//! `halt` and `resume`: whether anything may trade, whether anything may leave, or whether one asset comes and leaves.

use crate::command::{Argument, Command, Effect, Form};
use crate::guard::Waiting;
use crate::operator::Operator;
use buttonwood_engine::funds::{Scope, halt as funds_halt};
use buttonwood_engine::{FundsCommand, Operation, Proposed};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_wire::contract::{Done, InPayload, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// How the command line gives the scope: `--scope withdrawals` or `--scope asset CODE`.
const ARGUMENTS: &[Argument] =
    &[Argument::new("scope", Form::Option), Argument::new("currency", Form::Place)];

/// Also `POST /sandbox/halt`.
pub const HALT: Command =
    Command::once("halt", Effect::Halts, |operator, fields| Box::pin(halt(operator, fields)))
        .about(
            "Halts trading, or with a scope all withdrawals, or the deposits and withdrawals of one asset.",
        )
        .stops()
        .takes::<Scoped>(ARGUMENTS)
        .with_reason()
        .gives::<Halted>();

/// Also `POST /sandbox/resume`.
pub const RESUME: Command =
    Command::once("resume", Effect::Opens, |operator, fields| Box::pin(resume(operator, fields)))
        .about("Resumes what was halted.")
        .proposes()
        .takes::<Scoped>(ARGUMENTS)
        .with_reason()
        .gives::<Resumed>();

request! {
    /// The scope of a halt or of its end.
    struct Scoped in InPayload {
        /// `withdrawals`, or `asset` for one asset; without it, trading.
        scope: Text,
        /// The code of the asset.
        currency: Text,
    }
}

answer! {
    /// It is halted.
    struct Halted {
        /// Always `ok`.
        result: Done,
        /// Whether trading, or the scope, is halted now.
        halted: bool,
    }
}

answer! {
    /// It is resumed, or that is proposed.
    struct Resumed {
        /// Always `ok`.
        result: Done,
        /// Whether trading, or the scope, is halted now.
        halted: bool,
        /// The number of the proposal, if another operator must approve it.
        proposal: Option<u64>,
        /// When the proposal expires, in milliseconds.
        expires_ms: Option<u64>,
    }
}

/// The scope that the fields name; none for trading.
fn scope(operator: &Operator<'_>, fields: &Payload) -> Result<Option<Scope>, Refusal> {
    let request = Scoped::of(fields);
    let (scope, currency) = (request.scope()?, request.currency()?);
    match (scope.as_deref(), currency) {
        (None, None) => Ok(None),
        (Some("withdrawals"), None) => Ok(Some(Scope::Withdrawals)),
        (Some("asset"), Some(code)) => Ok(Some(Scope::Asset(operator.find_currency(&code)?))),
        (Some("asset"), None) => Err(bad_value("currency", "the code of the asset", "")),
        (Some("withdrawals") | None, Some(code)) => {
            Err(bad_value("currency", "left out: it belongs to the scope 'asset'", &code))
        }
        (Some(other), _) => Err(bad_value("scope", "'withdrawals' or 'asset'", other)),
    }
}

fn has_halted(operator: &Operator<'_>, scope: Scope) -> bool {
    operator.exchange.views().state().funds().halts().has(scope)
}

async fn halt(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    if let Some(scope) = scope(operator, fields)? {
        operator.send(FundsCommand::from(funds_halt::Command::Halt(scope)), |_| None).await?;
        return Ok(json::body(&Halted { result: Done, halted: has_halted(operator, scope) }));
    }
    operator.send(Operation::Halt, |_| None).await?;
    Ok(json::body(&Halted { result: Done, halted: is_halted(operator) }))
}

async fn resume(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    if let Some(scope) = scope(operator, fields)? {
        operator.send(FundsCommand::from(funds_halt::Command::Resume(scope)), |_| None).await?;
        let Waiting { proposal, expires_ms } = Waiting::of(operator, &Proposed::ResumeScope(scope));
        let halted = has_halted(operator, scope);
        return Ok(json::body(&Resumed { result: Done, halted, proposal, expires_ms }));
    }
    operator.send(Operation::Resume, |_| None).await?;
    let waiting = Waiting::of(operator, &Proposed::Resume);
    let halted = is_halted(operator);
    let (proposal, expires_ms) = (waiting.proposal, waiting.expires_ms);
    Ok(json::body(&Resumed { result: Done, halted, proposal, expires_ms }))
}

fn is_halted(operator: &Operator<'_>) -> bool {
    operator.exchange.views().state().operations().is_halted()
}
