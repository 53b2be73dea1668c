//! `POST /v1/mytrades`: the account's trades (ORD-074 to ORD-079).

use crate::orders::traded;
use buttonwood_call::{App, Call, Route, unread};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope};
use buttonwood_views::history::Part;
use buttonwood_wire::answers::OwnTrade;
use buttonwood_wire::contract::{InPayload, PageRows, Text, Timestamp};
use buttonwood_wire::{json, order, request};

/// Trader or Auditor.
pub(crate) const ROUTE: Route = Route::recalling("/v1/mytrades", |app, call| Box::pin(answer(app, call)))
    .roles(&[Role::Trader, Role::Auditor])
    .scopes(&[Scope::HistoryRead])
    .about("Lists the account's trades, the newest first.")
    .notes(&[
        "A trade of a contract of the prediction markets has the price and the side of the order's own \
         `outcome`.",
    ])
    .takes::<PastTrades>()
    .gives::<Vec<OwnTrade>>();

request! {
    /// Which trades of the account.
    pub(crate) struct PastTrades in InPayload {
        /// Trades of this symbol alone.
        symbol: Text,
        /// How many trades at most; more than 500 are 500. A page by time ends after a whole millisecond, so it may be shorter, and one
        /// millisecond with more trades than this is listed whole, up to 500; `/v1/order/status` lists the rest of an order's trades.
        limit_trades: PageRows,
        /// Trades from this time on, in seconds or milliseconds; without it the newest ones.
        timestamp: Timestamp,
    }
}

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let request = PastTrades::of(call.payload());
    let symbol = traded(app, request.symbol()?.as_deref())?;
    let limit = request.limit_trades()?;
    let from = request.timestamp()?;
    let account = call.account();
    let rows = app.exchange.query_history(move |history| history.trades(account, symbol, from, limit)).await;
    let rows = rows.map_err(|fault| unread(&fault))?;
    let breaks: Vec<_> = {
        let views = app.exchange.views();
        let breaks = &views.state().floor().breaks;
        rows.into_iter().map(|row| (breaks.of(row.symbol, row.trade), row)).collect()
    };
    let names = app.current_names();
    let body = json::array(&breaks, |json, (broken, row)| {
        json.object(|json| {
            order::trade(json, names, row, *broken);
            json.flag("is_clearing_fill", row.part == Part::Clearing);
            json.plain("symbol", &names.symbol(row.symbol).name.to_ascii_uppercase());
        });
    });
    Ok(Reply::json(body))
}
