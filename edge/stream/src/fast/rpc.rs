//! Requests and answers of the newest socket (EVT-025, facts T§12.2).

use crate::socket::Answer;
use buttonwood_gate::{Form, Payload, Reason, Refusal, Value, quoted};
use buttonwood_wire::{Json, json};
use std::cell::OnceCell;

/// The id of a request, which its answer echoes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Id {
    /// None was sent, or none could be read.
    Null,
    Text(String),
    /// An integer, as it was sent.
    Number(String),
}

/// A request that could be read.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) id: Id,
    /// In lower case.
    pub(crate) method: String,
    pub(crate) message: Payload,
    /// Its parameters, once they were looked at: a call beyond a limit is refused before.
    params: OnceCell<Option<Payload>>,
}

/// A refusal of a request: the status, the code and the text of its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) status: u16,
    pub(crate) code: i32,
    pub(crate) text: String,
}

impl Fault {
    /// Parameters that cannot be read, or that mean nothing.
    pub(crate) fn invalid(text: impl Into<String>) -> Self {
        Self { status: 400, code: -1013, text: text.into() }
    }

    /// A cancel of what is not live or not the caller's.
    pub(crate) fn not_live(id: &str) -> Self {
        Self::invalid(format!("order not found or already filled: {}", quoted(id)))
    }

    /// A method that does not exist.
    pub(crate) fn unsupported(method: &str) -> Self {
        Self { status: 400, code: -1020, text: format!("Unsupported operation: method '{}'", quoted(method)) }
    }

    /// A call that needs a key, over a socket that was opened without one.
    pub(crate) fn unauthorized() -> Self {
        let text = "Authentication required: open the socket with an API key or an access token";
        Self { status: 401, code: -1002, text: text.to_owned() }
    }

    /// A call over a limit.
    pub(crate) fn limited(seconds: u64) -> Self {
        let unit = if seconds == 1 { "second" } else { "seconds" };
        Self { status: 429, code: -1003, text: format!("Too Many Requests: the next in {seconds} {unit}") }
    }

    /// A refusal of the gate or of the exchange itself.
    pub(crate) fn of(refusal: &Refusal) -> Self {
        let text = |reason: Reason| format!("{}: {}", reason.name(), refusal.message);
        let reason = refusal.reason;
        match refusal.status {
            429 => Self::limited(refusal.retry_after.unwrap_or(1).into()),
            status @ (401 | 403) => Self { status, code: -1002, text: refusal.message.clone() },
            503 => Self { status: 503, code: -1000, text: text(reason) },
            500.. => Self { status: 500, code: -1000, text: text(reason) },
            _ => Self::invalid(refusal.message.clone()),
        }
    }

    /// An order that a rule refuses: the text begins with the reason of REST (D-148).
    pub(crate) fn rejected(refusal: &Refusal) -> Self {
        let fault = Self::of(refusal);
        // A rule about contracts may be a 403 of REST.
        let is_rule = fault.code == -1013 || matches!(refusal.form, Form::Coded(_)) && refusal.status < 429;
        if !is_rule {
            return fault;
        }
        let reason = refusal.code();
        Self { status: 400, code: -2010, text: format!("{reason}: {}", refusal.message) }
    }
}

/// The parameters of the methods that take an object of them.
const PARAMETERS: [(&str, &[&str]); 3] = [
    (
        "order.place",
        &[
            "symbol",
            "side",
            "type",
            "timeInForce",
            "price",
            "stopPrice",
            "quantity",
            "clientOrderId",
            "eventOutcome",
        ],
    ),
    ("order.cancel", &["orderId"]),
    ("depth", &["symbol", "limit"]),
];

/// The parameters that a method knows, of one that takes an object of them.
pub(crate) fn known_parameters(method: &str) -> &'static [&'static str] {
    PARAMETERS.iter().find(|(name, _)| *name == method).map_or(&[], |(_, known)| *known)
}

impl Request {
    /// Refuses a field or a parameter that no call knows, in a sandbox that is started with `--strict on` (D-176).
    ///
    /// # Errors
    /// The fault that names the first one.
    pub(crate) fn check_fields(&self) -> Result<(), Fault> {
        let unknown = |what: &str, name: &str| {
            Fault::invalid(format!(
                "{what} '{}' is not known to {} (--strict on)",
                quoted(name),
                quoted(&self.method)
            ))
        };
        if let Some(name) = self.message.names().find(|name| !["id", "method", "params"].contains(&&**name)) {
            return Err(unknown("Field", &name));
        }
        let known = known_parameters(&self.method);
        let mut names = self.params().into_iter().flat_map(Payload::names);
        names.find(|name| !known.contains(&&**name)).map_or(Ok(()), |name| Err(unknown("Parameter", &name)))
    }

    /// Its parameters, if an object of them was sent.
    pub(crate) fn params(&self) -> Option<&Payload> {
        self.params.get_or_init(|| self.message.object("params")).as_ref()
    }

    /// Its id, and the parameters of a call that has an object of them.
    ///
    /// # Errors
    /// The fault of one without.
    pub(crate) fn into_params(self) -> Result<(Id, Payload), Fault> {
        if let Some(params) = self.params.into_inner().unwrap_or_else(|| self.message.object("params")) {
            return Ok((self.id, params));
        }
        Err(match self.message.field("params") {
            None => Fault::invalid("Missing required field 'params'"),
            Some(other) => {
                Fault::invalid(format!("Field 'params' must be an object: {}", quoted(other.shown())))
            }
        })
    }
}

/// Reads a request.
///
/// # Errors
/// The fault, with the id as far as it could be read.
pub(crate) fn read(message: String) -> Result<Request, (Id, Fault)> {
    let message = Payload::read_body(message.into_bytes())
        .map_err(|refusal| (Id::Null, Fault::invalid(refusal.message)))?;
    let id = match message.field("id") {
        None => Id::Null,
        Some(Value::Text(text)) => Id::Text(text.into_owned()),
        Some(Value::Number(digits)) if is_integer(digits) => Id::Number(digits.to_owned()),
        Some(other) => {
            let text = format!("Field 'id' must be a string or an integer: {}", quoted(other.shown()));
            return Err((Id::Null, Fault::invalid(text)));
        }
    };
    let method = match message.field("method") {
        Some(Value::Text(method)) => method.to_ascii_lowercase(),
        None => return Err((id, Fault::invalid("Missing required field 'method'"))),
        Some(other) => {
            let text = format!("Field 'method' must be a string: {}", quoted(other.shown()));
            return Err((id, Fault::invalid(text)));
        }
    };
    Ok(Request { id, method, message, params: OnceCell::new() })
}

/// Whether digits are an integer of at most 20 digits, as one of 64 bits has.
fn is_integer(digits: &str) -> bool {
    let digits = digits.strip_prefix('-').unwrap_or(digits);
    digits.len() <= 20 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn write_id(json: &mut Json, id: &Id) {
    match id {
        Id::Null => json.null("id"),
        Id::Text(text) => json.field("id", |json| json.text_item(text)),
        Id::Number(digits) => {
            json.field("id", |json| json.exact_item(|out| out.extend_from_slice(digits.as_bytes())));
        }
    }
}

/// An answer; `result` writes what follows the status.
pub(crate) fn answer(id: &Id, result: impl FnOnce(&mut Json)) -> Answer {
    let json = json::object(128, |json| {
        write_id(json, id);
        json.number("status", 200);
        result(json);
    });
    Answer { json, status: 200, error: None }
}

/// The answer of a refused request.
pub(crate) fn refusal(id: &Id, fault: Fault) -> Answer {
    let Fault { status, code, text } = fault;
    let json = json::object(160, |json| {
        write_id(json, id);
        json.number("status", status.into());
        json.object_field("error", |json| {
            json.field("code", |json| {
                json.exact_item(|out| out.extend_from_slice(code.to_string().as_bytes()));
            });
            json.field("msg", |json| json.text_item(&text));
        });
    });
    Answer { json, status, error: Some((code, text)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(message: &str) -> Result<(Id, String), (Id, Fault)> {
        read(message.to_owned()).map(|request| (request.id, request.method))
    }

    fn text(answer: Answer) -> String {
        String::from_utf8(answer.json).unwrap()
    }

    /// A text or an integer is echoed as it was sent. Methods are taken in any case.
    #[test]
    fn ids_are_echoed() {
        let long = "18446744073709551615";
        for (sent, id, echoed) in [
            (r#""a\n\u00e9""#, Id::Text("a\né".to_owned()), r#""a\né""#),
            ("1", Id::Number("1".to_owned()), "1"),
            ("-7", Id::Number("-7".to_owned()), "-7"),
            (long, Id::Number(long.to_owned()), long),
            ("null", Id::Null, "null"),
        ] {
            let message = format!(r#"{{"id":{sent},"method":"Order.PLACE"}}"#);
            assert_eq!(id_of(&message).unwrap(), (id.clone(), "order.place".to_owned()), "{sent}");
            assert_eq!(text(answer(&id, |_| {})), format!(r#"{{"id":{echoed},"status":200}}"#));
        }
        assert_eq!(id_of(r#"{"method":"ping"}"#).unwrap(), (Id::Null, "ping".to_owned()));
    }

    /// Messages that are no request are -1013, with the id where one could be read.
    #[test]
    fn other_messages_are_invalid() {
        let deep = format!("{}{}", "[".repeat(2_000), "]".repeat(2_000));
        let own = Id::Text("a".to_owned());
        for (message, id, words) in [
            ("", Id::Null, ""),
            ("no JSON", Id::Null, ""),
            ("[1]", Id::Null, ""),
            (r#"{"id":"a","id":"b","method":"ping"}"#, Id::Null, ""),
            (
                r#"{"id":"a","method":"depth","params":{"symbol":"x","\u0073ymbol":"y"}}"#,
                Id::Null,
                "field 'symbol' is given twice",
            ),
            (&format!(r#"{{"id":"a","method":"ping","params":{deep}}}"#), Id::Null, ""),
            (r#"{"id":1.5,"method":"ping"}"#, Id::Null, "'id'"),
            (r#"{"id":1e3,"method":"ping"}"#, Id::Null, "'id'"),
            (r#"{"id":123456789012345678901,"method":"ping"}"#, Id::Null, "'id'"),
            (r#"{"id":true,"method":"ping"}"#, Id::Null, "'id'"),
            (r#"{"id":[1],"method":"ping"}"#, Id::Null, "'id'"),
            (r#"{"id":"a"}"#, own.clone(), "'method'"),
            (r#"{"id":"a","method":null}"#, own.clone(), "'method'"),
            (r#"{"id":"a","method":7}"#, own, "'method'"),
        ] {
            let (found, fault) = id_of(message).unwrap_err();
            assert_eq!((found, fault.status, fault.code), (id, 400, -1013), "{message}");
            assert!(fault.text.contains(words), "{message}: {}", fault.text);
        }
    }

    /// A strict sandbox refuses fields and parameters that no call knows.
    #[test]
    fn unknown_parameters_are_found() {
        let checked =
            |message: &str| read(message.to_owned()).unwrap().check_fields().map_err(|fault| fault.text);
        for known in [
            r#"{"id":1,"method":"ping"}"#,
            r#"{"id":1,"method":"order.cancel","params":{"orderId":"7"}}"#,
            r#"{"id":1,"method":"subscribe","params":["btcusd@trade"]}"#,
            r#"{"id":1,"method":"depth","params":{"symbol":"btcusd","limit":5}}"#,
        ] {
            assert_eq!(checked(known), Ok(()), "{known}");
        }
        for (sent, name) in [
            (r#"{"id":1,"method":"ping","param":[]}"#, "Field 'param'"),
            (r#"{"id":1,"method":"time","params":{"zone":"utc"}}"#, "Parameter 'zone'"),
            (
                r#"{"id":1,"method":"order.cancel","params":{"orderId":"7","symbol":"btcusd"}}"#,
                "Parameter 'symbol'",
            ),
        ] {
            let text = checked(sent).unwrap_err();
            assert!(text.starts_with(name) && text.contains("--strict"), "{text}");
        }
    }

    /// A refusal becomes the status and the code of the newest socket.
    #[test]
    fn refusals_have_codes() {
        let of = |reason, text: &str| Fault::of(&Refusal::new(reason, text));
        let codes = |fault: &Fault| (fault.status, fault.code);
        assert_eq!(codes(&of(Reason::MissingRole, "r")), (403, -1002));
        assert_eq!(codes(&of(Reason::Maintenance, "m")), (503, -1000));
        assert!(of(Reason::Maintenance, "m").text.starts_with("Maintenance: "));
        assert_eq!(codes(&of(Reason::InvalidPrice, "p")), (400, -1013));
        let limited = Fault::of(&Refusal::rate_limit(1));
        assert_eq!((limited.status, limited.code), (429, -1003));
        assert!(limited.text.ends_with("in 1 second") && Fault::limited(2).text.ends_with("in 2 seconds"));
        assert_eq!(codes(&Fault::unauthorized()), (401, -1002));
        assert_eq!(codes(&Fault::unsupported("order.amend")), (400, -1020));
        assert_eq!(Fault::not_live("7").text, "order not found or already filled: 7");
        let rejected = |reason| Fault::rejected(&Refusal::new(reason, "why"));
        assert_eq!(
            rejected(Reason::InvalidPrice),
            Fault { status: 400, code: -2010, text: "InvalidPrice: why".to_owned() }
        );
        assert_eq!(codes(&rejected(Reason::Maintenance)), (503, -1000));
        assert_eq!(codes(&rejected(Reason::MissingRole)), (403, -1002));
        let answer = text(refusal(&Id::Number("3".to_owned()), Fault::invalid("a \"b\"")));
        assert_eq!(answer, r#"{"id":3,"status":400,"error":{"code":-1013,"msg":"a \"b\""}}"#);
    }
}
