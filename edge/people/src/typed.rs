//! Texts that people type, in the one form in which they are compared (D-296).
//!
//! A letter with an accent may be typed as one character or as two, by the keyboard and the system: both are the same text.

use icu_normalizer::ComposingNormalizerBorrowed;
use std::borrow::Cow;

/// A text in the composed form of Unicode (NFC).
pub(crate) fn composed(text: &str) -> Cow<'_, str> {
    ComposingNormalizerBorrowed::new_nfc().normalize(text)
}

/// A code as the phone shows it: without blanks and dashes, full-width digits and letters as ASCII (NFKC).
pub(crate) fn code(text: &str) -> String {
    let is_dash = |c: char| matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    let plain = ComposingNormalizerBorrowed::new_nfkc().normalize(text);
    plain.chars().filter(|c| !c.is_whitespace() && !is_dash(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_as_phones_show_them() {
        for text in
            ["123456", "123 456", "123-456", " 123\u{a0}456\n", "１２３４５６", "１２３　４５６", "123–456"]
        {
            assert_eq!(code(text), "123456", "{text}");
        }
        assert_eq!(code("12345x"), "12345x");
    }

    #[test]
    fn one_text_has_one_form() {
        assert_eq!(composed("u\u{308}mlaut"), "\u{fc}mlaut");
        assert_eq!(composed("plain ﬁ"), "plain ﬁ");
    }
}
