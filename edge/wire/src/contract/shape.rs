//! The values that answers are made of: how each is written, and its schema.

use super::kind::words;
use super::node::Node;
use super::request::paragraph;
use crate::json::Json;
use buttonwood_num::{MONEY_DECIMALS, Money, push_u64};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A value of an answer.
pub trait Shape {
    /// Whether the field of such a value may be left out.
    const OPTIONAL: bool = false;

    /// Its JSON Schema; named objects go to the components.
    fn node(components: &mut Components) -> Node;

    /// Writes it as an element or a whole body.
    fn write(&self, json: &mut Json);

    /// Writes it as a field.
    fn write_field(&self, json: &mut Json, name: &str) {
        json.field(name, |json| self.write(json));
    }
}

/// One field of an answer, as the contract lists it.
#[derive(Debug)]
pub struct Property {
    /// Its name on the wire.
    pub name: &'static str,
    /// The lines of its description.
    pub about: &'static [&'static str],
    /// Whether it may be left out.
    pub optional: bool,
    /// Its schema.
    pub schema: Node,
}

/// The named schemas of the contract.
#[derive(Debug, Default)]
pub struct Components {
    named: Vec<(Cow<'static, str>, Node)>,
}

impl Components {
    /// A reference to a schema of this name, which `make` describes when it is new.
    pub fn named(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        make: impl FnOnce(&mut Self) -> Node,
    ) -> Node {
        let name = name.into();
        if self.named.iter().all(|(known, _)| *known != name) {
            let place = self.named.len();
            // The name is known while the fields are described, so that a schema may refer to itself.
            self.named.push((name.clone(), Node::object()));
            let schema = make(self);
            if let Some(entry) = self.named.get_mut(place) {
                entry.1 = schema;
            }
        }
        Node::object().with("$ref", format!("#/components/schemas/{name}"))
    }

    /// A reference to an object with these fields and no others.
    pub fn object(
        &mut self,
        name: &'static str,
        about: &[&str],
        properties: impl FnOnce(&mut Self) -> Vec<Property>,
    ) -> Node {
        let about = paragraph(about);
        self.named(name, |components| object(properties(components)).with("description", about))
    }

    /// All of them, by name.
    pub fn into_node(mut self) -> Node {
        self.named.sort_by(|left, right| left.0.cmp(&right.0));
        Node::Object(self.named)
    }
}

/// The schema of an object with these fields and no others.
pub(crate) fn object(properties: Vec<Property>) -> Node {
    let required: Node = properties.iter().filter(|row| !row.optional).map(|row| row.name).collect();
    let fields = properties.into_iter().map(|row| {
        let about = paragraph(row.about);
        (row.name.into(), row.schema.with("description", about))
    });
    let fields = Node::Object(fields.collect());
    let schema = Node::of_type("object").with("properties", fields);
    let schema = if required == Node::List(Vec::new()) { schema } else { schema.with("required", required) };
    schema.with("additionalProperties", false)
}

/// A string that is one of a few words; [`words!`](crate::words!) makes one.
pub trait Words {
    /// All of them.
    const WORDS: &'static [&'static str];
}

/// A decimal in a string.
#[derive(Clone, Debug)]
pub struct DecimalText(String);

impl DecimalText {
    /// The decimal that `print` writes.
    pub fn of(print: impl FnOnce(&mut Vec<u8>)) -> Self {
        let mut out = Vec::with_capacity(24);
        print(&mut out);
        Self(String::from_utf8(out).unwrap_or_default())
    }

    /// Zero.
    pub fn zero() -> Self {
        Self("0".to_owned())
    }

    /// An amount with all its decimals.
    pub fn exact(amount: Money) -> Self {
        Self::of(|out| amount.push_floored(out, MONEY_DECIMALS))
    }

    /// An amount of dollars with all its decimals, and at least those of cents.
    pub fn dollars(amount: Money) -> Self {
        let Self(mut text) = Self::exact(amount);
        let decimals = text.split_once('.').map(|(_, decimals)| decimals.len());
        text.push_str(match decimals {
            None => ".00",
            Some(1) => "0",
            Some(_) => "",
        });
        Self(text)
    }
}

impl Shape for DecimalText {
    fn node(_components: &mut Components) -> Node {
        Node::of_type("string").with("format", "decimal").with("pattern", r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$")
    }

    fn write(&self, json: &mut Json) {
        json.plain_item(&self.0);
    }
}

/// A decimal as a number (D-01); it is printed from its digits, never through a float.
#[derive(Clone, Debug)]
pub struct DecimalNumber(DecimalText);

impl DecimalNumber {
    /// The decimal that `print` writes.
    pub fn of(print: impl FnOnce(&mut Vec<u8>)) -> Self {
        Self(DecimalText::of(print))
    }
}

impl Shape for DecimalNumber {
    fn node(_components: &mut Components) -> Node {
        Node::of_type("number")
    }

    fn write(&self, json: &mut Json) {
        json.exact_item(|out| out.extend_from_slice(self.0.0.as_bytes()));
    }
}

/// A whole number in a string.
#[derive(Clone, Copy, Debug)]
pub struct Digits(pub u64);

impl Shape for Digits {
    fn node(_components: &mut Components) -> Node {
        Node::of_type("string").with("format", "digits").with("pattern", "^[0-9]+$")
    }

    fn write(&self, json: &mut Json) {
        json.decimal_item(|out| push_u64(out, self.0));
    }
}

/// An ISO 8601 time in UTC.
#[derive(Clone, Debug)]
pub struct IsoTime(pub String);

impl Shape for IsoTime {
    fn node(_components: &mut Components) -> Node {
        Node::of_type("string").with("format", "date-time")
    }

    fn write(&self, json: &mut Json) {
        json.plain_item(&self.0);
    }
}

/// The word `ok`.
#[derive(Clone, Copy, Debug)]
pub struct Done;

impl Shape for Done {
    fn node(_components: &mut Components) -> Node {
        words(&["ok"])
    }

    fn write(&self, json: &mut Json) {
        json.plain_item("ok");
    }
}

/// A value or `null`.
#[derive(Clone, Debug)]
pub struct Nullable<T>(pub Option<T>);

impl<T: Shape> Shape for Nullable<T> {
    fn node(components: &mut Components) -> Node {
        let either = Node::List(vec![T::node(components), Node::of_type("null")]);
        Node::object().with("anyOf", either)
    }

    fn write(&self, json: &mut Json) {
        match &self.0 {
            Some(value) => value.write(json),
            None => json.null_item(),
        }
    }
}

impl<T: Shape> Shape for Option<T> {
    const OPTIONAL: bool = true;

    fn node(components: &mut Components) -> Node {
        T::node(components)
    }

    fn write(&self, json: &mut Json) {
        if let Some(value) = self {
            value.write(json);
        }
    }

    fn write_field(&self, json: &mut Json, name: &str) {
        if let Some(value) = self {
            value.write_field(json, name);
        }
    }
}

/// An object whose fields have names of the exchange's own, such as ids, which need no escapes.
impl<T: Shape> Shape for BTreeMap<String, T> {
    fn node(components: &mut Components) -> Node {
        Node::of_type("object").with("additionalProperties", T::node(components))
    }

    fn write(&self, json: &mut Json) {
        json.object(|json| self.iter().for_each(|(name, value)| value.write_field(json, name)));
    }
}

impl<T: Shape> Shape for Vec<T> {
    fn node(components: &mut Components) -> Node {
        Node::of_type("array").with("items", T::node(components))
    }

    fn write(&self, json: &mut Json) {
        json.array(self, |json, item| item.write(json));
    }
}

/// A text that the exchange itself makes, which needs no escapes.
impl Shape for String {
    fn node(_components: &mut Components) -> Node {
        Node::of_type("string")
    }

    fn write(&self, json: &mut Json) {
        json.plain_item(self);
    }
}

/// A text that a client chose, repeated as it was sent.
#[derive(Clone, Debug)]
pub struct Label(pub String);

impl Shape for Label {
    fn node(_components: &mut Components) -> Node {
        Node::of_type("string")
    }

    fn write(&self, json: &mut Json) {
        json.text_item(&self.0);
    }
}

impl Shape for u64 {
    fn node(_components: &mut Components) -> Node {
        Node::of_type("integer").with("minimum", 0)
    }

    fn write(&self, json: &mut Json) {
        json.number_item(*self);
    }
}

impl Shape for bool {
    fn node(_components: &mut Components) -> Node {
        Node::of_type("boolean")
    }

    fn write(&self, json: &mut Json) {
        json.flag_item(*self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_num::Decimal;

    /// Dollars have at least the decimals of cents, and no digit is lost.
    #[test]
    fn dollars_have_cents() {
        for (amount, shown) in [
            ("0", "0.00"),
            ("1", "1.00"),
            ("1.5", "1.50"),
            ("12.34", "12.34"),
            ("0.0000000000000000001", "0.0000000000000000001"),
        ] {
            let amount = Money::from_decimal(Decimal::parse(amount.as_bytes()).unwrap()).unwrap();
            assert_eq!(DecimalText::dollars(amount).0, shown);
        }
    }
}
