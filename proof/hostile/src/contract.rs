//! The contract that the exchange serves at `/openapi.json`, as operations and their fields.

use serde_json::Value;
use std::collections::BTreeSet;

/// Who may make a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// Anyone.
    Public,
    /// A control call of the sandbox, without a key.
    Control,
    /// The holder of a key.
    Key,
}

/// Where a field stands in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the path, in the place of `{name}`.
    Path,
    /// In the query.
    Query,
    /// In the signed payload, or in the body of a control call.
    Body,
}

/// A field of a request.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) required: bool,
    /// Its schema, without references.
    pub(crate) schema: Value,
}

/// An operation that is built.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) by: By,
    /// Whether only master keys may call it.
    pub(crate) for_masters: bool,
    /// The kinds of accounts that it is for; none if it is for a group or a session.
    pub(crate) kinds: Vec<String>,
    /// The roles of which a key needs one.
    pub(crate) roles: Vec<String>,
    pub(crate) fields: Vec<Field>,
    /// Statuses that it answers with another body than the usual refusal.
    pub(crate) odd: BTreeSet<u16>,
}

impl Operation {
    /// Method and path, as its name in reports.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// All operations of the contract that are built, in its order.
pub(crate) fn operations(contract: &Value) -> Vec<Operation> {
    let paths = contract.get("paths").and_then(Value::as_object);
    let items = paths.into_iter().flatten();
    let methods = items.flat_map(|(path, item)| {
        let methods = item.as_object().into_iter().flatten();
        methods.map(move |(method, operation)| (path, method, operation))
    });
    let built = methods.filter(|(_, _, operation)| operation.get("responses").is_some());
    built.map(|(path, method, operation)| read(contract, path, method, operation)).collect()
}

fn read(contract: &Value, path: &str, method: &str, operation: &Value) -> Operation {
    let by = match operation.get("x-by").and_then(Value::as_str) {
        Some("public") => By::Public,
        Some("control") => By::Control,
        _ => By::Key,
    };
    let mut fields: Vec<Field> = list(operation, "parameters")
        .iter()
        .filter_map(|parameter| parameter_field(contract, parameter))
        .collect();
    fields.extend(body_fields(contract, operation));
    Operation {
        method: method.to_ascii_uppercase(),
        path: path.to_owned(),
        by,
        for_masters: matches!(operation.get("x-by").and_then(Value::as_str), Some("group" | "master")),
        kinds: words(operation, "x-kinds"),
        roles: words(operation, "x-roles"),
        fields,
        odd: odd_statuses(operation),
    }
}

/// A parameter of the path or the query; headers are set by the client.
fn parameter_field(contract: &Value, parameter: &Value) -> Option<Field> {
    let place = match parameter.get("in").and_then(Value::as_str) {
        Some("path") => Place::Path,
        Some("query") => Place::Query,
        _ => return None,
    };
    Some(Field {
        name: parameter.get("name")?.as_str()?.to_owned(),
        place,
        required: parameter.get("required").and_then(Value::as_bool).unwrap_or(false),
        schema: resolved(contract, parameter.get("schema")?).clone(),
    })
}

/// The fields of the payload or body, those that the client sets itself excepted.
fn body_fields(contract: &Value, operation: &Value) -> Vec<Field> {
    let of_body = operation.pointer("/requestBody/content/application~1json/schema");
    let Some(schema) = operation.get("x-payload").or(of_body) else { return Vec::new() };
    let schema = resolved(contract, schema);
    let required = words(schema, "required");
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let chosen = properties.filter(|(name, _)| !matches!(name.as_str(), "request" | "nonce"));
    let field = |(name, schema): (&String, &Value)| Field {
        name: name.clone(),
        place: Place::Body,
        required: required.contains(name),
        schema: resolved(contract, schema).clone(),
    };
    chosen.map(field).collect()
}

/// The statuses beyond 200 whose answers are described in the operation itself.
fn odd_statuses(operation: &Value) -> BTreeSet<u16> {
    let responses = operation.get("responses").and_then(Value::as_object).into_iter().flatten();
    let own = responses.filter(|(_, response)| response.get("$ref").is_none());
    own.filter_map(|(status, _)| status.parse().ok()).collect()
}

fn resolved<'json>(contract: &'json Value, schema: &'json Value) -> &'json Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#'));
    target.and_then(|pointer| contract.pointer(pointer)).unwrap_or(schema)
}

fn list<'json>(value: &'json Value, name: &str) -> &'json [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn words(value: &Value, name: &str) -> Vec<String> {
    list(value, name).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_operations_with_their_fields() {
        let contract = json!({
            "paths": {
                "/v1/wrap/{symbol}": { "post": {
                    "x-by": "account", "x-kinds": ["exchange"], "x-roles": ["Trader"],
                    "parameters": [
                        { "name": "symbol", "in": "path", "required": true, "schema": { "type": "string" } },
                        { "name": "X-SVC-PAYLOAD", "in": "header", "required": true, "schema": {} },
                    ],
                    "x-payload": { "$ref": "#/components/schemas/Wrap" },
                    "responses": { "200": {}, "400": { "$ref": "#/x" }, "404": { "description": "odd" } },
                } },
                "/v2/marketdata": { "x-stream": true, "parameters": [] },
            },
            "components": { "schemas": { "Wrap": {
                "properties": { "nonce": {}, "amount": { "type": "string" } }, "required": ["nonce", "amount"],
            } } },
        });
        let all = operations(&contract);
        assert_eq!(all.len(), 1);
        let names: Vec<_> = all[0].fields.iter().map(|field| (field.name.as_str(), field.place)).collect();
        assert_eq!(names, [("symbol", Place::Path), ("amount", Place::Body)]);
        assert!(all[0].fields[1].required && all[0].by == By::Key);
        assert_eq!(all[0].odd, BTreeSet::from([200, 404]));
    }
}
