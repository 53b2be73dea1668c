//! `GET /v1/fundingamount/{symbol}` and `GET /v1/nextfundingtimestamp/{symbol}` (PERP-013 to PERP-016, D-50).

use super::perpetual;
use buttonwood_call::{App, Asked, Route};
use buttonwood_engine::perp::funding::{HourAmount, hour_of, next_hour};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{DecimalNumber, IsoTime};
use buttonwood_wire::time::iso_millis;
use buttonwood_wire::{answer, json};
use http::StatusCode;

/// The description of the answer to an unknown symbol.
const UNKNOWN: &str = "There is no such perpetual; the body is empty.";

/// Anybody.
pub(crate) const AMOUNT: Route = Route::public("/v1/fundingamount/{symbol}", amount)
    .about("Reads the funding amount of the last full hour of a perpetual, and that of the next one by its minutes so far.")
    .notes(&[
        "Before the first hour that was cut, `amount` is 0 at the last full hour. An unknown symbol is \
         answered 404 without a body.",
    ])
    .gives::<FundingAmount>()
    .says(404, UNKNOWN);

/// Anybody.
pub(crate) const NEXT: Route = Route::public("/v1/nextfundingtimestamp/{symbol}", next)
    .about("Reads the time of a perpetual's next funding, in milliseconds: the next full hour.")
    .notes(&["An unknown symbol is answered 404 without a body."])
    .gives::<u64>()
    .says(404, UNKNOWN);

answer! {
    /// The funding of a perpetual, in dollars for one unit of base; positive if longs pay. Two values have two names.
    struct FundingAmount {
        /// The perpetual, in upper case.
        symbol: String,
        /// The last full hour.
        date_time_utc as "fundingDateTimeUTC": IsoTime,
        /// The last full hour.
        date_time as "fundingDateTime": IsoTime,
        /// The last full hour, in milliseconds.
        timestamp_millis as "fundingTimestampMilliSecs": u64,
        /// The next full hour, in milliseconds.
        next_timestamp as "nextFundingTimestamp": u64,
        /// The amount that a long position of one unit paid for the last full hour.
        amount: DecimalNumber,
        /// The same.
        second_name as "fundingAmount": DecimalNumber,
        /// The same for the hour that runs, by its full minutes so far.
        estimated_amount as "estimatedFundingAmount": DecimalNumber,
    }
}

fn amount(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let Ok((id, symbol)) = perpetual(app, asked.parameter) else { return Ok(unknown()) };
    let now = app.now();
    let (last, estimate) = {
        let views = app.exchange.views();
        let perps = views.state().perps();
        (perps.funding_amount(id), perps.funding_estimate(id, now))
    };
    let last = last.unwrap_or(HourAmount { hour: hour_of(now), amount: Money::ZERO });
    let date_time = IsoTime(iso_millis(last.hour));
    Ok(Reply::json(json::body(&FundingAmount {
        symbol: symbol.name.to_ascii_uppercase(),
        date_time_utc: date_time.clone(),
        date_time,
        timestamp_millis: last.hour.millis(),
        next_timestamp: next_hour(now).millis(),
        amount: number(last.amount),
        second_name: number(last.amount),
        estimated_amount: number(estimate),
    })))
}

fn next(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let Ok(_) = perpetual(app, asked.parameter) else { return Ok(unknown()) };
    Ok(Reply::json(json::body(&next_hour(app.now()).millis())))
}

fn unknown() -> Reply {
    Reply::text(StatusCode::NOT_FOUND, "")
}

fn number(amount: Money) -> DecimalNumber {
    DecimalNumber::of(|out| amount.push_floored(out, MONEY_DECIMALS))
}
