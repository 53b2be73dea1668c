//! A validator for the part of JSON Schema that the contract's replies use. It panics at an unknown keyword, so that
//! none goes unchecked.

use serde_json::{Map, Value};

/// The keywords of a reply's schema; `format` comes with a `pattern`, and the last three need no check.
const KEYWORDS: [&str; 12] = [
    "$ref",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "anyOf",
    "format",
    "minimum",
    "pattern",
    "description",
];

/// The named schemas.
pub(super) struct Schemas(Map<String, Value>);

impl Schemas {
    pub(super) fn read(named: &Value) -> Self {
        Self(named.as_object().expect("the contract has schemas").clone())
    }

    /// Checks a value against a named schema.
    pub(super) fn named(&self, name: &str, value: &Value) -> Result<(), String> {
        self.value(&self.0[name], value, "")
    }

    /// Checks a value; the error has a pointer to the wrong place.
    pub(super) fn check(&self, schema: &Value, value: &Value) -> Result<(), String> {
        self.value(schema, value, "")
    }

    fn value(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let schema = schema.as_object().expect("a schema is an object");
        // Anything fits.
        if schema.is_empty() {
            return Ok(());
        }
        if let Some(odd) = schema.keys().find(|word| !KEYWORDS.contains(&word.as_str())) {
            panic!("the validator does not know the keyword '{odd}'");
        }
        if let Some(name) = schema.get("$ref") {
            let name = name.as_str().and_then(|name| name.strip_prefix("#/components/schemas/"));
            return self.value(&self.0[name.expect("a reference to a named schema")], value, at);
        }
        if let Some(either) = schema.get("anyOf").and_then(Value::as_array) {
            let tried: Result<Vec<()>, String> =
                either.iter().map(|one| invert(self.value(one, value, at))).collect();
            return match tried {
                Err(_) => Ok(()),
                Ok(_) => Err(format!("{at}: none of the possible values: {value}")),
            };
        }
        scalar(schema, value, at)?;
        match value {
            Value::Object(fields) => self.object(schema, fields, at),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .try_for_each(|(number, item)| self.value(&schema["items"], item, &format!("{at}/{number}"))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }

    fn object(
        &self,
        schema: &Map<String, Value>,
        fields: &Map<String, Value>,
        at: &str,
    ) -> Result<(), String> {
        let required = schema.get("required").and_then(Value::as_array);
        let mut missing = required.into_iter().flatten().filter_map(Value::as_str);
        if let Some(name) = missing.find(|name| !fields.contains_key(*name)) {
            return Err(format!("{at}/{name}: is missing"));
        }
        let known = schema.get("properties").and_then(Value::as_object);
        for (name, value) in fields {
            let at = format!("{at}/{name}");
            match (known.and_then(|known| known.get(name)), &schema["additionalProperties"]) {
                (Some(schema), _) | (None, schema @ Value::Object(_)) => self.value(schema, value, &at)?,
                (None, _) => return Err(format!("{at}: a field that the contract does not have")),
            }
        }
        Ok(())
    }
}

/// Swaps success and error, since an error ends a search.
fn invert(tried: Result<(), String>) -> Result<(), String> {
    match tried {
        Ok(()) => Err(String::new()),
        Err(_) => Ok(()),
    }
}

/// Checks type, enumeration and pattern of a value.
fn scalar(schema: &Map<String, Value>, value: &Value, at: &str) -> Result<(), String> {
    let expected = schema["type"].as_str().expect("an answer's schema has one type");
    let fits = match expected {
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("the validator does not know the type '{other}'"),
    };
    if !fits {
        return Err(format!("{at}: no {expected}: {value}"));
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array)
        && !words.contains(value)
    {
        return Err(format!("{at}: none of its words: {value}"));
    }
    let text = value.as_str().unwrap_or_default();
    let is_formed = match schema.get("format").and_then(Value::as_str) {
        Some("decimal") => is_decimal(text.strip_prefix('-').unwrap_or(text)),
        Some("digits") => is_digits(text),
        Some("date-time") => text.len() >= 20 && text.ends_with('Z') && text.contains('T'),
        Some(other) => panic!("the validator does not know the format '{other}'"),
        None => !schema.contains_key("pattern"),
    };
    if is_formed { Ok(()) } else { Err(format!("{at}: not of its format: {value}")) }
}

fn is_decimal(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    is_digits(whole) && is_digits(fraction) && (whole == "0" || !whole.starts_with('0'))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
