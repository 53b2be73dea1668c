//! The panics of the core: product code under `core/` is searched for what may panic, and each file's count is compared with
//! `docs/PANICS.md`, which gives the reasons. A count above the list is an error, and so is one below it: the list only falls.
//!
//! Two kinds are counted apart. *Panics* are `expect`, `unwrap`, `panic!`, `unreachable!` and indexing; *laws* are `assert!` and its
//! like. A sum that overflows is neither, and no search for words finds it.

use std::collections::{BTreeMap, BTreeSet};

use crate::repo::Repo;

/// The list, with a reason for each file.
const LIST: &str = "docs/PANICS.md";

/// The heading of the list's second part.
const LAWS: &str = "## Laws";

/// The lints that a crate outside the list denies.
const LINTS: [&str; 5] = [
    "clippy::expect_used",
    "clippy::unwrap_used",
    "clippy::indexing_slicing",
    "clippy::panic",
    "clippy::unreachable",
];

/// Calls and macros that panic, without their first sign.
const PANICS: [&str; 6] = [".expect(", ".unwrap(", ".expect_err(", ".unwrap_err(", "panic!", "unreachable!"];

/// Macros that state a law; `debug_assert!` is not in a release.
const ASSERTS: [&str; 3] = ["assert!", "assert_eq!", "assert_ne!"];

/// How often a file may panic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    panics: usize,
    laws: usize,
}

/// The differences of the core from the list.
pub(crate) fn check(repo: &Repo, files: &[String]) -> Result<Vec<String>, String> {
    let listed = listed(&repo.read(LIST)?)?;
    let mut sources = BTreeMap::new();
    for file in files.iter().filter(|file| is_source(file)) {
        sources.insert(file.as_str(), repo.read(file)?);
    }
    let tests: BTreeSet<String> =
        sources.iter().flat_map(|(file, text)| Product::of(text).tests(file)).collect();
    let mut wrong = Vec::new();
    for (file, text) in &sources {
        let found = if is_test(file, &tests) { Count::default() } else { Product::of(text).count };
        wrong.extend(compare(file, found, listed.get(*file).copied().unwrap_or_default()));
        let folder = file.strip_suffix("/src/lib.rs");
        if let Some(folder) = folder.filter(|folder| !is_listed(&listed, folder) && !denies(text)) {
            wrong.push(format!("{folder}: has no line in {LIST}, so its lib.rs denies {}", LINTS.join(", ")));
        }
    }
    wrong.extend(
        listed
            .keys()
            .filter(|file| !sources.contains_key(file.as_str()))
            .map(|file| format!("{LIST}: {file} is gone")),
    );
    Ok(wrong)
}

fn is_source(file: &str) -> bool {
    let mut parts = file.split('/');
    parts.next() == Some("core")
        && parts.nth(1) == Some("src")
        && file.rsplit_once('.').is_some_and(|(_, ending)| ending == "rs")
}

/// Whether a file belongs to one of the modules of tests, which are named without their ending.
fn is_test(file: &str, tests: &BTreeSet<String>) -> bool {
    let module = file.strip_suffix(".rs").unwrap_or(file);
    module.match_indices('/').any(|(end, _)| tests.contains(module.get(..end).unwrap_or_default()))
        || tests.contains(module)
}

fn is_listed(listed: &BTreeMap<String, Count>, folder: &str) -> bool {
    listed.keys().any(|file| file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
}

/// Whether one attribute of a crate denies every lint.
fn denies(lib: &str) -> bool {
    lib.split("#![").any(|attribute| {
        let attribute = attribute.split(")]").next().unwrap_or_default();
        attribute.contains("deny(") && LINTS.iter().all(|lint| attribute.contains(lint))
    })
}

fn compare(file: &str, found: Count, listed: Count) -> Vec<String> {
    let kinds = [("panics", found.panics, listed.panics), ("laws", found.laws, listed.laws)];
    let differ = kinds.into_iter().filter(|(_, found, listed)| found != listed);
    differ
        .map(|(kind, found, listed)| {
            let advice = if found < listed { "lower the list" } else { "write it without" };
            format!("{file}: {found} {kind}, {LIST} has {listed}: {advice}")
        })
        .collect()
}

/// The counts of the list: rows of a table, each with a file, a count and a reason.
fn listed(list: &str) -> Result<BTreeMap<String, Count>, String> {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut are_laws = false;
    for (number, line) in (1..).zip(list.lines()) {
        are_laws |= line == LAWS;
        let Some(row) = line.strip_prefix("| `core/") else { continue };
        let mut cells = row.split('|').map(str::trim);
        let (file, count, reason) = (cells.next(), cells.next(), cells.next());
        let file = file.and_then(|file| file.strip_suffix('`'));
        let count = count.and_then(|count| count.parse().ok());
        let (Some(file), Some(count)) = (file, count) else {
            return Err(format!("{LIST}:{number}: a row is a file, a count and a reason"));
        };
        if count == 0 || reason.is_none_or(str::is_empty) {
            return Err(format!("{LIST}:{number}: a row has a count above zero and a reason"));
        }
        let entry = counts.entry(format!("core/{file}")).or_default();
        let kind = if are_laws { &mut entry.laws } else { &mut entry.panics };
        if std::mem::replace(kind, count) != 0 {
            return Err(format!("{LIST}:{number}: a second row of the same file"));
        }
    }
    Ok(counts)
}

/// A file without its tests.
#[derive(Debug, Default, PartialEq, Eq)]
struct Product {
    count: Count,
    /// Modules of tests in files of their own.
    modules: Vec<String>,
}

impl Product {
    fn of(text: &str) -> Self {
        let mut product = Self::default();
        let mut in_text = false;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.trim_start() == "#[cfg(test)]" {
                product.modules.extend(skip_item(&mut lines));
                continue;
            }
            let code = code_of(line, &mut in_text);
            product.count.panics += PANICS.iter().map(|sign| code.matches(sign).count()).sum::<usize>();
            product.count.panics += indexing(&code);
            if !code.contains("const {") && !code.contains("const _: ()") {
                product.count.laws += ASSERTS.iter().map(|sign| words(&code, sign)).sum::<usize>();
            }
        }
        product
    }

    /// The modules of tests as paths without ending, for the file that this is.
    fn tests(&self, file: &str) -> Vec<String> {
        let (folder, name) = file.rsplit_once('/').unwrap_or_default();
        let home = match name {
            "lib.rs" | "mod.rs" => folder,
            _ => file.strip_suffix(".rs").unwrap_or(file),
        };
        self.modules.iter().map(|module| format!("{home}/{module}")).collect()
    }
}

/// Skips the item that an attribute belongs to; its name, if it is a module in a file of its own.
fn skip_item<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Option<String> {
    let mut is_open = false;
    let first = lines.find(|line| {
        let line = line.trim();
        let is_attribute = is_open || line.starts_with("#[");
        is_open = is_attribute && !line.ends_with(']');
        !is_attribute
    })?;
    let item = first.trim();
    if let Some(whole) = item.strip_suffix(';') {
        return whole.rsplit_once("mod ").map(|(_, name)| name.to_owned());
    }
    if !item.ends_with('}') {
        // In formatted code, an item ends at a brace with the indentation of its first word.
        let indent = first.get(..first.len() - first.trim_start().len()).unwrap_or_default();
        lines.find(|line| line.strip_prefix(indent).is_some_and(|end| end == "}" || end == "};"));
    }
    None
}

/// A line without comments and without what its texts contain. `in_text` is whether a text goes on over the line's end.
fn code_of(line: &str, in_text: &mut bool) -> String {
    let mut code = String::new();
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' if *in_text => {
                signs.next();
            }
            '"' if code.ends_with('\'') && signs.peek() == Some(&'\'') => {}
            '"' => {
                *in_text = !*in_text;
                code.push('"');
            }
            _ if *in_text => {}
            '/' if signs.peek() == Some(&'/') => break,
            _ => code.push(sign),
        }
    }
    code
}

/// How often a value is indexed or cut: a bracket right after a name, a call or another bracket.
fn indexing(code: &str) -> usize {
    let mut before = ' ';
    let mut found = 0;
    for sign in code.chars() {
        found += usize::from(sign == '[' && (before.is_alphanumeric() || "_)]?".contains(before)));
        before = sign;
    }
    found
}

/// How often a macro is called by exactly this name.
fn words(code: &str, name: &str) -> usize {
    let begins = |at: usize| {
        code.get(..at)
            .and_then(|head| head.chars().next_back())
            .is_none_or(|sign| !sign.is_alphanumeric() && sign != '_')
    };
    code.match_indices(name).filter(|(at, _)| begins(*at)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> (usize, usize) {
        let Count { panics, laws } = Product::of(text).count;
        (panics, laws)
    }

    /// A place that may panic counts once; one that only looks like it does not.
    #[test]
    fn places_are_counted() {
        assert_eq!(count("let a = b.expect(\"c\").unwrap();"), (2, 0));
        assert_eq!(count("_ => unreachable!(),\n_ => panic!(\"no\"),"), (2, 0));
        assert_eq!(count("self.levels[rung.index()].queue()[0] = at[1..][0];"), (4, 0));
        assert_eq!(count("assert!(a, \"b\");\nassert_eq!(a, b);\nassert_ne!(a, b);"), (0, 3));
        assert_eq!(count("debug_assert!(a);\nconst { assert!(A < B) };"), (0, 0));
        assert_eq!(count("a.unwrap_or(b).expect_more(c)"), (0, 0));
        assert_eq!(count("#[expect(dead_code)]\n#![expect(clippy::panic)]"), (0, 0));
        assert_eq!(count("fn a(b: &[u8], c: [u8; 4]) -> Vec<[u8; 2]> { vec![1] }"), (0, 0));
        assert_eq!(count("// a.unwrap()\n/// b[0]\nlet c = \"d.unwrap() // e[0]\"; f.unwrap() // g"), (1, 0));
        assert_eq!(count("let a = \"b\n  .unwrap() \\\" c[0]\";\nd.unwrap()"), (1, 0));
        assert_eq!(count("if a == '\"' { b[0] } // '\"'"), (1, 0));
    }

    /// Tests may panic: modules in place, in files of their own, and single items.
    #[test]
    fn tests_are_left_out() {
        let text =
            "a[0];\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n        b[0];\n    }\n}\nc[0];\n";
        assert_eq!(count(text), (2, 0));
        let text = "#[cfg(test)]\n#[expect(\n    clippy::panic,\n    reason = \"a\"\n)]\nfn a() {\n    b[0];\n}\nc[0];\n";
        assert_eq!(count(text), (1, 0));
        assert_eq!(count("#[cfg(test)]\nuse a::B;\nc[0];\n    #[cfg(test)]\n    fn d() {}\ne[0];\n"), (2, 0));
        let product =
            Product::of("#[cfg(test)]\npub(crate) mod rig;\nmod other;\n#[cfg(test)]\nmod tests;\n");
        assert_eq!(product.tests("core/a/src/lib.rs"), ["core/a/src/rig", "core/a/src/tests"]);
        assert_eq!(product.tests("core/a/src/b.rs"), ["core/a/src/b/rig", "core/a/src/b/tests"]);
        let tests = BTreeSet::from(["core/a/src/b/tests".to_owned()]);
        assert!(is_test("core/a/src/b/tests.rs", &tests) && is_test("core/a/src/b/tests/c.rs", &tests));
        assert!(!is_test("core/a/src/b.rs", &tests) && !is_test("core/a/src/b/tests_of.rs", &tests));
    }

    /// A count above the list and one below it are both errors, and each says what to do.
    #[test]
    fn the_list_only_falls() {
        let list = "# A\n| file | sites | why |\n| `core/a/src/b.rs` | 2 | c |\n## Laws\n| `core/a/src/b.rs` | 1 | d |\n";
        let counts = listed(list).unwrap();
        let kept = Count { panics: 2, laws: 1 };
        assert_eq!(counts, BTreeMap::from([("core/a/src/b.rs".to_owned(), kept)]));
        assert!(compare("b", kept, kept).is_empty());
        let [more] = &compare("b", Count { panics: 3, laws: 1 }, kept)[..] else {
            panic!("one kind differs")
        };
        assert_eq!(more, "b: 3 panics, docs/PANICS.md has 2: write it without");
        let [fewer] = &compare("b", Count { panics: 2, laws: 0 }, kept)[..] else {
            panic!("one kind differs")
        };
        assert_eq!(fewer, "b: 0 laws, docs/PANICS.md has 1: lower the list");
        for wrong in ["| `core/a.rs` | x | c |", "| `core/a.rs` | 0 | c |", "| `core/a.rs` | 1 | |"] {
            assert!(listed(wrong).is_err(), "{wrong}");
        }
        assert!(listed("| `core/a.rs` | 1 | c |\n| `core/a.rs` | 1 | c |").is_err());
    }

    /// A crate without a row denies all of the lints.
    #[test]
    fn a_new_crate_denies_the_lints() {
        let lints = LINTS.join(", ");
        assert!(denies(&format!("//! A.\n#![no_std]\n#![deny({lints})]\n")));
        assert!(denies(&format!("//! A.\n#![cfg_attr(\n    not(test),\n    deny({lints})\n)]\n")));
        assert!(!denies(&format!("//! A.\n#![warn({lints})]\n")));
        assert!(!denies("//! A.\n#![deny(clippy::expect_used)]\n"));
        let listed = BTreeMap::from([("core/a/src/b.rs".to_owned(), Count::default())]);
        assert!(
            is_listed(&listed, "core/a") && !is_listed(&listed, "core/ab") && !is_listed(&listed, "core/b")
        );
    }
}
