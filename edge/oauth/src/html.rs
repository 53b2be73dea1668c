//! HTML as text.

/// Characters of a word that stay together on a narrow screen.
const WORD_MAX: usize = 20;

/// Text with HTML escapes, for elements and for attributes in quotes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|character| push(character, &mut out));
    out
}

/// The same for an element: a long word may break.
pub(crate) fn breaking(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut length = 0;
    for character in text.chars() {
        length = if character.is_whitespace() { 0 } else { length + 1 };
        if length > WORD_MAX {
            out.push_str("<wbr>");
            length = 1;
        }
        push(character, &mut out);
    }
    out
}

fn push(character: char, out: &mut String) {
    match character {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '"' => out.push_str("&quot;"),
        '\'' => out.push_str("&#39;"),
        plain => out.push(plain),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_long_words_break() {
        assert_eq!(escaped("<b>a&'\"usd é"), "&lt;b&gt;a&amp;&#39;&quot;usd é");
        let long = "x".repeat(41);
        let (a, b) = ("x".repeat(20), "x".repeat(20));
        assert_eq!(breaking(&long), format!("{a}<wbr>{b}<wbr>x"));
        assert_eq!(breaking("a short <text>"), "a short &lt;text&gt;");
    }
}
