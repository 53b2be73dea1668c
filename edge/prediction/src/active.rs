//! `POST /v1/prediction-markets/orders/active`: the account's live orders of contracts (PM-022).

use super::{READ, READERS, contract_of};
use buttonwood_call::{App, Call, Route, SignedQuery, unread};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_views::Found;
use buttonwood_views::history::Position;
use buttonwood_wire::contract::{InEither, Offset, Rows, Text};
use buttonwood_wire::prediction_order::{ContractOrder, OwnOrder};
use buttonwood_wire::{answer, json, request};

/// Trader or Auditor.
pub(crate) const ROUTE: Route =
    Route::recalling("/v1/prediction-markets/orders/active", |app, call| Box::pin(answer(app, call)))
        .roles(READERS)
        .scopes(READ)
        .queried(SignedQuery::Optional)
        .coded()
        .about("Lists the account's live orders of contracts, those that were placed last first.")
        .notes(&[
            "Its parameters may be in the query string too; of one in both the payload counts. `updatedAt` is the time of the order's \
             newest trade, and of an order without trades that of its placement.",
        ])
        .takes::<ActiveContractOrders>()
        .gives::<ContractOrderPage>()
        .refuses(&[404]);

request! {
    /// Which orders.
    struct ActiveContractOrders in InEither {
        /// Orders of this contract alone.
        symbol: Text,
        /// How many orders; more than 100 are 100.
        limit: Rows<50, 100>,
        /// How many orders are left out before the first one.
        offset: Offset,
    }
}

answer! {
    /// Orders of contracts.
    pub(super) struct ContractOrderPage {
        /// The orders.
        pub(super) orders: Vec<ContractOrder>,
        /// The place of the page.
        pub(super) pagination: OrderPagination,
    }
}

answer! {
    /// The place of a page in a list of orders.
    pub(super) struct OrderPagination {
        /// How many orders the page may have.
        pub(super) limit: u64,
        /// How many orders were left out before it.
        pub(super) offset: u64,
        /// How many orders it has.
        pub(super) count: u64,
    }
}

impl ContractOrderPage {
    /// A page of orders.
    pub(super) fn of(orders: Vec<ContractOrder>, limit: usize, offset: usize) -> Self {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let count = number(orders.len());
        let pagination = OrderPagination { limit: number(limit), offset: number(offset), count };
        Self { orders, pagination }
    }
}

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let sent = ActiveContractOrders::of(call.either());
    let (limit, offset) = (sent.limit()?, sent.offset()?);
    let contract = contract_of(app, sent.symbol()?.as_deref())?;
    let found: Vec<Found> = {
        let views = app.exchange.views();
        let own = views.state().orders().of_account(call.account()).filter(|(_, order)| {
            order.symbol.is_contract() && contract.is_none_or(|contract| contract == order.symbol)
        });
        own.skip(offset).take(limit).map(|(slot, _)| views.live(slot)).collect()
    };
    let newest: Vec<Option<Position>> = found.iter().map(|found| found.trades).collect();
    let filled = app.exchange.query_history(move |history| {
        newest.iter().map(|at| at.map(|at| history.trade_time(at)).transpose()).collect::<Result<Vec<_>, _>>()
    });
    let filled = filled.await.map_err(|fault| unread(&fault))?;
    let views = app.exchange.views();
    let state = views.state();
    let shown = found.iter().zip(filled).filter_map(|(Found { order, .. }, filled)| {
        let updated = filled.unwrap_or(order.placed);
        OwnOrder::of(state.symbol(order.symbol)?, order, updated)?.shown(state)
    });
    Ok(Reply::json(json::body(&ContractOrderPage::of(shown.collect(), limit, offset))))
}
