//! Comment sentences that begin with "What" and are no questions, such as "What an account owes.": they have no noun to hold on to.

/// Their greatest number in the repository. Lower it when they become fewer.
pub(super) const MOST: usize = 150;

const WORD: &str = "What ";

/// The lines of such sentences, as `file:line`.
pub(super) fn nounless(file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut paragraph = Paragraph::default();
    for (number, line) in (1..).zip(text.lines()) {
        let (marker, said) = comment(line).unwrap_or_default();
        if marker != paragraph.marker || said.is_empty() || said.starts_with("- ") {
            found.extend(std::mem::take(&mut paragraph).nounless());
            paragraph.marker = marker;
        }
        paragraph.push(number, said);
    }
    found.extend(paragraph.nounless());
    found.into_iter().map(|number| format!("{file}:{number}")).collect()
}

/// The marker of a line of comment, and its text.
fn comment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let marker = ["///", "//!", "//"].into_iter().find(|marker| line.starts_with(marker))?;
    Some((marker, line.strip_prefix(marker)?.trim()))
}

/// Lines of comment under one marker, joined by blanks.
#[derive(Default)]
struct Paragraph<'a> {
    marker: &'a str,
    text: String,
    /// Where each line begins in `text`, and its number.
    lines: Vec<(usize, usize)>,
}

impl Paragraph<'_> {
    fn push(&mut self, number: usize, said: &str) {
        self.lines.push((self.text.len(), number));
        self.text.push_str(said.trim_start_matches("- "));
        self.text.push(' ');
    }

    /// The numbers of the lines in which such sentences begin.
    fn nounless(self) -> Vec<usize> {
        let begins = |at: &usize| {
            let before = self.text.get(..*at).unwrap_or_default().trim_end();
            before.is_empty() || before.ends_with(['.', '!', '?', ':', ';', ')'])
        };
        let asks = |at: &usize| {
            let rest = self.text.get(*at..).unwrap_or_default();
            let end = [". ", "! ", "? "].into_iter().filter_map(|end| rest.find(end)).min();
            end.is_some_and(|end| rest.get(end..).is_some_and(|end| end.starts_with('?')))
        };
        let line = |at: usize| self.lines.iter().rev().find(|(start, _)| *start <= at);
        let starts = self.text.match_indices(WORD).map(|(at, _)| at).filter(begins);
        starts.filter(|at| !asks(at)).filter_map(|at| line(at).map(|(_, number)| *number)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_found_with_their_line() {
        for (text, lines) in [
            ("/// What it owes.\nstruct A;\n", &[1][..]),
            ("    // One thing. What is left\n    // stays.\n", &[1]),
            ("//! A list:\n//! - What is first.\n//! - What is next.\n", &[2, 3]),
            ("/// A sum.\n/// What is in it is counted.\n", &[2]),
        ] {
            let wanted: Vec<String> = lines.iter().map(|line| format!("a.rs:{line}")).collect();
            assert_eq!(nounless("a.rs", text), wanted, "{text}");
        }
    }

    #[test]
    fn questions_and_other_sentences_pass() {
        for text in [
            "/// The debts of an account.\n",
            "/// What is this? A test.\n",
            "/// It says what it owes.\n",
            "/// `What is` quoted.\n",
            "let text = \"What is code.\";\n",
        ] {
            assert_eq!(nounless("a.rs", text), [""; 0], "{text}");
        }
    }
}
