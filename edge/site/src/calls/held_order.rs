//! Orders of signed-in browsers that are not sent: their preview by the core, and where resting orders stand in their queues.
//!
//! Not here: the fields of the answers (`preview`, `queue`).

use buttonwood_call::{App, Call, Door, Handler, HeldCall, Orders, Route, Table};
use buttonwood_engine::prediction::own_price;
use buttonwood_engine::{Body, Preview, Previewed, QueuePlace, TradingCommand};
use buttonwood_gate::{AccountLimit, Held, Payload, Reason, Refusal, Value};
use buttonwood_model::{OrderId, Symbol, SymbolId};
use buttonwood_num::{Price, Qty};
use buttonwood_wire::field::{failed, unknown_symbol};

/// The preview of a browser's order.
#[derive(Debug)]
pub(super) struct PreviewedOrder<'a> {
    /// The symbol that it would trade.
    pub(super) symbol: &'a Symbol,
    /// The most that money allows.
    pub(super) most: Option<Qty>,
    /// Its effect, or the refusal that it would get.
    pub(super) outcome: Result<Preview, Refusal>,
}

/// A resting order, and what stands before it at its price.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueuedOrder {
    /// Its id.
    pub(super) id: OrderId,
    /// Its price; that of its own outcome for a contract.
    pub(super) price: Price,
    /// The quantity that trades before it at its price.
    pub(super) ahead: Qty,
    /// The whole quantity at its price.
    pub(super) level: Qty,
}

/// The effect of an order if it were sent now: the payload of an endpoint that places one, checked as that endpoint checks it. It counts
/// as a call that reads, and needs no room for commands.
///
/// # Errors
/// The refusals of the endpoint before the order comes to the core: of fields, accounts and rights. 400 `EndpointMismatch` where
/// `request` names another endpoint.
pub(super) async fn preview<'a>(app: &'a App, call: HeldCall<'_>) -> Result<PreviewedOrder<'a>, Refusal> {
    HeldCall::begin(app)?;
    let payload = call.payload().ok_or_else(failed)?;
    let (route, orders) = placing(app.table(), payload)?;
    let previewed = preview_at(app, (route, orders), call).await;
    previewed.map_err(|refusal| route.gated(refusal))
}

async fn preview_at<'a>(
    app: &'a App,
    (route, orders): (&'static Route, &'static Orders),
    call: HeldCall<'_>,
) -> Result<PreviewedOrder<'a>, Refusal> {
    let call = app.look_held(call, route).await?;
    app.gate.account(AccountLimit::Previews, call.account(), app.uptime())?;
    let Handler::Write(write) = route.handler() else { return Err(failed()) };
    let body = (write.command)(app, &call).map_err(|refusal| route.own(refusal))?;
    let Body::Trading(TradingCommand::Place(place)) = body else { return Err(failed()) };
    let Previewed { most, outcome } = {
        let views = app.exchange.views();
        views.state().preview(&call.caller(), &place, app.now_of(&views))
    };
    let refusal = |reject| (orders.refusal)(app, &call, &(orders.draft)(call.payload()), reject);
    let outcome = outcome.map_err(|reject| route.own(refusal(reject)));
    Ok(PreviewedOrder { symbol: app.names.symbol(place.symbol), most, outcome })
}

/// The resting orders of a browser's account on a symbol, listed or a contract, all at one number of the journal.
///
/// # Errors
/// 400 `InvalidSymbol`, and the refusals of `/v1/orders`.
pub(super) fn queued<'a>(
    app: &'a App,
    held: Held,
    symbol: &str,
) -> Result<(&'a Symbol, Vec<QueuedOrder>), Refusal> {
    HeldCall::begin(app)?;
    let (id, listed) = app.find_any(symbol).ok_or_else(|| unknown_symbol(symbol))?;
    let call = app.read_held(held, ORDERS)?;
    Ok((listed, standings(app, &call, (id, listed))))
}

/// The endpoint whose rights and limits the queues have.
const ORDERS: &str = "/v1/orders";

fn standings(app: &App, call: &Call, (id, symbol): (SymbolId, &Symbol)) -> Vec<QueuedOrder> {
    let views = app.exchange.views();
    let orders = views.state().orders();
    let standings = orders.standings(call.account(), id).into_iter();
    let row = |standing: QueuePlace| {
        let order = orders.get(standing.slot);
        let own = own_price(symbol, order.class().claim(), order.price);
        let price = if id.is_contract() { own.unwrap_or(order.price) } else { order.price };
        QueuedOrder { id: order.id, price, ahead: standing.ahead, level: standing.level }
    };
    standings.map(row).collect()
}

/// The endpoint that a payload names in `request`, with or without the slash before it.
fn placing(table: &Table, payload: &Payload) -> Result<(&'static Route, &'static Orders), Refusal> {
    let Some(Value::Text(request)) = payload.sent("request") else {
        return Err(Refusal::new(Reason::EndpointMismatch, "'request' must name the endpoint's path"));
    };
    let names = |(route, _): &(&'static Route, &'static Orders)| {
        let path = request.strip_prefix('/').unwrap_or(&request);
        route.path().strip_prefix('/') == Some(path)
    };
    table.placing().find(names).ok_or_else(|| {
        let paths: Vec<String> = table.placing().map(|(route, _)| format!("'{}'", route.path())).collect();
        let message = format!("'request' must be {}", paths.join(" or "));
        Refusal::new(Reason::EndpointMismatch, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_call::Face;
    use buttonwood_wire::draft::Draft;

    const ORDERS_OF: Orders = Orders {
        of_contracts: false,
        draft: |payload| Draft::of_order(payload),
        refusal: |_, _, _, _| unreachable!("not called"),
    };
    const LISTED: Route = Route::reading("/v1/order/new", |_, _| unreachable!("not called"));
    const CONTRACTS: Route =
        Route::reading("/v1/prediction-markets/order", |_, _| unreachable!("not called"));
    static TABLE: Table = Table::new(&[Face {
        routes: &[LISTED.places(&ORDERS_OF), CONTRACTS.places(&ORDERS_OF)],
        ..Face::NONE
    }]);

    /// Only the endpoints that place one order are previewed.
    #[test]
    fn only_orders_are_previewed() {
        let found =
            |payload: &str| placing(&TABLE, &Payload::read_body(payload.as_bytes().to_vec()).unwrap());
        let path = |request: &str| {
            found(&format!(r#"{{"request":"{request}"}}"#))
                .map(|(route, _)| route.path())
                .map_err(|refusal| refusal.status)
        };
        assert_eq!(path("/v1/order/new"), Ok("/v1/order/new"));
        assert_eq!(path("v1/prediction-markets/order"), Ok("/v1/prediction-markets/order"));
        for other in [
            "/v1/order/cancel",
            "//v1/order/new",
            "/v1/order/new?x=1",
            "",
            "/v1/prediction-markets/order/cancel",
        ] {
            assert_eq!(path(other), Err(400), "{other}");
        }
        assert_eq!(found("{}").map(|(route, _)| route.path()).map_err(|refusal| refusal.status), Err(400));
        assert!(found(r#"{"request":1}"#).is_err());
    }
}
