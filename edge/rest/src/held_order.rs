//! Orders of signed-in browsers that are not sent: their preview by the core, and where resting orders stand in their queues.
//!
//! Not here: the fields of the answers (`site`).

use crate::admission::pause;
use crate::app::App;
use crate::call::{Asked, Call};
use crate::held_call::HeldCall;
use crate::predictions::refusal::of_order;
use crate::route::{Handler, Route};
use crate::sandbox::maintenance;
use crate::{orders, predictions, refused};
use buttonwood_engine::{Body, Preview, Previewed, QueuePlace, TradingCommand};
use buttonwood_gate::{AccountLimit, Held, Kind, Payload, Reason, Refusal, Value};
use buttonwood_model::{OrderId, Symbol, SymbolId};
use buttonwood_num::{Price, Qty};
use buttonwood_wire::contract::Query;
use buttonwood_wire::field::{failed, unknown_symbol};

/// The preview of a browser's order.
#[derive(Debug)]
pub struct PreviewedOrder<'a> {
    /// The symbol that it would trade.
    pub symbol: &'a Symbol,
    /// The most that money allows.
    pub most: Option<Qty>,
    /// Its effect, or the refusal that it would get.
    pub outcome: Result<Preview, Refusal>,
}

/// A resting order, and what stands before it at its price.
#[derive(Clone, Copy, Debug)]
pub struct QueuedOrder {
    /// Its id.
    pub id: OrderId,
    /// Its price; that of its own outcome for a contract.
    pub price: Price,
    /// The quantity that trades before it at its price.
    pub ahead: Qty,
    /// The whole quantity at its price.
    pub level: Qty,
}

/// The endpoints that place one order.
const PLACING: [&Route; 2] = [&orders::new::ROUTE, &predictions::order::ROUTE];

impl App {
    /// The effect of an order if it were sent now: the payload of an endpoint that places one, checked as that endpoint checks it. It counts
    /// as a call that reads, and needs no room for commands.
    ///
    /// # Errors
    /// The refusals of the endpoint before the order comes to the core: of fields, accounts and rights. 400 `EndpointMismatch` where
    /// `request` names another endpoint.
    pub async fn preview_held(&self, call: HeldCall<'_>) -> Result<PreviewedOrder<'_>, Refusal> {
        if self.is_in_maintenance() {
            return Err(maintenance::refusal());
        }
        let route = placing(&call.payload)?;
        let previewed = self.preview_at(route, call).await;
        previewed.map_err(|refusal| route.gated(refusal))
    }

    async fn preview_at(&self, route: &Route, call: HeldCall<'_>) -> Result<PreviewedOrder<'_>, Refusal> {
        let mut admitted = self.gate.admit_held(call.held, Kind::Read, call.payload, self.uptime())?;
        if !admitted.wait.is_zero() {
            pause(admitted.wait).await;
            admitted.renew((call.again)()?);
        }
        let asked = Asked { parameter: "", query: Query("") };
        let call = Call::new(self, route, admitted, &asked).map_err(|refused| refused.refusal)?;
        self.gate.account(AccountLimit::Previews, call.account(), self.uptime())?;
        let Handler::Write(write) = route.handler else { return Err(failed()) };
        let body = (write.command)(self, &call).map_err(|refusal| route.own(refusal))?;
        let Body::Trading(TradingCommand::Place(place)) = body else { return Err(failed()) };
        let Previewed { most, outcome } = {
            let views = self.exchange.views();
            views.state().preview(&call.caller(), &place, self.now_of(&views))
        };
        let outcome = outcome.map_err(|reject| {
            let is_contract = route.path == predictions::order::ROUTE.path;
            let refusal = if is_contract {
                of_order(self, &call, call.payload(), reject)
            } else {
                refused::refusal(self, &call, reject)
            };
            route.own(refusal)
        });
        Ok(PreviewedOrder { symbol: self.names.symbol(place.symbol), most, outcome })
    }

    /// The resting orders of a browser's account on a symbol, listed or a contract, all at one number of the journal.
    ///
    /// # Errors
    /// 400 `InvalidSymbol`, and the refusals of `/v1/orders`.
    pub fn queued_held(&self, held: Held, symbol: &str) -> Result<(&Symbol, Vec<QueuedOrder>), Refusal> {
        if self.is_in_maintenance() {
            return Err(maintenance::refusal());
        }
        let (id, listed) = self.find_any(symbol).ok_or_else(|| unknown_symbol(symbol))?;
        let nothing = Payload::read_body(b"{}".to_vec())?;
        let admitted = self.gate.admit_held(held, Kind::Read, nothing, self.uptime())?;
        let asked = Asked { parameter: "", query: Query("") };
        let call =
            Call::new(self, &orders::active::ROUTE, admitted, &asked).map_err(|refused| refused.refusal)?;
        Ok((listed, self.queued(&call, (id, listed))))
    }

    fn queued(&self, call: &Call, (id, symbol): (SymbolId, &Symbol)) -> Vec<QueuedOrder> {
        let views = self.exchange.views();
        let orders = views.state().orders();
        let standings = orders.standings(call.account(), id).into_iter();
        let row = |standing: QueuePlace| {
            let order = orders.get(standing.slot);
            let own = buttonwood_engine::prediction::own_price(symbol, order.class().claim(), order.price);
            let price = if id.is_contract() { own.unwrap_or(order.price) } else { order.price };
            QueuedOrder { id: order.id, price, ahead: standing.ahead, level: standing.level }
        };
        standings.map(row).collect()
    }
}

/// The endpoint that a payload names in `request`, with or without the slash before it.
fn placing(payload: &Payload) -> Result<&'static Route, Refusal> {
    let Some(Value::Text(request)) = payload.sent("request") else {
        return Err(Refusal::new(Reason::EndpointMismatch, "'request' must name the endpoint's path"));
    };
    let names = |route: &&&'static Route| {
        let path = request.strip_prefix('/').unwrap_or(&request);
        route.path.strip_prefix('/') == Some(path)
    };
    PLACING.iter().find(names).copied().ok_or_else(|| {
        let message = format!("'request' must be '{}' or '{}'", PLACING[0].path, PLACING[1].path);
        Refusal::new(Reason::EndpointMismatch, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only the endpoints that place one order are previewed.
    #[test]
    fn only_orders_are_previewed() {
        let found = |payload: &str| placing(&Payload::read_body(payload.as_bytes().to_vec()).unwrap());
        let path = |request: &str| {
            found(&format!(r#"{{"request":"{request}"}}"#))
                .map(|route| route.path)
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
        assert_eq!(found("{}").map(|route| route.path).map_err(|refusal| refusal.status), Err(400));
        assert!(found(r#"{"request":1}"#).is_err());
    }
}
