//! Texts that people choose and later read: names, labels, reasons and references. Characters that cannot be seen are in none of them,
//! so that two texts that look the same are the same.

/// The rule of [`is_plain`] beyond a length, for a refusal.
pub const PLAIN: &str = "characters without control and format characters, no blank at either end";

/// Characters of a reference at most.
pub const REFERENCE_MAX: usize = 100;

/// Format characters (Cf of Unicode 16), by first and last; and the separators of lines and paragraphs.
const FORMAT: [(char, char); 20] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{180e}', '\u{180e}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{fff9}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0001}', '\u{e0001}'),
    ('\u{e0020}', '\u{e007f}'),
];

/// Whether a text has 1 to `most` characters, no control or format character, no separator of lines, and no blank at either end.
pub fn is_plain(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.chars().count())
        && text.trim() == text
        && !text.chars().any(|character| character.is_control() || is_format(character))
}

/// Whether a text is a reference: 1 to [`REFERENCE_MAX`] printable ASCII characters without blanks.
pub fn is_reference(text: &str) -> bool {
    (1..=REFERENCE_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// A refused text with its control and format characters written out, such as `\u{200b}`.
pub fn visible(text: &str) -> String {
    let shown = text.chars().map(|character| {
        if character.is_control() || is_format(character) {
            character.escape_default().to_string()
        } else {
            character.to_string()
        }
    });
    shown.collect()
}

fn is_format(character: char) -> bool {
    FORMAT.iter().any(|(first, last)| (*first..=*last).contains(&character))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters of any script, and blanks between them; nothing that cannot be seen.
    #[test]
    fn a_plain_text_can_be_seen() {
        for text in ["a", "North Desk 2", "\u{e9}\u{4e2d}\u{1f40c}", "a\u{a0}b", "\"\\/"] {
            assert!(is_plain(text, 20), "{text}");
        }
        let hidden = [
            '\u{ad}',
            '\u{200b}',
            '\u{200d}',
            '\u{202e}',
            '\u{2028}',
            '\u{2029}',
            '\u{2066}',
            '\u{feff}',
            '\u{e0041}',
        ];
        for text in hidden.iter().flat_map(|hidden| [format!("a{hidden}b"), format!("ab{hidden}")]) {
            assert!(!is_plain(&text, 20), "{text:?}");
            assert!(visible(&text).contains("\\u{"), "{text:?}");
        }
        for text in [
            "",
            " ",
            " a",
            "a ",
            "a\u{a0}",
            "\u{3000}a",
            "a\nb",
            "a\u{7f}",
            "a\u{85}b",
            "abcdefghijklmnopqrstu",
        ] {
            assert!(!is_plain(text, 20), "{text:?}");
        }
        assert_eq!(visible("a\u{200b}b\tc \u{e9}"), "a\\u{200b}b\\tc \u{e9}");
    }

    #[test]
    fn a_reference_is_printable_ascii() {
        for text in ["1", "wire-1", "\"#~!", &"x".repeat(100)] {
            assert!(is_reference(text), "{text}");
        }
        for text in ["", " ", "wire-1 ", "wire 1", "\u{e9}", "a\u{200b}", "a\t", &"x".repeat(101)] {
            assert!(!is_reference(text), "{text:?}");
        }
    }
}
