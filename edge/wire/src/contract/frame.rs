//! The declaration of a frame of a stream: its fields, their order and its schema.

use super::kind::words;
use super::node::Node;
use super::request::{object_of, paragraph};
use super::shape::{Components, Property, Shape};
use crate::json::Json;

/// Declares a JSON object of a frame, as [`answer!`](crate::answer!) declares one of a reply. A field needs no description, and the schema
/// stands where it is used. A frame whose first field is always the same word names it: `as "type": "heartbeat"`.
#[macro_export]
macro_rules! frame {
    ($(#[doc = $about:literal])+ $vis:vis struct $name:ident $(as $tag:literal: $word:literal)? {
        $($(#[doc = $doc:literal])* $seen:vis $field:ident $(as $wire:literal)?: $shape:ty,)*
    }) => {
        $(#[doc = $about])+
        #[derive(Debug)]
        $vis struct $name {
            $($(#[doc = $doc])* $seen $field: $shape,)*
        }

        impl $crate::contract::Shape for $name {
            fn node(components: &mut $crate::contract::Components) -> $crate::contract::Node {
                $crate::contract::frame_of([
                    $($crate::contract::tag($tag, $word),)?
                    $($crate::contract::Property {
                        name: $crate::wire_name!($field $($wire)?),
                        about: &[$($doc),*],
                        optional: <$shape as $crate::contract::Shape>::OPTIONAL,
                        schema: <$shape as $crate::contract::Shape>::node(components),
                    },)*
                ])
            }

            fn write(&self, json: &mut $crate::Json) {
                json.object(|json| {
                    $(json.plain($tag, $word);)?
                    $($crate::contract::Shape::write_field(
                        &self.$field,
                        json,
                        $crate::wire_name!($field $($wire)?),
                    );)*
                });
            }
        }
    };
}

/// A whole number of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Integer(pub u64);

impl Shape for Integer {
    fn node(_components: &mut Components) -> Node {
        Node::of_type("integer")
    }

    fn write(&self, json: &mut Json) {
        json.number_item(self.0);
    }
}

/// A field that is always the same word.
pub fn tag(name: &'static str, word: &'static str) -> Property {
    Property { name, about: &[], optional: false, schema: words(&[word]) }
}

/// The schema of an object of a frame with these fields and no others.
pub fn frame_of(properties: impl IntoIterator<Item = Property>) -> Node {
    let described = |row: Property| {
        let about = paragraph(row.about);
        let schema = if about.is_empty() { row.schema } else { row.schema.with("description", about) };
        (row.name, !row.optional, schema)
    };
    object_of(properties.into_iter().map(described).collect()).with("additionalProperties", false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    frame! {
        /// A frame.
        struct Sample as "type": "sample" {
            /// Nanoseconds.
            at as "E": Integer,
            note: Option<String>,
        }
    }

    /// What is written and what is described follow from one declaration.
    #[test]
    fn a_frame_is_declared_once() {
        let text = |note: Option<&str>| {
            let sample = Sample { at: Integer(7), note: note.map(str::to_owned) };
            String::from_utf8(json::body(&sample)).unwrap()
        };
        assert_eq!(text(None), r#"{"type":"sample","E":7}"#);
        assert_eq!(text(Some("a")), r#"{"type":"sample","E":7,"note":"a"}"#);
        let schema = Sample::node(&mut Components::default());
        let fields = schema.get("properties").unwrap();
        assert_eq!(
            fields.get("E").and_then(|field| field.get("description")),
            Some(&Node::from("Nanoseconds."))
        );
        assert_eq!(fields.get("note"), Some(&Node::of_type("string")));
        assert_eq!(schema.get("required"), Some(&["type", "E"].into_iter().collect()));
        assert_eq!(schema.get("additionalProperties"), Some(&Node::Flag(false)));
    }
}
