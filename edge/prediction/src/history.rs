//! `POST /v1/prediction-markets/orders/history`: the account's closed orders of contracts (PM-023).

use super::active::ContractOrderPage;
use super::{READ, READERS, contract_of};
use buttonwood_call::{App, Call, Route, SignedQuery, not_current};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_tables::ContractOrdersPage;
use buttonwood_wire::contract::{Either, InEither, Offset, Rows, Text, Timestamp};
use buttonwood_wire::prediction_order::OwnOrder;
use buttonwood_wire::{json, request, words};

/// The most orders that are left out before a page.
const OFFSET_MAX: usize = 10_000;

/// Trader or Auditor.
pub(crate) const ROUTE: Route =
    Route::recalling("/v1/prediction-markets/orders/history", |app, call| Box::pin(answer(app, call)))
        .roles(READERS)
        .scopes(READ)
        .queried(SignedQuery::Optional)
        .coded()
        .about("Lists the account's closed orders of contracts, those that closed last first.")
        .notes(&["Its parameters may be in the query string too; of one in both the payload counts."])
        .takes::<ClosedContractOrders>()
        .gives::<ContractOrderPage>()
        .refuses(&[404]);

words! {
    /// How an order of a contract ended.
    struct ClosedStatusName: "filled", "cancelled"
}

request! {
    /// Which orders.
    struct ClosedContractOrders in InEither {
        /// Orders that ended this way alone.
        status: ClosedStatusName,
        /// Orders of this contract alone.
        symbol: Text,
        /// Orders that closed at this time or later.
        from: Timestamp,
        /// Orders that closed before this time.
        to: Timestamp,
        /// How many orders; more than 1000 are 1000.
        limit: Rows<50, 1000>,
        /// How many orders are left out before the first one, at most 10000. It counts for nothing with `from` or `to`.
        offset: Offset,
    }
}

/// The orders that a call wants.
///
/// # Errors
/// A bad parameter.
fn wanted(app: &App, either: Either<'_>) -> Result<ContractOrdersPage, Refusal> {
    let sent = ClosedContractOrders::of(either);
    // A time was read as milliseconds, and an offset as no more than 64 bits.
    let sent_as = |name: &str| either.text_of(name).unwrap_or_default();
    let misfit = |name: &str, expected: &str| Refusal::misfit("Field", name, expected, &sent_as(name));
    let filled = match sent.status()?.as_deref() {
        None => None,
        Some("filled") => Some(true),
        Some("cancelled") => Some(false),
        Some(other) => return Err(Refusal::misfit("Field", "status", "filled or cancelled", other)),
    };
    let (from, to, rows, offset) = (sent.from()?, sent.to()?, sent.limit()?, sent.offset()?);
    if let (Some(from), Some(to)) = (from, to)
        && from > to
    {
        return Err(misfit("from", &format!("at most 'to', {}", sent_as("to"))));
    }
    let is_window = from.is_some() || to.is_some();
    if !is_window && offset > OFFSET_MAX {
        let expected = format!("at most {OFFSET_MAX}: 'from' and 'to' reach older orders");
        return Err(misfit("offset", &expected));
    }
    let offset = if is_window { 0 } else { u64::try_from(offset).unwrap_or(u64::MAX) };
    let contract = contract_of(app, sent.symbol()?.as_deref())?;
    Ok(ContractOrdersPage { filled, contract, from, to, offset, rows })
}

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let page = wanted(app, call.either())?;
    let (account, limit, offset) = (call.account(), page.rows, page.offset);
    let rows = app.exchange.query_tables(move |tables| tables.contract_orders(account, &page)).await;
    let rows = rows.map_err(|fault| not_current(&fault))?;
    let views = app.exchange.views();
    let orders = rows.iter().filter_map(|row| OwnOrder::from(row).shown(views.state())).collect();
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    Ok(Reply::json(json::body(&ContractOrderPage::of(orders, limit, offset))))
}
