//! A writer of JSON texts.

use crate::contract::Shape;
use buttonwood_gate::escaped;
use buttonwood_num::push_u64;

/// A JSON text in progress. Each field or element ends in a comma, which the closing bracket replaces: no call has to check
/// whether it is the first.
///
/// The calls that write an order are inlined, so that the lengths of names are known at compile time.
#[derive(Debug)]
pub struct Json {
    out: Vec<u8>,
}

impl Json {
    /// An empty text with room for this many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { out: Vec::with_capacity(bytes) }
    }

    /// The finished text.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.out.truncate(self.out.len() - usize::from(self.out.last() == Some(&b',')));
        self.out
    }

    #[expect(clippy::inline_always, reason = "a name whose length is known is stored without a call")]
    #[inline(always)]
    fn key(&mut self, name: &str) {
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    fn close(&mut self, bracket: u8) {
        match self.out.last_mut() {
            Some(last) if *last == b',' => *last = bracket,
            _ => self.out.push(bracket),
        }
        self.out.push(b',');
    }

    /// An object element or value.
    pub fn object(&mut self, fill: impl FnOnce(&mut Self)) {
        self.out.push(b'{');
        fill(self);
        self.close(b'}');
    }

    /// An array element or value.
    pub fn array<T>(&mut self, items: impl IntoIterator<Item = T>, mut each: impl FnMut(&mut Self, T)) {
        self.out.push(b'[');
        for item in items {
            each(self, item);
        }
        self.close(b']');
    }

    /// A field whose value `write` writes as an element.
    pub fn field(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        self.key(name);
        write(self);
    }

    /// A field that holds an object.
    pub fn object_field(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        self.key(name);
        self.object(fill);
    }

    /// A field that holds an array.
    #[inline]
    pub fn array_field<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        each: impl FnMut(&mut Self, T),
    ) {
        self.key(name);
        self.array(items, each);
    }

    /// A field that holds an array of elements that [`elements`] wrote.
    pub fn elements_field(&mut self, name: &str, elements: &[u8]) {
        self.key(name);
        self.out.push(b'[');
        self.out.extend_from_slice(elements);
        self.close(b']');
    }

    /// A field with a string that the exchange itself makes, which needs no escapes.
    #[expect(clippy::inline_always, reason = "as its name's")]
    #[inline(always)]
    pub fn plain(&mut self, name: &str, value: &str) {
        self.key(name);
        self.plain_item(value);
    }

    /// A string element that needs no escapes.
    #[inline]
    pub fn plain_item(&mut self, value: &str) {
        self.decimal_item(|out| out.extend_from_slice(value.as_bytes()));
    }

    /// A string element that a client chose, with escapes.
    pub fn text_item(&mut self, value: &str) {
        self.plain_item(&escaped(value));
    }

    /// A field with a string of digits that `print` writes: a decimal.
    #[expect(clippy::inline_always, reason = "as its name's")]
    #[inline(always)]
    pub fn decimal(&mut self, name: &str, print: impl FnOnce(&mut Vec<u8>)) {
        self.key(name);
        self.decimal_item(print);
    }

    /// A string element of digits.
    #[inline]
    pub fn decimal_item(&mut self, print: impl FnOnce(&mut Vec<u8>)) {
        self.out.push(b'"');
        print(&mut self.out);
        self.out.extend_from_slice(b"\",");
    }

    /// A field with a whole number.
    #[expect(clippy::inline_always, reason = "as its name's")]
    #[inline(always)]
    pub fn number(&mut self, name: &str, value: u64) {
        self.key(name);
        self.number_item(value);
    }

    /// A whole number element.
    pub fn number_item(&mut self, value: u64) {
        push_u64(&mut self.out, value);
        self.out.push(b',');
    }

    /// A number element of digits that `print` writes: a decimal.
    pub fn exact_item(&mut self, print: impl FnOnce(&mut Vec<u8>)) {
        print(&mut self.out);
        self.out.push(b',');
    }

    /// An array element or body whose elements `fill` writes.
    pub fn list(&mut self, fill: impl FnOnce(&mut Self)) {
        self.out.push(b'[');
        fill(self);
        self.close(b']');
    }

    /// A field with a whole number in a string.
    #[expect(clippy::inline_always, reason = "as its name's")]
    #[inline(always)]
    pub fn number_text(&mut self, name: &str, value: u64) {
        self.decimal(name, |out| push_u64(out, value));
    }

    /// A field with `true` or `false`.
    #[expect(clippy::inline_always, reason = "as its name's")]
    #[inline(always)]
    pub fn flag(&mut self, name: &str, value: bool) {
        self.key(name);
        self.out.extend_from_slice(if value { b"true," } else { b"false," });
    }

    /// An element that is `true` or `false`.
    pub fn flag_item(&mut self, value: bool) {
        self.out.extend_from_slice(if value { b"true," } else { b"false," });
    }

    /// A field with `null`.
    pub fn null(&mut self, name: &str) {
        self.key(name);
        self.null_item();
    }

    /// An element that is `null`.
    pub fn null_item(&mut self) {
        self.out.extend_from_slice(b"null,");
    }
}

/// An answer as a reply's body.
pub fn body(answer: &impl Shape) -> Vec<u8> {
    let mut json = Json::with_capacity(256);
    answer.write(&mut json);
    json.into_bytes()
}

/// One JSON object as a reply's body.
pub fn object(bytes: usize, fill: impl FnOnce(&mut Json)) -> Vec<u8> {
    let mut json = Json::with_capacity(bytes);
    json.object(fill);
    json.into_bytes()
}

/// One JSON array as a reply's body.
pub fn array<T>(items: impl IntoIterator<Item = T>, each: impl FnMut(&mut Json, T)) -> Vec<u8> {
    let mut json = Json::with_capacity(1024);
    json.array(items, each);
    json.into_bytes()
}

/// Elements written without a pause: some tenths of a millisecond (Q-238).
const AT_ONCE: usize = 500;

/// Writes the elements of an array that may be very long, of about `bytes` each. Other tasks of the thread run in
/// between.
pub async fn elements<T>(items: &[T], bytes: usize, each: impl FnMut(&mut Json, &T)) -> Vec<u8> {
    let mut json = Json::with_capacity(items.len() * bytes);
    in_slices(&mut json, items, each).await;
    json.into_bytes()
}

/// A JSON array that may be very long as a reply's body, as [`elements`] writes its elements.
pub async fn long_array<T>(items: &[T], bytes: usize, each: impl FnMut(&mut Json, &T)) -> Vec<u8> {
    // Room for the brackets and the last comma, so that a long list is not copied for them.
    let mut json = Json::with_capacity(items.len() * bytes + 3);
    json.out.push(b'[');
    in_slices(&mut json, items, each).await;
    json.close(b']');
    json.into_bytes()
}

/// Writes elements, [`AT_ONCE`] without a pause.
async fn in_slices<T>(json: &mut Json, items: &[T], mut each: impl FnMut(&mut Json, &T)) {
    for (at, some) in items.chunks(AT_ONCE).enumerate() {
        if at > 0 {
            tokio::task::yield_now().await;
        }
        for item in some {
            each(json, item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole numbers that a double cannot hold keep every digit too. Proves TYPE-006.
    #[test]
    fn whole_numbers_keep_every_digit() {
        let body = object(64, |json| {
            json.number("number", 9_007_199_254_740_993);
            json.number_text("text", u64::MAX);
            json.array_field("list", [u64::MAX], Json::number_item);
        });
        assert_eq!(
            String::from_utf8(body).unwrap(),
            r#"{"number":9007199254740993,"text":"18446744073709551615","list":[18446744073709551615]}"#
        );
    }

    /// Proves TYPE-009.
    #[test]
    fn separates_fields_and_elements() {
        let body = object(64, |json| {
            json.plain("a", "b");
            json.array_field("empty", [0; 0], Json::number_item);
            json.array_field("two", [1, 2], Json::number_item);
            json.object_field("inner", |json| json.null("none"));
            json.flag("yes", true);
        });
        assert_eq!(
            String::from_utf8(body).unwrap(),
            r#"{"a":"b","empty":[],"two":[1,2],"inner":{"none":null},"yes":true}"#
        );
    }

    /// A text that a client chose is repeated as it was sent.
    #[test]
    fn escapes_the_texts_of_clients() {
        let body =
            object(64, |json| json.array_field("names", ["a \"b\" \\", "\u{fc}\n\u{1}"], Json::text_item));
        assert_eq!(
            String::from_utf8(body).unwrap(),
            "{\"names\":[\"a \\\"b\\\" \\\\\",\"\u{fc}\\n\\u0001\"]}"
        );
    }

    /// Any number of elements is written as an array's are, and other tasks run in between.
    #[test]
    fn many_elements_let_others_have_a_turn() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for (count, turns) in [(0, 1), (1, 1), (500, 1), (501, 2), (1_200, 3)] {
            let numbers: Vec<u64> = (0..count).collect();
            let had = std::cell::Cell::new(0);
            let others = async {
                loop {
                    had.set(had.get() + 1);
                    tokio::task::yield_now().await;
                }
            };
            let word = |json: &mut Json, number: &u64| json.number_item(*number);
            let worded = runtime.block_on(async {
                tokio::select! {
                    biased;
                    () = others => unreachable!("they go on for ever"),
                    worded = elements(&numbers, 5, word) => worded,
                }
            });
            assert_eq!(had.get(), turns, "before each part of {count}");
            let body = object(64, |json| {
                json.elements_field("many", &worded);
                json.flag("yes", true);
            });
            let whole = object(64, |json| {
                json.array_field("many", &numbers, word);
                json.flag("yes", true);
            });
            assert_eq!(body, whole);
            assert_eq!(runtime.block_on(long_array(&numbers, 5, word)), array(&numbers, word));
        }
    }
}
