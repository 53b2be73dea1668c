//! Lines of documents that are too long to be read beside others, or in a difference.
//!
//! Tables, code and the targets of links cannot be wrapped.

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
