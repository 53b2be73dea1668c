//! Lines of documents that are too long to be read beside others, or in a difference, and words that the glossary defines twice.
//!
//! Tables, code and the targets of links cannot be wrapped.

use std::collections::BTreeSet;

/// The most letters of a line.
const MOST: usize = 180;

/// Documents that come from elsewhere, that a program writes, or whose lines are part of the contract.
const OTHERS: [&str; 3] = ["spec/", "proof/bench/RESULTS.md", "edge/call/src/contract/about.md"];

const FENCE: &str = "```";

/// All breaches in a document.
pub(super) fn check(file: &str, text: &str) -> Vec<String> {
    if OTHERS.iter().any(|other| file.starts_with(other)) {
        return Vec::new();
    }
    let mut wrong = Vec::new();
    let mut is_code = false;
    for (number, line) in (1..).zip(text.lines()) {
        let start = line.trim_start();
        is_code ^= start.starts_with(FENCE);
        let letters = letters(line);
        if !is_code && !start.starts_with('|') && letters > MOST {
            wrong.push(format!("{file}:{number}: {letters} letters; wrap it at {MOST} at most"));
        }
    }
    wrong
}

/// The letters of a line without the targets of its links.
fn letters(line: &str) -> usize {
    let mut parts = line.split("](");
    let first = parts.next().map_or(0, |part| part.chars().count());
    let rest = |part: &str| part.split_once(')').map_or(0, |(_, rest)| rest.chars().count());
    first + parts.map(rest).sum::<usize>()
}

/// The document that defines the words, with one meaning each.
pub(super) const GLOSSARY: &str = "GLOSSARY.md";

/// Words that stand twice in the first column of the glossary's tables.
pub(super) fn doubled(text: &str) -> Vec<String> {
    let mut known = BTreeSet::new();
    let rows = (1..).zip(text.lines()).filter_map(|(number, line)| Some((number, line.strip_prefix("| ")?)));
    rows.filter_map(|(number, row)| Some((number, row.split_once(" | ")?.0)))
        .filter(|(_, word)| *word != "word" && !known.insert(*word))
        .map(|(number, word)| format!("{GLOSSARY}:{number}: `{word}` has a meaning already"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_of_prose_is_named() {
        let line = "é".repeat(MOST);
        assert!(check("a.md", &line).is_empty());
        let long = format!("short\n{line}é\n");
        assert_eq!(check("a.md", &long), ["a.md:2: 181 letters; wrap it at 180 at most"]);
        assert!(check("spec/a.md", &long).is_empty());
    }

    #[test]
    fn a_word_has_one_meaning() {
        let table = "| word | meaning |\n|---|---|\n| cut | one |\n| fee | two |\n";
        assert!(
            doubled(&format!(
                "{table}\n{}",
                table.replace("| cut |", "| cut (of hair) |").replace("fee", "fees")
            ))
            .is_empty()
        );
        assert_eq!(
            doubled(&format!("{table}| cut | three |\n")),
            ["GLOSSARY.md:5: `cut` has a meaning already"]
        );
    }

    #[test]
    fn tables_code_and_links_stay() {
        let long = "a".repeat(MOST + 1);
        for text in
            [format!("| {long} |"), format!("```\n{long}\n```"), format!("[a]({long}) and [b]({long}).")]
        {
            assert!(check("a.md", &text).is_empty(), "{text}");
        }
        assert_eq!(check("a.md", &format!("```\ncode\n```\n{long}")).len(), 1);
    }
}
