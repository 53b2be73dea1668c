//! `POST /v1/order/status`: one order, live or closed (ORD-064 to ORD-068).

use super::{body, cancel};
use crate::app::App;
use crate::call::Call;
use crate::field::failed;
use crate::json;
use crate::reply::Reply;
use crate::route::Route;
use buttonwood_gate::Refusal;
use buttonwood_model::Role;
use buttonwood_views::history::Fault;

/// Trader or Auditor.
pub(crate) const ROUTE: Route =
    Route::reading("/v1/order/status", answer).roles(&[Role::Trader, Role::Auditor]).scope("orders:read");

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let order = cancel::order_ref(call.payload())?;
    let with_trades = call.payload().flag("include_trades", false)?;
    let found = {
        let views = app.exchange.views();
        views.find(call.account(), &order).and_then(|found| {
            let Some(found) = found else { return Ok(None) };
            let trades = if with_trades { Some(views.history().trades_of(found.trades)?) } else { None };
            Ok(Some((found.order, trades)))
        })
    };
    let (state, trades) = found.map_err(|fault| unread(&fault))?.ok_or_else(|| cancel::not_found(&order))?;
    let body = json::object(body::ORDER_BYTES, |json| body::order(json, app, &state, trades.as_deref()));
    Ok(Reply::json(body))
}

/// The history cannot be read: the operator's trouble, told to him in full.
pub(crate) fn unread(fault: &Fault) -> Refusal {
    tracing::error!(%fault, "history cannot be read");
    failed()
}
