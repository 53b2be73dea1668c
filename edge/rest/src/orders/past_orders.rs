//! `POST /v1/orders/history`: the account's closed orders with their trades (ORD-070 to ORD-073, ORD-078, ORD-079).

use buttonwood_call::{App, Call, Route, unread};
use buttonwood_engine::Breaks;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope};
use buttonwood_views::history::{PastOrder, TradeRow};
use buttonwood_wire::answers::Order;
use buttonwood_wire::contract::{InPayload, PageRows, Text, Timestamp};
use buttonwood_wire::{Json, json, order, request};

/// Trader or Auditor.
pub(crate) const ROUTE: Route =
    Route::recalling("/v1/orders/history", |app, call| Box::pin(answer(app, call)))
        .roles(&[Role::Trader, Role::Auditor])
        .scopes(&[Scope::HistoryRead])
        .about("Lists the account's closed orders with their trades, the one placed last first.")
        .takes::<PastOrders>()
        .gives::<Vec<Order>>();

request! {
    /// Which closed orders of the account.
    pub(crate) struct PastOrders in InPayload {
        /// Orders of this symbol alone.
        symbol: Text,
        /// How many orders at most; more than 500 are 500. A page by time ends after a whole millisecond of placing, and before the order
        /// with which it would have more than 10,000 trades, but has one order at least.
        limit_orders: PageRows,
        /// Orders placed from this time on, in seconds or milliseconds; without it the newest ones. An order that was live while a client
        /// paged past its time is in no later page: a client that keeps a copy pages again from the time of its oldest live order.
        timestamp: Timestamp,
    }
}

/// Most trades of a page, which then ends early: an order may have traded a hundred thousand times.
const MOST_TRADES: usize = 10_000;

/// Trades that are written without a pause: some tenths of a millisecond.
const AT_ONCE: usize = 500;

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let request = PastOrders::of(call.payload());
    let symbol = app.listed(request.symbol()?.as_deref())?;
    let limit = request.limit_orders()?;
    let from = request.timestamp()?;
    let account = call.account();
    let page = app
        .exchange
        .query_history(move |history| history.orders(account, symbol, from, limit, MOST_TRADES))
        .await;
    let page = page.map_err(|fault| unread(&fault))?;
    let breaks = app.exchange.views().state().floor().breaks.clone();
    let trades = trades(app, &breaks, &page).await;
    Ok(Reply::json(json::array(page.iter().zip(&trades), |json, (past, trades)| {
        let state = breaks.correct(past.row.order);
        json.object(|json| order::order(json, &app.names, &state, Some(trades)));
    })))
}

/// The trades of each order in JSON. Other tasks of the thread run in between.
async fn trades(app: &App, breaks: &Breaks, page: &[PastOrder]) -> Vec<Vec<u8>> {
    let word = |json: &mut Json, row: &TradeRow| {
        json.object(|json| order::trade(json, &app.names, row, breaks.of(row.symbol, row.trade)));
    };
    let mut all = Vec::with_capacity(page.len());
    let mut written = 0;
    for past in page {
        if written > AT_ONCE {
            tokio::task::yield_now().await;
            written = 0;
        }
        written += past.trades.len();
        all.push(json::elements(&past.trades, order::TRADE_BYTES, word).await);
    }
    all
}
