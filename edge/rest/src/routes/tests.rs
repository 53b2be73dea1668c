//! The table as a whole.

use super::*;

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
