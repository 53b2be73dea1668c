//! The trees of commits: every file and name that the code of a tree needs is in it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::git::{self, Reader};
use super::source::{Facts, Import};
use crate::repo::Repo;

/// The start of the crates' names in code.
const OURS: &str = "buttonwood_";

/// Reads trees one after another; what two of them share is read once.
pub(super) struct Trees<'a> {
    repo: &'a Repo,
    reader: Reader,
    /// By the ids of their bytes.
    sources: BTreeMap<String, Rc<Facts>>,
    manifests: BTreeMap<String, Rc<Option<Manifest>>>,
    /// The names of the crates by their folder, as of the last tree that had these files.
    names: BTreeMap<String, (Vec<String>, Rc<Names>)>,
}

/// A crate's `Cargo.toml`.
struct Manifest {
    /// Its library's name in code.
    name: String,
    /// The crates that it depends on, in code.
    needs: BTreeSet<String>,
}

/// A crate of a tree.
struct Package {
    folder: String,
    manifest: Rc<Option<Manifest>>,
    /// The paths of its code, and their facts.
    sources: Vec<(String, Rc<Facts>)>,
    names: Rc<Names>,
}

/// The names of a crate.
#[derive(Default)]
struct Names {
    /// Those that it defines.
    own: BTreeSet<String>,
    /// Those that it imports from other crates, or under another name: the rest of a path through one is in another crate.
    foreign: BTreeSet<String>,
}

impl Names {
    /// The first name of a path that is nowhere in the crate.
    fn lost<'a>(&self, path: &'a [String]) -> Option<&'a String> {
        let inside = path.iter().skip(1).take_while(|name| !self.foreign.contains(*name));
        inside
            .into_iter()
            .find(|name| !["crate", "self", "super"].contains(&name.as_str()) && !self.own.contains(*name))
    }
}

impl Package {
    /// Its manifest's name; a folder whose manifest has none is no crate.
    fn name(&self) -> &str {
        self.manifest.as_ref().as_ref().map_or("", |manifest| &manifest.name)
    }

    fn is_needing(&self, name: &str) -> bool {
        self.manifest.as_ref().as_ref().is_some_and(|manifest| manifest.needs.contains(name))
    }
}

impl<'a> Trees<'a> {
    pub(super) fn new(repo: &'a Repo) -> Result<Self, String> {
        let reader = Reader::new(repo)?;
        let (sources, manifests, names) = Default::default();
        Ok(Self { repo, reader, sources, manifests, names })
    }

    /// Everything that the code of a commit needs and its tree lacks.
    pub(super) fn check(&mut self, commit: &str) -> Result<Vec<String>, String> {
        let files = git::files(self.repo, commit)?;
        let packages = self.packages(&files)?;
        let paths: BTreeSet<&str> = files.keys().map(String::as_str).collect();
        let mut wrong = Vec::new();
        for package in &packages {
            for (path, facts) in &package.sources {
                wrong.extend(lost_files(path, facts, &paths).into_iter().map(|why| format!("{path}: {why}")));
                wrong.extend(
                    lost_names(package, facts, &packages).into_iter().map(|why| format!("{path}: {why}")),
                );
            }
        }
        Ok(wrong)
    }

    /// The crates of a tree. A file belongs to the crate of the nearest folder above it.
    fn packages(&mut self, files: &BTreeMap<String, String>) -> Result<Vec<Package>, String> {
        let mut folders = BTreeMap::new();
        for (path, id) in files {
            if let Some(folder) = path.strip_suffix("/Cargo.toml") {
                let manifest = self.manifest(id)?;
                if manifest.is_some() {
                    folders.insert(folder, (manifest, Vec::<(&String, &String)>::new()));
                }
            }
        }
        for (path, id) in files.iter().filter(|(path, _)| is_rust(path)) {
            let above = path.match_indices('/').rev().filter_map(|(at, _)| path.get(..at));
            if let Some(folder) = above.into_iter().find(|folder| folders.contains_key(folder)) {
                folders.entry(folder).and_modify(|(_, sources)| sources.push((path, id)));
            }
        }
        let mut packages = Vec::new();
        for (folder, (manifest, paths)) in folders {
            let mut sources = Vec::new();
            for (path, id) in &paths {
                sources.push(((*path).clone(), self.facts(id)?));
            }
            let ids: Vec<String> = paths.into_iter().map(|(_, id)| id.clone()).collect();
            let names = self.names(folder, ids, &sources, manifest.as_ref().as_ref());
            packages.push(Package { folder: folder.to_owned(), manifest, sources, names });
        }
        Ok(packages)
    }

    fn facts(&mut self, id: &str) -> Result<Rc<Facts>, String> {
        if let Some(facts) = self.sources.get(id) {
            return Ok(Rc::clone(facts));
        }
        let facts = Rc::new(Facts::of(&self.reader.read(id)?));
        self.sources.insert(id.to_owned(), Rc::clone(&facts));
        Ok(facts)
    }

    fn manifest(&mut self, id: &str) -> Result<Rc<Option<Manifest>>, String> {
        if let Some(manifest) = self.manifests.get(id) {
            return Ok(Rc::clone(manifest));
        }
        let manifest = Rc::new(manifest(&self.reader.read(id)?));
        self.manifests.insert(id.to_owned(), Rc::clone(&manifest));
        Ok(manifest)
    }

    /// All names of a crate, computed again when a file of it has changed.
    fn names(
        &mut self,
        folder: &str,
        ids: Vec<String>,
        sources: &[(String, Rc<Facts>)],
        manifest: Option<&Manifest>,
    ) -> Rc<Names> {
        if let Some((known, names)) = self.names.get(folder)
            && *known == ids
        {
            return Rc::clone(names);
        }
        let own = manifest.map_or("", |manifest| &manifest.name);
        let names = Rc::new(names(sources.iter().map(|(_, facts)| facts.as_ref()), own));
        self.names.insert(folder.to_owned(), (ids, Rc::clone(&names)));
        names
    }
}

fn is_rust(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending == "rs")
}

/// Reads a `Cargo.toml`; that of a workspace is no crate's.
fn manifest(text: &str) -> Option<Manifest> {
    let table: toml::Table = text.parse().ok()?;
    let named = |key: &str| Some(table.get(key)?.get("name")?.as_str()?.replace('-', "_"));
    let package = named("package")?;
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let targets = table.get("target").and_then(toml::Value::as_table);
    let tables = targets.into_iter().flat_map(toml::Table::values).filter_map(toml::Value::as_table);
    let needs = tables
        .chain([&table])
        .flat_map(|table| kinds.iter().filter_map(|kind| table.get(*kind)?.as_table()))
        .flat_map(toml::Table::keys)
        .map(|name| name.replace('-', "_"))
        .collect();
    Some(Manifest { name: named("lib").unwrap_or(package), needs })
}

/// The names that files define or import from other crates.
fn names<'a>(files: impl Iterator<Item = &'a Facts>, own: &str) -> Names {
    let mut names = Names::default();
    for facts in files {
        names.own.extend(facts.defined.iter().cloned());
        for import in &facts.imports {
            names.foreign.extend(import.alias.clone());
            if !is_inside(import, facts, own) {
                names.foreign.extend(import.path.last().cloned());
                names.foreign.extend(import.path.iter().rev().nth(1).filter(|_| is_self(import)).cloned());
            }
        }
    }
    names
}

/// Whether the import's last word is `self`: it names the module before.
fn is_self(import: &Import) -> bool {
    import.path.last().is_some_and(|last| last == "self")
}

/// Whether the import is one from the crate that has it: by a module of the file, or by a keyword.
fn is_inside(import: &Import, facts: &Facts, own: &str) -> bool {
    let root = import.path.first().map_or("", String::as_str);
    let is_module = || facts.modules.iter().any(|module| module.last().is_some_and(|name| name == root));
    ["crate", "self", "super", own].contains(&root) || is_module()
}

/// Files of modules and included files that the tree lacks.
fn lost_files(path: &str, facts: &Facts, paths: &BTreeSet<&str>) -> Vec<String> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let mut wrong = Vec::new();
    for module in &facts.modules {
        let below = module.join("/");
        // A root of a crate and `mod.rs` have their modules beside them, other files in a folder of their name.
        let places = [format!("{folder}/{below}"), format!("{folder}/{stem}/{below}")];
        let is_there = |place: &String| {
            ["{}.rs", "{}/mod.rs"].iter().any(|form| paths.contains(form.replace("{}", place).as_str()))
        };
        if !places.iter().any(is_there) {
            wrong.push(format!("there is no file of its module `{}`", module.join("::")));
        }
    }
    for included in &facts.included {
        if !joined(folder, included).is_some_and(|file| paths.contains(file.as_str())) {
            wrong.push(format!("there is no file `{included}`, which it includes"));
        }
    }
    wrong
}

/// A path below a folder, without `..`.
fn joined(folder: &str, below: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in below.split('/') {
        match part {
            ".." => drop(parts.pop()?),
            "." => {}
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Imported names that the crates of the tree do not have.
fn lost_names(package: &Package, facts: &Facts, all: &[Package]) -> Vec<String> {
    let mut wrong = Vec::new();
    for import in facts.imports.iter().chain(&facts.paths) {
        let root = import.path.first().map_or("", String::as_str);
        let names = if is_inside(import, facts, package.name()) {
            &package.names
        } else if root.starts_with(OURS) {
            let Some(other) = all.iter().find(|other| other.name() == root) else {
                wrong.push(format!("there is no crate `{root}`"));
                continue;
            };
            if !package.is_needing(root) {
                wrong.push(format!("{}/Cargo.toml does not name `{root}`", package.folder));
            }
            &other.names
        } else {
            continue;
        };
        let lost = names.lost(&import.path);
        wrong.extend(
            lost.map(|name| format!("`{}`: there is no `{name}` in that crate", import.path.join("::"))),
        );
    }
    wrong.sort();
    wrong.dedup();
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(folder: &str, manifest: &str, files: &[(&str, &str)]) -> Package {
        let manifest = Rc::new(super::manifest(manifest));
        let sources: Vec<(String, Rc<Facts>)> =
            files.iter().map(|(path, text)| ((*path).to_owned(), Rc::new(Facts::of(text)))).collect();
        let own = manifest.as_ref().as_ref().map_or("", |manifest| &manifest.name);
        let names = Rc::new(names(sources.iter().map(|(_, facts)| facts.as_ref()), own));
        Package { folder: folder.to_owned(), manifest, sources, names }
    }

    /// Names that the first file of a crate lacks, next to a crate `buttonwood_num` with a `Price`.
    fn lost(text: &str, other: &str) -> Vec<String> {
        let num = package(
            "core/num",
            "[package]\nname = \"buttonwood-num\"",
            &[("core/num/src/lib.rs", "pub struct Price;")],
        );
        let manifest =
            "[package]\nname = \"buttonwood-book\"\n[dependencies]\nbuttonwood-num.workspace = true";
        let files = [("core/book/src/lib.rs", text), ("core/book/src/a.rs", other)];
        let all = [package("core/book", manifest, &files), num];
        let [book, _] = &all;
        book.sources.first().map(|(_, facts)| lost_names(book, facts, &all)).unwrap_or_default()
    }

    #[test]
    fn an_imported_name_is_defined_in_its_crate() {
        for text in [
            "use crate::a::Level;",
            "use buttonwood_num::Price;",
            "use std::fmt::Nothing;",
            "mod a; use a::Level;",
            "fn f() -> buttonwood_num::Price {}",
        ] {
            assert_eq!(lost(text, "mod a; pub struct Level;"), [""; 0], "{text}");
        }
        assert_eq!(
            lost("use crate::a::Lost;", "mod a;"),
            ["`crate::a::Lost`: there is no `Lost` in that crate"]
        );
        assert_eq!(lost("use buttonwood_num::Lost;", "struct Lost;").len(), 1);
        assert_eq!(lost("fn f() { crate::lost() }", "").len(), 1);
    }

    /// An import of a name does not make the name, but another name for it does, and so does one of another crate.
    #[test]
    fn an_import_from_the_crate_defines_nothing() {
        assert_eq!(lost("use super::Lost;", "pub use crate::Lost;").len(), 1);
        assert_eq!(lost("use super::Other;", "pub use crate::Lost as Other;"), [""; 0]);
        assert_eq!(
            lost("use super::{Price, fmt};", "use buttonwood_num::Price; use std::fmt::{self, Debug};"),
            [""; 0]
        );
    }

    #[test]
    fn an_imported_crate_is_there_and_named() {
        assert_eq!(lost("use buttonwood_lost::A;", ""), ["there is no crate `buttonwood_lost`"]);
        let num = package(
            "core/num",
            "[package]\nname = \"buttonwood-num\"",
            &[("core/num/src/lib.rs", "pub struct Price;")],
        );
        let facts = Facts::of("use buttonwood_num::Price;");
        let other = package("core/book", "[package]\nname = \"buttonwood-book\"", &[]);
        assert_eq!(
            lost_names(&other, &facts, &[num]),
            ["core/book/Cargo.toml does not name `buttonwood_num`"]
        );
    }

    #[test]
    fn a_module_has_its_file() {
        let facts = Facts::of("mod a;\nmod tests { mod b; }");
        for paths in [["x/src/a.rs", "x/src/tests/b.rs"], ["x/src/a/mod.rs", "x/src/c/tests/b.rs"]] {
            assert_eq!(lost_files("x/src/c.rs", &facts, &BTreeSet::from(paths)), [""; 0]);
        }
        let wrong = lost_files("x/src/c.rs", &facts, &BTreeSet::from(["x/src/b.rs"]));
        assert_eq!(wrong, ["a", "tests::b"].map(|name| format!("there is no file of its module `{name}`")));
    }

    #[test]
    fn an_included_file_is_there() {
        let facts = Facts::of("include_str!(\"../a.md\")");
        assert_eq!(lost_files("x/src/c.rs", &facts, &BTreeSet::from(["x/a.md"])), [""; 0]);
        assert_eq!(lost_files("x/src/c.rs", &facts, &BTreeSet::from(["x/src/a.md"])).len(), 1);
    }

    #[test]
    fn a_manifest_names_its_library_and_needs() {
        let text = "[package]\nname = \"a-b\"\n[lib]\nname = \"c\"\n[dev-dependencies]\nd-e = \"1\"\n[target.'cfg(unix)'.dependencies]\nf = \"1\"";
        let read = manifest(text).unwrap();
        assert_eq!(
            (read.name.as_str(), read.needs),
            ("c", BTreeSet::from(["d_e".to_owned(), "f".to_owned()]))
        );
        assert!(manifest("[workspace]").is_none());
    }
}
