//! The scripts of the site: one list of all of them, whatever their folder, and the rules that each must keep.

use super::{catches, figures, lists};

/// The site's scripts and pages.
pub(super) const SITE: &str = "edge/site/assets/";
/// The folders in it that hold libraries, which are embedded byte for byte.
const LIBRARIES: [&str; 3] = ["htm/", "lightweight-charts/", "preact/"];
const ENDINGS: [&str; 2] = ["js", "mjs"];

/// Help for a search, which belongs in no commit. A failure that only developers understand is written with `console.warn` and its like.
const DEBUGGING: [&str; 3] = ["debugger", "console.log", "console.debug"];

/// Whether a file belongs to a library of the site.
pub(super) fn is_of_library(file: &str) -> bool {
    let name = file.strip_prefix(SITE);
    name.is_some_and(|name| LIBRARIES.iter().any(|folder| name.starts_with(folder)))
}

/// Whether a file is a script of the site's own.
pub(super) fn is_own(file: &str) -> bool {
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    file.starts_with(SITE) && ENDINGS.contains(&ending) && !is_of_library(file)
}

/// All breaches of a script.
pub(super) fn check(file: &str, text: &str) -> Vec<String> {
    let mut wrong = catches::silent(file, text);
    wrong.extend(lists::cuts(file, text));
    wrong.extend(figures::by_hand(file, text));
    wrong.extend(debugging(file, text));
    wrong
}

/// Lines that were written for a search of a fault.
fn debugging(file: &str, text: &str) -> Vec<String> {
    let has = |line: &str, call: &str| {
        let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | '-');
        line.match_indices(call).any(|(at, _)| {
            let (before, after) = (line.get(..at).unwrap_or_default(), line.get(at + call.len()..));
            !before.ends_with(is_part) && !after.unwrap_or_default().starts_with(is_part)
        })
    };
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim_start().starts_with("//"));
    let found = lines.flat_map(|(number, line)| {
        DEBUGGING.iter().filter(move |call| has(line, call)).map(move |call| (number, call))
    });
    found.map(|(number, call)| format!("{file}:{number}: {call} is left over")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::Repo;
    use std::fs;
    use std::path::Path;

    #[test]
    fn scripts_of_every_folder_are_own() {
        for name in ["call.js", "trade/feed.js", "console/parts/row.js", "trade/worker.mjs"] {
            assert!(is_own(&format!("{SITE}{name}")), "{name}");
        }
        for name in ["preact/preact.mjs", "lightweight-charts/library.js", "base.css", "docs.html"] {
            assert!(!is_own(&format!("{SITE}{name}")), "{name}");
        }
        assert!(!is_own("proof/accept/scripts/figures.test.mjs"));
    }

    /// The scripts below a folder, found without git.
    fn walk(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "js" || ending == "mjs") {
                found.push(path.to_string_lossy().into_owned());
            }
        }
    }

    /// The repository's own list misses no script that the site serves.
    #[test]
    fn no_script_of_the_site_is_missed() {
        let repo = Repo::find().unwrap();
        let root = repo.path("").to_string_lossy().into_owned();
        let mut walked = Vec::new();
        walk(&repo.path(SITE), &mut walked);
        let mut walked: Vec<String> =
            walked.iter().map(|file| file.strip_prefix(&root).unwrap().to_owned()).collect();
        walked.retain(|file| !is_of_library(file));
        walked.sort();
        let listed: Vec<String> = repo.files().unwrap().into_iter().filter(|file| is_own(file)).collect();
        assert_eq!(listed, walked);
        assert!(listed.len() >= 140, "scripts are missed: {}", listed.len());
    }

    #[test]
    fn every_rule_holds_in_a_folder() {
        for text in [
            "try { f(); } catch { }",
            "rows.slice(0, 20)",
            "grouped(row.last)",
            "debugger;",
            "console.log(row);",
            "rows.forEach(console.log)",
        ] {
            let wrong = check("edge/site/assets/trade/feed.js", text);
            assert!(wrong.len() == 1 && wrong[0].starts_with("edge/site/assets/trade/feed.js:1: "), "{text}");
        }
        for text in
            ["console.warn(failure);", "// debugger", "logger.debug(row)", "html`class=\"debugger-line\"`"]
        {
            assert!(check("edge/site/assets/trade/feed.js", text).is_empty(), "{text}");
        }
    }
}
