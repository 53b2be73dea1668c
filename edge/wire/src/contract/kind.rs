//! The kinds of fields that requests have.

use super::node::Node;
use super::request::{Both, Described, Field, Fields, Kind, Query, object_of};
use super::shape::Words;
use crate::field::{self, bad_query, bad_value, page};
use crate::time::{Millis, day, zoned_millis};
use buttonwood_gate::{Payload, Reason, Refusal, Value, items};
use buttonwood_model::Day;
use buttonwood_views::history::Limit;
use std::borrow::Cow;
use std::marker::PhantomData;

/// A string.
#[derive(Debug)]
pub enum Text {}

impl Described for Text {
    fn schema() -> Node {
        Node::of_type("string")
    }
}

impl<'a> Kind<&'a Payload> for Text {
    type Read = Result<Option<Cow<'a, str>>, Refusal>;

    #[inline]
    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        source.text(name)
    }
}

impl<'a> Kind<Query<'a>> for Text {
    type Read = Option<&'a str>;

    fn read(source: Query<'a>, name: &'static str) -> Self::Read {
        source.value(name)
    }
}

/// A string that no log and no audit shows, such as a password.
#[derive(Debug)]
pub enum HiddenText {}

impl HiddenText {
    /// The format that marks such a field in the contract.
    pub(crate) const FORMAT: &'static str = "password";
}

impl Described for HiddenText {
    fn schema() -> Node {
        Text::schema().with("format", Self::FORMAT)
    }
}

impl Absent for HiddenText {
    type Present<'a> = Cow<'a, str>;
    const MUST_BE: &'static str = Text::MUST_BE;

    fn find<'a>(source: &'a Payload, name: &'static str) -> Result<Option<Cow<'a, str>>, Refusal> {
        source.text(name)
    }
}

/// An array of strings.
#[derive(Debug)]
pub enum Texts {}

impl Described for Texts {
    fn schema() -> Node {
        Node::of_type("array").with("items", Text::schema())
    }
}

impl<'a> Kind<&'a Payload> for Texts {
    type Read = Result<Option<Vec<Cow<'a, str>>>, Refusal>;

    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        source.texts(name)
    }
}

impl Absent for Texts {
    type Present<'a> = Vec<Cow<'a, str>>;
    const MUST_BE: &'static str = "an array of strings";

    fn find<'a>(source: &'a Payload, name: &'static str) -> Result<Option<Vec<Cow<'a, str>>>, Refusal> {
        source.texts(name)
    }
}

/// An array of objects, each with the fields of `F`.
#[derive(Debug)]
pub struct Objects<F>(PhantomData<F>);

impl<F: Fields> Described for Objects<F> {
    fn schema() -> Node {
        Node::of_type("array").with("items", object_of(F::FIELDS.iter().map(Field::described).collect()))
    }
}

impl<F: Fields> Absent for Objects<F> {
    type Present<'a> = Vec<Payload>;
    const MUST_BE: &'static str = "an array of objects";

    fn find(source: &Payload, name: &'static str) -> Result<Option<Vec<Payload>>, Refusal> {
        let Some(value) = source.field(name) else { return Ok(None) };
        let Value::Array(raw) = value else {
            return Err(Refusal::bad_field(name, Self::MUST_BE, &value));
        };
        let object = |item| {
            let Value::Object(raw) = item else {
                return Err(Refusal::bad_field(name, Self::MUST_BE, &item));
            };
            Payload::read(raw.as_bytes().to_vec())
        };
        items(raw).map(object).collect::<Result<_, _>>().map(Some)
    }
}

/// `true` or `false`; `DEFAULT` when it is absent.
#[derive(Debug)]
pub enum Flag<const DEFAULT: bool> {}

impl<const DEFAULT: bool> Described for Flag<DEFAULT> {
    fn schema() -> Node {
        Node::of_type("boolean").with("default", DEFAULT)
    }
}

impl<'a, const DEFAULT: bool> Kind<&'a Payload> for Flag<DEFAULT> {
    type Read = Result<bool, Refusal>;

    #[expect(clippy::inline_always, reason = "the beginning of the name is then a constant")]
    #[inline(always)]
    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        source.flag(name, DEFAULT)
    }
}

impl<'a, const DEFAULT: bool> Kind<Query<'a>> for Flag<DEFAULT> {
    type Read = Result<bool, Refusal>;

    fn read(source: Query<'a>, name: &'static str) -> Self::Read {
        source.flag(name, DEFAULT)
    }
}

/// `true` or `false`, without a default.
#[derive(Debug)]
pub enum Switch {}

impl Described for Switch {
    fn schema() -> Node {
        Node::of_type("boolean")
    }
}

/// A whole number, or a string of its digits.
#[derive(Debug)]
pub enum Whole {}

impl Described for Whole {
    fn schema() -> Node {
        digits_or_number("integer", "^[0-9]+$", 0)
    }
}

impl<'a> Kind<&'a Payload> for Whole {
    type Read = Result<Option<u64>, Refusal>;

    #[inline]
    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        source.integer(name)
    }
}

impl<'a> Kind<Query<'a>> for Whole {
    type Read = Result<Option<u64>, Refusal>;

    fn read(source: Query<'a>, name: &'static str) -> Self::Read {
        source.number(name)
    }
}

/// An overridden value must be readable too.
impl<'a> Kind<Both<'a>> for Whole {
    type Read = Result<Option<u64>, Refusal>;

    fn read(source: Both<'a>, name: &'static str) -> Self::Read {
        let (asked, sent) = (source.query.number(name)?, source.payload.integer(name)?);
        Ok(asked.or(sent))
    }
}

/// A whole number of at most `MAX`, or a string of its digits.
#[derive(Debug)]
pub enum WholeUpTo<const MAX: u64> {}

impl<const MAX: u64> Described for WholeUpTo<MAX> {
    fn schema() -> Node {
        Whole::schema().with("maximum", MAX)
    }
}

impl<'a, const MAX: u64> Kind<&'a Payload> for WholeUpTo<MAX> {
    type Read = Result<Option<u64>, Refusal>;

    #[inline]
    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        Self::find(source, name)
    }
}

impl<const MAX: u64> Absent for WholeUpTo<MAX> {
    type Present<'a> = u64;
    const MUST_BE: &'static str = "a whole number in digits alone";

    fn find(source: &Payload, name: &'static str) -> Result<Option<u64>, Refusal> {
        match source.integer(name)? {
            Some(sent) if sent > MAX => Err(bad_value(name, &format!("at most {MAX}"), &sent.to_string())),
            sent => Ok(sent),
        }
    }
}

/// How many rows a listing returns; `DEFAULT` when it is absent.
#[derive(Debug)]
pub enum PageRows<const DEFAULT: usize = { field::PAGE }> {}

impl<const DEFAULT: usize> Described for PageRows<DEFAULT> {
    fn schema() -> Node {
        let default = u64::try_from(DEFAULT).unwrap_or(u64::MAX);
        digits_or_number("integer", "^0*[1-9][0-9]*$", 1).with("default", default)
    }
}

impl<'a, const DEFAULT: usize> Kind<&'a Payload> for PageRows<DEFAULT> {
    type Read = Result<Limit, Refusal>;

    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        field::limit(source, name, DEFAULT)
    }
}

impl<'a, const DEFAULT: usize> Kind<Query<'a>> for PageRows<DEFAULT> {
    type Read = Result<Limit, Refusal>;

    fn read(source: Query<'a>, name: &'static str) -> Self::Read {
        match source.number(name)? {
            Some(0) => Err(bad_query(name, "at least 1", "0")),
            rows => Ok(page(rows, DEFAULT)),
        }
    }
}

/// How many rows a report has at most: `DEFAULT` when it is absent, and never more than [`REPORT_ROWS_MAX`].
#[derive(Debug)]
pub enum ReportRows<const DEFAULT: usize> {}

/// The most rows of a report.
pub const REPORT_ROWS_MAX: usize = 50_000;

impl<const DEFAULT: usize> ReportRows<DEFAULT> {
    fn of(rows: Option<u64>) -> usize {
        let rows = rows.map_or(DEFAULT, |rows| usize::try_from(rows).unwrap_or(REPORT_ROWS_MAX));
        rows.min(REPORT_ROWS_MAX)
    }
}

impl<const DEFAULT: usize> Described for ReportRows<DEFAULT> {
    fn schema() -> Node {
        <PageRows<DEFAULT>>::schema()
    }
}

impl<'a, const DEFAULT: usize> Kind<Query<'a>> for ReportRows<DEFAULT> {
    type Read = Result<usize, Refusal>;

    fn read(source: Query<'a>, name: &'static str) -> Self::Read {
        match source.number(name)? {
            Some(0) => Err(bad_query(name, "at least 1", "0")),
            rows => Ok(Self::of(rows)),
        }
    }
}

impl<'a, const DEFAULT: usize> Kind<Both<'a>> for ReportRows<DEFAULT> {
    type Read = Result<usize, Refusal>;

    fn read(source: Both<'a>, name: &'static str) -> Self::Read {
        if source.payload.integer(name)? == Some(0) {
            return Err(bad_value(name, "at least 1", "0"));
        }
        match source.query.value(name) {
            Some(_) => Self::read(source.query, name),
            None => Ok(Self::of(source.payload.integer(name)?)),
        }
    }
}

/// A day of UTC, `yyyy-mm-dd`, from 1970 on.
#[derive(Debug)]
pub enum Date {}

/// The form of a date, in a refusal.
const DATE: &str = "a day from 1970 on, as yyyy-mm-dd";

impl Described for Date {
    fn schema() -> Node {
        Node::of_type("string").with("format", "date").with("pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
    }
}

impl<'a> Kind<Query<'a>> for Date {
    type Read = Result<Option<Day>, Refusal>;

    fn read(source: Query<'a>, name: &'static str) -> Self::Read {
        let read = |text| day(text).ok_or_else(|| bad_query(name, DATE, text));
        source.value(name).map(read).transpose()
    }
}

/// An overridden value must be readable too.
impl<'a> Kind<Both<'a>> for Date {
    type Read = Result<Option<Day>, Refusal>;

    fn read(source: Both<'a>, name: &'static str) -> Self::Read {
        let asked: Option<Day> = Self::read(source.query, name)?;
        let read = |text: Cow<'a, str>| day(&text).ok_or_else(|| bad_value(name, DATE, &text));
        let sent = source.payload.text(name)?.map(read).transpose()?;
        Ok(asked.or(sent))
    }
}

/// A time in seconds or milliseconds since 1970, read as milliseconds.
#[derive(Debug)]
pub enum Timestamp {}

impl Described for Timestamp {
    fn schema() -> Node {
        digits_or_number("number", r"^[0-9]+(\.[0-9]+)?$", 0)
    }
}

impl<'a> Kind<&'a Payload> for Timestamp {
    type Read = Result<Option<u64>, Refusal>;

    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        source.timestamp_ms(name)
    }
}

impl<'a> Kind<Query<'a>> for Timestamp {
    type Read = Result<Option<u64>, Refusal>;

    fn read(source: Query<'a>, name: &'static str) -> Self::Read {
        source.timestamp(name)
    }
}

/// A time as ISO 8601 with its zone, read as milliseconds.
#[derive(Debug)]
pub enum Moment {}

/// The form of a moment, in a refusal.
const MOMENT: &str = "a time as ISO 8601 with its zone, such as 2026-01-31T20:00:00Z";

impl Moment {
    fn of(name: &'static str, value: &Value<'_>) -> Result<Millis, Refusal> {
        let read = match value {
            Value::Text(text) => zoned_millis(text),
            Value::Number(_) | Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        read.ok_or_else(|| {
            Refusal::bad_field(name, MOMENT, value).with_reason(Reason::InvalidTimestampInPayload)
        })
    }
}

impl Described for Moment {
    fn schema() -> Node {
        Node::of_type("string").with("format", "date-time")
    }
}

impl<'a> Kind<&'a Payload> for Moment {
    type Read = Result<Option<Millis>, Refusal>;

    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        source.field(name).map(|value| Self::of(name, &value)).transpose()
    }
}

/// A decimal, as a string or as a number; its digits are read as they were sent.
#[derive(Debug)]
pub enum Decimal {}

impl Described for Decimal {
    fn schema() -> Node {
        let types: Node = ["string", "number"].into_iter().collect();
        Node::object().with("type", types).with("pattern", r"^(0|[1-9][0-9]*)(\.[0-9]+)?$").with("minimum", 0)
    }
}

impl<'a> Kind<&'a Payload> for Decimal {
    type Read = Option<Cow<'a, str>>;

    #[expect(clippy::inline_always, reason = "the beginning of the name is then a constant")]
    #[inline(always)]
    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        source.decimal_text(name)
    }
}

/// A decimal, or the word `all`, in lower case: all that there is.
#[derive(Debug)]
pub enum DecimalOrAll {}

impl Described for DecimalOrAll {
    fn schema() -> Node {
        let types: Node = ["string", "number"].into_iter().collect();
        let pattern = r"^(all|(0|[1-9][0-9]*)(\.[0-9]+)?)$";
        Node::object().with("type", types).with("pattern", pattern).with("minimum", 0)
    }
}

impl<'a> Kind<&'a Payload> for DecimalOrAll {
    type Read = Option<Cow<'a, str>>;

    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        source.decimal_text(name)
    }
}

/// One of these words. A value of another type is read as its JSON text, which the field's own refusal quotes.
#[derive(Debug)]
pub struct Loose<W>(PhantomData<W>);

impl<W: Described> Described for Loose<W> {
    fn schema() -> Node {
        W::schema()
    }
}

impl<'a, W: Described> Kind<&'a Payload> for Loose<W> {
    type Read = Option<Cow<'a, str>>;

    #[expect(clippy::inline_always, reason = "the beginning of the name is then a constant")]
    #[inline(always)]
    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        source.decimal_text(name)
    }
}

/// A value of another type is read as its JSON text, `null` too.
impl<W: Described> Absent for Loose<W> {
    type Present<'a> = Cow<'a, str>;
    const MUST_BE: &'static str = "a string";

    fn find<'a>(source: &'a Payload, name: &'static str) -> Result<Option<Cow<'a, str>>, Refusal> {
        Ok(source.decimal_text(name))
    }

    fn null<'a>(_name: &'static str) -> Result<Self::Present<'a>, Refusal> {
        Ok(Cow::Borrowed("null"))
    }
}

/// A field whose endpoint looks at the value as it was sent.
#[derive(Debug)]
pub struct Sent<D>(PhantomData<D>);

impl<D: Described> Described for Sent<D> {
    fn schema() -> Node {
        D::schema()
    }
}

impl<'a, D: Described> Kind<&'a Payload> for Sent<D> {
    type Read = Option<Value<'a>>;

    #[expect(clippy::inline_always, reason = "the beginning of the name is then a constant")]
    #[inline(always)]
    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        source.field(name)
    }
}

/// A field that must be there.
#[derive(Debug)]
pub struct Needed<K>(PhantomData<K>);

impl<K: Described> Described for Needed<K> {
    const REQUIRED: bool = true;

    fn schema() -> Node {
        K::schema()
    }
}

impl<'a, K: Described + Absent> Kind<&'a Payload> for Needed<K> {
    type Read = Result<K::Present<'a>, Refusal>;

    #[inline]
    fn read(source: &'a Payload, name: &'static str) -> Self::Read {
        match K::find(source, name)? {
            Some(value) => Ok(value),
            None if source.is_null(name) => K::null(name),
            None => Err(Refusal::missing_key(name)),
        }
    }
}

impl<'a> Kind<Query<'a>> for Needed<Text> {
    type Read = Result<&'a str, Refusal>;

    fn read(source: Query<'a>, name: &'static str) -> Self::Read {
        source.sent(name).ok_or_else(|| Refusal::missing_key(name))
    }
}

/// A kind that may be absent.
pub trait Absent {
    /// Its value when it is there.
    type Present<'a>;
    /// The values that are accepted, for a refusal.
    const MUST_BE: &'static str;

    /// The value, if it is there.
    ///
    /// # Errors
    /// When the value is there and does not fit.
    fn find<'a>(source: &'a Payload, name: &'static str) -> Result<Option<Self::Present<'a>>, Refusal>;

    /// The value of a needed field with `null` in it (D-169).
    ///
    /// # Errors
    /// When no endpoint can look at it.
    fn null<'a>(name: &'static str) -> Result<Self::Present<'a>, Refusal> {
        Err(Refusal::bad_field(name, Self::MUST_BE, &Value::Null))
    }
}

impl Absent for Text {
    type Present<'a> = Cow<'a, str>;
    const MUST_BE: &'static str = "a string";

    fn find<'a>(source: &'a Payload, name: &'static str) -> Result<Option<Cow<'a, str>>, Refusal> {
        source.text(name)
    }
}

impl Absent for Switch {
    type Present<'a> = bool;
    const MUST_BE: &'static str = "true or false";

    fn find(source: &Payload, name: &'static str) -> Result<Option<bool>, Refusal> {
        match source.field(name) {
            None => Ok(None),
            Some(Value::Bool(on)) => Ok(Some(on)),
            Some(other) => Err(Refusal::bad_field(name, Self::MUST_BE, &other)),
        }
    }
}

impl Absent for Whole {
    type Present<'a> = u64;
    const MUST_BE: &'static str = "a whole number in digits alone";

    fn find(source: &Payload, name: &'static str) -> Result<Option<u64>, Refusal> {
        source.integer(name)
    }
}

impl Absent for Timestamp {
    type Present<'a> = u64;
    const MUST_BE: &'static str = "a timestamp in seconds or milliseconds";

    fn find(source: &Payload, name: &'static str) -> Result<Option<u64>, Refusal> {
        source.timestamp_ms(name)
    }

    fn null<'a>(name: &'static str) -> Result<Self::Present<'a>, Refusal> {
        Err(Refusal::bad_field(name, Self::MUST_BE, &Value::Null)
            .with_reason(Reason::InvalidTimestampInPayload))
    }
}

impl Absent for Moment {
    type Present<'a> = Millis;
    const MUST_BE: &'static str = MOMENT;

    fn find(source: &Payload, name: &'static str) -> Result<Option<Millis>, Refusal> {
        Self::read(source, name)
    }

    fn null<'a>(name: &'static str) -> Result<Self::Present<'a>, Refusal> {
        Self::of(name, &Value::Null)
    }
}

impl Absent for Decimal {
    type Present<'a> = Cow<'a, str>;
    const MUST_BE: &'static str = "a decimal";

    fn find<'a>(source: &'a Payload, name: &'static str) -> Result<Option<Cow<'a, str>>, Refusal> {
        Ok(source.decimal_text(name))
    }

    /// The text `null`, which the field's own refusal quotes (TYPE-004).
    fn null<'a>(_name: &'static str) -> Result<Self::Present<'a>, Refusal> {
        Ok(Cow::Borrowed("null"))
    }
}

impl Absent for DecimalOrAll {
    type Present<'a> = Cow<'a, str>;
    const MUST_BE: &'static str = "a decimal";

    fn find<'a>(source: &'a Payload, name: &'static str) -> Result<Option<Cow<'a, str>>, Refusal> {
        Decimal::find(source, name)
    }

    /// As of [`Decimal`].
    fn null<'a>(name: &'static str) -> Result<Self::Present<'a>, Refusal> {
        Decimal::null(name)
    }
}

/// A string that must be one of these words; the endpoint looks it up.
impl<W: Words> Absent for W {
    type Present<'a> = Cow<'a, str>;
    const MUST_BE: &'static str = "a string";

    fn find<'a>(source: &'a Payload, name: &'static str) -> Result<Option<Cow<'a, str>>, Refusal> {
        source.text(name)
    }
}

impl<W: Words> Described for W {
    fn schema() -> Node {
        words(W::WORDS)
    }
}

/// The schema of a string that is one of these.
pub(super) fn words(words: &[&'static str]) -> Node {
    Node::of_type("string").with("enum", words.iter().copied().collect::<Node>())
}

pub(super) fn digits_or_number(number: &'static str, digits: &'static str, minimum: u64) -> Node {
    let types: Node = [number, "string"].into_iter().collect();
    Node::object().with("type", types).with("pattern", digits).with("minimum", minimum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kind reads what its schema describes, and refuses the rest.
    #[test]
    fn what_is_described_is_read() {
        let payload = Payload::read(br#"{"a":5,"b":"5","c":6,"d":"6","e":"0"}"#.to_vec()).unwrap();
        let bounded = |name| <WholeUpTo<5> as Kind<_>>::read(&payload, name);
        assert_eq!(["a", "b", "f"].map(|name| bounded(name).unwrap()), [Some(5), Some(5), None]);
        for name in ["c", "d"] {
            let message = bounded(name).unwrap_err().message;
            assert_eq!(message, format!("Field '{name}' must be at most 5: 6"));
        }
        let pattern = r#"{"type":["integer","string"],"pattern":"^[0-9]+$","minimum":0,"maximum":5}"#;
        assert_eq!(WholeUpTo::<5>::schema().pretty().split_whitespace().collect::<String>(), pattern);

        let lists = Payload::read(br#"{"g":["x"],"h":[{"a":1},{}],"i":[1],"j":{}}"#.to_vec()).unwrap();
        assert_eq!(<Texts as Absent>::find(&lists, "g").unwrap().unwrap(), ["x"]);
        let objects = <Objects<super::super::NoFields> as Absent>::find(&lists, "h").unwrap().unwrap();
        assert_eq!(objects[0].integer("a").unwrap(), Some(1));
        assert!(<Objects<super::super::NoFields> as Absent>::find(&lists, "k").unwrap().is_none());
        for name in ["g", "i", "j"] {
            let refusal = <Objects<super::super::NoFields> as Absent>::find(&lists, name).unwrap_err();
            assert!(refusal.message.starts_with(&format!("Field '{name}' must be an array of objects: ")));
        }

        let rows = |name| <PageRows as Kind<&Payload>>::read(&payload, name).map(|limit| limit.rows);
        assert_eq!([rows("a").unwrap(), rows("d").unwrap(), rows("f").unwrap()], [5, 6, field::PAGE]);
        assert!(rows("e").is_err() && <PageRows>::schema().pretty().contains(r#""string""#));
    }
}
