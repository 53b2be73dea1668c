//! Fields of clearing orders: their readers and their words (CLR-001 to CLR-006).

use crate::contract::{Described, Kind, Node};
use crate::field::bad_value;
use crate::words;
use buttonwood_gate::{Payload, Reason, Refusal, Value};
use std::borrow::Cow;

words! {
    /// How far a clearing order has come.
    pub struct ClearingStatus: "AwaitConfirm", "AwaitSourceConfirm", "AwaitTargetConfirm", "AwaitSourceTargetConfirm", "Confirmed",
        "AttemptSettlement", "Settled", "Expired", "Canceled", "Not Found"
}

/// The id of a clearing order, which must be there and a string (CLR-004).
#[derive(Debug)]
pub enum ClearingId {}

impl Described for ClearingId {
    const REQUIRED: bool = true;

    fn schema() -> Node {
        Node::of_type("string")
    }
}

impl<'a> Kind<&'a Payload> for ClearingId {
    type Read = Result<Cow<'a, str>, Refusal>;

    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        match source.sent(name) {
            None => Err(Refusal::missing_key(name)),
            Some(Value::Text(text)) => Ok(text),
            Some(other) => {
                Err(Refusal::bad_field(name, "a string", &other).with_reason(Reason::GTSTradeIDMustBeString))
            }
        }
    }
}

/// The counterparty of an order, which may be absent. `null` is refused: without the field, the order is open to all who have its id
/// (D-169).
#[derive(Debug)]
pub enum CounterpartyId {}

impl Described for CounterpartyId {
    fn schema() -> Node {
        Node::of_type("string")
    }
}

impl<'a> Kind<&'a Payload> for CounterpartyId {
    type Read = Result<Option<Cow<'a, str>>, Refusal>;

    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        match source.sent(name) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(other) => Err(Refusal::bad_field(name, "a string, or absent", &other)),
        }
    }
}

/// The most hours that a clearing order waits (D-86).
const HOURS_MAX: u16 = 8_760;

/// Hours until a clearing order expires: a whole number from 1 to 8760, or a string of its digits. `NEEDED` says whether it must be there.
#[derive(Debug)]
pub enum Hours<const NEEDED: bool> {}

impl<const NEEDED: bool> Described for Hours<NEEDED> {
    const REQUIRED: bool = NEEDED;

    fn schema() -> Node {
        let types: Node = ["integer", "string"].into_iter().collect();
        let bounds = Node::object().with("type", types).with("pattern", "^0*[1-9][0-9]{0,3}$");
        bounds.with("minimum", 1).with("maximum", u64::from(HOURS_MAX))
    }
}

impl<'a> Kind<&'a Payload> for Hours<false> {
    type Read = Result<Option<u16>, Refusal>;

    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        source.field(name).map(|value| hours(name, &value)).transpose()
    }
}

impl<'a> Kind<&'a Payload> for Hours<true> {
    type Read = Result<u16, Refusal>;

    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        let value = source.sent(name).ok_or_else(|| Refusal::missing_key(name))?;
        hours(name, &value)
    }
}

fn hours(name: &str, value: &Value<'_>) -> Result<u16, Refusal> {
    let digits = match value {
        Value::Text(text) => Some(&**text),
        // A number may carry a fraction of zeros.
        Value::Number(raw) => match raw.split_once('.') {
            Some((whole, zeros)) => Some(whole).filter(|_| zeros.bytes().all(|byte| byte == b'0')),
            None => Some(*raw),
        },
        Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    let is_whole = |digits: &&str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let hours = digits.filter(is_whole).and_then(|digits| digits.parse().ok());
    hours.filter(|hours| (1..=HOURS_MAX).contains(hours)).ok_or_else(|| {
        bad_value(name, &format!("a whole number of hours from 1 to {HOURS_MAX}"), value.shown())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Payload {
        Payload::read(format!(r#"{{"x":{value}}}"#).into_bytes()).unwrap()
    }

    #[test]
    fn hours_are_whole_and_bounded() {
        let hours = |value| <Hours<false> as Kind<_>>::read(&read(value), "x");
        for (value, expected) in
            [("1", 1), ("1.0", 1), ("24.000", 24), (r#""8760""#, 8_760), ("8760", 8_760), (r#""007""#, 7)]
        {
            assert_eq!(hours(value).unwrap(), Some(expected), "{value}");
        }
        assert_eq!(hours("null").unwrap(), None);
        let wrong = [
            "0",
            "-1",
            "1.5",
            "8761",
            "1e1",
            r#""1.0""#,
            r#"" 1""#,
            r#""+1""#,
            r#""""#,
            "true",
            "[1]",
            "{}",
            "99999999999999999999",
        ];
        for value in wrong {
            let refusal = hours(value).unwrap_err();
            assert_eq!(refusal.reason, Reason::InvalidParameterValue, "{value}");
            assert!(refusal.message.contains("'x'") && refusal.message.contains("8760"), "{value}");
        }
        let needed = |value| <Hours<true> as Kind<_>>::read(&read(value), "x");
        assert_eq!((needed("2").unwrap(), needed("null").is_err()), (2, true));
        let absent = Payload::read(b"{}".to_vec()).unwrap();
        let missing = <Hours<true> as Kind<_>>::read(&absent, "x").unwrap_err();
        assert_eq!(missing.reason, Reason::MissingPayloadKey);
    }

    #[test]
    fn ids_are_strings() {
        let id = |value| <ClearingId as Kind<_>>::read(&read(value), "x").map(Cow::into_owned);
        assert_eq!(id(r#""AB""#).unwrap(), "AB");
        for value in ["1", "null", "true", "[]", "{}"] {
            assert_eq!(id(value).unwrap_err().reason, Reason::GTSTradeIDMustBeString, "{value}");
        }
        let other = |value| <CounterpartyId as Kind<_>>::read(&read(value), "x").map(|id| id.is_some());
        assert!(other(r#""AB""#).unwrap());
        for value in ["1", "null", "true", "[]", "{}"] {
            assert_eq!(other(value).unwrap_err().reason, Reason::InvalidParameterValue, "{value}");
        }
    }
}
