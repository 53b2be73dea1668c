//! The payload of a private request: a JSON object, checked once as a whole, then read field by field.
//!
//! Clauses: `AUTH-006`, `TYPE-003`, `TYPE-005`, `TYPE-007`, `TYPE-008`, `TYPE-013`, `TYPE-016`, `TYPE-022`; D-02, D-28.
//! A field that is absent or `null` is `None` (D-169); one that is there in the wrong type is refused. A reader of a field that a
//! call needs takes it as it was sent, so that `null` is refused there.

use crate::json::{self, Field, Value, beginning};
use crate::{Reason, Refusal, escaped, timestamp};
use std::borrow::Cow;

/// Bytes of a payload at most, once decoded.
pub(crate) const BYTES_MAX: usize = 12 * 1024;

/// A payload read as JSON.
#[derive(Debug)]
pub struct Payload {
    text: String,
    fields: Vec<Field>,
}

impl Payload {
    /// Takes the decoded bytes and checks all of them.
    ///
    /// # Errors
    /// `InvalidJson`, with what is wrong and where.
    pub fn read(bytes: Vec<u8>) -> Result<Self, Refusal> {
        if bytes.len() > BYTES_MAX {
            return Err(no_json(&format!("it is longer than {BYTES_MAX} bytes")));
        }
        Self::read_body(bytes)
    }

    /// The same of the body of a call whose length was checked.
    ///
    /// # Errors
    /// `InvalidJson`, with what is wrong and where.
    pub fn read_body(bytes: Vec<u8>) -> Result<Self, Refusal> {
        let text = String::from_utf8(bytes).map_err(|error| {
            no_json(&format!("it is not UTF-8 at byte {}", error.utf8_error().valid_up_to()))
        })?;
        Self::parse(text)
    }

    fn parse(text: String) -> Result<Self, Refusal> {
        let fields =
            json::object(&text).map_err(|flaw| no_json(&format!("{} at byte {}", flaw.what, flaw.at)))?;
        Ok(Self { text, fields })
    }

    /// A payload without fields.
    pub fn empty() -> Self {
        Self { text: "{}".to_owned(), fields: Vec::new() }
    }

    /// The object in this field, as a payload of its own; none if the field holds no object. It was checked with the whole payload, and is
    /// not checked again.
    pub fn object(&self, name: &str) -> Option<Self> {
        let Some(Value::Object(raw)) = self.field(name) else { return None };
        Some(Self { fields: json::checked(raw), text: raw.to_owned() })
    }

    /// The same object with a text in this field, instead of what it had there.
    ///
    /// # Errors
    /// None: fields that were read are read again.
    pub fn with_text(&self, name: &str, value: &str) -> Result<Self, Refusal> {
        let mut text = format!("{{\"{}\":\"{}\"", escaped(name), escaped(value));
        for field in self.fields.iter().filter(|field| field.name(&self.text) != name) {
            text.push(',');
            field.push(&self.text, &mut text);
        }
        text.push('}');
        Self::parse(text)
    }

    /// The same with these fields alone, to be kept for a while: a client may have sent much beside them.
    #[must_use]
    pub fn only(self, names: &[&str]) -> Self {
        let mut text = "{".to_owned();
        for field in self.fields.iter().filter(|field| names.contains(&&*field.name(&self.text))) {
            if text.len() > 1 {
                text.push(',');
            }
            field.push(&self.text, &mut text);
        }
        text.push('}');
        Self { fields: json::checked(&text), text }
    }

    /// The whole JSON text as it was signed.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// A field's value, or `None` when the payload has no such field or `null` in it (D-169).
    #[expect(clippy::inline_always, reason = "the beginning of a literal name is then a constant")]
    #[inline(always)]
    pub fn field(&self, name: &str) -> Option<Value<'_>> {
        self.sent(name).filter(|value| *value != Value::Null)
    }

    /// A field's value as it was sent, `null` included: for fields that a call needs.
    #[expect(clippy::inline_always, reason = "the beginning of a literal name is then a constant")]
    #[inline(always)]
    pub fn sent(&self, name: &str) -> Option<Value<'_>> {
        self.find(beginning(name), name)
    }

    /// Whether the payload has `null` in this field.
    pub fn is_null(&self, name: &str) -> bool {
        self.sent(name) == Some(Value::Null)
    }

    fn find(&self, begin: u64, name: &str) -> Option<Value<'_>> {
        let field = self.fields.iter().find(|field| field.is_named(&self.text, begin, name))?;
        Some(field.value(&self.text))
    }

    /// The names of its fields, in the order in which they were sent.
    pub fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.fields.iter().map(|field| field.name(&self.text))
    }

    /// A text field.
    ///
    /// # Errors
    /// `InvalidParameterValue` when it is no JSON string.
    pub fn text(&self, name: &str) -> Result<Option<Cow<'_, str>>, Refusal> {
        match self.field(name) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(other) => Err(Refusal::bad_field(name, "a string", &other)),
        }
    }

    /// A boolean field, or `default` when it is absent (TYPE-008, D-28).
    ///
    /// # Errors
    /// `InvalidParameterValue` when it is anything but `true` or `false`.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, Refusal> {
        match self.field(name) {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(Refusal::bad_field(name, "true or false", &other)),
        }
    }

    /// A whole number, sent as a number or as a string of its digits (TYPE-007).
    ///
    /// # Errors
    /// `InvalidParameterValue` for fractions, signs, exponents, other types, and what exceeds 64 bits.
    pub fn integer(&self, name: &str) -> Result<Option<u64>, Refusal> {
        self.field(name).map(|value| integer(name, &value)).transpose()
    }

    /// A count. A number beyond 64 bits is read as the largest one (D-15).
    ///
    /// # Errors
    /// `InvalidParameterValue` for fractions, signs, exponents and other types.
    pub fn count(&self, name: &str) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.field(name) else { return Ok(None) };
        Ok(Some(whole(name, &value)?.parse().unwrap_or(u64::MAX)))
    }

    /// The text of a decimal field, sent as a string or as a number: its digits as sent (D-02).
    ///
    /// Any other type is returned as its JSON text, which no decimal parser accepts: the field's own refusal then
    /// quotes it (TYPE-004).
    #[inline]
    pub fn decimal_text(&self, name: &str) -> Option<Cow<'_, str>> {
        self.field(name).map(Value::into_text)
    }

    /// The same of a field that the call needs: `null` is its JSON text too.
    #[inline]
    pub fn needed_text(&self, name: &str) -> Option<Cow<'_, str>> {
        self.sent(name).map(Value::into_text)
    }

    /// A timestamp in milliseconds, sent in seconds or milliseconds, as a number or as a string (TYPE-005, TYPE-013).
    ///
    /// # Errors
    /// `InvalidTimestampInPayload` when it cannot be read (TYPE-016).
    pub fn timestamp_ms(&self, name: &str) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.field(name) else { return Ok(None) };
        match numeric(&value).and_then(timestamp::millis) {
            Some(millis) => Ok(Some(millis)),
            None => Err(Refusal::bad_field(name, "a timestamp in seconds or milliseconds", &value)
                .with_reason(Reason::InvalidTimestampInPayload)),
        }
    }

    /// An array of strings.
    ///
    /// # Errors
    /// `InvalidParameterValue` when it is no array, or an element is no string.
    pub fn texts(&self, name: &str) -> Result<Option<Vec<Cow<'_, str>>>, Refusal> {
        let Some(value) = self.field(name) else { return Ok(None) };
        let Value::Array(raw) = value else {
            return Err(Refusal::bad_field(name, "an array of strings", &value));
        };
        let text = |item| {
            let Value::Text(text) = item else {
                return Err(Refusal::bad_field(name, "an array of strings", &item));
            };
            Ok(text)
        };
        json::items(raw).map(text).collect::<Result<_, _>>().map(Some)
    }
}

/// A whole number, sent as a number or as a string of its digits (TYPE-007); `name` is that of its field.
///
/// # Errors
/// `InvalidParameterValue` for fractions, signs, exponents, other types, and what exceeds 64 bits.
pub fn integer(name: &str, value: &Value<'_>) -> Result<u64, Refusal> {
    let parsed = whole(name, value)?.parse();
    parsed.map_err(|_| Refusal::bad_field(name, "a whole number of at most 64 bits", value))
}

/// The digits of a number or of a string that should hold one.
pub(crate) fn numeric<'a>(value: &'a Value<'_>) -> Option<&'a str> {
    match value {
        Value::Text(text) => Some(text),
        Value::Number(raw) => Some(raw),
        Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The digits of a whole number; a number parser alone would accept a plus sign.
fn whole<'a>(name: &str, value: &'a Value<'_>) -> Result<&'a str, Refusal> {
    let is_whole = |digits: &&str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    numeric(value)
        .filter(is_whole)
        .ok_or_else(|| Refusal::bad_field(name, "a whole number in digits alone", value))
}

fn no_json(what: &str) -> Refusal {
    Refusal::new(Reason::InvalidJson, format!("The payload is not a JSON object as expected: {what}"))
}

#[cfg(test)]
mod tests;
