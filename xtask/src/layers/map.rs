//! `ARCHITECTURE.md` against the code: every room is in its picture, its chain and its table, and the files and functions that it names exist.

use crate::metadata::Package;
use crate::repo::Repo;

/// The document.
const MAP: &str = "ARCHITECTURE.md";

/// The end of the document's code blocks, and their begin.
const FENCE: &str = "```";

/// All that is wrong in the document. `layers` has the folders of the rooms that exist, lowest first.
pub(super) fn check(repo: &Repo, layers: &[Vec<&str>], all: &[Package]) -> Result<Vec<String>, String> {
    let text = repo.read(MAP)?;
    let folders: Vec<&str> = all.iter().map(|package| package.folder.as_str()).collect();
    let mut wrong = missing(&text, layers, &folders);
    for section in text.split("\n## ") {
        wrong.extend(unfound(section, |file| repo.read(file).ok()));
    }
    Ok(wrong)
}

/// Rooms that the picture or the table lacks, and another chain than that of the layers.
fn missing(text: &str, layers: &[Vec<&str>], folders: &[&str]) -> Vec<String> {
    let mut wrong = Vec::new();
    let picture = text.split(FENCE).nth(1).unwrap_or_default();
    let drawn: Vec<&str> = picture.split(|it: char| !it.is_alphanumeric() && it != '-').collect();
    for room in layers.iter().flatten().filter(|room| !drawn.contains(&name(room))) {
        wrong.push(format!("{MAP}: the picture lacks {}", name(room)));
    }
    for folder in folders.iter().filter(|folder| !text.contains(&format!("`{folder}`"))) {
        wrong.push(format!("{MAP}: the table of rooms lacks `{folder}`"));
    }
    let chain = chain(layers);
    let words: Vec<&str> = text.split_whitespace().collect();
    if !words.join(" ").contains(&chain) {
        wrong.push(format!("{MAP}: the chain of the layers is: {chain}"));
    }
    wrong
}

/// The layers as the document shows them: `num ← {book, ledger}`.
fn chain(layers: &[Vec<&str>]) -> String {
    let layer = |rooms: &Vec<&str>| match rooms.as_slice() {
        [room] => name(room).to_owned(),
        rooms => format!("{{{}}}", rooms.iter().map(name).collect::<Vec<_>>().join(", ")),
    };
    layers.iter().map(layer).collect::<Vec<_>>().join(" ← ")
}

/// The last part of a folder's path.
fn name<'a>(folder: &&'a str) -> &'a str {
    folder.rsplit('/').next().unwrap_or(folder)
}

/// The files of a section that do not exist, and the functions (`name()`) that none of its files has.
fn unfound(section: &str, read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut texts = Vec::new();
    let prose = section.split(FENCE).step_by(2);
    let marked: Vec<&str> = prose.flat_map(|part| part.split('`').skip(1).step_by(2)).collect();
    for file in marked
        .iter()
        .filter(|word| word.contains('/') && word.rsplit_once('.').is_some_and(|(_, ending)| ending == "rs"))
    {
        match read(file) {
            Some(text) => texts.push(text),
            None => wrong.push(format!("{MAP}: there is no file `{file}`")),
        }
    }
    for function in marked.iter().filter_map(|word| word.strip_suffix("()")) {
        let is_in =
            |text: &String| ["(", "<"].iter().any(|open| text.contains(&format!("fn {function}{open}")));
        if !texts.iter().any(is_in) {
            wrong.push(format!("{MAP}: no file that the section names has a function `{function}`"));
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Map\n```\n│ book  num │\n```\n| `core/num` | `core/book` | `core/ledger` |\nnum ← {book,\nledger}\n";

    #[test]
    fn every_room_is_in_picture_table_and_chain() {
        let layers = [vec!["core/num"], vec!["core/book", "core/ledger"]];
        let wrong = missing(TEXT, &layers, &["core/num", "core/access"]);
        let wanted = ["the picture lacks ledger", "the table of rooms lacks `core/access`"];
        assert_eq!(wrong, wanted.map(|what| format!("{MAP}: {what}")));
        let wrong = missing(TEXT, &[vec!["core/book"], vec!["core/num"]], &[]);
        assert_eq!(wrong, [format!("{MAP}: the chain of the layers is: book ← num")]);
    }

    #[test]
    fn what_the_map_names_exists() {
        let read = |file: &str| (file == "a/b.rs").then(|| "fn one<T>() {}\nfn two() {}".to_owned());
        assert!(unfound("`a/b.rs`: `one()`, then `two()`; `three` is no function", read).is_empty());
        assert_eq!(unfound("`a/b.rs`: `three()`", read).len(), 1);
        assert_eq!(unfound("`a/c.rs`", read).len(), 1);
        assert_eq!(unfound("`one()`", read).len(), 1);
    }
}
