//! The parameters of a request to the token endpoint and to those of revocation: JSON or a form (OAUTH-007).

use crate::BODY_MAX;
use crate::error::{Failure, OAuthError};
use buttonwood_call::Visit;
use buttonwood_wire::url_encoded;
use http::header::CONTENT_TYPE;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use zeroize::Zeroizing;

/// The media types of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    Form,
    Json,
}

/// A value as it was sent.
enum Sent {
    Text(Zeroizing<String>),
    Null,
    Other,
}

/// The fields of a body; none is there twice.
pub(crate) struct Parameters(Vec<(String, Sent)>);

impl fmt::Debug for Parameters {
    /// Values may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

impl Parameters {
    /// Reads the body of a request, of one of these media types.
    ///
    /// # Errors
    /// `invalid_request`, 413 for a longer body.
    pub(crate) async fn read(visit: &mut Visit<'_>, taken: &[Media]) -> Result<Self, Failure> {
        let body = Zeroizing::new(visit.read(BODY_MAX).await?);
        let media = media_of(visit.header(&CONTENT_TYPE).unwrap_or_default());
        let media = media.filter(|media| taken.contains(media)).ok_or_else(|| {
            let names = if taken.contains(&Media::Json) { "application/json or " } else { "" };
            OAuthError::invalid(&format!("Content-Type must be {names}application/x-www-form-urlencoded"))
        })?;
        Ok(Self::of(media, &body)?)
    }

    /// The fields of a body.
    ///
    /// # Errors
    /// `invalid_request`.
    pub(crate) fn of(media: Media, body: &[u8]) -> Result<Self, OAuthError> {
        match media {
            Media::Json => Self::of_json(body),
            Media::Form => Self::of_form(body),
        }
    }

    fn of_json(body: &[u8]) -> Result<Self, OAuthError> {
        serde_json::from_slice(body).map_err(|error| {
            // The text of such an error may repeat a value.
            if error.is_data() && !error.to_string().starts_with(TWICE) {
                return OAuthError::invalid("The body is not a JSON object");
            }
            OAuthError::invalid(&format!("The body is not a JSON object as it should be: {error}"))
        })
    }

    fn of_form(body: &[u8]) -> Result<Self, OAuthError> {
        let pairs = url_encoded::pairs(body)
            .map_err(|why| OAuthError::invalid(&format!("The body is no form: it has {why}")))?;
        let mut fields = Self(Vec::new());
        for (name, value) in pairs {
            let value = Sent::Text(Zeroizing::new(value.into_owned()));
            fields.add(name.into_owned(), value).map_err(|why| OAuthError::invalid(&why))?;
        }
        Ok(fields)
    }

    fn add(&mut self, name: String, value: Sent) -> Result<(), String> {
        if self.0.iter().any(|(known, _)| *known == name) {
            return Err(format!("{TWICE} '{}'", buttonwood_gate::quoted(&name)));
        }
        self.0.push((name, value));
        Ok(())
    }

    /// A field that may be absent; an empty one is (RFC 6749, 3.2).
    ///
    /// # Errors
    /// `invalid_request` for a value that is no text.
    pub(crate) fn optional(&self, name: &str) -> Result<Option<&str>, OAuthError> {
        match self.0.iter().find(|(known, _)| known == name) {
            None | Some((_, Sent::Null)) => Ok(None),
            Some((_, Sent::Text(text))) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some((_, Sent::Other)) => Err(OAuthError::invalid(&format!("The field '{name}' must be a text"))),
        }
    }

    /// A field that must be there.
    ///
    /// # Errors
    /// `invalid_request`, which names it.
    pub(crate) fn required(&self, name: &str) -> Result<&str, OAuthError> {
        self.optional(name)?.ok_or_else(|| OAuthError::missing(name))
    }
}

/// How the error of a field that was sent twice begins.
const TWICE: &str = "A field was sent more than once:";

/// The media type of a body, without its parameters.
pub(crate) fn media_of(content_type: &str) -> Option<Media> {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "application/json" => Some(Media::Json),
        "application/x-www-form-urlencoded" => Some(Media::Form),
        _ => None,
    }
}

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Parameters;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parameters, A::Error> {
                let mut fields = Parameters(Vec::new());
                while let Some((name, value)) = map.next_entry::<String, serde_json::Value>()? {
                    let value = match value {
                        serde_json::Value::String(text) => Sent::Text(Zeroizing::new(text)),
                        serde_json::Value::Null => Sent::Null,
                        serde_json::Value::Bool(_)
                        | serde_json::Value::Number(_)
                        | serde_json::Value::Array(_)
                        | serde_json::Value::Object(_) => Sent::Other,
                    };
                    fields.add(name, value).map_err(A::Error::custom)?;
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description(read: Result<Parameters, OAuthError>) -> String {
        read.unwrap_err().description
    }

    #[test]
    fn bodies_are_read_strictly() {
        let read = Parameters::of_json(br#"{"code":"a","b":1,"c":null,"d":"","e":{"code":1}}"#).unwrap();
        assert_eq!(read.required("code"), Ok("a"));
        assert_eq!(
            (read.optional("c"), read.optional("d"), read.optional("x")),
            (Ok(None), Ok(None), Ok(None))
        );
        for (name, text) in [("b", "must be a text"), ("c", "'c' is missing"), ("d", "'d' is missing")] {
            assert!(read.required(name).unwrap_err().description.contains(text), "{name}");
        }
        for text in [
            "",
            "[]",
            "\"secret\"",
            "1",
            "null",
            "{",
            "{\"a\":1}x",
            "{\"a\":\"\\ud800\"}",
            "{'a':1}",
            "{\"a\":NaN}",
        ] {
            let why = description(Parameters::of_json(text.as_bytes()));
            assert!(why.contains("JSON") && !why.contains("secret"), "{text}: {why}");
        }
        assert!(Parameters::of_json(b"{\"a\":\"\xff\"}").is_err());
        for text in [r#"{"code":"a","code":"b"}"#, r#"{"a":1,"\u0061":1}"#, r#"{"x":null,"x":null}"#] {
            assert!(description(Parameters::of_json(text.as_bytes())).contains(TWICE), "{text}");
        }
        assert_eq!(Parameters::of_form(b"code=a+b&x=").unwrap().required("code"), Ok("a b"));
        assert!(description(Parameters::of_form(b"a=1&a=1")).contains(TWICE));
        assert!(description(Parameters::of_form(b"a=%")).contains("'%'"));
        let shown = format!("{:?}", Parameters::of_form(b"code=hidden").unwrap());
        assert!(!shown.contains("hidden"), "{shown}");
    }

    #[test]
    fn media_types_are_read() {
        for (text, media) in [
            ("application/json", Some(Media::Json)),
            ("Application/JSON; charset=utf-8", Some(Media::Json)),
            ("application/x-www-form-urlencoded;charset=UTF-8", Some(Media::Form)),
            ("", None),
            ("text/plain", None),
            ("application/jsonp", None),
        ] {
            assert_eq!(media_of(text), media, "{text}");
        }
    }
}
