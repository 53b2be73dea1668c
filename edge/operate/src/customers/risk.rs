//! `account risk`: the highest leverage of a derivatives account, and whether it has cross collateral.

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::perp::{self, Leverage};
use buttonwood_engine::{AccountKind, Reject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_num::Decimal as Number;
use buttonwood_wire::contract::{Decimal, DecimalText, Done, Flag, InPayload, Needed, Sent, Switch, Text};
use buttonwood_wire::field::{bad_value, wrong_kind};
use buttonwood_wire::{answer, json, request};

/// It bounds what the house may lose, so it takes two operators.
pub(crate) const COMMAND: Command =
    Command::once("account risk", Effect::SetsTerms, |operator, fields| Box::pin(run(operator, fields)))
        .about("Sets the highest leverage of a derivatives account, and whether it has cross collateral.")
        .takes::<Risk>(&[
            Argument::new("group", Form::Place),
            Argument::new("account", Form::Place),
            Argument::new("max_leverage", Form::Option),
            Argument::new("cross_collateral", Form::Switch),
            Argument::new("no_cross_collateral", Form::Switch),
        ])
        .gives::<RiskSet>();

/// `POST /sandbox/accounts/risk`, which says by `cross_collateral` alone whether it has any.
pub const CALL: Command =
    COMMAND.called::<SetRisk, RiskSet>(|operator, fields| Box::pin(call(operator, fields)));

request! {
    /// The settings of an account; those that are left out stay as they are.
    struct Risk in InPayload {
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
        /// Its highest leverage: 1 to 100, with at most two decimals.
        max_leverage: Decimal,
        /// The currencies of `collateral set` are collateral.
        cross_collateral: Flag<false>,
        /// They are none.
        no_cross_collateral: Flag<false>,
    }
}

request! {
    /// The settings of an account; those that are left out stay as they are.
    struct SetRisk in InPayload {
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
        /// Its highest leverage: 1 to 100, with at most two decimals.
        max_leverage: Decimal,
        /// Whether the currencies of `collateral set` are collateral.
        cross_collateral: Sent<Switch>,
    }
}

answer! {
    /// The settings that were sent.
    struct RiskSet {
        /// Always `ok`.
        result: Done,
        /// The name of the account's group.
        group: String,
        /// The short name of the account.
        account: String,
        /// Its highest leverage.
        max_leverage: Option<DecimalText>,
        /// Whether the currencies of `collateral set` are collateral.
        cross_collateral: Option<bool>,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Risk::of(fields);
    let (has, has_not) = (request.cross_collateral()?, request.no_cross_collateral()?);
    if has && has_not {
        return Err(bad_value("no_cross_collateral", "given without cross_collateral", "true"));
    }
    if !has && !has_not && request.max_leverage().is_none() {
        return Err(Refusal::missing_key("max_leverage"));
    }
    set(operator, fields, || Ok((has || has_not).then_some(has))).await
}

async fn call(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let is_sent = SetRisk::of(fields).cross_collateral().is_some();
    set(operator, fields, || is_sent.then(|| fields.flag("cross_collateral", false)).transpose()).await
}

/// Sets what was sent. Both forms of the command have the fields of [`SetRisk`], and read cross collateral in their own way.
async fn set(
    operator: &Operator<'_>,
    fields: &Payload,
    cross: impl FnOnce() -> Result<Option<bool>, Refusal>,
) -> Result<Vec<u8>, Refusal> {
    let request = SetRisk::of(fields);
    let (group, name) = (request.group()?, request.account()?);
    let text = request.max_leverage();
    let leverage =
        text.as_deref().map(|text| leverage(text).ok_or_else(|| bad_leverage(text))).transpose()?;
    let cross = cross()?;
    let account = operator.find_account(&group, &name)?;
    let refuse = |reject| {
        let Reject::Perp(_) = reject else { return None };
        let views = operator.exchange.views();
        let kind = views.state().access().account(account).map_or(AccountKind::Exchange, |found| found.kind);
        Some(wrong_kind(&name, kind.name()))
    };
    operator.send(perp::Command::SetRisk(account, leverage, cross), refuse).await?;
    Ok(json::body(&RiskSet {
        result: Done,
        group: group.into_owned(),
        account: name.into_owned(),
        max_leverage: text.map(|text| DecimalText::of(|out| out.extend_from_slice(text.as_bytes()))),
        cross_collateral: cross,
    }))
}

/// A leverage between 1 and 100, with at most two decimals.
fn leverage(text: &str) -> Option<Leverage> {
    let hundredths = Number::parse(text.as_bytes()).ok()?.units(2)?;
    Leverage::from_hundredths(u16::try_from(hundredths).ok()?)
}

fn bad_leverage(text: &str) -> Refusal {
    bad_value("max_leverage", "a decimal from 1 to 100 with at most two decimals", text)
}
