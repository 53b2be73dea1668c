//! Text with HTML escapes, and the links that every page has.

/// The links to the pages, with their words.
pub const LINKS: [(&str, &str); 5] = [
    ("/", "Markets"),
    ("/trade", "Trade"),
    ("/predictions", "Predictions"),
    ("/account", "Account"),
    ("/docs", "Docs"),
];

/// Text for elements and for attributes in quotes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|character| push(character, &mut out));
    out
}

/// Appends a character as [`escaped`] writes it.
pub fn push(character: char, out: &mut String) {
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
    fn text_is_escaped() {
        assert_eq!(escaped("<b>a&'\"usd é"), "&lt;b&gt;a&amp;&#39;&quot;usd é");
    }
}
