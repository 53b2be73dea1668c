//! `POST /v1/order/status`: one order, live or closed (ORD-064 to ORD-068).

use super::{body, cancel};
use crate::app::App;
use crate::call::Call;
use crate::field::failed;
use crate::json::{self, Json};
use crate::reply::Reply;
use crate::route::Route;
use buttonwood_gate::Refusal;
use buttonwood_model::Role;
use buttonwood_views::Found;
use buttonwood_views::history::{Fault, TradeRow};

/// Trader or Auditor.
pub(crate) const ROUTE: Route = Route::recalling("/v1/order/status", |app, call| Box::pin(answer(app, call)))
    .roles(&[Role::Trader, Role::Auditor])
    .scope("orders:read");

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let order = cancel::order_ref(call.payload())?;
    let with_trades = call.payload().flag("include_trades", false)?;
    let account = call.account();
    // First: what is closed between the two looks is found by the second.
    let live = app.exchange.views().find_live(account, &order);
    let found = app.exchange.recall(move |history| {
        let Some(found) = Found::last_placed(live, history, account, &order)? else { return Ok(None) };
        let trades = if with_trades { Some(history.trades_of(found.trades)?) } else { None };
        Ok(Some((found.order, trades)))
    });
    let found = found.await;
    let (state, trades) = found.map_err(|fault| unread(&fault))?.ok_or_else(|| cancel::not_found(&order))?;
    // An order may have traded a hundred thousand times.
    let word = |json: &mut Json, row: &TradeRow| json.object(|json| body::trade(json, app, row));
    let trades = match &trades {
        Some(rows) => Some(json::elements(rows, body::TRADE_BYTES, word).await),
        None => None,
    };
    let bytes = body::ORDER_BYTES + trades.as_ref().map_or(0, Vec::len);
    let body = json::object(bytes, |json| body::order(json, app, &state, trades.as_deref()));
    Ok(Reply::json(body))
}

/// The history cannot be read: the operator's trouble, told to him in full.
pub(crate) fn unread(fault: &Fault) -> Refusal {
    tracing::error!(%fault, "history cannot be read");
    failed()
}
