//! JSON numbers that no Rust type holds, such as `007` or `1e400`, inside a JSON value.
//!
//! Such a number is a text between two marks; [`text`] writes the JSON and removes the marks with their quotes.

use serde_json::Value;
use std::fmt::Write as _;

const MARK: char = '\u{1}';

/// A value that is written exactly as given, without quotes.
pub(crate) fn raw(number: &str) -> Value {
    Value::String(format!("{MARK}{number}{MARK}"))
}

/// The JSON of a value, its raw numbers as they are.
pub(crate) fn text(value: &Value) -> String {
    value.to_string().replace("\"\\u0001", "").replace("\\u0001\"", "")
}

/// The text of a value, without quotes and marks: in a path, or to be read as a number.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim_matches(MARK).to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

/// A text with everything escaped that a path or a query cannot hold.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            // A text takes whatever is written to it.
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_raw_number_loses_its_quotes_and_no_other_text_does() {
        let value = json!({ "a": raw("1e400"), "b": ["x", raw("007")] });
        assert_eq!(text(&value), r#"{"a":1e400,"b":["x",007]}"#);
        assert_eq!((plain(&raw("5")), plain(&json!(true))), ("5".to_owned(), "true".to_owned()));
        assert_eq!(escaped("a/b c%ü"), "a%2Fb%20c%25%C3%BC");
    }
}
