//! Rows and offsets of listings, and fields that may be in the payload or in the query string.

use super::kind::{Flag, Needed, Text, Timestamp, Whole, digits_or_number};
use super::node::Node;
use super::request::{Described, Either, Kind, Query};
use super::shape::Words;
use crate::field::{bad_query, bad_value};
use buttonwood_gate::{Payload, Refusal};
use std::borrow::Cow;

/// How many rows a listing returns: `DEFAULT` when it is absent, and never more than `MAX`.
#[derive(Debug)]
pub enum Rows<const DEFAULT: usize, const MAX: usize> {}

impl<const DEFAULT: usize, const MAX: usize> Described for Rows<DEFAULT, MAX> {
    fn schema() -> Node {
        <RowsUpTo<MAX>>::schema().with("default", u64::try_from(DEFAULT).unwrap_or(u64::MAX))
    }
}

impl<S, const DEFAULT: usize, const MAX: usize> Kind<S> for Rows<DEFAULT, MAX>
where
    RowsUpTo<MAX>: Kind<S, Read = Result<Option<usize>, Refusal>>,
{
    type Read = Result<usize, Refusal>;

    fn read(source: S, name: &'static str) -> Self::Read {
        Ok(<RowsUpTo<MAX>>::read(source, name)?.unwrap_or(DEFAULT))
    }
}

/// The same without a default; none when it is absent.
#[derive(Debug)]
pub enum RowsUpTo<const MAX: usize> {}

impl<const MAX: usize> Described for RowsUpTo<MAX> {
    fn schema() -> Node {
        digits_or_number("integer", "^0*[1-9][0-9]*$", 1)
    }
}

impl<S, const MAX: usize> Kind<S> for RowsUpTo<MAX>
where
    S: Counts,
{
    type Read = Result<Option<usize>, Refusal>;

    fn read(source: S, name: &'static str) -> Self::Read {
        let rows = source.count_of(name, true)?;
        Ok(rows.map(|rows| usize::try_from(rows).unwrap_or(MAX).min(MAX)))
    }
}

/// How many rows of a listing are left out before the first one; zero when it is absent.
#[derive(Debug)]
pub enum Offset {}

impl Described for Offset {
    fn schema() -> Node {
        digits_or_number("integer", "^[0-9]+$", 0).with("default", 0_u64)
    }
}

impl<S: Counts> Kind<S> for Offset {
    type Read = Result<usize, Refusal>;

    fn read(source: S, name: &'static str) -> Self::Read {
        let offset = source.count_of(name, false)?.unwrap_or_default();
        Ok(usize::try_from(offset).unwrap_or(usize::MAX))
    }
}

/// A source of whole numbers, where a number beyond 64 bits is read as the largest one.
pub trait Counts {
    /// A number; zero is refused if the number `is_positive`.
    ///
    /// # Errors
    /// When it is no whole number in digits alone, or zero where it must be positive.
    fn count_of(&self, name: &'static str, is_positive: bool) -> Result<Option<u64>, Refusal>;
}

impl Counts for &Payload {
    fn count_of(&self, name: &'static str, is_positive: bool) -> Result<Option<u64>, Refusal> {
        match self.count(name)? {
            Some(0) if is_positive => Err(bad_value(name, "at least 1", "0")),
            count => Ok(count),
        }
    }
}

impl Counts for Query<'_> {
    fn count_of(&self, name: &'static str, is_positive: bool) -> Result<Option<u64>, Refusal> {
        match self.number(name)? {
            Some(0) if is_positive => Err(bad_query(name, "at least 1", "0")),
            count => Ok(count),
        }
    }
}

/// An overridden value must be readable too.
impl Counts for Either<'_> {
    fn count_of(&self, name: &'static str, is_positive: bool) -> Result<Option<u64>, Refusal> {
        let (sent, queried) =
            (self.payload.count_of(name, is_positive)?, self.query.count_of(name, is_positive)?);
        Ok(sent.or(queried))
    }
}

/// In the query string it may be percent-encoded. An overridden value must be readable too.
impl<'a> Kind<Either<'a>> for Text {
    type Read = Result<Option<Cow<'a, str>>, Refusal>;

    fn read(source: Either<'a>, name: &'static str) -> Self::Read {
        let (sent, queried) = (source.payload.text(name)?, source.query.decoded(name)?);
        Ok(sent.or(queried))
    }
}

impl<'a> Kind<Either<'a>> for Needed<Text> {
    type Read = Result<Cow<'a, str>, Refusal>;

    fn read(source: Either<'a>, name: &'static str) -> Self::Read {
        match Text::read(source, name)? {
            Some(text) => Ok(text),
            None => <Self as Kind<&Payload>>::read(source.payload, name),
        }
    }
}

/// A string that must be one of these words; the endpoint looks it up.
impl<'a, W: Words> Kind<Either<'a>> for W {
    type Read = Result<Option<Cow<'a, str>>, Refusal>;

    fn read(source: Either<'a>, name: &'static str) -> Self::Read {
        Text::read(source, name)
    }
}

/// An overridden value must be readable too.
impl<'a> Kind<Either<'a>> for Whole {
    type Read = Result<Option<u64>, Refusal>;

    fn read(source: Either<'a>, name: &'static str) -> Self::Read {
        let (sent, queried) = (source.payload.integer(name)?, source.query.number(name)?);
        Ok(sent.or(queried))
    }
}

/// An overridden value must be readable too.
impl<'a> Kind<Either<'a>> for Timestamp {
    type Read = Result<Option<u64>, Refusal>;

    fn read(source: Either<'a>, name: &'static str) -> Self::Read {
        let (sent, queried) = (source.payload.timestamp_ms(name)?, source.query.timestamp(name)?);
        Ok(sent.or(queried))
    }
}

/// An overridden value must be readable too.
impl<'a, const DEFAULT: bool> Kind<Either<'a>> for Flag<DEFAULT> {
    type Read = Result<bool, Refusal>;

    fn read(source: Either<'a>, name: &'static str) -> Self::Read {
        let queried = source.query.flag(name, DEFAULT)?;
        source.payload.flag(name, queried)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::InEither;
    use crate::request;

    request! {
        /// A request.
        struct Listing in InEither {
            /// Rows.
            limit: Rows<50, 100>,
            /// Rows, without a default.
            most: RowsUpTo<100>,
            /// Where it begins.
            offset: Offset,
            /// A text.
            name: Text,
            /// A text that is needed.
            needed: Needed<Text>,
            /// A time.
            since: Timestamp,
            /// A switch.
            on: Flag<false>,
            /// A number.
            id: Whole,
        }
    }

    fn payload(text: &str) -> Payload {
        Payload::read(text.as_bytes().to_vec()).unwrap()
    }

    fn listing<'a>(query: &'a str, payload: &'a Payload) -> Listing<'a> {
        Listing::of(Either { query: Query(query), payload })
    }

    /// The payload counts before the query string, and both must be readable.
    #[test]
    fn the_payload_counts_before_the_query() {
        let empty = payload("{}");
        let absent = listing("", &empty);
        assert_eq!((absent.limit().unwrap(), absent.offset().unwrap()), (50, 0));
        assert_eq!((absent.most().unwrap(), absent.name().unwrap()), (None, None));
        assert_eq!(absent.needed().unwrap_err().message, "Missing required field 'needed'");
        let queried = listing("limit=7&offset=3&most=1000&name=a&since=1700000000&on=true&id=5", &empty);
        assert_eq!((queried.limit().unwrap(), queried.offset().unwrap()), (7, 3));
        assert_eq!((queried.most().unwrap(), queried.name().unwrap().as_deref()), (Some(100), Some("a")));
        assert_eq!((queried.since().unwrap(), queried.id().unwrap()), (Some(1_700_000_000_000), Some(5)));
        assert!(queried.on().unwrap());
        let sent = payload(r#"{"limit":"9","offset":1,"name":"b","needed":"c","on":false,"id":6}"#);
        let both = listing("limit=7&offset=3&name=a&on=true&id=5", &sent);
        assert_eq!((both.limit().unwrap(), both.offset().unwrap(), both.id().unwrap()), (9, 1, Some(6)));
        assert_eq!((both.name().unwrap().unwrap(), both.needed().unwrap()), ("b".into(), "c".into()));
        assert!(!both.on().unwrap());
    }

    /// Rows are clamped; what is no number, negative or zero is refused.
    #[test]
    fn rows_are_clamped_or_refused() {
        let empty = payload("{}");
        for rows in ["100", "101", "99999999999999999999999"] {
            assert_eq!(listing(&format!("limit={rows}"), &empty).limit().unwrap(), 100, "{rows}");
            let sent = payload(&format!(r#"{{"limit":{rows}}}"#));
            assert_eq!(listing("", &sent).limit().unwrap(), 100, "{rows}");
        }
        for bad in ["0", "-1", "x", "1.5", ""] {
            assert!(listing(&format!("limit={bad}"), &empty).limit().is_err(), "{bad}");
            let sent = payload(&format!(r#"{{"limit":"{bad}"}}"#));
            assert!(listing("limit=5", &sent).limit().is_err(), "{bad}");
        }
        let sent = payload(r#"{"limit":5}"#);
        assert!(listing("limit=0", &sent).limit().is_err());
        assert_eq!(listing("offset=0", &empty).offset().unwrap(), 0);
        assert!(listing("offset=-1", &empty).offset().is_err());
    }
}
