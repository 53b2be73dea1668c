//! `instant set`: the terms of instant orders (WRAP-009, D-179, D-180).

use crate::command::{Argument, Command, Effect, Form};
use crate::field;
use crate::operator::Operator;
use buttonwood_engine::{ConvertCommand, Terms};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_num::{Bps, MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{Decimal, DecimalText, Done, InPayload, WholeUpTo};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// Also `POST /sandbox/instant`.
pub const COMMAND: Command = Command::once("instant set", Effect::SetsTerms, |operator, fields| Box::pin(run(operator, fields)))
    .about(
        "Sets the fee of instant orders, the limit on what the house may owe from them, and how deep a book must be to be a source \
         of their price; those that are left out stay as they are.",
    )
    .takes::<InstantTerms>(&[
        Argument::new("fee_bps", Form::Option),
        Argument::new("exposure_usd", Form::Option),
        Argument::new("depth_usd", Form::Option),
    ])
    .gives::<InstantTermsSet>();

request! {
    /// Terms of instant orders.
    struct InstantTerms in InPayload {
        /// The rate of the fee of later quotes, in basis points.
        fee_bps: WholeUpTo<10_000>,
        /// The most that the house may owe from instant orders, in dollars.
        exposure_usd: Decimal,
        /// How many dollars of other groups must rest on each side of a dollar book that is a source of a reference price.
        depth_usd: Decimal,
    }
}

answer! {
    /// The terms in force.
    struct InstantTermsSet {
        /// Always `ok`.
        result: Done,
        /// The rate of the fee, in basis points.
        fee_bps: u64,
        /// The most that the house may owe, in dollars.
        exposure_usd: DecimalText,
        /// How many dollars must rest on each side of a book that is a source.
        depth_usd: DecimalText,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = InstantTerms::of(fields);
    let mut set: Terms = operator.exchange.views().state().conversions().terms();
    if let Some(bps) = request.fee_bps()?.and_then(|bps| u16::try_from(bps).ok()) {
        set.fee = Bps(bps);
    }
    if let Some(text) = request.exposure_usd() {
        let exposure = field::money(&text);
        set.exposure =
            exposure.ok_or_else(|| bad_value("exposure_usd", "an amount of dollars, 0 or more", &text))?;
    }
    if let Some(text) = request.depth_usd() {
        let depth = field::money(&text).filter(|depth| *depth > Money::ZERO);
        set.depth = depth.ok_or_else(|| bad_value("depth_usd", "an amount of dollars above 0", &text))?;
    }
    operator.send(ConvertCommand::SetTerms(set), |_| None).await?;
    let shown = |amount: Money| DecimalText::of(|out| amount.push_floored(out, MONEY_DECIMALS));
    Ok(json::body(&InstantTermsSet {
        result: Done,
        fee_bps: set.fee.0.into(),
        exposure_usd: shown(set.exposure),
        depth_usd: shown(set.depth()),
    }))
}
