//! Kinds of fields that hold objects, and fields that may be left out.

use super::kind::{Absent, Text};
use super::node::Node;
use super::request::{Described, Field, Fields, Kind, object_of};
use buttonwood_gate::{Payload, Refusal, Value, items};
use std::marker::PhantomData;

/// A field that may be left out, of a kind that is else read only where it must be there.
#[derive(Debug)]
pub struct Optional<K>(PhantomData<K>);

impl<K: Described> Described for Optional<K> {
    fn schema() -> Node {
        K::schema()
    }
}

impl<'a, K: Described + Absent> Kind<&'a Payload> for Optional<K> {
    type Read = Result<Option<K::Present<'a>>, Refusal>;

    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        K::find(source, name)
    }
}

/// A list that must be there, with one entry of the kind `K` at least and `MAX` of them at most. Its entries are read one by one.
#[derive(Debug)]
pub struct Entries<K, const MAX: u64>(PhantomData<K>);

impl<K: Described, const MAX: u64> Described for Entries<K, MAX> {
    const REQUIRED: bool = true;

    fn schema() -> Node {
        let schema = Node::of_type("array").with("items", K::schema());
        schema.with("minItems", 1).with("maxItems", MAX)
    }
}

impl<'a, K: Described, const MAX: u64> Kind<&'a Payload> for Entries<K, MAX> {
    type Read = Result<Vec<Value<'a>>, Refusal>;

    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        let expected = format!("an array of 1 to {MAX} entries");
        let raw = match source.sent(name) {
            Some(Value::Array(raw)) => raw,
            Some(other) => return Err(Refusal::bad_field(name, &expected, &other)),
            None => return Err(Refusal::missing_key(name)),
        };
        let entries: Vec<Value<'a>> = items(raw).collect();
        let count = u64::try_from(entries.len()).unwrap_or(u64::MAX);
        if (1..=MAX).contains(&count) {
            return Ok(entries);
        }
        Err(Refusal::misfit("Field", name, &expected, &format!("{count} entries")))
    }
}

/// An object with the fields of `F`.
#[derive(Debug)]
pub struct Object<F>(PhantomData<F>);

impl<F: Fields> Described for Object<F> {
    fn schema() -> Node {
        object_of(F::FIELDS.iter().map(Field::described).collect())
    }
}

impl<F: Fields> Absent for Object<F> {
    type Present<'a> = Payload;
    const MUST_BE: &'static str = "an object";

    fn find(source: &Payload, name: &'static str) -> Result<Option<Payload>, Refusal> {
        object(source, name, Self::MUST_BE)
    }
}

/// An object of strings: their names, which the caller chooses, and their values.
#[derive(Debug)]
pub enum TextMap {}

impl Described for TextMap {
    fn schema() -> Node {
        Node::of_type("object").with("additionalProperties", Text::schema())
    }
}

impl Absent for TextMap {
    type Present<'a> = Vec<(String, String)>;
    const MUST_BE: &'static str = "an object of strings";

    fn find(source: &Payload, name: &'static str) -> Result<Option<Vec<(String, String)>>, Refusal> {
        let Some(map) = object(source, name, Self::MUST_BE)? else { return Ok(None) };
        let text = |key: std::borrow::Cow<'_, str>| match map.sent(&key) {
            Some(Value::Text(text)) => Ok((key.into_owned(), text.into_owned())),
            Some(other) => Err(Refusal::bad_field(name, Self::MUST_BE, &other)),
            None => Err(Refusal::missing_key(name)),
        };
        map.names().map(text).collect::<Result<_, _>>().map(Some)
    }
}

/// The object in a field.
fn object(source: &Payload, name: &str, expected: &str) -> Result<Option<Payload>, Refusal> {
    match source.field(name) {
        None => Ok(None),
        Some(Value::Object(raw)) => Payload::read(raw.as_bytes().to_vec()).map(Some),
        Some(other) => Err(Refusal::bad_field(name, expected, &other)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::NoFields;
    use super::*;

    /// A map has the names that the caller chose, and nothing but strings.
    #[test]
    fn objects_are_read() {
        let payload = r#"{"a":{"x":"1","y":"2"},"b":{"x":1},"c":[],"d":null,"e":{"x":null}}"#;
        let payload = Payload::read(payload.as_bytes().to_vec()).unwrap();
        let map = |name| TextMap::find(&payload, name);
        let expected = [("x", "1"), ("y", "2")].map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(map("a").unwrap().unwrap(), expected);
        assert_eq!((map("d").unwrap(), map("f").unwrap()), (None, None));
        for (name, value) in [("b", "1"), ("c", "[]"), ("e", "null")] {
            let message = map(name).unwrap_err().message;
            assert_eq!(message, format!("Field '{name}' must be an object of strings: {value}"));
        }
        let object = |name| <Optional<Object<NoFields>> as Kind<_>>::read(&payload, name);
        assert_eq!(object("b").unwrap().unwrap().integer("x").unwrap(), Some(1));
        assert!(object("d").unwrap().is_none());
        assert_eq!(object("c").unwrap_err().message, "Field 'c' must be an object: []");
    }
}
