//! A JSON text as a tree whose fields keep their order: schemas, and the contract they stand in.

use std::borrow::Cow;
use std::fmt::Write;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A string.
    Text(Cow<'static, str>),
    /// A whole number.
    Number(u64),
    /// `true` or `false`.
    Flag(bool),
    /// An array.
    List(Vec<Node>),
    /// An object; its fields keep their order.
    Object(Vec<(Cow<'static, str>, Node)>),
}

impl From<&'static str> for Node {
    fn from(text: &'static str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<u64> for Node {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Node {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl<T: Into<Node>> FromIterator<T> for Node {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

impl Node {
    /// An object without fields.
    pub const fn object() -> Self {
        Self::Object(Vec::new())
    }

    /// A schema with a type of this name.
    pub fn of_type(name: &'static str) -> Self {
        Self::object().with("type", name)
    }

    /// The same object with one more field. Any other value stays as it is.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Node>) -> Self {
        if let Self::Object(fields) = &mut self {
            fields.push((name.into(), value.into()));
        }
        self
    }

    /// The value of a field of an object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(fields) = self else { return None };
        fields.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Self> {
        let Self::Object(fields) = self else { return None };
        fields.iter_mut().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The text, indented by two spaces a level.
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        self.push(&mut out, 0);
        out.push('\n');
        out
    }

    fn push(&self, out: &mut String, level: usize) {
        match self {
            Self::Text(text) => push_text(out, text),
            Self::Number(number) => out.push_str(&number.to_string()),
            Self::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Self::List(items) => {
                push_block(out, level, ['[', ']'], items, |out, item| item.push(out, level + 1));
            }
            Self::Object(fields) => push_block(out, level, ['{', '}'], fields, |out, (name, value)| {
                push_text(out, name);
                out.push_str(": ");
                value.push(out, level + 1);
            }),
        }
    }
}

fn push_block<T>(
    out: &mut String,
    level: usize,
    [open, close]: [char; 2],
    items: &[T],
    each: impl Fn(&mut String, &T),
) {
    out.push(open);
    for (at, item) in items.iter().enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(level + 1));
        each(out, item);
    }
    if !items.is_empty() {
        out.push('\n');
        out.push_str(&"  ".repeat(level));
    }
    out.push(close);
}

fn push_text(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if control < ' ' => {
                write!(out, "\\u{:04x}", u32::from(control)).expect("a string takes any text");
            }
            plain => out.push(plain),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_their_order_and_texts_are_escaped() {
        let list = Node::List(vec![Node::from("a\"\\\n"), Node::from(2), Node::object()]);
        let node = Node::object().with("z", true).with("a", list).with("e", Node::List(Vec::new()));
        let expected = "{\n  \"z\": true,\n  \"a\": [\n    \"a\\\"\\\\\\u000a\",\n    2,\n    {}\n  ],\n  \"e\": []\n}\n";
        assert_eq!(node.pretty(), expected);
    }
}
