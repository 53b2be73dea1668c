//! `POST /v1/margin/rates`: what borrowing costs (MARG-005).

use crate::derivatives::exact;
use buttonwood_call::{App, Call, Kinds, Route};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope};
use buttonwood_wire::contract::DecimalText;
use buttonwood_wire::{answer, json};

/// Trader, Fund Manager or Auditor, on a margin account.
pub(crate) const ROUTE: Route = Route::reading("/v1/margin/rates", answer)
    .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
    .scopes(&[Scope::BalancesRead])
    .kinds(Kinds::Margin)
    .about("Lists the rates of interest on borrowed money.")
    .gives::<BorrowRates>();

answer! {
    /// The rates of all currencies that margin orders trade.
    struct BorrowRates {
        /// By the code of the currency.
        rates: Vec<RatesOfCurrency>,
    }
}

answer! {
    /// The rates of a currency; 1 is 100 %.
    struct RatesOfCurrency {
        /// The currency.
        currency: String,
        /// The rate of an hour: that of a year ÷ 8760, cut to 14 decimals.
        borrow_rate as "borrowRate": DecimalText,
        /// 24 times the rate of an hour.
        borrow_rate_daily as "borrowRateDaily": DecimalText,
        /// The rate of a year.
        borrow_rate_annual as "borrowRateAnnual": DecimalText,
        /// The full hour from which on the rates count, in milliseconds.
        last_updated as "lastUpdated": u64,
    }
}

const HOUR_MS: u64 = 3_600_000;

fn answer(app: &App, _call: &Call) -> Result<Reply, Refusal> {
    let views = app.exchange.views();
    let margin = views.state().spot_margin();
    let codes = margin.coins().map(|(coin, _)| app.names.currency(coin.currency).code.clone());
    let mut codes: Vec<String> = codes.chain(["USD".to_owned()]).collect();
    codes.sort_unstable();
    let hour = app.now_of(&views).0 / 1_000 / HOUR_MS * HOUR_MS;
    let rates = codes.into_iter().map(|currency| {
        let (annual, rate) = margin.conditions().rate(&currency);
        RatesOfCurrency {
            currency,
            borrow_rate: exact(rate.hourly()),
            borrow_rate_daily: exact(rate.daily()),
            borrow_rate_annual: exact(annual),
            last_updated: hour,
        }
    });
    Ok(Reply::json(json::body(&BorrowRates { rates: rates.collect() })))
}
