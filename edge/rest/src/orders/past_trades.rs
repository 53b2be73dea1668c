//! `POST /v1/mytrades`: the account's trades (ORD-074 to ORD-079).

use crate::app::App;
use crate::call::Call;
use crate::history_fault::unread;
use crate::route::Route;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{Role, SymbolId};
use buttonwood_wire::{field, json, order};

/// Trader or Auditor.
pub(crate) const ROUTE: Route = Route::recalling("/v1/mytrades", |app, call| Box::pin(answer(app, call)))
    .roles(&[Role::Trader, Role::Auditor])
    .scope("history:read");

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let payload = call.payload();
    let symbol = symbol(app, payload)?;
    let limit = field::limit(payload, "limit_trades")?;
    let from = payload.timestamp_ms("timestamp")?;
    let account = call.account();
    let rows = app.exchange.query_history(move |history| history.trades(account, symbol, from, limit)).await;
    let rows = rows.map_err(|fault| unread(&fault))?;
    let body = json::array(&rows, |json, row| {
        json.object(|json| {
            order::trade(json, &app.names, row);
            json.flag("is_clearing_fill", false);
            json.plain("symbol", &app.names.symbol(row.symbol).name.to_ascii_uppercase());
        });
    });
    Ok(Reply::json(body))
}

/// The symbol an optional field names (ORD-079).
fn symbol(app: &App, payload: &Payload) -> Result<Option<SymbolId>, Refusal> {
    let Some(name) = payload.text("symbol")? else { return Ok(None) };
    app.find_symbol(&name).map(|(id, _)| Some(id)).ok_or_else(|| field::unknown_symbol(&name))
}
