//! The reader itself: a cursor over the text and the table of fields it fills.

use super::escape::{hex4, is_high, is_low};
use super::{Field, Flaw, Name, Token};
use std::borrow::Cow;

/// The deepest nesting of arrays and objects, the outermost counted.
const DEPTH_MAX: usize = 16;
/// In an object of up to this many fields, each new name is compared with those before it. The names of a wider object
/// are sorted at its end, so that the comparisons do not grow with the square of the width.
const COMPARED_MAX: usize = 16;
/// Fields most payloads stay within, so that their table is allocated once.
const FIELDS_USUAL: usize = 12;

#[derive(Debug)]
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// The fields of the outermost object, followed by those of an inner object while it is read.
    fields: Vec<Field>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, fields: Vec::new() }
    }

    /// Inside an array or an object that was read before.
    pub(super) fn inside(value: &'a str) -> Self {
        Self { at: 1, ..Self::new(value) }
    }

    /// The whole text as one object.
    pub(super) fn document(mut self) -> Result<Vec<Field>, Flaw> {
        if self.text.starts_with('\u{feff}') {
            return Err(self.flaw("it starts with a byte order mark"));
        }
        self.skip_blanks();
        if self.peek() != Some(b'{') {
            return Err(self.flaw("it is no object"));
        }
        self.fields.reserve(FIELDS_USUAL);
        self.members(1)?;
        self.skip_blanks();
        if self.peek().is_some() {
            return Err(self.flaw("something follows the object"));
        }
        Ok(self.fields)
    }

    /// The next element of the array this reader is inside.
    pub(super) fn element(&mut self) -> Option<Token> {
        self.skip_separator();
        self.value(1).ok()
    }

    /// Steps over the comma before the next element or member, if there is one, and the blanks around it.
    fn skip_separator(&mut self) {
        self.skip_blanks();
        if self.peek() == Some(b',') {
            self.at += 1;
            self.skip_blanks();
        }
    }

    /// The fields of the object this reader is inside.
    pub(super) fn checked_members(mut self) -> Vec<Field> {
        self.fields.reserve(FIELDS_USUAL);
        while let Some(field) = self.checked_member() {
            self.fields.push(field);
        }
        self.fields
    }

    fn checked_member(&mut self) -> Option<Field> {
        self.skip_separator();
        if self.peek() != Some(b'"') {
            return None;
        }
        let name = self.string().ok()?;
        self.skip_blanks();
        self.expect(b':', "':' is expected").ok()?;
        self.skip_blanks();
        Some(Field { begin: name.beginning(self.text), name, value: self.checked_value()? })
    }

    /// A value that was read before: arrays and objects are stepped over.
    fn checked_value(&mut self) -> Option<Token> {
        let start = self.at;
        match self.peek() {
            Some(b'{') => self.skip_nested().map(|()| Token::Object(start..self.at)),
            Some(b'[') => self.skip_nested().map(|()| Token::Array(start..self.at)),
            Some(_) | None => self.value(1).ok(),
        }
    }

    /// Steps over an array or an object that was read before: to the bracket that closes it, however deep others are nested in it.
    fn skip_nested(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string().ok()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn flaw(&self, what: impl Into<Cow<'static, str>>) -> Flaw {
        Flaw { what: what.into(), at: self.at }
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Steps over `byte`, or reports that it is missing.
    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), Flaw> {
        if self.peek() != Some(byte) {
            return Err(self.flaw(what));
        }
        self.at += 1;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Token, Flaw> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => self.string().map(Token::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'{') => {
                let outer = self.fields.len();
                self.members(depth + 1)?;
                self.fields.truncate(outer);
                Ok(Token::Object(start..self.at))
            }
            Some(b'[') => {
                self.elements(depth + 1)?;
                Ok(Token::Array(start..self.at))
            }
            Some(_) => self.word(),
            None => Err(self.flaw("it ends where a value is expected")),
        }
    }

    fn word(&mut self) -> Result<Token, Flaw> {
        let words = [("true", Token::Bool(true)), ("false", Token::Bool(false)), ("null", Token::Null)];
        for (word, token) in words {
            if self.rest().starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(token);
            }
        }
        Err(self.flaw("a value is expected"))
    }

    /// An object's members, from `{` to `}`; each is pushed on `fields`.
    fn members(&mut self, depth: usize) -> Result<(), Flaw> {
        if depth > DEPTH_MAX {
            return Err(self.flaw(format!("it is nested deeper than {DEPTH_MAX}")));
        }
        self.at += 1;
        self.skip_blanks();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        let first = self.fields.len();
        loop {
            self.member(first, depth)?;
            self.skip_blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.flaw("',' or '}' is expected")),
            }
            self.skip_blanks();
        }
        self.at += 1;
        if self.fields.len() - first > COMPARED_MAX { self.distinct(first) } else { Ok(()) }
    }

    fn member(&mut self, first: usize, depth: usize) -> Result<(), Flaw> {
        if self.peek() != Some(b'"') {
            return Err(self.flaw("a field name in double quotes is expected"));
        }
        let name = self.string()?;
        let begin = name.beginning(self.text);
        self.fresh(first, begin, &name)?;
        self.skip_blanks();
        self.expect(b':', "':' is expected")?;
        self.skip_blanks();
        let at = self.fields.len();
        // The name is in place before the value is read, so that an inner object is pushed above it.
        self.fields.push(Field { begin, name, value: Token::Null });
        let value = self.value(depth)?;
        if let Some(field) = self.fields.get_mut(at) {
            field.value = value;
        }
        Ok(())
    }

    /// Checks that a name is new to its object, as long as the object is narrow.
    fn fresh(&self, first: usize, begin: u64, name: &Name) -> Result<(), Flaw> {
        let siblings = self.fields.get(first..).unwrap_or_default();
        let is_taken =
            |field: &Field| field.begin == begin && field.name.read(self.text) == name.read(self.text);
        if siblings.len() < COMPARED_MAX && siblings.iter().any(is_taken) {
            return Err(Self::twice(&name.read(self.text), self.at));
        }
        Ok(())
    }

    /// Checks that no two names of a wide object are the same.
    #[cold]
    fn distinct(&self, first: usize) -> Result<(), Flaw> {
        let siblings = self.fields.get(first..).unwrap_or_default();
        let mut names: Vec<_> =
            siblings.iter().map(|field| (field.name.read(self.text), field.name.span.end + 1)).collect();
        names.sort_unstable();
        let repeats = names.windows(2).filter_map(|pair| match pair {
            [(before, _), (name, end)] if before == name => Some((name, *end)),
            _ => None,
        });
        let earliest = repeats.min_by_key(|(_, end)| *end);
        earliest.map_or(Ok(()), |(name, end)| Err(Self::twice(name, end)))
    }

    /// The flaw of a name that its object already has; the name ends at `at`.
    fn twice(name: &str, at: usize) -> Flaw {
        Flaw { what: format!("field '{}' is given twice", crate::refusal::quoted(name)).into(), at }
    }

    fn elements(&mut self, depth: usize) -> Result<(), Flaw> {
        if depth > DEPTH_MAX {
            return Err(self.flaw(format!("it is nested deeper than {DEPTH_MAX}")));
        }
        self.at += 1;
        self.skip_blanks();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.value(depth)?;
            self.skip_blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.flaw("',' or ']' is expected")),
            }
            self.skip_blanks();
        }
        self.at += 1;
        Ok(())
    }

    fn number(&mut self) -> Result<Token, Flaw> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(self.flaw("a number starts with 0"));
            }
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Token::Number(start..self.at))
    }

    fn digits(&mut self) -> Result<(), Flaw> {
        let count = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { Err(self.flaw("a digit is expected")) } else { Ok(()) }
    }

    /// A string from its opening to its closing quote.
    #[inline]
    fn string(&mut self) -> Result<Name, Flaw> {
        self.at += 1;
        let start = self.at;
        // Nearly every string is plain to its end.
        let end = start + plain_length(self.rest());
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Name { span: start..end, escaped: false });
        }
        self.string_with_escapes(start)
    }

    /// Reads a string with escapes, or one without an end, from `start`, the reader's position.
    #[cold]
    fn string_with_escapes(&mut self, start: usize) -> Result<Name, Flaw> {
        loop {
            let plain = plain_length(self.rest());
            match self.rest().get(plain) {
                Some(b'"') => {
                    self.at += plain + 1;
                    return Ok(Name { span: start..self.at - 1, escaped: true });
                }
                Some(b'\\') => {
                    self.at += plain;
                    self.escape()?;
                }
                Some(_) => {
                    self.at += plain;
                    return Err(self.flaw("a control character stands in a string"));
                }
                None => return Err(self.flaw("a string does not end")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Flaw> {
        match self.rest().get(1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let unit = self.unit()?;
                if is_low(unit) || is_high(unit) && !(self.rest().starts_with(b"\\u") && is_low(self.unit()?))
                {
                    return Err(self.flaw("a surrogate stands alone"));
                }
            }
            _ => return Err(self.flaw("an escape is unknown")),
        }
        Ok(())
    }

    /// One `\u` escape with its four hex digits.
    fn unit(&mut self) -> Result<u32, Flaw> {
        let unit = self.text.get(self.at + 2..self.at + 6).and_then(hex4);
        let unit = unit.ok_or_else(|| self.flaw("'\\u' needs four hex digits"))?;
        self.at += 6;
        Ok(unit)
    }
}

/// The number of bytes before the first quote, backslash or control character; all of them if there is none. It
/// examines eight bytes at a time.
#[inline]
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const TOPS: u64 = u64::from_le_bytes([0x80; 8]);
    // Sets the top bit of each byte that is below `bound`. The bits above the first such byte may be wrong, so only the
    // first one is used.
    let below = |word: u64, bound: u8| word.wrapping_sub(ONES * u64::from(bound)) & !word & TOPS;
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // With this bit flipped, a quote is the next value above the control characters, which only change places among
        // themselves.
        let quote_or_control = below(word ^ (ONES * u64::from(b'"' ^ b' ')), b' ' + 1);
        let found = quote_or_control | below(word ^ (ONES * u64::from(b'\\')), 1);
        if found != 0 {
            return at * 8 + usize::try_from(found.trailing_zeros() / 8).unwrap_or_default();
        }
    }
    let at = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f));
    words.len() * 8 + at.unwrap_or(rest.len())
}
