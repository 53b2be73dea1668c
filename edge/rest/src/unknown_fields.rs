//! Fields that a call carries and its endpoint does not know (TYPE-022, D-176): named by `/sandbox/requests`, and refused in a sandbox
//! that is started with `--strict on`.

use crate::auth::Auth;
use crate::route::Route;
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_wire::contract::{Query, parameter_name};
use std::borrow::Cow;

/// Fields of every private call.
const OF_CALLS: [&str; 3] = ["request", "nonce", "account"];
/// A field of every control call.
const OF_CONTROL: [&str; 1] = ["reason"];
/// Two spellings of one field: an endpoint that knows one takes the other too (XFER-015).
const SPELLINGS: [&str; 2] = ["clientTransferId", "client_transfer_id"];

fn knows(route: &Route, name: &str) -> bool {
    let declares = |name: &str| route.fields.iter().any(|field| field.name == name);
    declares(name) || SPELLINGS.contains(&name) && SPELLINGS.into_iter().any(declares)
}

/// The names of the fields of a payload, or of a control call's body, that the endpoint does not know.
pub(crate) fn of<'a>(route: &'a Route, payload: &'a Payload) -> impl Iterator<Item = Cow<'a, str>> {
    let common = if route.auth == Auth::Control { OF_CONTROL.as_slice() } else { OF_CALLS.as_slice() };
    let is_unknown = |name: &Cow<'_, str>| !common.contains(&&**name) && !knows(route, name);
    payload.names().filter(move |name| is_unknown(name))
}

/// Refuses a payload, or a control call's body, with such a field.
///
/// # Errors
/// `InvalidParameterValue`, naming the first one.
pub(crate) fn check(route: &Route, payload: &Payload) -> Result<(), Refusal> {
    of(route, payload).next().map_or(Ok(()), |name| Err(refusal("Field", route, &name)))
}

/// Refuses a query string with such a parameter, where the endpoint reads one.
///
/// # Errors
/// `InvalidParameterValue`, naming the first one.
pub(crate) fn check_query(route: &Route, query: Query<'_>) -> Result<(), Refusal> {
    if route.method != "GET" && !route.query.is_read() {
        return Ok(());
    }
    let mut names = query.0.split('&').map(|pair| pair.split('=').next().unwrap_or_default());
    let unknown = names.find(|name| !name.is_empty() && !knows(route, name) && !knows_list(route, name));
    unknown.map_or(Ok(()), |name| Err(refusal("Query parameter", route, name)))
}

/// Whether the endpoint knows a parameter that may be repeated, also with `[]` after its name.
fn knows_list(route: &Route, sent: &str) -> bool {
    let name = parameter_name(sent);
    route.fields.iter().any(|field| field.name == name && field.is_list())
}

fn refusal(place: &str, route: &Route, name: &str) -> Refusal {
    let message = format!("{place} '{}' is not known to {} (--strict on)", quoted(name), route.path);
    Refusal::new(Reason::InvalidParameterValue, message)
}
