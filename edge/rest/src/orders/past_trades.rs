//! `POST /v1/mytrades`: the account's trades (ORD-074 to ORD-079).

use super::{body, status};
use crate::app::App;
use crate::call::Call;
use crate::field;
use crate::json;
use crate::reply::Reply;
use crate::route::Route;
use buttonwood_gate::Refusal;
use buttonwood_model::Role;

/// Trader or Auditor.
pub(crate) const ROUTE: Route = Route::recalling("/v1/mytrades", |app, call| Box::pin(answer(app, call)))
    .roles(&[Role::Trader, Role::Auditor])
    .scope("history:read");

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let payload = call.payload();
    let symbol = field::symbol(app, payload)?;
    let limit = field::limit(payload, "limit_trades")?;
    let from = payload.timestamp_ms("timestamp")?;
    let account = call.account();
    let rows = app.exchange.recall(move |history| history.trades(account, symbol, from, limit)).await;
    let rows = rows.map_err(|fault| status::unread(&fault))?;
    let body = json::array(&rows, |json, row| {
        json.object(|json| {
            body::trade(json, app, row);
            json.flag("is_clearing_fill", false);
            json.plain("symbol", &app.listed.symbol(row.symbol).name.to_ascii_uppercase());
        });
    });
    Ok(Reply::json(body))
}
