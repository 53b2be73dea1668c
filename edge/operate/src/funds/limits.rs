//! `limits set`: the most entries that lists of customers may have (D-185).

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::FundsCommand;
use buttonwood_engine::funds::{Limits, limit};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_wire::contract::{Done, InPayload, WholeUpTo};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// The highest limit, which the core checks too.
const HIGHEST: u64 = limit::HIGHEST;

/// Only for operators.
pub(crate) const COMMAND: Command =
    Command::once("limits set", Effect::SetsTerms, |operator, fields| Box::pin(run(operator, fields)))
        .about(
            "Sets how many addresses a list may have; limits that are left out stay, and so do longer lists.",
        )
        .takes::<NewLimits>(&[
            Argument::new("approved_addresses", Form::Option),
            Argument::new("deposit_addresses", Form::Option),
        ])
        .gives::<LimitsSet>();

request! {
    /// Limits of lists.
    struct NewLimits in InPayload {
        /// Approved addresses on the list of an account or of a group, over all networks: 1 to 100000.
        approved_addresses: WholeUpTo<HIGHEST>,
        /// Deposit addresses of an account, over all networks: 1 to 100000.
        deposit_addresses: WholeUpTo<HIGHEST>,
    }
}

answer! {
    /// The limits in force.
    struct LimitsSet {
        /// Always `ok`.
        result: Done,
        /// Approved addresses on the list of an account or of a group.
        approved_addresses: u64,
        /// Deposit addresses of an account.
        deposit_addresses: u64,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = NewLimits::of(fields);
    let mut set: Limits = *operator.exchange.views().state().funds().limits();
    for (name, sent, limit) in [
        ("approved_addresses", request.approved_addresses()?, &mut set.approved_addresses),
        ("deposit_addresses", request.deposit_addresses()?, &mut set.deposit_addresses),
    ] {
        if let Some(sent) = sent {
            let read = u32::try_from(sent).ok().filter(|limit| *limit > 0);
            let expected = format!("a whole number from 1 to {HIGHEST}");
            *limit = read.ok_or_else(|| bad_value(name, &expected, &sent.to_string()))?;
        }
    }
    operator.send(FundsCommand::from(limit::Command::SetLimits(set)), |_| None).await?;
    Ok(json::body(&LimitsSet {
        result: Done,
        approved_addresses: set.approved_addresses.into(),
        deposit_addresses: set.deposit_addresses.into(),
    }))
}
