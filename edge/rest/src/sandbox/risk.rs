//! `POST /sandbox/accounts/risk`: sets the highest leverage of a derivatives account, and its cross collateral.

use super::control::ControlCall;
use crate::route::Route;
use buttonwood_engine::perp::{self, Leverage};
use buttonwood_engine::{AccountKind, Reject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_num::Decimal as Number;
use buttonwood_wire::contract::{Decimal, DecimalText, Done, InPayload, Needed, Sent, Switch, Text};
use buttonwood_wire::field::{bad_value, wrong_kind};
use buttonwood_wire::{answer, json, request};

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/accounts/risk", |call, _, fields| Box::pin(answer(call, fields)))
        .about("Sets the highest leverage of a derivatives account, and whether it has cross collateral.")
        .takes::<SetRisk>()
        .gives::<RiskSet>();

request! {
    /// The settings of an account; those that are left out stay as they are.
    struct SetRisk in InPayload {
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
        /// Its highest leverage: 1 to 100, with at most two decimals.
        max_leverage: Decimal,
        /// Whether BTC, ETH and USDT are collateral.
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
        /// Whether BTC, ETH and USDT are collateral.
        cross_collateral: Option<bool>,
    }
}

async fn answer(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let request = SetRisk::of(fields);
    let (group, name) = (request.group()?, request.account()?);
    let text = request.max_leverage();
    let leverage =
        text.as_deref().map(|text| leverage(text).ok_or_else(|| bad_leverage(text))).transpose()?;
    let sent = request.cross_collateral().is_some();
    let cross = sent.then(|| fields.flag("cross_collateral", false)).transpose()?;
    let operator = call.operator();
    let account = operator.find_account(&group, &name)?;
    let refuse = |reject| {
        let Reject::Perp(_) = reject else { return None };
        let views = operator.exchange.views();
        let kind = views.state().access().account(account).map_or(AccountKind::Exchange, |found| found.kind);
        Some(wrong_kind(&name, kind.name()))
    };
    operator.send(perp::Command::SetRisk(account, leverage, cross), refuse).await?;
    Ok(Reply::json(json::body(&RiskSet {
        result: Done,
        group: group.into_owned(),
        account: name.into_owned(),
        max_leverage: text.map(|text| DecimalText::of(|out| out.extend_from_slice(text.as_bytes()))),
        cross_collateral: cross,
    })))
}

/// A leverage between 1 and 100, with at most two decimals.
fn leverage(text: &str) -> Option<Leverage> {
    let hundredths = Number::parse(text.as_bytes()).ok()?.units(2)?;
    Leverage::from_hundredths(u16::try_from(hundredths).ok()?)
}

fn bad_leverage(text: &str) -> Refusal {
    bad_value("max_leverage", "a decimal from 1 to 100 with at most two decimals", text)
}
