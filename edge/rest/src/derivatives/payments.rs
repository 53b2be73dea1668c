//! `POST /v1/perpetuals/fundingPayment`: what the account paid and received for funding (PERP-018 to PERP-021).

use buttonwood_call::{App, Call, Route, SignedQuery, not_current};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Day, Role, Scope, Time};
use buttonwood_tables::{Hours, Payment};
use buttonwood_wire::contract::{DecimalText, InBoth, REPORT_ROWS_MAX, Shape, Whole};
use buttonwood_wire::{answer, json, request, words};

/// Trader or Auditor.
pub(crate) const ROUTE: Route =
    Route::recalling("/v1/perpetuals/fundingPayment", |app, call| Box::pin(answer(app, call)))
        .roles(&[Role::Trader, Role::Auditor])
        .scopes(&[Scope::OrdersRead])
        .about("Lists what the account paid and received for funding, the newest first.")
        .notes(&[
            "The query string counts before the payload, and both must be readable. `request` may leave \
             the query string out. Payments of one hour are sorted by symbol.",
        ])
        .queried(SignedQuery::Optional)
        .takes::<FundingPayments>()
        .gives::<Vec<FundingPayment>>();

request! {
    /// Which payments.
    struct FundingPayments in InBoth {
        /// Payments from this time on, in milliseconds; without it those of the past 24 hours.
        since: Whole,
        /// Payments up to this time, in milliseconds; without it up to now.
        to: Whole,
    }
}

words! {
    /// The reason for a payment.
    pub(super) struct FundingEvent: "Hourly Funding Transfer"
}

words! {
    /// Whether the account received or paid.
    pub(super) struct FundingAction: "Credit", "Debit"
}

answer! {
    /// A payment of funding.
    struct FundingPayment {
        /// The reason for the payment.
        event_type as "eventType": FundingEvent,
        /// The payment.
        transfer as "hourlyFundingTransfer": FundingTransfer,
    }
}

answer! {
    /// The payment of an account, or to it, for one hour of a perpetual.
    pub(super) struct FundingTransfer {
        /// The reason for the payment.
        pub(super) event_type as "eventType": FundingEvent,
        /// The end of the hour, in milliseconds.
        pub(super) timestamp: u64,
        /// The currency.
        pub(super) asset_code as "assetCode": String,
        /// Whether the account received or paid.
        pub(super) action: FundingAction,
        /// How much.
        pub(super) quantity: FundingQuantity,
        /// The perpetual, in upper case; not in payments before 16 April 2024.
        pub(super) symbol as "instrumentSymbol": Option<String>,
    }
}

answer! {
    /// An amount of a currency.
    pub(super) struct FundingQuantity {
        /// The currency.
        pub(super) currency: String,
        /// How much, without a sign.
        pub(super) value: DecimalText,
    }
}

/// The first moment whose payments name their perpetual: 16 April 2024 (PERP-020).
const NAMED_FROM: Time = Time(1_713_225_600 * Time::SECOND);

impl FundingTransfer {
    /// A payment in a currency.
    pub(super) fn of(payment: &Payment, currency: &str) -> Self {
        let value = DecimalText::of(|out| out.extend_from_slice(payment.amount.as_bytes()));
        Self {
            event_type: FundingEvent("Hourly Funding Transfer"),
            timestamp: payment.time.millis(),
            asset_code: currency.to_owned(),
            action: FundingAction(if payment.is_credit { "Credit" } else { "Debit" }),
            quantity: FundingQuantity { currency: currency.to_owned(), value },
            symbol: (payment.time >= NAMED_FROM).then(|| payment.symbol.to_ascii_uppercase()),
        }
    }
}

/// The code of the currency in which perpetuals are settled.
pub(super) fn currency(app: &App) -> String {
    let gusd = app.exchange.views().state().gusd();
    gusd.map_or_else(String::new, |gusd| app.names.currency(gusd).code.clone())
}

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let request = FundingPayments::of(call.query_and_payload());
    let (since, to, now) = (request.since()?, request.to()?, app.now());
    let day_ago = Time(now.0.saturating_sub(Day::MICROS)).millis();
    let (from, to) = (since.unwrap_or(day_ago), to.unwrap_or_else(|| now.millis()));
    let hours = Hours { from, to, rows: REPORT_ROWS_MAX };
    let account = call.account();
    let rows = app.exchange.query_tables(move |tables| tables.funding_payments(account, hours)).await;
    let rows = rows.map_err(|fault| not_current(&fault))?;
    let currency = currency(app);
    let body = json::long_array(&rows, 250, |json, row| {
        let transfer = FundingTransfer::of(row, &currency);
        FundingPayment { event_type: transfer.event_type, transfer }.write(json);
    });
    Ok(Reply::json(body.await))
}
