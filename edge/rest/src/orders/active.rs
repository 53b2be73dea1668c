//! `POST /v1/orders`: the account's live orders (ORD-069).

use crate::app::App;
use crate::call::Call;
use crate::route::Route;
use buttonwood_engine::OrderState;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::Role;
use buttonwood_wire::answers::Order;
use buttonwood_wire::{json, order};

/// Trader or Auditor.
pub(crate) const ROUTE: Route = Route::reading("/v1/orders", answer)
    .roles(&[Role::Trader, Role::Auditor])
    .scopes(&["orders:read"])
    .about("Lists the account's live orders, the newest first.")
    .gives::<Vec<Order>>();

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let live: Vec<OrderState> = {
        let views = app.exchange.views();
        let floor = views.state().floor();
        floor.orders.of_account(call.account()).map(|(slot, _)| OrderState::live(floor, slot)).collect()
    };
    Ok(Reply::json(json::array(&live, |json, state| {
        json.object(|json| order::order(json, &app.names, state, None));
    })))
}
