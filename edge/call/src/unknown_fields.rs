//! Fields that a call carries and its endpoint does not know (TYPE-022, D-176): named by `/sandbox/requests`, and refused in a sandbox
//! that is started with `--strict on`.

use crate::auth::Auth;
use crate::route::Route;
use buttonwood_gate::{Payload, Reason, Refusal, Value, items, quoted};
use buttonwood_wire::contract::{Node, Query, parameter_name};
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

/// The names of the fields of a payload, or of a control call's body, that the endpoint does not know. That of a field within a list or an
/// object has its place, such as `orders[0].name`.
pub fn of<'a>(route: &'a Route, payload: &'a Payload) -> impl Iterator<Item = Cow<'a, str>> {
    let common = if route.auth == Auth::Control { OF_CONTROL.as_slice() } else { OF_CALLS.as_slice() };
    payload.names().flat_map(move |name| {
        if common.contains(&&*name) {
            return Vec::new();
        }
        if knows(route, &name) { within(route, payload, &name) } else { vec![name] }
    })
}

/// The unknown fields within the value of a known one.
fn within<'a>(route: &Route, payload: &Payload, name: &str) -> Vec<Cow<'a, str>> {
    let mut unknown = Vec::new();
    let field = route.fields.iter().find(|field| field.name == name);
    if let (Some(field), Some(value @ (Value::Array(_) | Value::Object(_)))) = (field, payload.field(name)) {
        walk(&(field.schema)(), name, &value, &mut unknown);
    }
    unknown
}

/// Collects the fields of a value, and of the values within it, that its schema does not have. A schema without `properties` takes any.
fn walk(schema: &Node, place: &str, value: &Value<'_>, unknown: &mut Vec<Cow<'_, str>>) {
    match value {
        Value::Array(raw) => {
            let Some(of_items) = schema.get("items") else { return };
            for (at, item) in items(raw).enumerate() {
                if matches!(item, Value::Array(_) | Value::Object(_)) {
                    walk(of_items, &format!("{place}[{at}]"), &item, unknown);
                }
            }
        }
        Value::Object(raw) => {
            let Some(properties) = schema.get("properties") else { return };
            // The endpoint refuses an object that cannot be read.
            let Ok(fields) = Payload::read(raw.as_bytes().to_vec()) else { return };
            for name in fields.names() {
                let place = format!("{place}.{name}");
                match (properties.get(&name), fields.field(&name)) {
                    (None, _) => unknown.push(place.into()),
                    (Some(schema), Some(value)) => walk(schema, &place, &value, unknown),
                    (Some(_), None) => {}
                }
            }
        }
        Value::Text(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {}
    }
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
