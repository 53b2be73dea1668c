//! The account's payments of funding as a report: `POST …/records.json` and `GET …/records.xlsx` (PERP-022 to PERP-024).

use super::payments::{FundingTransfer, currency};
use super::report::{ROWS, SPREADSHEET, hours};
use super::spreadsheet::{Cell, spreadsheet, unmade};
use buttonwood_call::{App, Call, Route, SignedQuery, not_current};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope};
use buttonwood_tables::{Hours, Payment};
use buttonwood_wire::contract::{Date, InBoth, ReportRows, Shape};
use buttonwood_wire::{json, request};

/// Trader or Auditor.
pub(crate) const JSON: Route =
    report(Route::recalling("/v1/perpetuals/fundingpaymentreport/records.json", |app, call| {
        Box::pin(rows(app, call))
    }))
    .about("Reports what the account paid and received for funding, the newest first.")
    .gives::<Vec<FundingTransfer>>();

/// Trader or Auditor.
pub(crate) const XLSX: Route =
    report(Route::signed_get_recalling("/v1/perpetuals/fundingpaymentreport/records.xlsx", |app, call| {
        Box::pin(file(app, call))
    }))
    .about("Reports what the account paid and received for funding as a spreadsheet, the newest first.")
    .gives_file(SPREADSHEET);

const fn report(route: Route) -> Route {
    route
        .roles(&[Role::Trader, Role::Auditor])
        .scopes(&[Scope::OrdersRead])
        .notes(&[
            "The query string counts before the payload, and `request` names it. `fromDate` and `toDate` \
             come together. In a spreadsheet times are numbers and all else is text.",
        ])
        .queried(SignedQuery::Named)
        .takes::<PaymentReport>()
}

request! {
    /// Which payments.
    struct PaymentReport in InBoth {
        /// Payments from this day of UTC on; only with `toDate`.
        from_date as "fromDate": Date,
        /// Payments up to this day of UTC, which is included; only with `fromDate`.
        to_date as "toDate": Date,
        /// How many payments at most, the newest; more than 50000 are 50000.
        num_rows as "numRows": ReportRows<ROWS>,
    }
}

/// The columns of the spreadsheet (facts F§15.1).
const HEAD: [&str; 7] = [
    "eventType",
    "timestamp",
    "assetCode",
    "action",
    "quantity currency",
    "quantity value",
    "instrumentSymbol",
];

fn wanted(app: &App, call: &Call) -> Result<Hours, Refusal> {
    let request = PaymentReport::of(call.query_and_payload());
    hours([request.from_date()?, request.to_date()?], request.num_rows()?, app.now())
}

async fn rows(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let (hours, account) = (wanted(app, call)?, call.account());
    let rows = app.exchange.query_tables(move |tables| tables.funding_payments(account, hours)).await;
    let rows = rows.map_err(|fault| not_current(&fault))?;
    let currency = currency(app);
    let body =
        json::long_array(&rows, 200, |json, row| FundingTransfer::of(row, &currency).write(json)).await;
    Ok(Reply::json(body))
}

async fn file(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let (hours, account, currency) = (wanted(app, call)?, call.account(), currency(app));
    let made = app.exchange.query_tables(move |tables| {
        let rows = tables.funding_payments(account, hours)?;
        Ok(spreadsheet(HEAD, rows.iter().map(|row| cells(row, &currency))))
    });
    let made = made.await.map_err(|fault| not_current(&fault))?;
    let bytes = made.map_err(|fault| unmade(&fault))?;
    Ok(Reply::plain(SPREADSHEET, bytes).attached("FundingPayment_Report.xlsx"))
}

fn cells(payment: &Payment, currency: &str) -> [Cell; 7] {
    let FundingTransfer { event_type, timestamp, asset_code, action, symbol, .. } =
        FundingTransfer::of(payment, currency);
    [
        Cell::Text(event_type.0.to_owned()),
        Cell::Millis(timestamp),
        Cell::Text(asset_code),
        Cell::Text(action.0.to_owned()),
        Cell::Text(currency.to_owned()),
        Cell::Text(payment.amount.clone()),
        Cell::Text(symbol.unwrap_or_default()),
    ]
}
