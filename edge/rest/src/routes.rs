//! The one table of routes. An endpoint is a file with its `ROUTE`, and one line here.

use crate::auth::Auth;
use crate::route::Route;
use crate::{account, convert, funds, market, orders, sandbox};

/// Every endpoint of the interface.
pub const ROUTES: &[Route] = &[
    // Orders
    orders::new::ROUTE,
    orders::cancel::ROUTE,
    orders::cancel_session::ROUTE,
    orders::cancel_all::ROUTE,
    orders::status::ROUTE,
    orders::active::ROUTE,
    orders::past_orders::ROUTE,
    orders::past_trades::ROUTE,
    orders::notional_volume::ROUTE,
    orders::trade_volume::ROUTE,
    // Conversions
    convert::wrap::ROUTE,
    convert::quote::ROUTE,
    convert::quote::BY_PATH,
    convert::execute::ROUTE,
    // Funds
    funds::balances::ROUTE,
    funds::notional::ROUTE,
    // Account administration and sessions
    account::roles::ROUTE,
    account::heartbeat::ROUTE,
    account::detail::ROUTE,
    account::create::ROUTE,
    account::rename::ROUTE,
    account::list::ROUTE,
    // Public market data
    market::symbols::ROUTE,
    market::details::ALL,
    market::details::ROUTE,
    market::book::ROUTE,
    market::trades::ROUTE,
    market::ticker_v1::ROUTE,
    market::ticker_v2::ROUTE,
    market::candles::ROUTE,
    market::candles::DERIVATIVES,
    market::price_feed::ROUTE,
    market::fee_promotions::ROUTE,
    market::auction::ROUTE,
    market::auction_history::ROUTE,
    market::fx_rate::ROUTE,
    // The sandbox's control calls
    sandbox::clock::ROUTE,
    sandbox::advance::ROUTE,
    sandbox::history::ROUTE,
    sandbox::ledger::ROUTE,
    sandbox::accounts::ROUTE,
    sandbox::close::ROUTE,
    sandbox::groups::ROUTE,
    sandbox::credit::ROUTE,
    sandbox::listing::ROUTE,
    sandbox::status::ROUTE,
    sandbox::instant::ROUTE,
    sandbox::auctions::ROUTE,
    sandbox::fx::ROUTE,
    sandbox::fees::ROUTE,
    sandbox::fee_tiers::ROUTE,
    sandbox::promotions::ROUTE,
    sandbox::breaks::ROUTE,
    sandbox::maintenance::ROUTE,
    sandbox::nonces::ROUTE,
];

/// The result of looking up a path and a method.
#[derive(Debug)]
pub(crate) enum Found<'a> {
    /// This route, with the path's parameter.
    Route(&'static Route, &'a str),
    /// The path exists, for these other methods.
    OtherMethod(&'static str),
    /// No such path.
    Nothing,
}

/// Looks a request up; control calls exist in a sandbox only (D-30). HEAD is answered as GET
///
pub(crate) fn find<'a>(method: &str, path: &'a str, sandbox: bool) -> Found<'a> {
    let mut other = None;
    for route in ROUTES.iter().filter(|route| sandbox || route.auth != Auth::Control) {
        if let Some(parameter) = route.matches(path) {
            if route.method == method || (route.method, method) == ("GET", "HEAD") {
                return Found::Route(route, parameter);
            }
            other = Some(if route.method == "GET" { "GET, HEAD" } else { route.method });
        }
    }
    other.map_or(Found::Nothing, Found::OtherMethod)
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_model::{Role, Roles};

    const T: Role = Role::Trader;
    const F: Role = Role::FundManager;
    const A: Role = Role::Auditor;

    /// The specification's table of roles and scopes, row by row: those endpoints of AUTH-025 to AUTH-027, AUTH-036 and
    /// AUTH-037 that are built.
    #[test]
    fn roles_and_scopes_are_those_of_the_specification() {
        let table: &[(&str, &[Role], Option<&str>)] = &[
            ("/v1/order/new", &[T], Some("orders:create")),
            ("/v1/order/cancel", &[T], Some("orders:create")),
            ("/v1/order/cancel/session", &[T], Some("orders:create")),
            ("/v1/order/cancel/all", &[T], Some("orders:create")),
            ("/v1/order/status", &[T, A], Some("orders:read")),
            ("/v1/orders", &[T, A], Some("orders:read")),
            ("/v1/orders/history", &[T, A], Some("history:read")),
            ("/v1/wrap/{symbol}", &[T], Some("orders:create")),
            ("/v1/instant/quote", &[T], Some("orders:create")),
            ("/v1/instant/quote/{side}/{symbol}", &[T], Some("orders:create")),
            ("/v1/instant/execute", &[T], Some("orders:create")),
            ("/v1/mytrades", &[T, A], Some("history:read")),
            ("/v1/notionalvolume", &[T, A], Some("history:read")),
            ("/v1/tradevolume", &[T, A], Some("history:read")),
            ("/v1/balances", &[T, F, A], Some("balances:read")),
            ("/v1/notionalbalances/usd", &[T, F, A], Some("balances:read")),
            ("/v1/heartbeat", &[T], None),
            ("/v1/roles", &[], None),
            ("/v1/account", &[T, F, A], Some("account:read")),
            ("/v1/account/create", &[Role::Administrator], None),
            ("/v1/account/rename", &[Role::Administrator], None),
            ("/v1/account/list", &[Role::Administrator, T, F, A], Some("account:read")),
            ("/v2/fxrate/gbpusd/1767225600000", &[A], None),
        ];
        let private = ROUTES
            .iter()
            .filter(|route| matches!(route.auth, Auth::Account | Auth::Master | Auth::Group | Auth::Session));
        assert_eq!(private.count(), table.len());
        for (path, roles, scope) in table {
            let method = if path.starts_with("/v2/fxrate/") { "GET" } else { "POST" };
            let Found::Route(route, _) = find(method, path, false) else { panic!("{path} is not routed") };
            assert_eq!((route.roles, route.scope), (Roles::of(roles), *scope), "{path}");
        }
    }

    #[test]
    fn a_venue_has_no_control_calls() {
        for method in ["GET", "POST"] {
            assert!(matches!(find(method, "/sandbox/clock", false), Found::Nothing), "{method}");
            assert!(!matches!(find(method, "/sandbox/clock", true), Found::Nothing), "{method}");
        }
    }

    #[test]
    fn no_two_routes_answer_the_same_request() {
        for (at, route) in ROUTES.iter().enumerate() {
            let same = |other: &&Route| (other.method, other.path) == (route.method, route.path);
            assert_eq!(ROUTES.iter().position(|other| same(&other)), Some(at), "{route:?}");
        }
    }
}
