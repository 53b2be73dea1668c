//! The fields of a request, declared once: their reader and their schema.

use super::kind::HiddenText;
use super::node::Node;
use crate::field::bad_query;
use buttonwood_gate::{self as gate, Payload, Reason, Refusal};
use std::borrow::Cow;
use std::fmt::Debug;

/// Where a request carries its fields.
pub trait Place {
    /// The source of the fields.
    type Source<'a>: Copy + Debug;
}

/// In the payload of a private call, or in the body of a control call.
#[derive(Debug)]
pub enum InPayload {}

/// In the query string of a public call.
#[derive(Debug)]
pub enum InQuery {}

/// In the query string of a private call, or in its payload. Of a field that is in both, the query string counts.
#[derive(Debug)]
pub enum InBoth {}

/// The sources of such fields.
#[derive(Clone, Copy, Debug)]
pub struct Both<'a> {
    /// The query string.
    pub query: Query<'a>,
    /// The payload.
    pub payload: &'a Payload,
}

/// In the payload of a private call, or in its query string. Of a field that is in both, the payload counts.
#[derive(Debug)]
pub enum InEither {}

/// The sources of such fields.
#[derive(Clone, Copy, Debug)]
pub struct Either<'a> {
    /// The query string.
    pub query: Query<'a>,
    /// The payload.
    pub payload: &'a Payload,
}

impl<'a> Either<'a> {
    /// The text of the value that counts, as it was sent: for a refusal of a value that was read as another one.
    pub fn text_of(self, name: &str) -> Option<Cow<'a, str>> {
        self.payload.decimal_text(name).or_else(|| self.query.value(name).map(Cow::Borrowed))
    }
}

impl Place for InEither {
    type Source<'a> = Either<'a>;
}

impl Place for InBoth {
    type Source<'a> = Both<'a>;
}

impl Place for InPayload {
    type Source<'a> = &'a Payload;
}

impl Place for InQuery {
    type Source<'a> = Query<'a>;
}

/// The values that a field takes.
pub trait Described {
    /// Whether a request without the field is refused.
    const REQUIRED: bool = false;

    /// Its JSON Schema.
    fn schema() -> Node;
}

/// How a field is read from a source.
pub trait Kind<Source>: Described {
    /// The type of the value that was read.
    type Read;

    /// Reads the field of this name.
    fn read(source: Source, name: &'static str) -> Self::Read;
}

/// One field of a request, as the contract lists it.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name on the wire.
    pub name: &'static str,
    /// The lines of its description.
    pub about: &'static [&'static str],
    /// Whether a request without it is refused.
    pub required: bool,
    /// Its JSON Schema.
    pub schema: fn() -> Node,
}

impl Field {
    /// Its name, whether it is required, and its schema with its description.
    pub fn described(&self) -> (&'static str, bool, Node) {
        (self.name, self.required, (self.schema)().with("description", paragraph(self.about)))
    }

    /// Whether it has several values.
    pub fn is_list(&self) -> bool {
        self.says("type", "array")
    }

    /// Whether no log and no audit may show its value.
    pub fn is_secret(&self) -> bool {
        self.says("format", HiddenText::FORMAT)
    }

    fn says(&self, key: &'static str, value: &'static str) -> bool {
        let Node::Object(schema) = (self.schema)() else { return false };
        schema.contains(&(key.into(), value.into()))
    }
}

/// The schema of an object with these fields: their names, whether each is required, and their schemas.
pub fn object_of(fields: Vec<(&'static str, bool, Node)>) -> Node {
    let required: Node = fields.iter().filter(|(_, required, _)| *required).map(|(name, ..)| *name).collect();
    let properties = fields.into_iter().map(|(name, _, schema)| (name.into(), schema));
    let schema = Node::of_type("object").with("properties", Node::Object(properties.collect()));
    if required == Node::List(Vec::new()) { schema } else { schema.with("required", required) }
}

/// The fields of a request.
pub trait Fields {
    /// In the order of their declaration.
    const FIELDS: &'static [Field];
}

/// A request without fields of its own.
#[derive(Debug)]
pub enum NoFields {}

impl Fields for NoFields {
    const FIELDS: &'static [Field] = &[];
}

/// Joins the lines of a doc comment.
pub fn paragraph(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

/// Declares the fields of a request: a type with one method per field, which reads it.
///
/// A field is read only when its method is called, so that an endpoint keeps the order of its checks.
#[macro_export]
macro_rules! request {
    ($(#[doc = $about:literal])+ $vis:vis struct $name:ident in $place:ty {
        $($(#[doc = $doc:literal])+ $field:ident $(as $wire:literal)?: $kind:ty,)+
    }) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug)]
        $vis struct $name<'a> {
            source: <$place as $crate::contract::Place>::Source<'a>,
        }

        impl<'a> $name<'a> {
            /// The request whose fields are in `source`.
            #[inline]
            $vis fn of(source: <$place as $crate::contract::Place>::Source<'a>) -> Self {
                Self { source }
            }

            $(
                $(#[doc = $doc])+
                // The beginning of its name is then a constant.
                #[inline(always)]
                $vis fn $field(self) -> <$kind as $crate::contract::Kind<
                    <$place as $crate::contract::Place>::Source<'a>,
                >>::Read {
                    <$kind as $crate::contract::Kind<_>>::read(
                        self.source,
                        $crate::wire_name!($field $($wire)?),
                    )
                }
            )+
        }

        impl $crate::contract::Fields for $name<'_> {
            const FIELDS: &'static [$crate::contract::Field] = &[$($crate::contract::Field {
                name: $crate::wire_name!($field $($wire)?),
                about: &[$($doc),+],
                required: <$kind as $crate::contract::Described>::REQUIRED,
                schema: <$kind as $crate::contract::Described>::schema,
            },)+];
        }
    };
}

/// The name of a field on the wire: its own name, or the one given after `as`.
#[doc(hidden)]
#[macro_export]
macro_rules! wire_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $wire:literal) => {
        $wire
    };
}

/// The query string of a public call. Of a parameter that is given twice, the last value counts.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a>(pub &'a str);

impl<'a> Query<'a> {
    /// The last value of a parameter; none if it is `null` (D-169).
    pub fn value(self, name: &str) -> Option<&'a str> {
        self.sent(name).filter(|value| *value != "null")
    }

    /// The last value of a parameter as it was sent: for parameters that a call needs.
    pub fn sent(self, name: &str) -> Option<&'a str> {
        self.0
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .filter(|(key, _)| *key == name)
            .map(|(_, value)| value)
            .next_back()
    }

    /// A parameter that is a whole number.
    ///
    /// # Errors
    /// `InvalidParameterValue` for anything but digits.
    pub fn number(self, name: &str) -> Result<Option<u64>, Refusal> {
        let Some(text) = self.value(name) else { return Ok(None) };
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            // A number beyond 64 bits is read as the largest one.
            return Ok(Some(text.parse().unwrap_or(u64::MAX)));
        }
        Err(bad_query(name, "a whole number in digits alone", text))
    }

    /// A parameter that is true or false.
    ///
    /// # Errors
    /// `InvalidParameterValue` for anything but `1`, `true`, `0` and `false`.
    pub fn flag(self, name: &str, default: bool) -> Result<bool, Refusal> {
        match self.value(name) {
            None => Ok(default),
            Some("0" | "false") => Ok(false),
            Some("1" | "true") => Ok(true),
            Some(other) => Err(bad_query(name, "1, true, 0 or false", other)),
        }
    }

    /// A parameter that is a time, in milliseconds.
    ///
    /// # Errors
    /// `InvalidTimestampInPayload` when it cannot be read (TYPE-016).
    pub fn timestamp(self, name: &str) -> Result<Option<u64>, Refusal> {
        let Some(text) = self.value(name) else { return Ok(None) };
        let refusal = || bad_query(name, "a timestamp in seconds or milliseconds", text);
        let millis = gate::timestamp_millis(text);
        millis.map(Some).ok_or_else(|| refusal().with_reason(Reason::InvalidTimestampInPayload))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Flag, Needed, Text, Whole};

    request! {
        /// A request.
        struct Sample in InPayload {
            /// A text
            /// that must be there.
            label: Needed<Text>,
            /// A switch.
            switch as "isOn": Flag<true>,
        }
    }

    request! {
        /// A query.
        struct Asked in InQuery {
            /// A number.
            rows: Whole,
        }
    }

    #[test]
    fn a_row_reads_its_field_and_describes_it() {
        let read = |text: &str| Payload::read(text.as_bytes().to_vec()).unwrap();
        let payload = read(r#"{"label":"x","isOn":false,"more":1}"#);
        assert_eq!(Sample::of(&payload).label().unwrap(), "x");
        assert!(!Sample::of(&payload).switch().unwrap());
        let payload = read(r#"{"isOn":1}"#);
        assert_eq!(Sample::of(&payload).label().unwrap_err().message, "Missing required field 'label'");
        assert_eq!(
            Sample::of(&payload).switch().unwrap_err().message,
            "Field 'isOn' must be true or false: 1"
        );
        let rows: Vec<_> = Sample::FIELDS.iter().map(|row| (row.name, row.required)).collect();
        assert_eq!(rows, [("label", true), ("isOn", false)]);
        assert_eq!(
            Sample::FIELDS.first().map(|row| paragraph(row.about)).unwrap(),
            "A text that must be there."
        );
    }

    #[test]
    fn the_last_value_of_a_query_parameter_counts() {
        assert_eq!(Asked::of(Query("rows=1&row=3&rows=2")).rows().unwrap(), Some(2));
        assert_eq!(Asked::of(Query("row=3")).rows().unwrap(), None);
        assert_eq!(
            Asked::of(Query("rows=-1")).rows().unwrap_err().message,
            "Query parameter 'rows' must be a whole number in digits alone: -1"
        );
    }
}
