//! The message of a commit: `area: verb object`, and a body that says why where much changes.

use super::Commit;

/// The most letters of a subject.
const SUBJECT: usize = 72;

/// The changed lines above which a commit needs a body.
const LINES: usize = 100;

/// The fewest words of a body: a sentence.
const WORDS: usize = 5;

/// Files that a program writes: the ends of their paths, and the folders that hold them.
const GENERATED: [&str; 3] = ["Cargo.lock", "package-lock.json", "spec/coverage.md"];
const FOLDERS: [&str; 3] = ["proof/corpus/directories", "proof/fuzz/corpus/", "proof/fuzz/regressions/"];

/// Everything that is wrong in a commit's message.
pub(super) fn check(commit: &Commit) -> Vec<String> {
    let subject = subject(&commit.message);
    let mut wrong = Vec::new();
    if subject.chars().count() > SUBJECT {
        wrong
            .push(format!("the subject has {} letters; at most {SUBJECT} are read", subject.chars().count()));
    }
    if !is_formed(subject) {
        wrong.push("the subject is not of the form `area: verb object`".to_owned());
    }
    let lines: usize =
        commit.changed.iter().filter(|(file, _)| !is_generated(file)).map(|(_, lines)| lines).sum();
    if lines > LINES && !has_reason(&commit.message) {
        wrong.push(format!("{lines} lines change and no body says why"));
    }
    wrong
}

/// The first line of a message.
pub(super) fn subject(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

/// Whether a subject is one or more areas, and at least two words in lower case after a colon.
fn is_formed(subject: &str) -> bool {
    let Some((areas, text)) = subject.split_once(": ") else { return false };
    let is_area = |area: &str| {
        !area.is_empty() && area.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
    };
    areas.split(", ").all(is_area)
        && text.starts_with(|letter: char| letter.is_ascii_lowercase())
        && text.split_whitespace().count() > 1
        && !text.ends_with('.')
}

/// Whether a message has a sentence besides its subject and its trailers.
fn has_reason(message: &str) -> bool {
    let body = message.split_once('\n').map_or("", |(_, body)| body);
    let paragraphs = body.split("\n\n").filter(|paragraph| !paragraph.lines().all(is_trailer));
    paragraphs.flat_map(str::split_whitespace).count() >= WORDS
}

/// Whether a line is a trailer, such as `Clauses: ORD-057`, or empty.
fn is_trailer(line: &str) -> bool {
    let name = line.split_once(": ").map(|(name, _)| name);
    let is_name = |name: &str| {
        name.starts_with(|letter: char| letter.is_ascii_uppercase())
            && name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
    };
    line.trim().is_empty() || name.is_some_and(is_name)
}

/// Whether a program writes the file.
fn is_generated(file: &str) -> bool {
    let is_contract =
        file.starts_with("contract/") && file.rsplit_once('.').is_some_and(|(_, end)| end == "json");
    is_contract
        || GENERATED.iter().any(|end| file.ends_with(end))
        || FOLDERS.iter().any(|folder| file.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn commit(message: &str, file: &str, lines: usize) -> Commit {
        let changed = BTreeMap::from([(file.to_owned(), lines)]);
        Commit { id: "a1".to_owned(), message: message.to_owned(), changed }
    }

    #[test]
    fn a_subject_has_areas_and_a_verb() {
        for subject in
            ["rest: rename an account", "spot-margin, perp: drop a row", "core: put a command's name there"]
        {
            assert!(check(&commit(subject, "a.rs", 1)).is_empty(), "{subject}");
        }
        for subject in [
            "",
            "rename an account",
            "rest:rename it",
            "rest: rename",
            "Rest: rename it",
            "rest: Rename it",
            "rest: rename it.",
        ] {
            assert_eq!(check(&commit(subject, "a.rs", 1)).len(), 1, "{subject}");
        }
        let long = |letters: usize| format!("rest: show {}", "a".repeat(letters - 11));
        assert!(check(&commit(&long(72), "a.rs", 1)).is_empty());
        assert_eq!(check(&commit(&long(73), "a.rs", 1)).len(), 1);
    }

    #[test]
    fn a_large_commit_says_why() {
        let subject = "rest: rename an account\n";
        let trailers = format!("{subject}\nClauses: ACCT-009, ACCT-010, ACCT-011, ACCT-012, ACCT-013\n");
        let reason = format!("{subject}\nA name was fixed until now.\n\nClauses: ACCT-009\n");
        for message in [subject, &trailers] {
            assert!(check(&commit(message, "a.rs", 100)).is_empty());
            assert_eq!(check(&commit(message, "a.rs", 101)), ["101 lines change and no body says why"]);
        }
        assert!(check(&commit(&reason, "a.rs", 101)).is_empty());
    }

    #[test]
    fn generated_lines_do_not_count() {
        for file in ["Cargo.lock", "contract/openapi.json", "spec/coverage.md", "proof/fuzz/corpus/frame/a"] {
            assert!(check(&commit("rest: rename an account", file, 5000)).is_empty(), "{file}");
        }
        assert_eq!(check(&commit("rest: rename an account", "contract/about.md", 101)).len(), 1);
    }
}
