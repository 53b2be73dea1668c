//! The values that frames are made of, as tables from which their schemas are made.

use buttonwood_wire::contract::{Components, DecimalText, Digits, Node, Shape, object_of};

/// One field of a message.
#[derive(Debug)]
pub(super) struct Field {
    name: &'static str,
    is_required: bool,
    kind: Kind,
    about: &'static str,
}

/// A field that every message of its kind has.
pub(super) const fn must(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { name, is_required: true, kind, about }
}

/// A field that may be left out.
pub(super) const fn may(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { name, is_required: false, kind, about }
}

/// The values of a field, or those in an array.
#[derive(Debug)]
pub(super) enum Kind {
    /// Any text.
    Text,
    /// One of these words.
    Words(&'static [&'static str]),
    /// A decimal in a string.
    Decimal,
    /// A whole number in a string.
    Digits,
    /// A whole number.
    Whole,
    /// A decimal as a number.
    Number,
    /// `true` or `false`.
    Flag,
    /// No value.
    Null,
    /// Any value: it is described in words.
    Any,
    /// An array of such values.
    List(&'static Kind),
    /// An object of these fields and no others.
    Object(&'static [Field]),
    /// An object of these fields; others mean nothing.
    Open(&'static [Field]),
    /// A frame that is declared with its writer, and the fields that each socket adds.
    Of(fn(&mut Components) -> Node, &'static [Field]),
    /// One of these.
    Either(&'static [Kind]),
}

impl Kind {
    /// Its JSON Schema.
    pub(super) fn schema(&self) -> Node {
        match self {
            Self::Text => Node::of_type("string"),
            Self::Words(words) => {
                Node::of_type("string").with("enum", words.iter().copied().collect::<Node>())
            }
            Self::Decimal => DecimalText::node(&mut Components::default()),
            Self::Digits => Digits::node(&mut Components::default()),
            Self::Whole => Node::of_type("integer"),
            Self::Number => Node::of_type("number"),
            Self::Flag => Node::of_type("boolean"),
            Self::Null => Node::of_type("null"),
            Self::Any => Node::object(),
            Self::List(items) => Node::of_type("array").with("items", items.schema()),
            Self::Object(fields) => object(fields).with("additionalProperties", false),
            Self::Open(fields) => object(fields),
            Self::Of(frame, added) => with_fields(frame(&mut Components::default()), added),
            Self::Either(kinds) => {
                Node::object().with("anyOf", Node::List(kinds.iter().map(Self::schema).collect()))
            }
        }
    }
}

impl Field {
    fn schema(&self) -> Node {
        let schema = self.kind.schema();
        if self.about.is_empty() { schema } else { schema.with("description", self.about) }
    }
}

fn object(fields: &[Field]) -> Node {
    let described = |field: &Field| (field.name, field.is_required, field.schema());
    object_of(fields.iter().map(described).collect())
}

/// The schema of an object with more fields at its end.
fn with_fields(mut frame: Node, added: &[Field]) -> Node {
    let Node::Object(parts) = &mut frame else { return frame };
    for (name, part) in parts {
        match part {
            Node::Object(fields) if name == "properties" => {
                fields.extend(added.iter().map(|field| (field.name.into(), field.schema())));
            }
            Node::List(names) if name == "required" => {
                names.extend(added.iter().filter(|field| field.is_required).map(|field| field.name.into()));
            }
            Node::Object(_) | Node::List(_) | Node::Text(_) | Node::Number(_) | Node::Flag(_) => {}
        }
    }
    frame
}
