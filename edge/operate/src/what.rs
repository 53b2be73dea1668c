//! The acts of operators in words for the audit: the name of the command, and each argument as `name=value`.

use buttonwood_gate::{Payload, Value, escaped};
use buttonwood_wire::contract::Field;

/// The text of a command with these fields; fields that were not sent are left out.
pub fn what(name: &str, fields: &[Field], sent: &Payload) -> String {
    let mut out = name.to_owned();
    for field in fields {
        if let Some(value) = sent.field(field.name) {
            push(&mut out, field.name, &value);
        }
    }
    out
}

fn push(out: &mut String, name: &str, value: &Value<'_>) {
    out.push(' ');
    out.push_str(name);
    out.push('=');
    let Value::Text(text) = value else { return out.push_str(value.shown()) };
    push_value(out, text);
}

/// Appends a text as `name=value`.
pub(crate) fn push_text(out: &mut String, name: &str, text: &str) {
    push(out, name, &Value::Text(text.into()));
}

fn push_value(out: &mut String, text: &str) {
    if is_plain(text) {
        return out.push_str(text);
    }
    out.push('"');
    out.push_str(&escaped(text));
    out.push('"');
}

/// Whether a text cannot be taken for more than one value.
fn is_plain(text: &str) -> bool {
    let plain = |letter: char| letter.is_alphanumeric() || "-_.:/+@,".contains(letter);
    !text.is_empty() && text.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_wire::contract::Node;

    fn said(sent: &str) -> String {
        let field = |name| Field { name, about: &[], required: false, schema: Node::object };
        let fields = ["name", "count", "symbols"].map(field);
        what("do", &fields, &Payload::read(sent.as_bytes().to_vec()).unwrap())
    }

    /// Fields stand in their own order, and a text with blanks or quotes is one value.
    #[test]
    fn each_argument_is_named() {
        assert_eq!(said("{}"), "do");
        assert_eq!(said(r#"{"count":5,"name":"BTC","other":1}"#), "do name=BTC count=5");
        assert_eq!(said(r#"{"name":"a b=\"c\""}"#), r#"do name="a b=\"c\"""#);
        assert_eq!(said(r#"{"name":"","symbols":["a"]}"#), r#"do name="" symbols=["a"]"#);
    }
}
