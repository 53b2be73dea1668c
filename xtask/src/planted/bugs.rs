//! The list of planted bugs, and whether each edit still fits its file.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::repo::Repo;

/// The path of the list.
pub(super) const FILE: &str = "proof/planted.toml";

/// The files of the clauses and laws that a bug may break.
const CLAUSES: &str = "spec/clauses.md";
const LAWS: &str = "docs/PROOF.md";

/// The scripts and styles of the pages.
pub(super) const PAGES: &str = "edge/site/assets";

/// The adversary must catch a bug within so many minutes.
const MINUTES_MAX: u64 = 10;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    bug: Vec<Bug>,
}

/// A bug that the simulator, or a script in the browser, must catch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bug {
    pub(super) name: String,
    /// Its effect, in one sentence.
    pub(super) says: String,
    /// The clause or law that it breaks.
    pub(super) breaks: String,
    pub(super) caught_by: Method,
    /// Seeds within which it must be caught, if the default is not enough.
    pub(super) seeds: Option<u64>,
    /// Minutes on one core within which the adversary must catch it, instead of seeds.
    pub(super) minutes: Option<u64>,
    /// The script whose checks a bug of the pages is run with, if it is not `trade`.
    pub(super) script: Option<String>,
    /// These checks; the last one must catch it.
    #[serde(default)]
    pub(super) checks: Vec<String>,
    #[serde(rename = "edit")]
    pub(super) edits: Vec<Edit>,
}

/// The part of the simulator that must fail, or the script in the browser.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Method {
    Life,
    Sweep,
    Compare,
    Funds,
    Perps,
    Margin,
    OffBook,
    Predictions,
    Identity,
    Streams,
    Adversary,
    Browser,
}

impl Method {
    /// The parts of the simulator.
    pub(super) const ALL: [Self; 11] = [
        Self::Life,
        Self::Sweep,
        Self::Compare,
        Self::Funds,
        Self::Perps,
        Self::Margin,
        Self::OffBook,
        Self::Predictions,
        Self::Identity,
        Self::Streams,
        Self::Adversary,
    ];

    /// Its name; for a part of the simulator the value of its option `--only`.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Life => "life",
            Self::Sweep => "sweep",
            Self::Compare => "compare",
            Self::Funds => "funds",
            Self::Perps => "perps",
            Self::Margin => "margin",
            Self::OffBook => "offbook",
            Self::Predictions => "predictions",
            Self::Identity => "identity",
            Self::Streams => "streams",
            Self::Adversary => "adversary",
            Self::Browser => "browser",
        }
    }
}

/// A text of one file, and its replacement.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    pub(super) file: String,
    find: String,
    put: String,
}

impl Edit {
    /// The file's text with the edit.
    ///
    /// # Errors
    /// The text to find does not occur exactly once.
    pub(super) fn apply(&self, text: &str) -> Result<String, String> {
        let Self { file, find, put } = self;
        match text.matches(find.as_str()).count() {
            _ if find.trim().is_empty() => Err(format!("an edit of {file} finds nothing but blanks")),
            1 if find == put => Err(format!("an edit of {file} changes nothing")),
            1 => Ok(text.replacen(find.as_str(), put, 1)),
            count => Err(format!("{file} has {count} places, not one, with the text\n{find}")),
        }
    }
}

/// Reads the list and checks each of its bugs.
///
/// # Errors
/// Everything wrong with it, one or more lines for each bug.
pub(super) fn read(repo: &Repo) -> Result<Vec<Bug>, String> {
    let bugs = parse(&repo.read(FILE)?)?;
    let (clauses, laws) = (repo.read(CLAUSES)?, repo.read(LAWS)?);
    let mut wrong = Vec::new();
    let mut names = BTreeSet::new();
    for bug in &bugs {
        let mut note = |why: String| wrong.push(format!("{FILE}: {}: {why}", bug.name));
        if !names.insert(&bug.name) {
            note("two bugs have this name".to_owned());
        }
        if bug.minutes.is_some_and(|minutes| minutes == 0 || minutes > MINUTES_MAX)
            || bug.minutes.is_some() && (bug.caught_by != Method::Adversary || bug.seeds.is_some())
        {
            note(format!("`minutes` is for the adversary, instead of `seeds`, from 1 to {MINUTES_MAX}"));
        }
        if bug.edits.is_empty() {
            note("it has no edit".to_owned());
        }
        let is_of_pages = bug.caught_by == Method::Browser;
        let is_in_pages = |edit: &Edit| edit.file.starts_with(PAGES);
        if is_of_pages == bug.checks.is_empty() || is_of_pages && !bug.edits.iter().all(is_in_pages) {
            note(format!("`checks` are for bugs of scripts in {PAGES}, which the browser catches"));
        }
        if !is_rule(&bug.breaks, &clauses, &laws) {
            note(format!("{} is neither a clause of {CLAUSES} nor a law of {LAWS}", bug.breaks));
        }
        for edit in &bug.edits {
            if let Err(why) = repo.read(&edit.file).and_then(|text| edit.apply(&text)) {
                note(why);
            }
        }
    }
    if wrong.is_empty() { Ok(bugs) } else { Err(wrong.join("\n")) }
}

fn parse(text: &str) -> Result<Vec<Bug>, String> {
    let list: List = toml::from_str(text).map_err(|error| format!("{FILE}: {error}"))?;
    Ok(list.bug)
}

/// Whether the id is a clause or a law. A row of the table of laws may name several numbers of one family, or a law without a number.
fn is_rule(id: &str, clauses: &str, laws: &str) -> bool {
    if id.starts_with("INV-") && laws.contains(&format!("| {id} |")) {
        return true;
    }
    match id.rsplit_once('-') {
        Some((family, _)) if family.starts_with("INV-") => laws.contains(&format!("| {family}-")),
        _ => clauses.contains(&format!("\n| {id} |")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "[[bug]]\nname = \"a\"\nsays = \"b\"\nbreaks = \"ORD-001\"\ncaught_by = \"life\"\n\
                       [[bug.edit]]\nfile = \"f\"\nfind = '''\none\n  two'''\nput = ''\n";

    /// The repository's own list: every edit fits exactly one place, and every rule exists.
    #[test]
    fn every_edit_fits() {
        let bugs = read(&Repo::find().unwrap()).unwrap_or_else(|why| panic!("{why}"));
        assert!(bugs.len() >= 82, "a bug was dropped: {}", bugs.len());
    }

    /// A text of several lines begins after the line of its quotes and ends before them.
    #[test]
    fn lines_are_taken_as_they_are() {
        let bugs = parse(ONE).unwrap();
        let edit = &bugs[0].edits[0];
        assert_eq!((edit.find.as_str(), edit.put.as_str()), ("one\n  two", ""));
        assert_eq!(edit.apply("zero\none\n  two\nthree").unwrap(), "zero\n\nthree");
    }

    /// An edit that fits no place, or several, is refused with its file and text; so is one without effect.
    #[test]
    fn an_edit_fits_one_place() {
        let edit = |find: &str, put: &str| Edit {
            file: "a.rs".to_owned(),
            find: find.to_owned(),
            put: put.to_owned(),
        };
        assert_eq!(edit("x", "").apply("axb").unwrap(), "ab");
        for (find, put, named) in [
            ("x", "y", "a.rs has 0 places"),
            ("b", "y", "a.rs has 2 places"),
            ("a", "a", "an edit of a.rs changes nothing"),
            ("", "y", "an edit of a.rs finds nothing"),
            (" ", "y", "an edit of a.rs finds nothing"),
        ] {
            let refusal = edit(find, put).apply("abb ").unwrap_err();
            assert!(refusal.starts_with(named), "{refusal}");
        }
    }

    /// A bug that the adversary must catch has a bound in minutes, or in seeds like any other.
    #[test]
    fn the_adversary_has_minutes() {
        let bugs = parse(&ONE.replacen("\"life\"", "\"adversary\"\nminutes = 3", 1)).unwrap();
        assert_eq!((bugs[0].caught_by, bugs[0].minutes, bugs[0].seeds), (Method::Adversary, Some(3), None));
    }

    /// A misspelt field or method is refused, not ignored.
    #[test]
    fn an_unknown_field_is_refused() {
        for (from, to) in [("says", "tells"), ("life", "death"), ("find", "look"), ("breaks", "seeds")] {
            assert!(parse(&ONE.replacen(from, to, 1)).is_err(), "{to}");
        }
    }

    #[test]
    fn a_rule_is_a_clause_or_a_law() {
        let laws = "| INV-MATCH-2 to -13 | priority |\n| INV-HOUSE | gains |";
        let known = |id| is_rule(id, "\n| ORD-001 | an order |", laws);
        assert!(known("ORD-001") && known("INV-MATCH-4") && known("INV-HOUSE") && !known("INV-HOUS"));
        assert!(!known("ORD-002") && !known("INV-JRN-1") && !known("ORD") && !known(""));
    }
}
