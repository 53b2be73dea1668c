//! `POST /v1/orders`: the account's live orders (ORD-069).

use buttonwood_call::{App, Call, Route};
use buttonwood_engine::OrderState;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope};
use buttonwood_wire::answers::Order;
use buttonwood_wire::json::{self, Json};
use buttonwood_wire::order;

/// Trader or Auditor.
pub(crate) const ROUTE: Route = Route::recalling("/v1/orders", |app, call| Box::pin(answer(app, call)))
    .roles(&[Role::Trader, Role::Auditor])
    .scopes(&[Scope::OrdersRead])
    .about("Lists the account's live orders, the newest first.")
    .notes(&[
        "Orders of contracts of the prediction markets are listed by `/v1/prediction-markets/orders/active`.",
    ])
    .gives::<Vec<Order>>();

/// An account may have tens of thousands of orders: they are copied from the views at once and written in slices, so that other
/// calls of the thread do not wait for all of them.
async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let live: Vec<OrderState> = {
        let views = app.exchange.views();
        let floor = views.state().floor();
        let own = floor.orders.of_account(call.account()).filter(|(_, order)| !order.symbol.is_contract());
        own.map(|(slot, _)| OrderState::live(floor, slot)).collect()
    };
    let write = |json: &mut Json, state: &OrderState| {
        json.object(|json| order::order(json, &app.names, state, None));
    };
    Ok(Reply::json(json::long_array(&live, order::ORDER_BYTES, write).await))
}
