//! `fees schedule`: fee tiers by the dollar volume of 30 days (VOL-005).

use super::rates::{self, Rate};
use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::{FeeTier, FeeTiers, TIERS_MAX, TradingCommand};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::Product;
use buttonwood_num::{Decimal as Number, MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{Decimal, DecimalText, Done, InPayload, Needed, Objects};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// Also `POST /sandbox/fees/schedule`.
pub const COMMAND: Command =
    Command::once("fees schedule", Effect::SetsTerms, |operator, fields| Box::pin(run(operator, fields)))
        .about("Sets fee tiers by the dollar volume of 30 days.")
        .takes::<SetTiers>(&[Argument::new("tiers", Form::File).named("file")])
        .gives::<TiersSet>();

request! {
    /// Fee tiers.
    struct SetTiers in InPayload {
        /// The tiers, by ascending `from`; the first one begins at 0.
        tiers: Needed<Objects<SetTier<'static>>>,
    }
}

request! {
    /// One tier.
    struct SetTier in InPayload {
        /// The volume of 30 days, in dollars, from which on an account has these rates.
        from: Needed<Decimal>,
        /// The rate of a maker, in basis points.
        maker_bps: Needed<Rate>,
        /// The rate of a taker, in basis points.
        taker_bps: Needed<Rate>,
        /// The rate in auctions, in basis points; that of a maker without it.
        auction_bps: Rate,
    }
}

answer! {
    /// The tiers from now on.
    struct TiersSet {
        /// Always `ok`.
        result: Done,
        /// The tiers, by ascending `from`.
        tiers: Vec<Tier>,
    }
}

answer! {
    /// One tier.
    struct Tier {
        /// The volume of 30 days, in dollars, from which on an account has these rates.
        from: DecimalText,
        /// The rate of a maker, in basis points.
        maker_bps: u64,
        /// The rate of a taker, in basis points.
        taker_bps: u64,
        /// The rate in auctions, in basis points.
        auction_bps: u64,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let sent = SetTiers::of(fields).tiers()?;
    let count = sent.len();
    if count == 0 || count > TIERS_MAX {
        let expected = format!("an array of 1 to {TIERS_MAX} tiers");
        return Err(bad_value("tiers", &expected, &format!("{count} tiers")));
    }
    let mut tiers: Vec<FeeTier> = Vec::with_capacity(count);
    for (number, fields) in (1..).zip(&sent) {
        let tier = read(fields, tiers.last());
        tiers.push(tier.map_err(|refusal| refusal.and(&format!("it is in tier {number} of 'tiers'")))?);
    }
    let answer = tiers.iter().map(shown).collect();
    let tiers = FeeTiers { product: Product::Spot, tiers };
    rates::set(operator, TradingCommand::SetFeeTiers(Arc::new(tiers))).await?;
    Ok(json::body(&TiersSet { result: Done, tiers: answer }))
}

fn read(fields: &Payload, before: Option<&FeeTier>) -> Result<FeeTier, Refusal> {
    let request = SetTier::of(fields);
    let text = request.from()?;
    let from = Number::parse(text.as_bytes()).ok().and_then(Money::from_decimal);
    let from = from.ok_or_else(|| bad_value("from", "a decimal of dollars, not negative", &text))?;
    match before {
        None if from != Money::ZERO => return Err(bad_value("from", "0 in the first tier", &text)),
        Some(before) if from <= before.from => {
            return Err(bad_value("from", "higher than in the tier before", &text));
        }
        None | Some(_) => {}
    }
    let rates = rates::schedule(request.maker_bps()?, request.taker_bps()?, request.auction_bps()?)?;
    Ok(FeeTier { from, rates })
}

fn shown(tier: &FeeTier) -> Tier {
    Tier {
        from: DecimalText::of(|out| tier.from.push_floored(out, MONEY_DECIMALS)),
        maker_bps: tier.rates.maker.0.into(),
        taker_bps: tier.rates.taker.0.into(),
        auction_bps: tier.rates.auction.0.into(),
    }
}
