//! `POST /sandbox/ledger/insurance`: pays the insurance fund from the source account.

use super::control::ControlCall;
use crate::route::Route;
use buttonwood_engine::{Body, INSURANCE, Reject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_num::MONEY_DECIMALS;
use buttonwood_operate::{amount, bad_amount};
use buttonwood_wire::contract::{Decimal, DecimalText, Done, InPayload, Needed, Text};
use buttonwood_wire::field::failed;
use buttonwood_wire::{answer, json, request};

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/ledger/insurance", |call, _, fields| Box::pin(answer(call, fields)))
        .about("Pays the insurance fund from the house's source account.")
        .takes::<Insure>()
        .gives::<Insured>();

request! {
    /// Money for the insurance fund.
    struct Insure in InPayload {
        /// The currency.
        currency: Needed<Text>,
        /// How much.
        amount: Needed<Decimal>,
    }
}

answer! {
    /// The payment to the insurance fund.
    struct Insured {
        /// Always `ok`.
        result: Done,
        /// The currency.
        currency: String,
        /// How much.
        amount: DecimalText,
    }
}

async fn answer(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let request = Insure::of(fields);
    let (code, text) = (request.currency()?, request.amount()?);
    let operator = call.operator();
    let currency = operator.find_currency(&code)?;
    let money = amount(&text)?;
    let fund = operator.exchange.views().state().ledger().house(INSURANCE.name).ok_or_else(failed)?;
    let refuse = |reject| matches!(reject, Reject::Ledger(_)).then(|| bad_amount(&text));
    operator.send(Body::credit(fund, vec![(currency, money)]), refuse).await?;
    Ok(Reply::json(json::body(&Insured {
        result: Done,
        currency: operator.names.currency(currency).code.clone(),
        amount: DecimalText::of(|out| money.push_floored(out, MONEY_DECIMALS)),
    })))
}
