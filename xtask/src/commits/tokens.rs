//! The words, texts and marks of Rust code, without comments.

/// A piece of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, a keyword or a number.
    Word(String),
    /// The letters between the quotes of a literal.
    Text(String),
    /// Any other letter.
    Mark(char),
}

impl Token {
    pub(super) fn word(&self) -> Option<&str> {
        if let Self::Word(word) = self { Some(word) } else { None }
    }

    pub(super) fn is(&self, mark: char) -> bool {
        *self == Self::Mark(mark)
    }
}

/// The tokens of a text. Code that is no Rust has any tokens.
pub(super) fn tokens(mut rest: &str) -> Vec<Token> {
    let mut found = Vec::new();
    while let Some(letter) = rest.chars().next() {
        let length = comment(rest).or_else(|| text(rest, &mut found)).or_else(|| quoted(rest));
        let length = length.or_else(|| word(rest, &mut found)).unwrap_or_else(|| {
            if !letter.is_whitespace() {
                found.push(Token::Mark(letter));
            }
            letter.len_utf8()
        });
        rest = rest.get(length..).unwrap_or_default();
    }
    found
}

/// The length of the comment at the start.
fn comment(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    rest.strip_prefix("/*")?;
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        let after = rest.get(at..).unwrap_or_default();
        if after.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if after.starts_with("*/") {
            depth -= 1;
            at += 2;
        } else {
            at += after.chars().next().map_or(1, char::len_utf8);
        }
        if depth == 0 || at >= rest.len() {
            return Some(at);
        }
    }
}

/// The length of the literal text at the start, which becomes a token.
fn text(rest: &str, found: &mut Vec<Token>) -> Option<usize> {
    let body = rest.strip_prefix(['b', 'c']).unwrap_or(rest);
    if let Some(raw) = body.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let inside = raw.trim_start_matches('#').strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(hashes));
        let length = inside.find(&end).unwrap_or(inside.len());
        found.push(Token::Text(inside.get(..length)?.to_owned()));
        return Some((rest.len() - inside.len() + length + end.len()).min(rest.len()));
    }
    let inside = body.strip_prefix('"')?;
    let mut is_escaped = false;
    let end = inside.find(|letter| {
        let ends = letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        ends
    });
    let length = end.unwrap_or(inside.len());
    found.push(Token::Text(inside.get(..length)?.to_owned()));
    Some((rest.len() - inside.len() + length + 1).min(rest.len()))
}

/// The length of the letter in quotes, or of the lifetime, at the start.
fn quoted(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('\'')?;
    let letter = inside.chars().next()?;
    if letter == '\\' {
        let escaped = inside.chars().nth(1)?.len_utf8();
        let end = inside.get(1 + escaped..)?.find('\'')?;
        return Some(1 + 1 + escaped + end + 1);
    }
    if inside.get(letter.len_utf8()..)?.starts_with('\'') {
        return Some(2 + letter.len_utf8());
    }
    Some(1 + inside.find(|letter| !is_of_word(letter)).unwrap_or(inside.len()))
}

/// The length of the word at the start, which becomes a token.
fn word(rest: &str, found: &mut Vec<Token>) -> Option<usize> {
    let length = rest.find(|letter| !is_of_word(letter)).unwrap_or(rest.len());
    let word = rest.get(..length).filter(|word| !word.is_empty())?;
    found.push(Token::Word(word.to_owned()));
    Some(length)
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens in short: words, texts in quotes, marks.
    fn short(text: &str) -> String {
        let short = |token: &Token| match token {
            Token::Word(word) => word.clone(),
            Token::Text(text) => format!("<{text}>"),
            Token::Mark(mark) => mark.to_string(),
        };
        tokens(text).iter().map(short).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_and_marks_are_told_apart() {
        assert_eq!(short("mod a_1;\n\tuse é::{b};"), "mod a_1 ; use é : : { b } ;");
        assert_eq!(short(""), "");
    }

    #[test]
    fn comments_are_left_out() {
        assert_eq!(short("a // mod b;\nc"), "a c");
        assert_eq!(short("a /* é /* b */ c */ d /* e"), "a d");
        assert_eq!(short("a / b"), "a / b");
    }

    #[test]
    fn texts_are_whole() {
        assert_eq!(short(r#"a("b\"c // d", "\\") e"#), r#"a ( <b\"c // d> , <\\> ) e"#);
        assert_eq!(short("r#\"a \" b\"# c br\"d\" b\"e\" r#type \"f"), "<a \" b> c <d> <e> r # type <f>");
    }

    #[test]
    fn letters_are_no_lifetimes() {
        assert_eq!(
            short("['\"', '\\'', '\\u{1}', 'é', b'x'] &'static a 'b: loop"),
            "[ , , , , b ] & a : loop"
        );
    }
}
