//! Checks that the compiler does not make: module heads, marks of unfinished work, empty rooms, panics of the core, failures that the
//! site's scripts hide, lists that they cut, figures that they write by hand, the length of the README and of lines of documents, words that
//! the glossary defines twice, comments that begin with "What", tests that sleep, the answers of DESIGN.
//!
//! Lengths are only reported, since a long function or file may be right: functions over [`LONG_FUNCTION`] lines,
//! files of logic over [`LONG_FILE`].

mod answers;
mod catches;
mod comments;
mod figures;
mod lists;
mod prose;
mod scripts;
mod sleeps;

use crate::repo::Repo;
use crate::{Done, metadata, panics};

const LONG_FUNCTION: usize = 60;
const LONG_FILE: usize = 400;

/// The file that a newcomer reads first, and how many lines of it are read.
const README: (&str, usize) = ("README.md", 150);

/// Marks of unfinished work, in halves so that this file does not contain them.
const MARKS: [(&str, &str); 5] =
    [("todo", "!("), ("unimplemented", "!("), ("TO", "DO"), ("FIX", "ME"), ("XX", "X")];

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "helpers", "common", "manager", "service"];

/// The types of files that are searched for marks.
const SOURCES: [&str; 8] = ["rs", "py", "ts", "js", "mjs", "cjs", "sh", "toml"];

pub(crate) fn run(repo: &Repo) -> Done {
    let mut wrong = Vec::new();
    let mut long = Vec::new();
    let mut nounless = Vec::new();
    let mut own_scripts = 0;
    let files = repo.files()?;
    for file in &files {
        let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
        if ending == "md" {
            wrong.extend(prose::check(file, &repo.read(file)?));
        }
        if !is_source(file) {
            continue;
        }
        let text = repo.read(file)?;
        wrong.extend(marks(file, &text));
        if scripts::is_own(file) {
            own_scripts += 1;
            wrong.extend(scripts::check(file, &text));
        }
        if ending == "rs" {
            wrong.extend(rust(file, &text));
            long.extend(lengths(file, &text));
            nounless.extend(comments::nounless(file, &text));
            wrong.extend(sleeps::fixed(file, &text));
        }
    }
    wrong.extend(too_long(README, &repo.read(README.0)?));
    wrong.extend(prose::doubled(&repo.read(prose::GLOSSARY)?));
    wrong.extend(answers::check(repo, &files)?);
    wrong.extend(rooms(repo)?);
    wrong.extend(panics::check(repo, &files)?);

    println!("tidy: {} comment sentences begin with \"What\"", nounless.len());
    if nounless.len() > comments::MOST {
        wrong.extend(nounless.iter().map(|place| format!("{place}: a sentence that begins with \"What\"")));
        wrong.push(format!("at most {} sentences may begin so: begin with a noun", comments::MOST));
    }

    for line in &long {
        println!("tidy: speaking of length: {line}");
    }
    for line in &wrong {
        println!("tidy: {line}");
    }
    if wrong.is_empty() {
        println!("tidy: {} files in order, {own_scripts} scripts of the site among them", files.len());
        return Ok(());
    }
    Err(format!("{} things are not tidy", wrong.len()))
}

/// A document with more lines than it may have.
fn too_long((file, limit): (&str, usize), text: &str) -> Option<String> {
    let lines = text.lines().count();
    (lines > limit).then(|| format!("{file} has {lines} lines; at most {limit} are read"))
}

/// Whether a file is searched for marks. Libraries stay as their authors wrote them.
fn is_source(file: &str) -> bool {
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    SOURCES.contains(&ending) && !scripts::is_of_library(file)
}

fn marks(file: &str, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        for (one, other) in MARKS {
            let mark = format!("{one}{other}");
            if line.contains(&mark) {
                wrong.push(format!("{file}:{number}: {mark} is left over"));
            }
        }
    }
    wrong
}

fn rust(file: &str, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if !text.starts_with("//!") {
        wrong.push(format!("{file}: opens without a `//!` that says what it holds"));
    }
    let stem = file.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")).unwrap_or_default();
    let folder = file.rsplit('/').nth(1).unwrap_or_default();
    if let Some(name) = EMPTY_NAMES.iter().find(|name| **name == stem || **name == folder) {
        wrong.push(format!("{file}: `{name}` says nothing about what is inside"));
    }
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(rest) = line.trim_start().strip_prefix("#[ignore")
            && !rest.trim_start().starts_with('=')
        {
            wrong.push(format!("{file}:{number}: an ignored test without a reason"));
        }
    }
    wrong
}

/// Folders that are not crates of the workspace, and crates without code.
fn rooms(repo: &Repo) -> Result<Vec<String>, String> {
    let packages = metadata::packages(repo)?;
    let mut wrong = Vec::new();
    for package in &packages {
        let folder = &package.folder;
        if !["lib.rs", "main.rs"].iter().any(|name| repo.path(format!("{folder}/src/{name}")).is_file()) {
            wrong.push(format!("{folder}: a crate without src/lib.rs or src/main.rs"));
        }
    }
    for floor in ["core", "store", "edge", "run", "bin"] {
        let Ok(listing) = std::fs::read_dir(repo.path(floor)) else { continue };
        for entry in listing.flatten().filter(|entry| entry.path().is_dir()) {
            let folder = format!("{floor}/{}", entry.file_name().to_string_lossy());
            if !packages.iter().any(|package| package.folder == folder) {
                wrong.push(format!("{folder}: a folder without a crate"));
            }
        }
    }
    Ok(wrong)
}

/// Reports long functions and files, except for tests; the reader decides.
fn lengths(file: &str, text: &str) -> Vec<String> {
    if file.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "benches")) {
        return Vec::new();
    }
    let mut long = Vec::new();
    let logic = text.lines().take_while(|line| *line != "mod tests {").count();
    if logic > LONG_FILE {
        long.push(format!("{file} has {logic} lines"));
    }
    let mut open: Option<(usize, &str, String)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        // In formatted code, a function ends at a brace with the indentation of its first word.
        if let Some((start, name, end)) = &open
            && line == end
        {
            if number - start > LONG_FUNCTION {
                long.push(format!("{file}:{start}: `{name}` has {} lines", number - start + 1));
            }
            open = None;
        } else if open.is_none()
            && let Some(name) = function(line)
        {
            let indent = line.len() - line.trim_start().len();
            open = Some((number, name, format!("{}}}", " ".repeat(indent))));
        }
    }
    long
}

/// The name of the function that begins on this line and does not end on it.
fn function(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    if rest.ends_with('}') || rest.ends_with(';') {
        return None;
    }
    for word in ["pub ", "pub(crate) ", "pub(super) ", "const ", "async "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    rest.strip_prefix("fn ")?.split(['(', '<']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_and_reasons_are_asked_for() {
        assert!(rust("core/num/src/price.rs", "//! Prices.\n#[ignore = \"needs a disk\"]\n").is_empty());
        assert_eq!(rust("core/num/src/price.rs", "use core::fmt;\n#[ignore]\n").len(), 2);
        assert_eq!(rust("core/num/src/utils.rs", "//! Things.\n").len(), 1);
        assert_eq!(rust("proof/accept/tests/common/mod.rs", "//! Things.\n").len(), 1);
    }

    #[test]
    fn marks_are_found_with_their_line() {
        let text = format!("one\n    todo{}\"later\")\n", "!(");
        assert_eq!(marks("a.rs", &text), [format!("a.rs:2: todo{} is left over", "!(")]);
        let text = format!("// TO{}: round it\n// FIX{}\n", "DO", "ME");
        assert_eq!(marks("edge/site/assets/trade/feed.js", &text).len(), 2);
    }

    #[test]
    fn scripts_are_searched_for_marks() {
        for file in
            ["edge/site/assets/trade/feed.js", "edge/site/assets/call.js", "a/b.cjs", "a/b.mjs", "a.rs"]
        {
            assert!(is_source(file), "{file}");
        }
        for file in ["edge/site/assets/lightweight-charts/library.js", "edge/site/assets/htm/htm.mjs", "a.md"]
        {
            assert!(!is_source(file), "{file}");
        }
    }

    #[test]
    fn a_document_is_short() {
        assert_eq!(too_long(("A.md", 2), "one\ntwo\n"), None);
        let wrong = too_long(("A.md", 2), "one\ntwo\nthree\n");
        assert_eq!(wrong.as_deref(), Some("A.md has 3 lines; at most 2 are read"));
    }

    #[test]
    fn only_long_functions_are_spoken_of() {
        let body = "        step();\n".repeat(LONG_FUNCTION);
        let long =
            format!("impl A {{\n    pub(crate) fn long(\n        &self,\n    ) {{\n{body}    }}\n}}\n");
        assert_eq!(lengths("a.rs", &long), ["a.rs:2: `long` has 64 lines"]);
        assert!(lengths("a.rs", "fn short() {\n    step();\n}\n").is_empty());
        assert!(lengths("a/tests/b.rs", &long).is_empty());
    }
}
