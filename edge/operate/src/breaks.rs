//! `trade break`: voids a trade, or marks it as reversed by hand (ORD-021 to ORD-023).
//!
//! The facts of the trade and the market without it come from the history. If the symbol trades before the command has its
//! turn, they are stale, and they are read again.

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::{Break, BreakError, BreakKind, Reject, TradingCommand, TradingReject};
use buttonwood_gate::{Payload, Reason, Refusal};
use buttonwood_model::{AccountId, AssetId, TradeId};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_views::Records;
use buttonwood_views::history::Fault;
use buttonwood_wire::answers::BreakName;
use buttonwood_wire::contract::{Done, InPayload, Needed, Whole};
use buttonwood_wire::field::{bad_value, busy, failed, no_space};
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// Also `POST /sandbox/trades/break`.
pub const COMMAND: Command =
    Command::once("trade break", Effect::Takes, |operator, fields| Box::pin(run(operator, fields)))
        .about("Breaks a trade: voids it, or marks it as reversed by hand.")
        .with_reason()
        .takes::<BreakTrade>(&[Argument::new("tid", Form::Place), Argument::new("kind", Form::Place)])
        .gives::<Broken>();

request! {
    /// A trade to be broken.
    struct BreakTrade in InPayload {
        /// The id of the trade.
        tid: Needed<Whole>,
        /// `full` voids the trade; `manual` leaves its money and marks it.
        kind: Needed<BreakName>,
    }
}

answer! {
    /// The trade is broken.
    struct Broken {
        /// Always `ok`.
        result: Done,
    }
}

/// How often the facts are read before the call gives up.
const ATTEMPTS: usize = 5;

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = BreakTrade::of(fields);
    let (tid, name) = (request.tid()?, request.kind()?);
    let kind = BreakKind::ALL.into_iter().find(|kind| kind.name() == name);
    let kind = kind.ok_or_else(|| bad_value("kind", "one of manual, full", &name))?;
    for _ in 0..ATTEMPTS {
        let broken = find(operator, TradeId(tid), kind).await?.ok_or_else(|| unknown(tid))?;
        if broken.is_off_book && kind == BreakKind::Full {
            return Err(bad_value("kind", "manual: trades apart from the book are not voided", &name));
        }
        let command = TradingCommand::BreakTrade(Arc::new(broken));
        match operator.decide(Some(command.into())).await? {
            Ok(_) => return Ok(json::body(&Broken { result: Done })),
            Err(Reject::Trading(TradingReject::Break(BreakError::Stale))) => {}
            Err(Reject::Trading(TradingReject::Break(error))) => {
                return Err(refusal(operator, tid, error));
            }
            Err(Reject::NoRoom) => return Err(no_space()),
            Err(_) => return Err(failed()),
        }
    }
    Err(busy("The symbol traded while the trade was looked up; set its status to cancel_only first"))
}

/// The break of a trade, from the history; none for a trade that was never made.
async fn find(operator: &Operator<'_>, trade: TradeId, kind: BreakKind) -> Result<Option<Break>, Refusal> {
    let records = Records::of(operator.exchange.views().state());
    let found = operator.exchange.query_history(move |history| records.find(history, trade, kind)).await;
    found.map_err(|fault| unread(&fault))
}

fn unknown(tid: u64) -> Refusal {
    bad_value("tid", "the id of a trade", &tid.to_string())
}

fn refusal(operator: &Operator<'_>, tid: u64, error: BreakError) -> Refusal {
    match error {
        BreakError::Unknown | BreakError::Stale => unknown(tid),
        BreakError::Broken(kind) => {
            let expected =
                format!("the id of a trade that is not broken; kind '{}' was applied", kind.name());
            bad_value("tid", &expected, &tid.to_string())
        }
        BreakError::ManualOnly => {
            bad_value("kind", "manual: trades of this product are not voided", BreakKind::Full.name())
        }
        BreakError::Bound => bad_value(
            "kind",
            "manual: the group of one party has an advance of its bank, or owes for one, and may not return what it got",
            BreakKind::Full.name(),
        ),
        BreakError::Closed => {
            bad_value("kind", "manual: the account of one party is closed", BreakKind::Full.name())
        }
        BreakError::Short { account, asset, lacks } => short(operator, tid, account, asset, lacks),
    }
}

/// The account that cannot return what it got, and how much it lacks.
fn short(operator: &Operator<'_>, tid: u64, account: AccountId, asset: AssetId, lacks: Money) -> Refusal {
    let owner = {
        let views = operator.exchange.views();
        let access = views.state().access();
        let house = views.state().ledger().houses().iter().find(|house| house.account == account);
        match (house, access.account(account)) {
            (Some(house), _) => format!("the house account '{}'", house.name),
            (None, Some(known)) => {
                let group = known.group.and_then(|group| access.groups().get(group.index()));
                let group = group.map_or("", |group| group.name.as_str());
                format!("account '{}' of group '{group}'", known.short_name)
            }
            (None, None) => "an account".to_owned(),
        }
    };
    let code = asset.currency().map_or("", |currency| operator.names.currency(currency).code.as_str());
    let mut amount = Vec::new();
    lacks.push_floored(&mut amount, MONEY_DECIMALS);
    let amount = String::from_utf8_lossy(&amount);
    let message = format!("Trade {tid} cannot be voided: {owner} lacks {amount} {code} of what it returns");
    Refusal::new(Reason::InsufficientFunds, message)
}

/// The refusal when the history cannot be read; it is built again from the journal. The log has the details.
fn unread(fault: &Fault) -> Refusal {
    tracing::error!(%fault, "history cannot be read");
    busy("The part of the history that has this trade is damaged, and is built again")
}
