//! Private calls of signed-in browsers: those that the site passes on (`/site/call`).
//!
//! Not here: who is signed in, and what a browser must prove before a call (`site`).

use crate::admission::{check_room, pause};
use crate::app::App;
use crate::auth::Auth;
use crate::call::Asked;
use crate::funds::field::with_network;
use crate::outside::no_endpoint;
use crate::respond::serve;
use crate::route::Route;
use crate::routes::all_routes;
use crate::sandbox::maintenance;
use crate::unknown_fields;
use buttonwood_gate::{Held, Payload, Reason, Refusal, Value, quoted};
use buttonwood_http::Reply;
use buttonwood_wire::contract::Query;
use std::borrow::Cow;

/// A private call of a signed-in browser.
pub struct HeldCall<'a> {
    /// The browser.
    pub held: Held,
    /// The endpoint's payload. `request` is the path, with the query string where the endpoint reads one; there is no nonce.
    pub payload: Payload,
    /// Looks the browser up again, after the call has waited for its turn; the refusal of one whose session has ended.
    pub again: &'a dyn Fn() -> Result<Held, Refusal>,
}

impl std::fmt::Debug for HeldCall<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HeldCall").field("held", &self.held).finish_non_exhaustive()
    }
}

impl App {
    /// Answers a call as its endpoint answers that of a key: the same checks of account, role and parameters, and the same reply.
    ///
    /// # Errors
    /// 404 `EndpointNotFound` where `request` names no private endpoint, 429 `RateLimit`, and the refusals of the endpoint.
    pub async fn call_held(&self, call: HeldCall<'_>) -> Result<Reply, Refusal> {
        if self.is_in_maintenance() {
            return Err(maintenance::refusal());
        }
        let Some(Value::Text(request)) = call.payload.sent("request") else {
            return Err(Refusal::new(Reason::EndpointMismatch, "'request' must name the endpoint's path"));
        };
        let request = if request.starts_with('/') { request } else { Cow::Owned(format!("/{request}")) };
        let (path, query) = match request.split_once('?') {
            Some((path, query)) => (path.to_owned(), Some(query.to_owned())),
            None => (request.into_owned(), None),
        };
        let (route, parameter) = private(&path).ok_or_else(|| no_endpoint(&path))?;
        let reply = answer(self, route, call, parameter, query.as_deref()).await;
        reply.map(Reply::uncached).map_err(|refusal| route.gated(refusal))
    }
}

/// The private endpoint at a path, with the parameters of the path.
fn private(path: &str) -> Option<(&'static Route, &str)> {
    let is_private = |route: &&Route| match route.auth {
        Auth::Account | Auth::Master | Auth::Group | Auth::Session | Auth::Token => true,
        Auth::Public | Auth::Control => false,
    };
    all_routes().filter(is_private).find_map(|route| Some((route, route.matches(path)?)))
}

async fn answer(
    app: &App,
    route: &Route,
    call: HeldCall<'_>,
    parameter: &str,
    query: Option<&str>,
) -> Result<Reply, Refusal> {
    if query.is_some() && route.method != "GET" && !route.query.is_read() {
        let message = format!("'request' has a query string, and '{}' reads none", quoted(route.path));
        return Err(Refusal::new(Reason::EndpointMismatch, message));
    }
    let named = if route.names_network() { Some(with_network(app, parameter)) } else { None };
    let parameter = named.as_deref().unwrap_or(parameter);
    let asked = Asked { parameter, query: Query(query.unwrap_or_default()) };
    if app.settings.strict {
        unknown_fields::check_query(route, asked.query).map_err(|refusal| route.own(refusal))?;
    }
    check_room(app, route)?;
    let mut admitted = app.gate.admit_held(call.held, route.kind, call.payload, app.uptime())?;
    if !admitted.wait.is_zero() {
        pause(admitted.wait).await;
        admitted.renew((call.again)()?);
    }
    let at = app.meters.switch.now();
    serve(app, route, admitted, &asked, at).await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only private endpoints are called for browsers, GETs among them.
    #[test]
    fn private_endpoints_are_found() {
        let found = |path| private(path).map(|(route, parameter)| (route.path, parameter));
        assert_eq!(found("/v1/order/new"), Some(("/v1/order/new", "")));
        assert_eq!(found("/v1/wrap/btcusd"), Some(("/v1/wrap/{symbol}", "btcusd")));
        assert_eq!(found("/v1/perpetuals/fundingpaymentreport/records.json").map(|found| found.1), Some(""));
        for path in ["/v1/symbols", "/sandbox/clock", "/v1/none", "", "/", "//v1/order/new", "/v1/order/new/"]
        {
            assert_eq!(found(path), None, "{path}");
        }
    }

    /// A path of the payload names one private endpoint, of any method.
    #[test]
    fn no_two_private_endpoints_share_a_path() {
        for route in all_routes().filter(|route| !matches!(route.auth, Auth::Public | Auth::Control)) {
            let path = route.path.replace(['{', '}'], "");
            let found = private(&path).map(|(found, _)| (found.method, found.path));
            assert_eq!(found, Some((route.method, route.path)));
        }
    }
}
