//! Payloads: a strict JSON object, checked as a whole, then queried field by field.
//!
//! An accepted payload must be what serde_json reads, without the cases that this reader forbids: duplicate names and
//! nesting beyond 16. A refused one must have a single, stable reason and a message that is safe to print.

use buttonwood_gate::{Payload, Reason, Refusal, Value, items};
use serde::Deserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The limits of the specification's decisions, stated independently.
const BYTES_MAX: usize = 12 * 1024;
const DEPTH_MAX: usize = 16;
/// Most characters of a message; it repeats up to 80 of the caller's.
const MESSAGE_MAX: usize = 300;

/// Reads and checks one payload.
pub fn run(bytes: &[u8]) {
    let expected = std::str::from_utf8(bytes).ok().filter(|_| bytes.len() <= BYTES_MAX).and_then(document);
    match (Payload::read(bytes.to_vec()), expected) {
        (Ok(payload), Some(fields)) => {
            assert_eq!(payload.as_str().as_bytes(), bytes, "the text is kept as it was signed");
            for (name, raw) in &fields {
                if raw.get() == "null" {
                    assert_eq!(payload.field(name), None, "null is the field left out (D-169)");
                    continue;
                }
                let value = payload.field(name).expect("a field that serde_json finds");
                same(&value, raw);
                ask(&payload, name, &value);
            }
            let absent = fields.iter().map(|(name, _)| name.as_str()).collect::<String>() + "-";
            assert_eq!(payload.field(&absent), None);
            assert_eq!(payload.integer(&absent), Ok(None));
        }
        (Err(refusal), None) => {
            assert_eq!(refusal.reason, Reason::InvalidJson);
            told(&refusal);
            assert_eq!(Payload::read(bytes.to_vec()).unwrap_err(), refusal, "a verdict never changes");
        }
        (Ok(_), None) => panic!("accepted, but no strict JSON object"),
        (Err(refusal), Some(_)) => panic!("refused, but a strict JSON object: {refusal:?}"),
    }
}

type Fields<'a> = Vec<(String, &'a RawValue)>;

/// The fields of a text that is one object within the limits.
fn document(text: &str) -> Option<Fields<'_>> {
    object(text, 1)
}

fn object(text: &str, depth: usize) -> Option<Fields<'_>> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let fields = reader.deserialize_map(Distinct).ok()?;
    reader.end().ok()?;
    let inside = fields.iter().all(|(_, value)| is_strict(value.get(), depth));
    (depth <= DEPTH_MAX && inside).then_some(fields)
}

/// Whether a value accepted by serde_json also keeps the limits, and has only valid strings.
fn is_strict(value: &str, depth: usize) -> bool {
    match value.as_bytes().first() {
        Some(b'{') => object(value, depth + 1).is_some(),
        Some(b'[') => {
            let elements = serde_json::from_str::<Vec<&RawValue>>(value);
            depth < DEPTH_MAX
                && elements
                    .is_ok_and(|elements| elements.iter().all(|value| is_strict(value.get(), depth + 1)))
        }
        Some(b'"') => serde_json::from_str::<String>(value).is_ok(),
        _ => true,
    }
}

/// Collects the fields of an object in order, and refuses duplicates.
pub(crate) struct Distinct;

impl<'de> Visitor<'de> for Distinct {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields: Self::Value = Vec::new();
        let mut names = BTreeSet::new();
        while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
            if !names.insert(name.clone()) {
                return Err(A::Error::custom("one twice"));
            }
            fields.push((name, value));
        }
        Ok(fields)
    }
}

/// Checks that type and content are the same, and that a number has exactly the sent digits.
fn same(value: &Value<'_>, raw: &RawValue) {
    let raw = raw.get();
    match value {
        Value::Text(text) => assert_eq!(**text, serde_json::from_str::<String>(raw).expect("a string")),
        Value::Number(digits) => {
            assert_eq!(*digits, raw);
            assert!(matches!(raw.as_bytes().first(), Some(b'-' | b'0'..=b'9')), "{raw} is no number");
        }
        Value::Bool(_) | Value::Null => assert_eq!(value.shown(), raw),
        Value::Object(inner) => {
            assert_eq!(*inner, raw);
            assert!(raw.starts_with('{'), "{raw} is no object");
        }
        Value::Array(inner) => {
            assert_eq!(*inner, raw);
            let expected: Vec<&RawValue> = serde_json::from_str(raw).expect("an array");
            let found: Vec<_> = items(inner).collect();
            assert_eq!(found.len(), expected.len());
            for (value, raw) in found.iter().zip(expected) {
                same(value, raw);
            }
        }
    }
}

/// Checks that each way to query a field returns its value, or refuses and names it.
fn ask(payload: &Payload, name: &str, value: &Value<'_>) {
    let text = match value {
        Value::Text(text) => Some(&**text),
        Value::Number(raw) => Some(*raw),
        Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    let is_text = matches!(value, Value::Text(_));
    let digits = text.filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    answers(name, payload.text(name), text.filter(|_| is_text).map(Cow::Borrowed));
    answers(name, payload.integer(name), digits.and_then(|digits| digits.parse::<u64>().ok()));
    let count = digits.map(|digits| digits.parse::<u64>().unwrap_or(u64::MAX));
    answers(name, payload.count(name), count);
    answers(name, payload.timestamp_ms(name), text.and_then(millis));
    let flag = if let Value::Bool(flag) = value { Some(*flag) } else { None };
    answers(name, payload.flag(name, false).map(Some), flag);
    let texts = match value {
        Value::Array(raw) => serde_json::from_str::<Vec<String>>(raw).ok(),
        _ => None,
    };
    answers(name, payload.texts(name), texts.map(|texts| texts.into_iter().map(Cow::Owned).collect()));
    let decimal = payload.decimal_text(name).expect("the field is there");
    assert_eq!(decimal, value.shown());
}

#[track_caller]
fn answers<T: PartialEq + std::fmt::Debug>(name: &str, got: Result<Option<T>, Refusal>, expected: Option<T>) {
    match got {
        Ok(got) => assert_eq!(got, expected),
        Err(refusal) => {
            assert_eq!(expected, None, "{refusal:?}");
            let is_ours = [Reason::InvalidParameterValue, Reason::InvalidTimestampInPayload];
            assert!(is_ours.contains(&refusal.reason), "{refusal:?}");
            assert!(refusal.message.contains(name), "the field is named: {refusal:?}");
            told(&Refusal { message: refusal.message.replacen(name, "", 1), ..refusal });
        }
    }
}

/// Seconds or milliseconds; the fraction of the former is truncated.
fn millis(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let whole: u64 = whole.parse().ok().filter(|_| digits(whole) && digits(fraction))?;
    match whole {
        0..=100_000_000_000 => Some(whole * 1_000 + format!("{fraction:0<3}")[..3].parse::<u64>().ok()?),
        100_000_000_001..=10_000_000_000_000_000 => Some(whole),
        _ => None,
    }
}

/// Checks that a refusal's body is JSON with the right content, and is not too long.
fn told(refusal: &Refusal) {
    assert!(refusal.message.chars().count() <= MESSAGE_MAX, "{} characters", refusal.message.len());
    let body: serde_json::Value = serde_json::from_slice(&refusal.body()).expect("a body is JSON");
    assert_eq!(body["message"], *refusal.message);
    assert_eq!(body["reason"], refusal.reason.name());
    assert_eq!(body["result"], "error");
    assert_eq!(refusal.status, 400);
}
