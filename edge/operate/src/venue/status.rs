//! `symbol status`: which orders a symbol takes (SYM-022 to SYM-030).

use crate::command::{Argument, Command, Effect, Form};
use crate::guard::Waiting;
use crate::operator::Operator;
use buttonwood_engine::{Proposed, Reject, TradingCommand, TradingReject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::SymbolStatus;
use buttonwood_wire::contract::{Done, InPayload, Needed, Text};
use buttonwood_wire::field::{bad_value, unknown_symbol};
use buttonwood_wire::market::StatusName;
use buttonwood_wire::{answer, json, request};

/// Also `POST /sandbox/symbols/{symbol}/status`.
pub const COMMAND: Command =
    Command::once("symbol status", Effect::Opens, |operator, fields| Box::pin(run(operator, fields)))
        .about("Sets a symbol's status.")
        .proposes()
        .takes::<NewStatus>(&[Argument::new("symbol", Form::Place), Argument::new("status", Form::Place)])
        .gives::<StatusSet>();

request! {
    /// A symbol's status.
    struct NewStatus in InPayload {
        /// The symbol.
        symbol: Needed<Text>,
        /// Which orders it takes from now on.
        status: Needed<StatusName>,
    }
}

answer! {
    /// The status that was set, or proposed.
    struct StatusSet {
        /// Always `ok`.
        result: Done,
        /// The symbol, in upper case.
        symbol: String,
        /// Which orders it takes now.
        status: StatusName,
        /// The number of the proposal, if another operator must approve it.
        proposal: Option<u64>,
        /// When the proposal expires, in milliseconds.
        expires_ms: Option<u64>,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = NewStatus::of(fields);
    let symbol = request.symbol()?;
    let (id, _) = operator.find_symbol(&symbol).ok_or_else(|| unknown_symbol(&symbol))?;
    let name = &*request.status()?;
    let status = SymbolStatus::ALL.into_iter().find(|status| status.name() == name).ok_or_else(|| {
        bad_value("status", "one of open, closed, cancel_only, post_only, limit_only", name)
    })?;
    let refuse = |reject| {
        let never_opens = reject == Reject::Trading(TradingReject::NotNow);
        never_opens.then(|| bad_value("status", "closed: its product does not trade", name))
    };
    operator.send(TradingCommand::SetSymbolStatus(id, status), refuse).await?;
    let Waiting { proposal, expires_ms } = Waiting::of(operator, &Proposed::Status(id, status));
    let now = operator.exchange.views().state().symbol(id).map_or(status, |symbol| symbol.status);
    let symbol = operator.names.symbol(id).name.to_ascii_uppercase();
    Ok(json::body(&StatusSet { result: Done, symbol, status: StatusName(now.name()), proposal, expires_ms }))
}
