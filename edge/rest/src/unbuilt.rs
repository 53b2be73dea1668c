//! The endpoints of the specification that are not built yet, with the rights that they will need.
//!
//! A call passes every check of the gate, so that a key without the right learns it today, and is then refused with 501.
//! Rights that the specification leaves open are in Q-188.

use crate::auth::Auth;
use crate::route::Route;
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_model::Role::{Auditor as A, Trader as T};
use buttonwood_model::{Role, Scope};

const READ_ORDERS: &[Scope] = &[Scope::OrdersRead];

/// A signed GET on an account.
const fn reading(path: &'static str, roles: &[Role], scopes: &[Scope]) -> Route {
    Route::unbuilt("GET", path, Auth::Account).roles(roles).scopes(scopes)
}

/// A public GET.
const fn public(path: &'static str) -> Route {
    Route::unbuilt("GET", path, Auth::Public)
}

/// Every one of them, in the order of the specification's chapters.
pub(crate) const UNBUILT: &[Route] = &[
    // Streams
    reading("/v1/order/events", &[T, A], READ_ORDERS),
    public("/v1/marketdata/{symbol}"),
    public("/v1/multimarketdata"),
    public("/v2/marketdata"),
];

/// The refusal of an admitted call.
pub(crate) fn refusal(path: &str) -> Refusal {
    let message = format!("'{}' is specified, but not built yet", quoted(path));
    Refusal::new(Reason::System, message).with_status(501)
}
