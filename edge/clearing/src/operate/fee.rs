//! `clearing fee`: the rate that both sides of an OTC trade pay (D-85).

use buttonwood_engine::ClearingCommand;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_num::Bps;
use buttonwood_operate::{Argument, Command, Effect, Form, Operator};
use buttonwood_wire::contract::{Done, InPayload, Needed, WholeUpTo};
use buttonwood_wire::{answer, json, request};

/// The rate of the settlement counts, so what waits for money pays the new one.
pub(crate) const COMMAND: Command =
    Command::once("clearing fee", Effect::SetsTerms, |operator, fields| Box::pin(run(operator, fields)))
        .about("Sets the fee that each side of a clearing order pays when it settles, in the quote currency.")
        .after("fees promote")
        .takes::<ClearingFee>(&[Argument::new("bps", Form::Place)])
        .gives::<ClearingFeeSet>();

request! {
    /// The fee of clearing orders.
    struct ClearingFee in InPayload {
        /// The rate, in basis points.
        bps: Needed<WholeUpTo<10_000>>,
    }
}

answer! {
    /// The fee of clearing orders.
    struct ClearingFeeSet {
        /// Always `ok`.
        result: Done,
        /// The rate, in basis points.
        bps: u64,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let bps = ClearingFee::of(fields).bps()?;
    let rate = Bps(u16::try_from(bps).unwrap_or(u16::MAX));
    operator.send(ClearingCommand::SetFee(rate), |_| None).await?;
    Ok(json::body(&ClearingFeeSet { result: Done, bps }))
}
