//! Names and values as forms and query strings carry them: `application/x-www-form-urlencoded`, read strictly.
//!
//! Not here: the query strings of the interface's own calls, which carry no escapes (`contract`).

use percent_encoding::percent_decode;
use std::borrow::Cow;

/// Names with their values, in the order of the text. A name that was sent twice is there twice.
pub type Pairs<'a> = Vec<(Cow<'a, str>, Cow<'a, str>)>;

/// Why a text cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotEncoded {
    /// An escape is incomplete.
    #[error("a '%' without two hexadecimal digits after it")]
    Escape,
    /// The bytes are no text.
    #[error("bytes that are not UTF-8")]
    Bytes,
}

/// The pairs of a form or a query string. Empty parts are skipped, and a name without `=` has an empty value.
///
/// # Errors
/// [`NotEncoded`], where a lenient reader would guess.
pub fn pairs(text: &[u8]) -> Result<Pairs<'_>, NotEncoded> {
    let parts = text.split(|byte| *byte == b'&').filter(|part| !part.is_empty());
    let pair = |part| {
        let (name, value) = split_once(part, b'=').unwrap_or((part, b""));
        Ok((decoded(name)?, decoded(value)?))
    };
    parts.map(pair).collect()
}

/// One name or value: `+` is a blank, `%41` an `A`.
///
/// # Errors
/// [`NotEncoded`].
pub fn decoded(text: &[u8]) -> Result<Cow<'_, str>, NotEncoded> {
    let is_whole =
        |escape: &[u8]| matches!(escape, [a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
    if !text.split(|byte| *byte == b'%').skip(1).all(is_whole) {
        return Err(NotEncoded::Escape);
    }
    if !text.contains(&b'+') {
        return percent_decode(text).decode_utf8().map_err(|_| NotEncoded::Bytes);
    }
    let blanks: Vec<u8> = text.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    let text = percent_decode(&blanks).decode_utf8().map_err(|_| NotEncoded::Bytes)?;
    Ok(Cow::Owned(text.into_owned()))
}

/// The text of these pairs, for the query of an address or the body of a form.
pub fn encoded<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

fn split_once(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = text.iter().position(|byte| *byte == at)?;
    Some((text.get(..place)?, text.get(place + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        let pairs = pairs(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
        pairs.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
    }

    /// Repeated names stay visible, empty parts do not count, and only the first `=` separates.
    #[test]
    fn pairs_are_read_in_order() {
        let owned = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Vec<_>>()
        };
        for (text, expected) in [
            ("", &[][..]),
            ("&&", &[]),
            ("a=1&b=2&a=3", &[("a", "1"), ("b", "2"), ("a", "3")]),
            ("a&b=&=c", &[("a", ""), ("b", ""), ("", "c")]),
            ("a=b=c", &[("a", "b=c")]),
            ("a%3d=b+c%2B%20d&%26=x", &[("a=", "b c+ d"), ("&", "x")]),
            ("u=%C3%A4&v=\u{e4}", &[("u", "\u{e4}"), ("v", "\u{e4}")]),
        ] {
            assert_eq!(read(text), owned(expected), "{text}");
        }
    }

    #[test]
    fn a_broken_escape_is_refused() {
        for text in ["a=%", "a=%4", "a=%4g", "%zz=1", "a=1&b=%%41", "a=+%"] {
            assert_eq!(pairs(text.as_bytes()), Err(NotEncoded::Escape), "{text}");
        }
        for text in [&b"a=%FF"[..], b"a=\xff", b"%C3=1", b"+%C3"] {
            assert_eq!(pairs(text), Err(NotEncoded::Bytes), "{text:?}");
        }
    }

    /// Every text comes back as it was sent.
    #[test]
    fn pairs_are_written_as_they_are_read() {
        let sent = [("code", "a b+c&d=e%"), ("state", "\u{e4}\r\n\0<"), ("", "")];
        let text = encoded(sent);
        assert_eq!(text, "code=a+b%2Bc%26d%3De%25&state=%C3%A4%0D%0A%00%3C&=");
        assert_eq!(read(&text), sent.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
