//! `POST /v2/withdraw/{network}/{ticker}/feeEstimate`: what a withdrawal would cost (XFER-022, XFER-023; facts F§6).

use super::{Order, check_open, destination, named_pair};
use crate::funds::field;
use buttonwood_call::{App, Call, Route};
use buttonwood_engine::funds::FeeTerms;
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_wire::contract::{Decimal, DecimalNumber, InPayload, Needed, Sent, Text};
use buttonwood_wire::field::{bad_value, failed};
use buttonwood_wire::{answer, json, request};

/// Any role. The address must be one of the network, and need not be approved.
pub(crate) const ROUTE: Route = Route::reading("/v2/withdraw/{network}/{ticker}/feeEstimate", answer)
    .about("Shows what a withdrawal would cost now.")
    .takes::<Planned>()
    .gives::<Estimate>()
    .refuses(&[404]);

request! {
    /// The withdrawal that is planned.
    struct Planned in InPayload {
        /// Where it would go.
        address: Needed<Text>,
        /// How much would arrive there.
        amount: Needed<Decimal>,
        /// A memo for the receiver, on cosmos, solana and xrpl.
        memo: Sent<Text>,
    }
}

answer! {
    /// The cost of a withdrawal.
    struct Estimate {
        /// The currency, in upper case.
        currency: String,
        /// The fee, in the currency.
        fee: DecimalNumber,
        /// Whether an operator lets the account withdraw for nothing.
        is_override as "isOverride": bool,
        /// Free withdrawals of the account's group in the currency, in each UTC month.
        monthly_limit as "monthlyLimit": u64,
        /// Those that are left to the group in this month.
        monthly_remaining as "monthlyRemaining": u64,
    }
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    check_open(app, call)?;
    let pair = named_pair(app, call)?;
    destination(app, &pair, call.payload())?;
    let text = Order::of(call.payload()).amount()?;
    let currency = app.names.currency(pair.currency);
    let amount = field::amount(currency, &text)?;
    let views = app.exchange.views();
    let context = views.state().of_funds(app.now_of(&views));
    let outlet = context.room.outlet(&pair.network, pair.currency).ok_or_else(failed)?;
    if !outlet.fits(amount) {
        let expected =
            format!("a positive amount of {} with at most {} decimals", currency.code, outlet.decimals);
        return Err(bad_value("amount", &expected, &text).with_reason(Reason::InvalidQuantity));
    }
    let terms = FeeTerms::of(&context, call.account(), pair.currency, &outlet);
    Ok(Reply::json(json::body(&Estimate {
        currency: currency.code.clone(),
        fee: DecimalNumber::of(|out| terms.fee.push_floored(out, currency.decimals)),
        is_override: terms.is_override,
        monthly_limit: u64::from(terms.monthly_limit),
        monthly_remaining: u64::from(terms.monthly_remaining),
    })))
}
