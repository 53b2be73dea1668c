//! `POST /v1/order/status`: one order, live or closed (ORD-064 to ORD-068), or a wrap, an instant order or a clearing trade as a closed market
//! order (D-170, D-287).

use crate::orders::elsewhere;
use buttonwood_call::{App, Call, Route, unread};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope};
use buttonwood_views::history::TradeRow;
use buttonwood_views::{Found, Known};
use buttonwood_wire::answers::Order;
use buttonwood_wire::order_request::{OrderStatus, order_ref};
use buttonwood_wire::{Json, json, order};

/// Trader or Auditor.
pub(crate) const ROUTE: Route = Route::recalling("/v1/order/status", |app, call| Box::pin(answer(app, call)))
    .roles(&[Role::Trader, Role::Auditor])
    .scopes(&[Scope::OrdersRead])
    .about("Reads an order, live or closed. A wrap, an instant order or a clearing trade is a closed market order.")
    .notes(&[
        "An order of a contract is in `/v1/prediction-markets/orders/active` or `history`, a clearing order that did not trade in \
         `/v1/clearing/status`: the refusal says so.",
    ])
    .takes::<OrderStatus>()
    .gives::<Order>()
    .refuses(&[404]);

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let named = order_ref(call.payload())?;
    let with_trades = OrderStatus::of(call.payload()).include_trades()?;
    let account = call.account();
    // Searched before the history: an order that closes in between is found there.
    let live = app.exchange.views().find_live(account, &named);
    // Orders of contracts are in the listings of the prediction markets alone.
    let contract = live.map(|found| found.order.symbol).filter(|symbol| symbol.is_contract());
    let live = live.filter(|_| contract.is_none());
    let found = app.exchange.query_history(move |history| {
        Ok(match Found::last_placed_or_converted(live, history, account, &named)? {
            None => None,
            Some(Known::Order(found)) => {
                let trades = if with_trades { Some(history.trades_of(found.trades)?) } else { None };
                Some((found, trades))
            }
            Some(Known::Conversion(row)) => {
                let found = Found { order: row.as_order(), trades: None };
                Some((found, with_trades.then(|| vec![row.as_trade()])))
            }
        })
    });
    let found = found.await;
    let (found, trades) = match (found.map_err(|fault| unread(&fault))?, contract) {
        (Some(found), _) => found,
        (None, Some(contract)) => return Err(elsewhere::of_contract(app, &named, contract, "active")),
        (None, None) => {
            let (order, trade) = elsewhere::find(app, account, &named).await?;
            (Found { order, trades: None }, with_trades.then(|| vec![trade]))
        }
    };
    let breaks = app.exchange.views().state().floor().breaks.clone();
    let state = found.corrected(&breaks).order;
    // An order may have traded a hundred thousand times, so its trades are written in parts.
    let word = |json: &mut Json, row: &TradeRow| {
        json.object(|json| order::trade(json, &app.names, row, breaks.of(row.symbol, row.trade)));
    };
    let trades = match &trades {
        Some(rows) => Some(json::elements(rows, order::TRADE_BYTES, word).await),
        None => None,
    };
    let bytes = order::ORDER_BYTES + trades.as_ref().map_or(0, Vec::len);
    let body = json::object(bytes, |json| order::order(json, &app.names, &state, trades.as_deref()));
    Ok(Reply::json(body))
}
