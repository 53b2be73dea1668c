//! `funding set`: the cap of funding, and how deep a book must be to count (D-177).

use crate::command::{Argument, Command, Effect, Form};
use crate::field;
use crate::operator::Operator;
use buttonwood_engine::Reject;
use buttonwood_engine::perp::Command as PerpCommand;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_num::{Bps, MONEY_DECIMALS};
use buttonwood_wire::contract::{Decimal, DecimalText, Done, InPayload, WholeUpTo};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// Only for operators: a sandbox has the usual terms unless one changes them.
pub(crate) const COMMAND: Command =
    Command::once("funding set", Effect::SetsTerms, |operator, fields| Box::pin(run(operator, fields)))
        .about("Sets the terms of perpetuals' funding; those that are left out stay as they are.")
        .takes::<NewTerms>(&[Argument::new("cap_bps", Form::Option), Argument::new("depth", Form::Option)])
        .gives::<FundingTermsSet>();

request! {
    /// Terms of funding.
    struct NewTerms in InPayload {
        /// The largest amount of an hour, in basis points of the mark.
        cap_bps: WholeUpTo<10_000>,
        /// The dollars that must rest on each side of a contract's book within 5 % of its index, so that the book counts: above 0 and
        /// up to 1,000,000,000.
        depth: Decimal,
    }
}

answer! {
    /// The terms in force.
    struct FundingTermsSet {
        /// Always `ok`.
        result: Done,
        /// The largest amount of an hour, in basis points of the mark.
        cap_bps: u64,
        /// The dollars that must rest on each side of a contract's book.
        depth: DecimalText,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = NewTerms::of(fields);
    let mut set = operator.exchange.views().state().perps().funding_terms();
    if let Some(cap) = request.cap_bps()?.and_then(|bps| u16::try_from(bps).ok()) {
        set.cap = Bps(cap);
    }
    let expected = "a decimal above 0 and up to 1000000000";
    let depth = request.depth();
    if let Some(text) = &depth {
        set.depth = field::money(text).ok_or_else(|| bad_value("depth", expected, text))?;
    }
    // The cap and the depth in force are good, so it is the depth that was sent.
    let bad = |reject| {
        let Reject::Perp(_) = reject else { return None };
        Some(bad_value("depth", expected, depth.as_deref().unwrap_or_default()))
    };
    operator.send(PerpCommand::SetFunding(set), bad).await?;
    Ok(json::body(&FundingTermsSet {
        result: Done,
        cap_bps: set.cap.0.into(),
        depth: DecimalText::of(|out| set.depth.push_floored(out, MONEY_DECIMALS)),
    }))
}
