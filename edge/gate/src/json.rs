//! A strict JSON reader over text that is already in memory: one pass, nothing copied, numbers as their digits.
//!
//! Beyond the grammar, it refuses a field given twice (however escaped), lone surrogates, and nesting deeper than 16.
//! Only the length of the text limits the number of fields.

mod escape;
mod reader;

use reader::Reader;
use std::borrow::Cow;
use std::ops::Range;

/// A JSON value; arrays and objects are kept as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A string, its escapes resolved.
    Text(Cow<'a, str>),
    /// A number, as its digits were sent.
    Number(&'a str),
    /// `true` or `false`.
    Bool(bool),
    /// `null`.
    Null,
    /// An array, unread but valid; see [`items`].
    Array(&'a str),
    /// An object, unread but valid.
    Object(&'a str),
}

impl<'a> Value<'a> {
    /// The value as a message shows it: text without its quotes, everything else as sent.
    pub fn shown(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Number(raw) | Self::Array(raw) | Self::Object(raw) => raw,
            Self::Bool(true) => "true",
            Self::Bool(false) => "false",
            Self::Null => "null",
        }
    }

    /// The same as a text of its own.
    pub fn into_text(self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => text,
            Self::Number(raw) | Self::Array(raw) | Self::Object(raw) => Cow::Borrowed(raw),
            Self::Bool(true) => Cow::Borrowed("true"),
            Self::Bool(false) => Cow::Borrowed("false"),
            Self::Null => Cow::Borrowed("null"),
        }
    }
}

/// Why a text is not the JSON object expected, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) what: Cow<'static, str>,
    pub(crate) at: usize,
}

/// One field of an object: where its name and value lie in the text.
#[derive(Debug)]
pub(crate) struct Field {
    /// The [`beginning`] of its name.
    begin: u64,
    name: Name,
    value: Token,
}

impl Field {
    /// Whether the field has this name, whose [`beginning`] is `begin`. Nearly every other name already differs there.
    pub(crate) fn is_named(&self, text: &str, begin: u64, name: &str) -> bool {
        self.begin == begin && self.name.read(text) == name
    }

    pub(crate) fn name<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.name.read(text)
    }

    pub(crate) fn value<'a>(&self, text: &'a str) -> Value<'a> {
        self.value.read(text)
    }

    /// Appends the field as it stands in the text.
    pub(crate) fn push(&self, text: &str, out: &mut String) {
        let raw = |span: &Range<usize>| text.get(span.clone()).unwrap_or_default();
        for part in ["\"", raw(&self.name.span), "\":"] {
            out.push_str(part);
        }
        match &self.value {
            Token::Text(inside) => {
                for part in ["\"", raw(&inside.span), "\""] {
                    out.push_str(part);
                }
            }
            Token::Number(_) | Token::Bool(_) | Token::Null | Token::Array(_) | Token::Object(_) => {
                out.push_str(self.value(text).shown());
            }
        }
    }
}

/// The first eight bytes of a name as one word; a shorter one is filled up with zeros.
#[expect(clippy::inline_always, reason = "of a literal, it is a constant")]
#[inline(always)]
pub(crate) fn beginning(name: &str) -> u64 {
    let mut word = [0; 8];
    for (place, byte) in word.iter_mut().zip(name.bytes()) {
        *place = byte;
    }
    u64::from_le_bytes(word)
}

/// The inside of a string, and whether it holds escapes.
#[derive(Debug)]
struct Name {
    span: Range<usize>,
    escaped: bool,
}

impl Name {
    /// The [`beginning`] of the name with its escapes resolved.
    #[inline]
    fn beginning(&self, text: &str) -> u64 {
        let Range { start, end } = self.span;
        let word = text.as_bytes().get(start..).and_then(<[u8]>::first_chunk);
        match (word, end - start) {
            (Some(word), 8..) if !self.escaped => u64::from_le_bytes(*word),
            // Cuts off the bytes after the name.
            (Some(word), length) if !self.escaped => u64::from_le_bytes(*word) & !(u64::MAX << (8 * length)),
            _ => beginning(&self.read(text)),
        }
    }

    #[inline]
    fn read<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let raw = text.get(self.span.clone()).unwrap_or_default();
        if self.escaped { Cow::Owned(escape::resolve(raw)) } else { Cow::Borrowed(raw) }
    }
}

/// A value not yet taken out of the text.
#[derive(Debug)]
enum Token {
    Text(Name),
    Number(Range<usize>),
    Bool(bool),
    Null,
    Array(Range<usize>),
    Object(Range<usize>),
}

impl Token {
    fn read<'a>(&self, text: &'a str) -> Value<'a> {
        let raw = |span: &Range<usize>| text.get(span.clone()).unwrap_or_default();
        match self {
            Self::Text(name) => Value::Text(name.read(text)),
            Self::Number(span) => Value::Number(raw(span)),
            Self::Bool(flag) => Value::Bool(*flag),
            Self::Null => Value::Null,
            Self::Array(span) => Value::Array(raw(span)),
            Self::Object(span) => Value::Object(raw(span)),
        }
    }
}

/// Reads a text that is one object and nothing after it.
pub(crate) fn object(text: &str) -> Result<Vec<Field>, Flaw> {
    Reader::new(text).document()
}

/// The fields of the object that a [`Value::Object`] holds, without the checks that [`object`] made of the whole text.
pub(crate) fn checked(object: &str) -> Vec<Field> {
    Reader::inside(object).checked_members()
}

/// The elements of the array a [`Value::Array`] holds.
pub fn items(array: &str) -> Items<'_> {
    Items { text: array, reader: Reader::inside(array) }
}

/// The elements of an array, read one by one. Made by [`items`].
#[derive(Debug)]
pub struct Items<'a> {
    text: &'a str,
    reader: Reader<'a>,
}

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        self.reader.element().map(|token| token.read(self.text))
    }
}

#[cfg(test)]
mod tests;
