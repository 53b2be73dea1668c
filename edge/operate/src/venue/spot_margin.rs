//! `margin set`: the conditions of spot margin (MARG-004, MARG-005, MARG-010).

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::Reject;
use buttonwood_engine::perp::Leverage;
use buttonwood_engine::spot_margin::{Command as MarginCommand, Conditions};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_num::{Bps, Decimal as Number, MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{Decimal, DecimalText, Done, InPayload, WholeUpTo};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// Only for operators: a sandbox has the usual conditions unless one changes them.
pub(crate) const COMMAND: Command =
    Command::once("margin set", Effect::SetsTerms, |operator, fields| Box::pin(run(operator, fields)))
        .about("Sets the conditions of spot margin; those that are left out stay as they are.")
        .takes::<NewConditions>(&[
            Argument::new("initial_bps", Form::Option),
            Argument::new("maintenance_bps", Form::Option),
            Argument::new("max_leverage", Form::Option),
            Argument::new("usd_rate", Form::Option),
            Argument::new("other_rate", Form::Option),
        ])
        .gives::<ConditionsSet>();

request! {
    /// Conditions of spot margin.
    struct NewConditions in InPayload {
        /// The part of the notional that is not available as collateral, in basis points.
        initial_bps: WholeUpTo<10_000>,
        /// The part of the notional below which an account is liquidated, in basis points.
        maintenance_bps: WholeUpTo<10_000>,
        /// The highest notional as a multiple of the assets: 1 to 100, with at most two decimals. An account that reaches it must be
        /// above maintenance.
        max_leverage: Decimal,
        /// The annual rate of dollars; 1 is 100 %.
        usd_rate: Decimal,
        /// The annual rate of other currencies.
        other_rate: Decimal,
    }
}

answer! {
    /// The conditions in force.
    struct ConditionsSet {
        /// Always `ok`.
        result: Done,
        /// The part of the notional that is not available as collateral, in basis points.
        initial_bps: u64,
        /// The part of the notional below which an account is liquidated, in basis points.
        maintenance_bps: u64,
        /// The highest notional as a multiple of the assets.
        max_leverage: DecimalText,
        /// The annual rate of dollars; 1 is 100 %.
        usd_rate: DecimalText,
        /// The annual rate of other currencies.
        other_rate: DecimalText,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = NewConditions::of(fields);
    let mut set = *operator.exchange.views().state().spot_margin().conditions();
    let bps =
        |sent: Option<u64>, before: Bps| sent.and_then(|bps| u16::try_from(bps).ok()).map_or(before, Bps);
    set.initial = bps(request.initial_bps()?, set.initial);
    set.maintenance = bps(request.maintenance_bps()?, set.maintenance);
    if let Some(text) = request.max_leverage() {
        set.leverage = leverage(&text).ok_or_else(|| {
            bad_value("max_leverage", "a decimal from 1 to 100 with at most two decimals", &text)
        })?;
    }
    for (name, sent, rate) in [
        ("usd_rate", request.usd_rate(), &mut set.dollar_rate),
        ("other_rate", request.other_rate(), &mut set.other_rate),
    ] {
        if let Some(text) = sent {
            let read = Number::parse(text.as_bytes()).ok().and_then(Money::from_decimal);
            let read = read.filter(|rate| *rate <= Money::ONE);
            *rate = read.ok_or_else(|| bad_value(name, "a decimal from 0 to 1", &text))?;
        }
    }
    let bad = |reject| {
        let Reject::SpotMargin(_) = reject else { return None };
        let expected = "above 0, and less than the whole divided by the highest leverage";
        Some(bad_value("maintenance_bps", expected, &set.maintenance.0.to_string()))
    };
    operator.send(MarginCommand::SetConditions(set), bad).await?;
    Ok(json::body(&shown(&set)))
}

fn leverage(text: &str) -> Option<Leverage> {
    let hundredths = Number::parse(text.as_bytes()).ok()?.units(2)?;
    Leverage::from_hundredths(u16::try_from(hundredths).ok()?)
}

fn shown(set: &Conditions) -> ConditionsSet {
    let decimal = |amount: Money| DecimalText::of(|out| amount.push_floored(out, MONEY_DECIMALS));
    let hundredths = Money::ONE.units() / 100 * i128::from(set.leverage.hundredths());
    ConditionsSet {
        result: Done,
        initial_bps: set.initial.0.into(),
        maintenance_bps: set.maintenance.0.into(),
        max_leverage: decimal(Money::from_units(hundredths)),
        usd_rate: decimal(set.dollar_rate),
        other_rate: decimal(set.other_rate),
    }
}
