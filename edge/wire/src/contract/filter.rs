//! Filters of public listings: parameters that clients repeat, with or without `[]` after the name, and percent-encode.

use super::kind::{Needed, Text, words};
use super::node::Node;
use super::request::{Described, Kind, Query};
use super::shape::Words;
use crate::field::bad_query;
use buttonwood_gate::Refusal;
use std::borrow::Cow;
use std::marker::PhantomData;

/// The longest of the words that a listing does not know one by one.
const WORD_MAX: usize = 64;

/// A text without its percent-encoding, where `+` is a blank; none if an escape is incomplete or the bytes are no UTF-8.
fn decoded(text: &str) -> Option<Cow<'_, str>> {
    if !text.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Some(Cow::Borrowed(text));
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                u8::try_from(digit()? << 4 | digit()?).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(out).ok().map(Cow::Owned)
}

/// The name of a parameter that may be repeated, without its percent-encoding and without `[]` after it.
pub fn parameter_name(sent: &str) -> Cow<'_, str> {
    let name = decoded(sent).unwrap_or(Cow::Borrowed(sent));
    match name.strip_suffix("[]") {
        Some(bare) => Cow::Owned(bare.to_owned()),
        None => name,
    }
}

impl<'a> Query<'a> {
    /// The last value of a parameter without its percent-encoding; none if it is `null`.
    ///
    /// # Errors
    /// `InvalidParameterValue` if the encoding is broken.
    pub fn decoded(self, name: &str) -> Result<Option<Cow<'a, str>>, Refusal> {
        self.value(name).map(|sent| plain(name, sent)).transpose()
    }

    /// All values of a parameter that may be repeated, also as `name[]`, without their percent-encoding.
    ///
    /// # Errors
    /// `InvalidParameterValue` if the encoding of one is broken.
    pub fn values(self, name: &str) -> Result<Vec<Cow<'a, str>>, Refusal> {
        let pairs = self.0.split('&').filter_map(|pair| pair.split_once('='));
        let meant = pairs.filter(|(key, sent)| *sent != "null" && parameter_name(key) == name);
        meant.map(|(_, sent)| plain(name, sent)).collect()
    }
}

fn plain<'a>(name: &str, sent: &'a str) -> Result<Cow<'a, str>, Refusal> {
    decoded(sent).ok_or_else(|| bad_query(name, "percent-encoded UTF-8", sent))
}

/// A text, percent-encoded.
#[derive(Debug)]
pub enum Encoded {}

impl Described for Encoded {
    fn schema() -> Node {
        Text::schema()
    }
}

impl<'a> Kind<Query<'a>> for Encoded {
    type Read = Result<Option<Cow<'a, str>>, Refusal>;

    fn read(source: Query<'a>, name: &'static str) -> Self::Read {
        source.decoded(name)
    }
}

/// The endpoint decides what a request without it is answered with.
impl<'a> Kind<Query<'a>> for Needed<Encoded> {
    type Read = <Encoded as Kind<Query<'a>>>::Read;

    fn read(source: Query<'a>, name: &'static str) -> Self::Read {
        Encoded::read(source, name)
    }
}

/// Texts: the parameter may be repeated.
#[derive(Debug)]
pub enum Repeated {}

impl Described for Repeated {
    fn schema() -> Node {
        Node::of_type("array").with("items", Text::schema())
    }
}

impl<'a> Kind<Query<'a>> for Repeated {
    type Read = Result<Vec<Cow<'a, str>>, Refusal>;

    fn read(source: Query<'a>, name: &'static str) -> Self::Read {
        source.values(name)
    }
}

/// Some of these words: the parameter may be repeated. Every value must be one of them.
#[derive(Debug)]
pub struct RepeatedOf<W>(PhantomData<W>);

impl<W: Words> Described for RepeatedOf<W> {
    fn schema() -> Node {
        Node::of_type("array").with("items", words(W::WORDS))
    }
}

impl<'a, W: Words> Kind<Query<'a>> for RepeatedOf<W> {
    type Read = Result<Vec<&'static str>, Refusal>;

    fn read(source: Query<'a>, name: &'static str) -> Self::Read {
        let known = |sent: &Cow<'a, str>| {
            let found = W::WORDS.iter().copied().find(|word| *word == sent);
            found.ok_or_else(|| bad_query(name, &format!("one of {}", W::WORDS.join(", ")), sent))
        };
        source.values(name)?.iter().map(known).collect()
    }
}

/// Words of lower-case letters, digits and underscores: the parameter may be repeated.
#[derive(Debug)]
pub enum RepeatedWords {}

impl Described for RepeatedWords {
    fn schema() -> Node {
        Node::of_type("array").with("items", Text::schema().with("pattern", "^[a-z0-9_]{1,64}$"))
    }
}

impl<'a> Kind<Query<'a>> for RepeatedWords {
    type Read = Result<Vec<Cow<'a, str>>, Refusal>;

    fn read(source: Query<'a>, name: &'static str) -> Self::Read {
        let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let is_word = |sent: &str| (1..=WORD_MAX).contains(&sent.len()) && sent.bytes().all(is_part);
        let sent = source.values(name)?;
        match sent.iter().find(|sent| !is_word(sent)) {
            Some(bad) => Err(bad_query(name, "words of lower-case letters, digits and underscores", bad)),
            None => Ok(sent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    words! {
        /// Words.
        struct Sample: "a", "b"
    }

    /// A repeated parameter has every value, under both spellings of its name.
    #[test]
    fn a_parameter_is_repeated_and_decoded() {
        let query =
            Query("x=1&category=a%20b&category[]=c+d&category%5B%5D=%C3%A9&categorya=z&category=null");
        assert_eq!(query.values("category").unwrap(), ["a b", "c d", "\u{e9}"]);
        assert_eq!(query.decoded("x").unwrap().as_deref(), Some("1"));
        assert_eq!(query.decoded("y").unwrap(), None);
        for bad in ["category=%", "category=%4", "category=%zz", "category=%FF"] {
            let message = Query(bad).values("category").unwrap_err().message;
            assert!(message.starts_with("Query parameter 'category' must be percent-encoded UTF-8"), "{bad}");
        }
        assert!(Query("x=%").values("category").unwrap().is_empty());
    }

    /// Words that are not known are refused by name.
    #[test]
    fn words_are_checked() {
        let read = |query| <RepeatedOf<Sample> as Kind<Query>>::read(Query(query), "w");
        assert_eq!(read("w=b&w[]=a").unwrap(), ["b", "a"]);
        assert_eq!(read("w=c").unwrap_err().message, "Query parameter 'w' must be one of a, b: c");
        let read = |query| <RepeatedWords as Kind<Query>>::read(Query(query), "w");
        assert_eq!(read("w=ice_hockey").unwrap(), ["ice_hockey"]);
        assert!(["w=", "w=A", "w=a%20b"].into_iter().all(|query| read(query).is_err()));
        let long = format!("w={}", "a".repeat(65));
        assert!(<RepeatedWords as Kind<Query>>::read(Query(&long), "w").is_err());
    }
}
