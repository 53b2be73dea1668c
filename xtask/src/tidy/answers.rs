//! The answers of `DESIGN.md` to "why is it not…", and their ids.
//!
//! The document is short enough to be read, its ids ascend under each heading, and code cites each of them. Every id that a file cites is
//! defined there, or in `proof/bench/TRIED.md` if it is about a measurement.

use crate::repo::Repo;
use std::collections::BTreeSet;

const DESIGN: &str = "DESIGN.md";
const TRIED: &str = "proof/bench/TRIED.md";

/// The most bytes of `DESIGN.md`.
const MOST: usize = 45 * 1024;

/// The types of files in which a citation counts as one by code.
const CODE: [&str; 8] = ["rs", "js", "mjs", "cjs", "ts", "py", "sh", "toml"];

const MARK: &str = "Q-";

/// All breaches in the repository's files.
pub(super) fn check(repo: &Repo, files: &[String]) -> Result<Vec<String>, String> {
    let (design, tried) = (repo.read(DESIGN)?, repo.read(TRIED)?);
    let mut wrong = Vec::new();
    wrong.extend(too_large(&design));
    wrong.extend(disordered(DESIGN, &design));
    let defined: BTreeSet<&str> = [&design, &tried].into_iter().flat_map(|text| definitions(text)).collect();
    let mut by_code = BTreeSet::new();
    for file in files {
        let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_code = CODE.contains(&ending);
        if !is_code && ending != "md" {
            continue;
        }
        let text = repo.read(file)?;
        wrong.extend(undefined(file, &text, &defined));
        if is_code {
            by_code.extend(ids(&text).map(str::to_owned));
        }
    }
    wrong.extend(uncited(&design, &by_code));
    Ok(wrong)
}

fn too_large(design: &str) -> Option<String> {
    let bytes = design.len();
    (bytes > MOST).then(|| format!("{DESIGN} has {bytes} bytes; at most {MOST} are read"))
}

/// Definitions that are not after all others of their heading.
fn disordered(file: &str, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut last = "";
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with('#') {
            last = "";
        }
        let Some(id) = definition(line) else { continue };
        // Ids have the same length, so their texts have the order of their numbers.
        if id <= last {
            wrong.push(format!("{file}:{number}: {id} comes after {last}: ids ascend under a heading"));
        }
        last = id;
    }
    wrong
}

/// Citations of ids without a definition.
fn undefined(file: &str, text: &str, defined: &BTreeSet<&str>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        for id in ids(line).filter(|id| !defined.contains(id)) {
            wrong.push(format!("{file}:{number}: {id} is defined neither in {DESIGN} nor in {TRIED}"));
        }
    }
    wrong
}

/// Answers that no code cites.
fn uncited(design: &str, by_code: &BTreeSet<String>) -> Vec<String> {
    definitions(design)
        .filter(|id| !by_code.contains(*id))
        .map(|id| format!("{DESIGN}: no code cites {id}: cite it where it explains code, or drop it"))
        .collect()
}

fn definitions(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(definition)
}

/// The id that a line defines: it begins with the id and its question in bold.
fn definition(line: &str) -> Option<&str> {
    line.strip_prefix("**").filter(|rest| rest.starts_with(MARK)).and_then(|rest| ids(rest).next())
}

/// The ids in a text: the mark and three digits, as a word.
fn ids(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(MARK).filter_map(|(at, _)| {
        let digits = at + MARK.len();
        let id = text.get(at..digits + 3)?;
        let is_number = id.get(MARK.len()..)?.bytes().all(|byte| byte.is_ascii_digit());
        let (before, after) = (text.get(..at)?.chars().next_back(), text.get(digits + 3..)?.chars().next());
        let is_word = ![before, after].into_iter().flatten().any(char::is_alphanumeric);
        (is_number && is_word).then_some(id)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text with `~` in place of the mark, so that this file cites nothing.
    fn marked(text: &str) -> String {
        text.replace('~', MARK)
    }

    #[test]
    fn an_id_is_a_word() {
        let text = marked("(~001, ~002.) FA~003 ~04 ~0055 ~006");
        let found: Vec<&str> = ids(&text).collect();
        assert_eq!(found, [marked("~001"), marked("~002"), marked("~006")]);
    }

    #[test]
    fn ids_ascend_under_each_heading() {
        let text = marked("## One\n**~001 Why?** So.\n**~003 Why?** So.\n### Two\n**~002 Why?** As ~003.\n");
        assert!(disordered("A.md", &text).is_empty());
        for second in ["~002", "~003"] {
            let text = marked(&format!("## One\n**~003 Why?** So.\n\n**{second} Why?** So.\n"));
            let wrong = disordered("A.md", &text);
            assert_eq!(
                wrong,
                [marked(&format!("A.md:4: {second} comes after ~003: ids ascend under a heading"))]
            );
        }
    }

    #[test]
    fn each_answer_is_cited_and_each_citation_defined() {
        let design = marked("**~001 Why?** So.\n**~002 Why?** As ~001.\n");
        let defined: BTreeSet<&str> = definitions(&design).collect();
        assert!(undefined("a.rs", &marked("/// As ~001 says.\n"), &defined).is_empty());
        let wrong = undefined("a.rs", &marked("/// One.\n/// As ~009 says.\n"), &defined);
        assert_eq!(wrong.len(), 1);
        assert!(wrong.iter().all(|line| line.starts_with("a.rs:2: ")));
        let by_code = BTreeSet::from([marked("~001")]);
        let wrong = uncited(&design, &by_code);
        assert_eq!(wrong.len(), 1);
        assert!(wrong.iter().all(|line| line.contains(&marked("~002"))));
    }

    #[test]
    fn a_large_document_is_not_read() {
        assert_eq!(too_large(&"a".repeat(MOST)), None);
        assert!(too_large(&"a".repeat(MOST + 1)).is_some());
    }
}
