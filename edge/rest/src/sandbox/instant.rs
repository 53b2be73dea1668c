//! `POST /sandbox/instant`: sets the terms of instant orders.

use super::control::{ControlCall, operate};
use crate::route::Route;
use buttonwood_engine::{ConvertCommand, Outcome, Reject, Terms};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_num::{Bps, Decimal as Number, MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{Decimal, DecimalText, Done, InPayload, Needed, WholeUpTo};
use buttonwood_wire::field::{bad_value, failed, no_space};
use buttonwood_wire::{answer, json, request};

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/instant", |app, _, fields| Box::pin(answer(app, fields)))
        .about("Sets the fee of instant orders and the limit on what the house owes from them.")
        .takes::<InstantTerms>()
        .gives::<InstantTermsSet>();

request! {
    /// The terms of instant orders.
    struct InstantTerms in InPayload {
        /// The rate of the fee of later quotes, in basis points.
        fee_bps: Needed<WholeUpTo<10_000>>,
        /// The most that the house may owe from instant orders, in dollars.
        exposure_usd: Needed<Decimal>,
    }
}

answer! {
    /// The terms that were set.
    struct InstantTermsSet {
        /// Always `ok`.
        result: Done,
        /// The rate of the fee, in basis points.
        fee_bps: u64,
        /// The most that the house may owe, in dollars.
        exposure_usd: DecimalText,
    }
}

async fn answer(app: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let sent = InstantTerms::of(fields);
    let fee_bps = sent.fee_bps()?;
    let text = sent.exposure_usd()?;
    let exposure = Number::parse(text.as_bytes()).ok().and_then(Money::from_decimal);
    let exposure =
        exposure.ok_or_else(|| bad_value("exposure_usd", "an amount of dollars, 0 or more", &text))?;
    let fee = Bps(u16::try_from(fee_bps).map_err(|_| failed())?);
    match operate(app, ConvertCommand::SetTerms(Terms { fee, exposure }).into()).await? {
        Outcome::Done => {}
        Outcome::Rejected(Reject::NoRoom) => return Err(no_space()),
        Outcome::Rejected(_) | Outcome::Trading(_) | Outcome::Converted(_) | Outcome::Funds(_) => {
            return Err(failed());
        }
    }
    let exposure_usd = DecimalText::of(|out| exposure.push_floored(out, MONEY_DECIMALS));
    Ok(Reply::json(json::body(&InstantTermsSet { result: Done, fee_bps, exposure_usd })))
}
