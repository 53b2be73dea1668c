//! `POST /v1/orders`: the account's live orders (ORD-069).

use super::body;
use crate::app::App;
use crate::call::Call;
use crate::json;
use crate::reply::Reply;
use crate::route::Route;
use buttonwood_engine::OrderState;
use buttonwood_gate::Refusal;
use buttonwood_model::Role;

/// Trader or Auditor.
pub(crate) const ROUTE: Route =
    Route::reading("/v1/orders", answer).roles(&[Role::Trader, Role::Auditor]).scope("orders:read");

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let live: Vec<OrderState> = {
        let views = app.exchange.views();
        let orders = views.state().orders();
        orders.of_account(call.account()).map(|(slot, _)| OrderState::live(orders, slot)).collect()
    };
    Ok(Reply::json(json::array(&live, |json, order| json.object(|json| body::order(json, app, order, None)))))
}
