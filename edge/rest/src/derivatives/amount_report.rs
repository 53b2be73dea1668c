//! `GET /v1/fundingamountreport/records.xlsx`: the funding amounts of a perpetual, one row per hour (PERP-025, PERP-026).

use super::perpetual;
use super::report::{ROWS, SPREADSHEET, hours};
use super::spreadsheet::{Cell, spreadsheet, unmade};
use buttonwood_call::{App, Asked, Route, not_current};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_tables::Amount;
use buttonwood_wire::contract::{Date, InQuery, Needed, ReportRows, Text};
use buttonwood_wire::request;
use buttonwood_wire::time::iso_millis;

/// Anybody.
pub(crate) const ROUTE: Route =
    Route::public_recalling("/v1/fundingamountreport/records.xlsx", |app, asked| {
        Box::pin(answer(app, asked))
    })
    .about("Reports the funding amounts of a perpetual as a spreadsheet, one row per hour, the newest first.")
    .notes(&[
        "Times in the spreadsheet are numbers and all else is text, so that no program rounds an amount. \
         `fromDate` and `toDate` come together.",
    ])
    .takes::<AmountReport>()
    .gives_file(SPREADSHEET);

request! {
    /// Which amounts.
    struct AmountReport in InQuery {
        /// The perpetual, in any letter case.
        symbol: Needed<Text>,
        /// Amounts from this day of UTC on; only with `toDate`.
        from_date as "fromDate": Date,
        /// Amounts up to this day of UTC, which is included; only with `fromDate`.
        to_date as "toDate": Date,
        /// How many hours at most, the newest; more than 50000 are 50000.
        num_rows as "numRows": ReportRows<ROWS>,
    }
}

/// The columns (facts T§2.12).
const HEAD: [&str; 4] = ["symbol", "fundingDateTimeUTC", "fundingTimestampMilliSecs", "amount"];

async fn answer(app: &App, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let request = AmountReport::of(asked.query);
    let (_, symbol) = perpetual(app, request.symbol()?)?;
    let hours = hours([request.from_date()?, request.to_date()?], request.num_rows()?, app.now())?;
    let (name, shown) = (symbol.name.clone(), symbol.name.to_ascii_uppercase());
    let file = format!("FundingAmount_{shown}.xlsx");
    let made = app.exchange.query_tables(move |tables| {
        let rows = tables.funding_amounts(&name, hours)?;
        Ok(spreadsheet(HEAD, rows.into_iter().map(|row| cells(row, &shown))))
    });
    let made = made.await.map_err(|fault| not_current(&fault))?;
    let bytes = made.map_err(|fault| unmade(&fault))?;
    Ok(Reply::plain(SPREADSHEET, bytes).attached(&file))
}

fn cells(amount: Amount, symbol: &str) -> [Cell; 4] {
    [
        Cell::Text(symbol.to_owned()),
        Cell::Text(iso_millis(amount.time)),
        Cell::Millis(amount.time.millis()),
        Cell::Text(amount.amount),
    ]
}
