//! Traces clauses to tests: which clauses of `spec/clauses.md` are named as proven by a test.
//!
//! A test names its clauses in its doc comment: the word "Proves" and the ids after it. Only such statements count,
//! and only in files that contain tests. Writes `spec/coverage.md`, which names the proving function but not its
//! line, so that only changed proofs make it stale.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::Done;
use crate::repo::Repo;

const CATALOGUE: &str = "spec/clauses.md";
const COVERAGE: &str = "spec/coverage.md";

/// The use of `spec/coverage.md`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Write,
    Check,
}

/// One area of the catalogue with its live clauses, in their order.
struct Area {
    name: String,
    title: String,
    clauses: Vec<(String, String)>,
}

/// The proofs of each id: clause id to places such as `proof/accept/tests/accept/orders.rs: cancels_twice`.
type Claims = BTreeMap<String, Vec<String>>;

pub(crate) fn run(repo: &Repo, mode: Mode) -> Done {
    let areas = read_catalogue(&repo.read(CATALOGUE)?);
    let mut claims = Claims::new();
    for file in repo.files()? {
        if let Some(language) = Language::of(&file) {
            let text = repo.read(&file)?;
            if language.tests(&text) {
                collect(&mut claims, &file, language, &text);
            }
        }
    }
    print!("{}", summary(&areas, &claims));

    let unknown = unknown(&areas, &claims);
    if !unknown.is_empty() {
        return Err(format!("tests name clauses that {CATALOGUE} lacks:\n{}", unknown.join("\n")));
    }
    let page = coverage(&areas, &claims);
    let stale = repo.read(COVERAGE).ok().as_deref() != Some(page.as_str());
    match mode {
        Mode::Check if stale => {
            Err(format!("{COVERAGE} is stale: run `cargo xtask trace` and commit what it writes"))
        }
        Mode::Write if stale => {
            std::fs::write(repo.path(COVERAGE), page).map_err(|error| format!("{COVERAGE}: {error}"))
        }
        Mode::Check | Mode::Write => Ok(()),
    }
}

/// Parses the areas (`## ORD: Orders`) and their rows (`| ORD-001 | clause | from |`), except withdrawn ones.
fn read_catalogue(text: &str) -> Vec<Area> {
    let mut areas: Vec<Area> = Vec::new();
    for line in text.lines() {
        if let Some((name, title)) = line.strip_prefix("## ").and_then(|head| head.split_once(": ")) {
            areas.push(Area { name: name.to_owned(), title: title.to_owned(), clauses: Vec::new() });
        } else if let Some((id, clause)) = read_row(line)
            && let Some(area) = areas.last_mut()
        {
            area.clauses.push((id.to_owned(), clause.to_owned()));
        }
    }
    areas.retain(|area| !area.clauses.is_empty());
    areas
}

fn read_row(line: &str) -> Option<(&str, &str)> {
    let row = line.strip_prefix("| ")?.strip_suffix(" |")?;
    let (id, rest) = row.split_once(" | ")?;
    let (clause, _from) = rest.rsplit_once(" | ")?;
    (leading_id(id)? == id && !clause.starts_with("withdrawn")).then_some((id, clause))
}

/// The languages that tests are written in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Rust,
    Python,
    Script,
}

impl Language {
    fn of(file: &str) -> Option<Self> {
        match file.rsplit_once('.')?.1 {
            "rs" => Some(Self::Rust),
            "py" => Some(Self::Python),
            "ts" | "mjs" => Some(Self::Script),
            _ => None,
        }
    }

    /// Whether the text contains a test.
    fn tests(self, text: &str) -> bool {
        text.lines().map(str::trim_start).any(|line| match self {
            Self::Rust => {
                line.starts_with("proptest!")
                    || line.strip_prefix("#[").is_some_and(|inner| {
                        let path = inner.split(['(', ']']).next().unwrap_or(inner);
                        matches!(path.rsplit("::").next(), Some("test" | "rstest" | "test_case"))
                    })
            }
            Self::Python => {
                line.strip_prefix("async ").unwrap_or(line).starts_with("def test_")
                    || line.contains("unittest")
            }
            Self::Script => ["test(", "it(", "describe("].iter().any(|call| line.starts_with(call)),
        })
    }

    /// Whether the line is a comment, or may be one (Python strings span lines).
    fn comment(self, line: &str) -> bool {
        let line = line.trim_start();
        match self {
            Self::Rust => line.starts_with("//"),
            Self::Python => true,
            Self::Script => line.starts_with("//") || line.starts_with('*') || line.starts_with("/*"),
        }
    }

    /// The name of the function that this line begins.
    fn function(self, line: &str) -> Option<&str> {
        let word = match self {
            Self::Rust => "fn ",
            Self::Python => "def ",
            Self::Script => "function ",
        };
        let at = line.find(word)?;
        let head = line.get(..at)?.trim();
        let plain = head.split_whitespace().all(|word| word.chars().all(|c| c.is_alphanumeric() || c == '('));
        let rest = line.get(at + word.len()..)?;
        let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        (plain && !name.is_empty()).then_some(name)
    }
}

/// Adds the claims of one file. A list may continue on the following comment lines.
fn collect(claims: &mut Claims, file: &str, language: Language, text: &str) {
    let mut open: Vec<String> = Vec::new();
    let mut running = false;
    for line in text.lines() {
        if language.comment(line) {
            let mut rest = line;
            if running {
                running = take_ids(line.trim_start_matches([' ', '\t', '/', '*', '#', '!']), &mut open);
            }
            while let Some((before, after)) = rest.split_once("Proves") {
                let word = before.chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_');
                if word {
                    running = take_ids(after.strip_prefix(':').unwrap_or(after), &mut open);
                }
                rest = after;
            }
        } else {
            running = false;
        }
        if let Some(name) = language.function(line) {
            for id in open.drain(..) {
                note(claims, id, format!("{file}: {name}"));
            }
        }
    }
    // Ids without a following function still count: a module's head may stand for a whole file.
    for id in open {
        note(claims, id, file.to_owned());
    }
}

fn note(claims: &mut Claims, id: String, place: String) {
    let places = claims.entry(id).or_default();
    if !places.contains(&place) {
        places.push(place);
    }
}

/// Parses a list of ids, `ORD-001, ORD-002 and ERR-003`. True if the line ended inside the list.
fn take_ids(text: &str, into: &mut Vec<String>) -> bool {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',', ';', '/']);
        if let Some(after) =
            rest.strip_prefix("and").filter(|after| after.is_empty() || after.starts_with(' '))
        {
            rest = after;
        } else if let Some(id) = leading_id(rest) {
            into.push(id.to_owned());
            rest = rest.get(id.len()..).unwrap_or_default();
        } else {
            return rest.is_empty();
        }
    }
}

/// The clause id at the start of the text: two to five capitals, a dash, exactly three digits.
fn leading_id(text: &str) -> Option<&str> {
    let area = text.bytes().take_while(u8::is_ascii_uppercase).count();
    let number = text.get(area..)?.strip_prefix('-')?;
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let ends = number.get(digits..)?.chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_');
    ((2..=5).contains(&area) && digits == 3 && ends).then(|| text.get(..area + 4)).flatten()
}

fn unknown(areas: &[Area], claims: &Claims) -> Vec<String> {
    let known = |id: &str| areas.iter().flat_map(|area| &area.clauses).any(|(clause, _)| clause == id);
    claims
        .iter()
        .filter(|(id, _)| !known(id))
        .map(|(id, places)| format!("  {id}  {}", places.join(", ")))
        .collect()
}

fn proven(area: &Area, claims: &Claims) -> usize {
    area.clauses.iter().filter(|(id, _)| claims.contains_key(id)).count()
}

fn totals(areas: &[Area], claims: &Claims) -> (usize, usize) {
    let done = areas.iter().map(|area| proven(area, claims)).sum();
    (done, areas.iter().map(|area| area.clauses.len()).sum())
}

fn summary(areas: &[Area], claims: &Claims) -> String {
    let mut text = String::new();
    for area in areas {
        let _ = writeln!(text, "{:5} {:4}/{}", area.name, proven(area, claims), area.clauses.len());
    }
    let (done, all) = totals(areas, claims);
    let _ = writeln!(text, "total {done:4}/{all}");
    text
}

fn coverage(areas: &[Area], claims: &Claims) -> String {
    let (done, all) = totals(areas, claims);
    let mut page = format!(
        "# Coverage of the clause catalogue\n\n\
         Written by `cargo xtask trace` from the tests; do not edit. Proven: {done} of {all}.\n\n\
         | area | proven | of |\n|---|---|---|\n"
    );
    for area in areas {
        let _ = writeln!(
            page,
            "| {}: {} | {} | {} |",
            area.name,
            area.title,
            proven(area, claims),
            area.clauses.len()
        );
    }
    for area in areas {
        let _ = write!(page, "\n## {}: {}\n\n", area.name, area.title);
        for (id, _) in &area.clauses {
            if let Some(places) = claims.get(id) {
                let _ = writeln!(page, "- {id} {}", places.join("; "));
            }
        }
        let open: Vec<&str> =
            area.clauses.iter().map(|(id, _)| id.as_str()).filter(|id| !claims.contains_key(*id)).collect();
        if !open.is_empty() {
            let _ = writeln!(page, "- open: {}", open.join(", "));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Built from two halves, so that this file's sample is no claim itself.
    fn claims(head: &str, body: &str) -> Claims {
        let text = format!("{head}Pro{body}");
        let mut claims = Claims::new();
        collect(&mut claims, "t.rs", Language::Rust, &text);
        claims
    }

    #[test]
    fn ids_are_exact() {
        assert_eq!(leading_id("ORD-057."), Some("ORD-057"));
        assert_eq!(leading_id("OAUTH-001"), Some("OAUTH-001"));
        for wrong in ["ORD-57", "ORD-0571", "O-057", "OAUTHX-001", "ord-057", "ORD-057a", ""] {
            assert_eq!(leading_id(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_list_runs_over_comment_lines_and_belongs_to_the_next_function() {
        let found = claims("/// ", "ves ORD-001, ORD-002 and\n    /// ERR-003.\n#[test]\nfn cancels() {}\n");
        let ids: Vec<_> = found.keys().map(String::as_str).collect();
        assert_eq!(ids, ["ERR-003", "ORD-001", "ORD-002"]);
        assert_eq!(found.get("ERR-003"), Some(&vec!["t.rs: cancels".to_owned()]));
    }

    #[test]
    fn only_statements_count() {
        assert!(claims("/// Clauses: ORD-001. Im", "ves ORD-002.\nfn it() {}\n").is_empty());
        assert!(claims("/// ", "ves that ORD-001 holds.\nfn it() {}\n").is_empty());
        assert!(claims("let text = \"", "ves ORD-001\";\nfn it() {}\n").is_empty());
        assert_eq!(claims("/// ", "ves ORD-001. Not ORD-002.\nfn it() {}\n").len(), 1);
    }

    #[test]
    fn the_catalogue_skips_the_withdrawn() {
        let areas = read_catalogue(
            "## ORD: Orders\n\n| id | clause | from |\n|---|---|---|\n\
             | ORD-001 | an order `a | b` | Orders |\n| ORD-002 | withdrawn: never meant | Orders |\n",
        );
        let [area] = areas.as_slice() else { panic!("one area, not {}", areas.len()) };
        assert_eq!(area.clauses, [("ORD-001".to_owned(), "an order `a | b`".to_owned())]);
        assert_eq!(unknown(&areas, &claims("/// ", "ves ORD-002.\nfn it() {}\n")).len(), 1);
    }

    #[test]
    fn files_with_tests_are_told_from_the_rest() {
        assert!(Language::Rust.tests("    #[tokio::test(flavor = \"current_thread\")]\n"));
        assert!(Language::Rust.tests("#[test]\n"));
        assert!(!Language::Rust.tests("#[cfg(test)]\nmod tests;\n"));
        assert!(Language::Python.tests("async def test_trade():\n"));
    }
}
