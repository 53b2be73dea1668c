//! The table as a whole.

use super::*;
use crate::route::{ControlHandler, Handler};
use buttonwood_model::{Role, Roles, Scope};

#[test]
fn a_venue_has_no_control_calls() {
    for method in ["GET", "POST"] {
        assert!(matches!(find(method, "/sandbox/clock", false), Found::Nothing), "{method}");
        assert!(!matches!(find(method, "/sandbox/clock", true), Found::Nothing), "{method}");
    }
}

#[test]
fn no_two_routes_answer_the_same_request() {
    for (at, route) in all_routes().enumerate() {
        let same = |other: &Route| (other.method, other.path) == (route.method, route.path);
        assert_eq!(all_routes().position(same), Some(at), "{route:?}");
    }
}

/// A path with parameters does not take the calls of a path without, nor those of another one.
#[test]
fn every_route_is_found_under_its_path() {
    for route in all_routes() {
        let path = route.path.replace(['{', '}'], "");
        let Found::Route(found, _) = find(route.method, &path, true) else {
            panic!("{route:?} is not found")
        };
        assert_eq!(found.path, route.path, "{path}");
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
    for route in ROUTES {
        let Handler::Control(ControlHandler::Operate(command)) = route.handler else { continue };
        let names: Vec<_> = route.path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).collect();
        let in_body = command.fields.len() - route.fields.len();
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
    for route in ROUTES.iter().filter(|route| route.auth == Auth::Control && route.method == "POST") {
        let command = if let Handler::Control(ControlHandler::Operate(command)) = route.handler {
            Some(command)
        } else {
            route.command
        };
        let is_command = command.is_some_and(|command| operate::find(command.name).is_some());
        assert_eq!(is_command, !OWN.contains(&route.path), "{route:?}");
    }
}

/// A browser needs a new code for what moves money out of an account, says where it may go or accepts terms, and for nothing else.
#[test]
fn routes_that_move_money_need_a_code() {
    let guarded = ROUTES.iter().filter(|route| route.needs_code());
    let mut guarded: Vec<&str> = guarded.map(|route| route.path).collect();
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
        assert!(needs_code(request), "{request}");
    }
    for request in ["", "/", "/v1/balances", "/v2/withdraw/bitcoin/btc/feeEstimate", "//v1/clearing/new"] {
        assert!(!needs_code(request), "{request}");
    }
}

/// A user grants a scope with exactly the roles that some endpoint of it takes (D-134).
#[test]
fn scopes_have_the_roles_of_their_endpoints() {
    let of_routes = |scope: Scope| {
        let of_scope: Vec<_> = all_routes().filter(|route| route.scopes.has(scope)).collect();
        let takes = |role: &Role| of_scope.iter().any(|route| Roles::of(&[*role]).allows(route.roles));
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
    for route in all_routes().filter(|route| route.auth != Auth::Public && route.auth != Auth::Control) {
        let is_about_itself = ["/v1/roles", "/v1/oauth/revokeByToken"].contains(&route.path);
        assert_eq!(route.any_token, is_about_itself, "{route:?}");
        assert_eq!(route.takes_tokens(), is_about_itself || !route.scopes.is_empty(), "{route:?}");
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
            closed.iter().any(|part| route.path.contains(part)) && route.path != "/v1/account/list";
        assert!(!is_closed || !route.takes_tokens(), "{route:?}");
    }
}
