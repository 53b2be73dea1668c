//! The table as a whole.

use super::*;
use buttonwood_call::{Auth, ControlHandler, Found, Handler, PublicCall, Route};
use buttonwood_model::{Role, Roles, Scope};

fn find<'a>(method: &str, path: &'a str, sandbox: bool) -> Found<'a> {
    TABLE.find(method, path, sandbox)
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
    for (at, route) in TABLE.all().enumerate() {
        let same = |other: &Route| (other.method(), other.path()) == (route.method(), route.path());
        assert_eq!(TABLE.all().position(same), Some(at), "{route:?}");
    }
}

/// A path with parameters does not take the calls of a path without, nor those of another one.
#[test]
fn every_route_is_found_under_its_path() {
    for route in TABLE.all() {
        let path = route.path().replace(['{', '}'], "");
        let Found::Route(found, _) = find(route.method(), &path, true) else {
            panic!("{route:?} is not found")
        };
        assert_eq!(found.path(), route.path(), "{path}");
    }
}

#[test]
fn only_whole_segments_count() {
    for path in
        ["/v1/margins", "/v1/fundingamount", "/v1/fundingamount/", "/v1/accounts", "/v1/transfers/", "/"]
    {
        assert!(matches!(find("GET", path, true), Found::Nothing), "{path}");
    }
}

/// The parameter in the path of an operator's command is the command's first field, which is not in the body.
#[test]
fn a_parameter_is_the_first_field_of_its_command() {
    let mut parameters = Vec::new();
    for route in TABLE.routes() {
        let Handler::Control(ControlHandler::Operate(command)) = route.handler() else { continue };
        let names: Vec<_> = route.path().split('{').skip(1).filter_map(|rest| rest.split_once('}')).collect();
        let in_body = command.fields.len() - route.fields().len();
        assert_eq!(in_body, names.len(), "{route:?}");
        for (name, _) in names {
            assert_eq!(command.fields[0].name, name, "{route:?}");
            parameters.push(name);
        }
    }
    assert!(!parameters.is_empty());
}

/// A control call that changes the exchange's state is a command of operators; the others are the sandbox's own.
#[test]
fn control_calls_are_commands_of_operators() {
    const OWN: [&str; 11] = [
        "/sandbox/clock/advance",
        "/sandbox/maintenance",
        "/sandbox/chains/{network}/send",
        "/sandbox/chains/{network}/mine",
        "/sandbox/chains/{network}/reorg",
        "/sandbox/chains/{network}/node",
        "/sandbox/streams/fault",
        // No operator of a venue shortens a hold (D-298).
        "/sandbox/approvals/end-hold",
        // Without password, code and consent: no operator of a venue does so.
        "/sandbox/users",
        "/sandbox/sessions",
        "/sandbox/oauth/grants",
    ];
    for route in
        TABLE.routes().iter().filter(|route| route.auth() == Auth::Control && route.method() == "POST")
    {
        let command = if let Handler::Control(ControlHandler::Operate(command)) = route.handler() {
            Some(*command)
        } else {
            route.command()
        };
        let is_command = command.is_some_and(|command| TABLE.catalogue().find(command.name).is_some());
        assert_eq!(is_command, !OWN.contains(&route.path()), "{route:?}");
    }
}

/// A browser needs a new code for what moves money out of an account, says where it may go or accepts terms, and for nothing else.
#[test]
fn routes_that_move_money_need_a_code() {
    let guarded = TABLE.routes().iter().filter(|route| route.needs_code());
    let mut guarded: Vec<&str> = guarded.map(|route| route.path()).collect();
    guarded.sort_unstable();
    let expected = [
        "/v1/account/transfer/{currency}",
        "/v1/approvedAddresses/{network}/remove",
        "/v1/approvedAddresses/{network}/request",
        "/v1/clearing/broker/new",
        "/v1/clearing/cancel",
        "/v1/clearing/confirm",
        "/v1/clearing/new",
        "/v1/payments/addbank",
        "/v1/payments/addbank/cad",
        "/v1/payments/sen/withdraw",
        "/v1/prediction-markets/terms/accept",
        "/v1/withdraw/{currency}",
        "/v2/withdraw/{network}/{ticker}",
    ];
    assert_eq!(guarded, expected);
    for request in ["/v1/withdraw/btc", "v1/withdraw/btc?x=1", "/v2/withdraw/bitcoin/btc", "/v1/clearing/new"]
    {
        assert!(TABLE.needs_code(request), "{request}");
    }
    for request in ["", "/", "/v1/balances", "/v2/withdraw/bitcoin/btc/feeEstimate", "//v1/clearing/new"] {
        assert!(!TABLE.needs_code(request), "{request}");
    }
}

/// A user grants a scope with exactly the roles that some endpoint of it takes (D-134).
#[test]
fn scopes_have_the_roles_of_their_endpoints() {
    let of_routes = |scope: Scope| {
        let of_scope: Vec<_> = TABLE.all().filter(|route| route.accepted_scopes().has(scope)).collect();
        let takes =
            |role: &Role| of_scope.iter().any(|route| Roles::of(&[*role]).allows(route.needed_roles()));
        Role::ALL.into_iter().filter(takes).collect::<Vec<_>>()
    };
    let listed = |roles: &dyn Fn(Scope) -> Vec<Role>| {
        Scope::ALL.map(|scope| format!("{}: {:?}", scope.name(), roles(scope))).join("\n")
    };
    assert_eq!(listed(&|scope| scope.roles().iter().collect()), listed(&of_routes));
}

/// Access tokens call the endpoints of the specification's table of scopes, those that it implies, and no others.
/// Proves OAUTH-040.
#[test]
fn endpoints_without_a_scope_take_no_tokens() {
    for route in TABLE.all().filter(|route| route.auth() != Auth::Public && route.auth() != Auth::Control) {
        let is_about_itself = ["/v1/roles", "/v1/oauth/revokeByToken"].contains(&route.path());
        assert_eq!(route.takes_any_token(), is_about_itself, "{route:?}");
        assert_eq!(route.takes_tokens(), is_about_itself || !route.accepted_scopes().is_empty(), "{route:?}");
        let closed = [
            "/v1/staking/",
            "/v1/heartbeat",
            "/v1/account/",
            "/v2/fxrate",
            "feeEstimate",
            "/v1/network",
            "terms/accept",
        ];
        let is_closed =
            closed.iter().any(|part| route.path().contains(part)) && route.path() != "/v1/account/list";
        assert!(!is_closed || !route.takes_tokens(), "{route:?}");
    }
}

/// Only private endpoints are called for browsers, GETs among them.
#[test]
fn private_endpoints_are_found() {
    let found = |path| TABLE.find_private(path).map(|(route, parameter)| (route.path(), parameter));
    assert_eq!(found("/v1/order/new"), Some(("/v1/order/new", "")));
    assert_eq!(found("/v1/wrap/btcusd"), Some(("/v1/wrap/{symbol}", "btcusd")));
    assert_eq!(found("/v1/perpetuals/fundingpaymentreport/records.json").map(|found| found.1), Some(""));
    for path in ["/v1/symbols", "/sandbox/clock", "/v1/none", "", "/", "//v1/order/new", "/v1/order/new/"] {
        assert_eq!(found(path), None, "{path}");
    }
}

/// A path of the payload names one private endpoint, of any method.
#[test]
fn no_two_private_endpoints_share_a_path() {
    for route in TABLE.all().filter(|route| !matches!(route.auth(), Auth::Public | Auth::Control)) {
        let path = route.path().replace(['{', '}'], "");
        let found = TABLE.find_private(&path).map(|(found, _)| (found.method(), found.path()));
        assert_eq!(found, Some((route.method(), route.path())));
    }
}

/// Every public endpoint is found for a page, and nothing else: no private GET, no POST, no stream, no control call.
#[test]
fn public_endpoints_are_found() {
    let found = |path: &str| PublicCall::find(&TABLE, path).map(|call| call.route().path());
    for route in TABLE.all() {
        let path = route.path().replace(['{', '}'], "");
        let is_public = route.auth() == Auth::Public && !matches!(route.handler(), Handler::Stream(_));
        assert_eq!(found(&path), is_public.then_some(route.path()), "{route:?}");
    }
    assert_eq!(found("/v2/candles/btcusd/1m"), Some("/v2/candles/{symbol}/{time_frame}"));
    for path in ["", "/", "v1/symbols", "//v1/symbols", "/v1/symbols/", "/v1/none", "/openapi.json"] {
        assert_eq!(found(path), None, "{path}");
    }
}

/// Sockets and previews find the endpoints that place one order.
#[test]
fn two_endpoints_place_an_order() {
    let placing: Vec<(&str, bool)> =
        TABLE.placing().map(|(route, orders)| (route.path(), orders.of_contracts)).collect();
    assert_eq!(placing, [("/v1/order/new", false), ("/v1/prediction-markets/order", true)]);
}

/// Pages and sockets name these endpoints by their paths: the data of a market's page, the queues of orders, a cancel over a socket.
#[test]
fn endpoints_that_others_name_exist() {
    let of_pages = [
        "/v1/symbols/details/btcusd",
        "/v1/book/btcusd",
        "/v2/ticker/btcusd",
        "/v1/trades/btcusd",
        "/v1/pubticker/btcusd",
        "/v1/riskstats/btcusd",
        "/v1/fundingamount/btcusd",
        "/v2/candles/btcusd/1m",
    ];
    for path in of_pages {
        assert!(PublicCall::find(&TABLE, path).is_some(), "{path}");
    }
    for path in ["/v1/orders", "/v1/order/cancel"] {
        assert!(TABLE.find_private(path).is_some(), "{path}");
    }
}

/// Tools and clients are made from the file.
#[test]
fn the_contract_in_the_repository_is_current() {
    let kept = include_str!("../../../../contract/openapi.json");
    assert!(kept == openapi(), "contract/openapi.json is not current: run `cargo xtask contract`");
}

/// Every route has a description.
#[test]
fn every_route_is_described() {
    for route in TABLE.routes() {
        assert!(route.is_described(), "{route:?} says nothing about itself, or is in no chapter");
    }
}
