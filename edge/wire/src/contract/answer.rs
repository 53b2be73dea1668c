//! The fields of an answer, declared once: their writer and their schema.

/// Declares an answer: a type whose fields are written in their order, and described in the contract under its name.
#[macro_export]
macro_rules! answer {
    ($(#[doc = $about:literal])+ $vis:vis struct $name:ident {
        $($(#[doc = $doc:literal])+ $seen:vis $field:ident $(as $wire:literal)?: $shape:ty,)+
    }) => {
        $(#[doc = $about])+
        #[derive(Debug)]
        $vis struct $name {
            $($(#[doc = $doc])+ $seen $field: $shape,)+
        }

        impl $crate::contract::Shape for $name {
            fn node(components: &mut $crate::contract::Components) -> $crate::contract::Node {
                components.object(stringify!($name), &[$($about),+], |components| vec![
                    $($crate::contract::Property {
                        name: $crate::wire_name!($field $($wire)?),
                        about: &[$($doc),+],
                        optional: <$shape as $crate::contract::Shape>::OPTIONAL,
                        schema: <$shape as $crate::contract::Shape>::node(components),
                    },)+
                ])
            }

            fn write(&self, json: &mut $crate::Json) {
                json.object(|json| {
                    $($crate::contract::Shape::write_field(
                        &self.$field,
                        json,
                        $crate::wire_name!($field $($wire)?),
                    );)+
                });
            }
        }
    };
}

/// Declares a string that is one of a few words.
#[macro_export]
macro_rules! words {
    ($(#[doc = $about:literal])+ $vis:vis struct $name:ident: $($word:literal),+) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug)]
        $vis struct $name(pub &'static str);

        impl $crate::contract::Words for $name {
            const WORDS: &'static [&'static str] = &[$($word),+];
        }

        impl $crate::contract::Shape for $name {
            fn node(_components: &mut $crate::contract::Components) -> $crate::contract::Node {
                <Self as $crate::contract::Described>::schema()
            }

            fn write(&self, json: &mut $crate::Json) {
                json.plain_item(self.0);
            }
        }
    };
}
