//! A refusal as the client sees it: status, reason, message (ERR-001).

use crate::{Reason, Value};
use std::fmt::Write;

/// How much of a client's own value a message repeats.
const QUOTED_MAX: usize = 80;

/// The fields of a refusal's body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// `result`, `reason` and `message` (ERR-001).
    #[default]
    Common,
    /// This code in `error`, and `message`: the refusals of prediction markets themselves (PM-035).
    Coded(&'static str),
    /// The common fields, and the reason in `error` too (D-114).
    Both,
}

/// A refused request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// HTTP status; its reason's, unless [`Refusal::with_status`] says otherwise.
    pub status: u16,
    /// The token clients match on.
    pub reason: Reason,
    /// Text for people.
    pub message: String,
    /// Whole seconds for the `Retry-After` header.
    pub retry_after: Option<u32>,
    /// Whether the connection closes after the answer, because it is unclear who sent the request (D-03).
    pub close: bool,
    /// The fields of its body.
    pub form: Form,
}

impl Refusal {
    /// A refusal with its reason's status.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            status: reason.status(),
            reason,
            message: message.into(),
            retry_after: None,
            close: false,
            form: Form::Common,
        }
    }

    /// A refusal with a status and a code of its own in `error` (PM-035). The metrics count it as `InvalidInput`.
    pub fn coded(status: u16, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, form: Form::Coded(code), ..Self::new(Reason::InvalidInput, message) }
    }

    /// The plain 429 of the limits (ERR-005).
    pub fn rate_limit(retry_after: u32) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(Reason::RateLimit, "Too Many Requests") }
    }

    /// A known field with a value that does not fit: names both.
    pub fn bad_field(name: &str, expected: &str, value: &Value<'_>) -> Self {
        Self::misfit("Field", name, expected, value.shown())
    }

    /// A value that does not fit, of a place such as `Field` or `Query parameter`. Of a number with an exponent the message says that
    /// exponents are not taken (TYPE-002).
    pub fn misfit(place: &str, name: &str, expected: &str, value: &str) -> Self {
        let message = format!("{place} '{name}' must be {expected}: {}", quoted(value));
        let refusal = Self::new(Reason::InvalidParameterValue, message);
        if has_exponent(value) { refusal.and(NO_EXPONENT) } else { refusal }
    }

    /// A required payload field that is absent (ERR-003).
    pub fn missing_key(name: &str) -> Self {
        Self::new(Reason::MissingPayloadKey, format!("Missing required field '{name}'"))
    }

    /// The same text under another reason, and so another status.
    #[must_use]
    pub fn with_reason(self, reason: Reason) -> Self {
        Self { status: reason.status(), reason, ..self }
    }

    /// The same with a hint at a correct request.
    #[must_use]
    pub fn and(self, hint: &str) -> Self {
        Self { message: format!("{}; {hint}", self.message), ..self }
    }

    /// Another status than the reason's: 405, 413 and the like have no reason of their own.
    #[must_use]
    pub fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// The connection closes after this answer.
    #[must_use]
    pub fn closing(self) -> Self {
        Self { close: true, ..self }
    }

    /// The same with other fields in its body.
    #[must_use]
    pub fn with_form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// The same with the place of the flaw before its text, such as `orders[2]`.
    #[must_use]
    pub fn within(self, place: &str) -> Self {
        Self { message: format!("{place}: {}", self.message), ..self }
    }

    /// Its token in `error`, or that in `reason` where its body has no `error`.
    pub fn code(&self) -> &'static str {
        match self.form {
            Form::Coded(code) => code,
            Form::Common | Form::Both => self.reason.name(),
        }
    }

    /// Appends the JSON body.
    pub fn write_body(&self, out: &mut Vec<u8>) {
        let error = match self.form {
            Form::Common => None,
            Form::Coded(code) => Some(code),
            Form::Both => Some(self.reason.name()),
        };
        out.push(b'{');
        if !matches!(self.form, Form::Coded(_)) {
            out.extend_from_slice(br#""result":"error","reason":""#);
            out.extend_from_slice(self.reason.name().as_bytes());
            out.extend_from_slice(br#"","#);
        }
        if let Some(error) = error {
            out.extend_from_slice(br#""error":""#);
            out.extend_from_slice(error.as_bytes());
            out.extend_from_slice(br#"","#);
        }
        out.extend_from_slice(br#""message":""#);
        out.extend_from_slice(escaped(&self.message).as_bytes());
        out.extend_from_slice(br#""}"#);
    }

    /// The JSON body.
    pub fn body(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 + self.message.len());
        self.write_body(&mut out);
        out
    }
}

/// The text in a refusal of a number with an exponent.
pub const NO_EXPONENT: &str = "exponents are not taken, write the number in full";

/// Whether a text is a number with an exponent, such as `1e-05`.
pub fn has_exponent(text: &str) -> bool {
    let Some((number, exponent)) = text.split_once(['e', 'E']) else { return false };
    let (number, exponent) = (number.trim_start_matches('-'), exponent.trim_start_matches(['-', '+']));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_plain = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    [whole, fraction, exponent].into_iter().all(is_plain)
}

/// A client's value as a message repeats it: cut when long.
pub fn quoted(value: &str) -> String {
    let mut shown: String = value.chars().take(QUOTED_MAX).collect();
    if shown.len() < value.len() {
        shown.push('…');
    }
    shown
}

/// The text inside a JSON string.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            control if control < ' ' => {
                write!(out, "\\u{:04x}", u32::from(control)).expect("a string takes any text");
            }
            plain => out.push(plain),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(refusal: &Refusal) -> String {
        String::from_utf8(refusal.body()).unwrap()
    }

    /// Proves ERR-001.
    #[test]
    fn body_has_three_fields_and_escapes() {
        let refusal = Refusal::new(Reason::InvalidSide, "say \"é\\\"\n\u{1}");
        assert_eq!(
            body(&refusal),
            r#"{"result":"error","reason":"InvalidSide","message":"say \"é\\\"\n\u0001"}"#
        );
    }

    /// Refusals of prediction markets have a code. Proves PM-035.
    #[test]
    fn other_forms_have_a_code() {
        let coded = Refusal::coded(422, "InsufficientFunds", "too \"little\"");
        assert_eq!((coded.status, coded.reason), (422, Reason::InvalidInput));
        assert_eq!(body(&coded), r#"{"error":"InsufficientFunds","message":"too \"little\""}"#);
        assert_eq!(coded.code(), "InsufficientFunds");
        assert_eq!(coded.within("orders[2]").message, "orders[2]: too \"little\"");
        let both = Refusal::new(Reason::MissingRole, "no").with_form(Form::Both);
        assert_eq!(both.code(), "MissingRole");
        assert_eq!(
            body(&both),
            r#"{"result":"error","reason":"MissingRole","error":"MissingRole","message":"no"}"#
        );
    }

    /// Proves ERR-005.
    #[test]
    fn rate_limit_says_when_to_come_back() {
        let refusal = Refusal::rate_limit(3);
        assert_eq!((refusal.status, refusal.retry_after), (429, Some(3)));
        assert_eq!(
            body(&refusal),
            r#"{"result":"error","reason":"RateLimit","message":"Too Many Requests"}"#
        );
    }

    /// Numbers with exponents are named as such, and nothing else is.
    #[test]
    fn exponents_are_named() {
        for text in ["1e5", "1E5", "1e-05", "1.5e+3", "-2e0"] {
            assert!(has_exponent(text), "{text}");
            let message = Refusal::misfit("Field", "amount", "a decimal", text).message;
            let expected = format!("Field 'amount' must be a decimal: {text}; {NO_EXPONENT}");
            assert_eq!(message, expected);
        }
        for text in ["", "e", "e5", "1e", "1.e5", ".5e5", "ethereum", "1e5x", "0x1e5", "15", "1e5e5"] {
            assert!(!has_exponent(text), "{text}");
            assert!(!Refusal::misfit("Field", "amount", "a decimal", text).message.contains("exponent"));
        }
    }

    #[test]
    fn long_values_are_cut_in_messages() {
        let value = "x".repeat(10_000);
        let refusal = Refusal::bad_field("limit_trades", "a whole number", &Value::Number(&value));
        assert!(refusal.message.starts_with("Field 'limit_trades' must be a whole number: xxx"));
        assert!(refusal.message.len() < 200);
    }

    #[test]
    fn statuses_may_be_set_apart() {
        let refusal = Refusal::new(Reason::EndpointNotFound, "no").with_status(405);
        assert_eq!((refusal.status, refusal.reason), (405, Reason::EndpointNotFound));
        assert_eq!(refusal.with_reason(Reason::MissingRole).status, 403);
    }
}
