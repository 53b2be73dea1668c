//! Public calls of the exchange's own pages: those that the site passes on (`/site/public/…`).
//!
//! Not here: which pages may make them (`site`).

use crate::app::App;
use crate::auth::Auth;
use crate::call::Asked;
use crate::funds::field::with_network;
use crate::respond::serve_public;
use crate::route::Route;
use crate::routes::{Found, find};
use crate::streams::is_stream;
use crate::unknown_fields;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_wire::contract::Query;
use std::net::IpAddr;

/// A public call of the interface.
#[derive(Clone, Copy, Debug)]
pub struct PublicCall<'a> {
    route: &'static Route,
    parameter: &'a str,
}

impl<'a> PublicCall<'a> {
    /// The call at a path of the interface, such as `/v1/symbols`; none if no public endpoint is there.
    pub fn find(path: &'a str) -> Option<Self> {
        match find("GET", path, false) {
            Found::Route(route, parameter) if route.auth == Auth::Public && !is_stream(route) => {
                Some(Self { route, parameter })
            }
            Found::Route(..) | Found::OtherMethod(_) | Found::Nothing => None,
        }
    }

    /// Answers as the endpoint does, with the same body and status. It takes nothing of the public limit of the client's address.
    ///
    /// # Errors
    /// The refusals of the endpoint; 429 beyond the rate of pages.
    pub async fn answer(self, app: &App, client: IpAddr, query: &str) -> Result<Reply, Refusal> {
        app.gate.shown(client, app.uptime())?;
        let Self { route, parameter } = self;
        let named = if route.names_network() { Some(with_network(app, parameter)) } else { None };
        let parameter = named.as_deref().unwrap_or(parameter);
        let asked = Asked { parameter, query: Query(query) };
        if app.settings.strict {
            unknown_fields::check_query(route, asked.query).map_err(|refusal| route.own(refusal))?;
        }
        serve_public(app, route, &asked).await.map(Reply::uncached)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::all_routes;

    /// Every public endpoint is found, and nothing else: no private GET, no POST, no stream, no control call.
    #[test]
    fn public_endpoints_are_found() {
        for route in all_routes() {
            let path = route.path.replace(['{', '}'], "");
            let found = PublicCall::find(&path).map(|call| call.route.path);
            let is_public = route.auth == Auth::Public && !is_stream(route);
            assert_eq!(found, is_public.then_some(route.path), "{route:?}");
        }
        let found = PublicCall::find("/v2/candles/btcusd/1m").map(|call| call.parameter);
        assert_eq!(found, Some("btcusd/1m"));
        for path in ["", "/", "v1/symbols", "//v1/symbols", "/v1/symbols/", "/v1/none", "/openapi.json"] {
            assert!(PublicCall::find(path).is_none(), "{path}");
        }
    }
}
