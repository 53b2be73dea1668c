//! HTML as text.

use buttonwood_wire::html::push;

/// Characters of a word that stay together on a narrow screen.
const WORD_MAX: usize = 20;

/// Text for an element, with HTML escapes: a long word may break.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_break() {
        let long = "x".repeat(41);
        let (a, b) = ("x".repeat(20), "x".repeat(20));
        assert_eq!(breaking(&long), format!("{a}<wbr>{b}<wbr>x"));
        assert_eq!(breaking("a short <text>"), "a short &lt;text&gt;");
    }
}
