//! The acts of operators in words for the audit: the name of the command, and each argument as `name=value`.

use buttonwood_gate::{Payload, Value, escaped};
use buttonwood_wire::contract::Field;

/// The value of a secret, which the audit does not show. A text with these letters would stand in quotes.
const HIDDEN: &str = "***";

/// The text of a command with these fields; fields that were not sent are left out, and the values of secrets are hidden.
pub fn what(name: &str, fields: &[Field], sent: &Payload) -> String {
    let mut out = name.to_owned();
    for field in fields {
        let Some(value) = sent.field(field.name) else { continue };
        if field.is_secret() {
            out.extend([" ", field.name, "=", HIDDEN]);
        } else {
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
    use buttonwood_wire::contract::{Described as _, HiddenText, Node};

    fn said(sent: &str) -> String {
        let field = |name, schema| Field { name, about: &[], required: false, schema };
        let [name, count, symbols] = ["name", "count", "symbols"].map(|name| field(name, Node::object));
        let fields = [name, count, symbols, field("password", HiddenText::schema)];
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

    /// A secret is not shown, however it was sent; a text like its stand-in is another one.
    #[test]
    fn a_secret_is_hidden() {
        for sent in [r#"{"password":"seven green turtles"}"#, r#"{"password":7}"#, r#"{"password":["x"]}"#] {
            assert_eq!(said(sent), "do password=***");
        }
        assert_eq!(said(r#"{"name":"***"}"#), r#"do name="***""#);
    }
}
