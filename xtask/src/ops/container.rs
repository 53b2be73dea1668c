//! The container file: hadolint from PyPI reads it, and rules of our own that hadolint does not know hold.
//!
//! No image is built here, since that needs a daemon and the images that the file names. An acceptance test runs its health check.

use crate::Done;
use crate::python::Environment;
use crate::repo::{Repo, tail};

const FILE: &str = "ops/Containerfile";

const HADOLINT: Environment = Environment {
    chore: "hadolint",
    folder: ".venv-hadolint",
    requirements: "ops/hadolint.txt",
    modules: None,
    is_complete: false,
};

pub(super) fn check(repo: &Repo) -> Done {
    let text = repo.read(FILE)?;
    let manifest = repo.read("Cargo.toml")?;
    let file = Containerfile::read(&text);
    let flaws = file.flaws(&members(&manifest), |source| repo.path(source).exists());
    if let Some(flaw) = flaws.first() {
        return Err(format!("{FILE}: {flaw}"));
    }
    println!("ops: the container file has {} stages and copies every member of the workspace", file.stages());
    if !HADOLINT.prepare(repo)? {
        return Ok(());
    }
    let linted = repo.step(HADOLINT.program("hadolint"), ["--no-color", FILE]).output()?;
    if linted.status.success() {
        println!("ops: hadolint finds nothing in {FILE}");
        return Ok(());
    }
    Err(format!("hadolint: {}", tail(&String::from_utf8_lossy(&linted.stdout))))
}

/// The folders of the workspace's members: `core` of `"core/*"`.
fn members(manifest: &str) -> Vec<String> {
    let list = manifest.split_once("members = [").and_then(|(_, rest)| rest.split_once(']'));
    let names = list.map_or("", |(list, _)| list).split('"').skip(1).step_by(2);
    names.map(|name| name.trim_end_matches("/*").to_owned()).collect()
}

/// The instructions of a container file, one a line, with the words after each.
struct Containerfile(Vec<(String, String)>);

impl Containerfile {
    fn read(text: &str) -> Self {
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
        let whole = lines.join("\n").replace("\\\n", " ");
        let instructions = whole.lines().filter_map(|line| line.trim().split_once(' '));
        Self(instructions.map(|(name, rest)| (name.to_owned(), rest.trim().to_owned())).collect())
    }

    fn all(&self, name: &'static str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(other, _)| other == name).map(|(_, rest)| rest.as_str())
    }

    fn stages(&self) -> usize {
        self.all("FROM").count()
    }

    /// The instructions of the last stage, which is the image.
    fn image(&self) -> Self {
        let at = self.0.iter().rposition(|(name, _)| name == "FROM").unwrap_or_default();
        Self(self.0.iter().skip(at).cloned().collect())
    }

    /// The paths that are copied from the repository.
    fn sources(&self) -> impl Iterator<Item = &str> {
        let copies = self.all("COPY").filter(|rest| !rest.starts_with("--"));
        copies.flat_map(|rest| rest.rsplit_once(' ').map_or("", |(sources, _)| sources).split_whitespace())
    }

    /// The flaws of it: `members` are the folders of the workspace, and `exists` knows the repository's files.
    fn flaws(&self, members: &[String], exists: impl Fn(&str) -> bool) -> Vec<String> {
        let mut flaws = Vec::new();
        let image = self.image();
        if self.stages() < 2 {
            flaws.push("the image is built in one stage, and holds the compiler".to_owned());
        }
        let user = image.all("USER").last();
        if user.is_none_or(|user| !is_number(user)) {
            let user = user.unwrap_or("none");
            flaws.push(format!("USER {user}: root, or a name, and Kubernetes checks numbers alone"));
        }
        for needed in ["HEALTHCHECK", "ENTRYPOINT", "VOLUME"] {
            if image.all(needed).next().is_none() {
                flaws.push(format!("the image has no {needed}"));
            }
        }
        if let Some(form) = image.all("ENTRYPOINT").find(|form| !form.starts_with('[')) {
            flaws.push(format!("ENTRYPOINT {form} runs in a shell, which keeps SIGTERM to itself"));
        }
        flaws.extend(self.all("ADD").map(|rest| format!("ADD {rest}: COPY is enough")));
        flaws.extend(
            self.all("FROM").filter(|from| !is_pinned(from)).map(|from| format!("FROM {from} has no tag")),
        );
        flaws.extend(
            self.sources()
                .filter(|source| !exists(source))
                .map(|source| format!("COPY {source}: no such file")),
        );
        let lacks = |member: &&String| !self.sources().any(|source| source == **member);
        flaws.extend(members.iter().filter(lacks).map(|member| format!("member '{member}' is not copied")));
        flaws
    }
}

/// Whether a user is given by number, and is not root.
fn is_number(user: &str) -> bool {
    let mut parts = user.split(':').map(str::parse::<u32>);
    parts.all(|part| part.is_ok_and(|id| id != 0))
}

/// Whether an image has a tag other than `latest`.
fn is_pinned(from: &str) -> bool {
    let image = from.split(' ').next().unwrap_or_default();
    let name = image.rsplit('/').next().unwrap_or_default();
    name.split_once(':').is_some_and(|(_, tag)| !tag.is_empty() && tag != "latest")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# head\nFROM a/rust:1 AS build\nCOPY Cargo.toml Cargo.lock ./\nCOPY core \\\n  ./core\nRUN make\n\
                        FROM b/debian:12\nCOPY --from=build /x /x\nVOLUME /data\nUSER 10:10\nHEALTHCHECK CMD [\"x\"]\n\
                        ENTRYPOINT [\"x\"]\n";

    fn flaws(text: &str) -> String {
        let exists = |source: &str| ["Cargo.toml", "Cargo.lock", "core"].contains(&source);
        Containerfile::read(text).flaws(&["core".to_owned()], exists).join("; ")
    }

    /// A good file has no flaw, and each rule finds its own.
    #[test]
    fn each_rule_finds_its_flaw() {
        assert_eq!(flaws(GOOD), "");
        for (from, to, words) in [
            ("FROM b/debian:12\n", "", "one stage"),
            ("USER 10:10\n", "", "USER none"),
            ("USER 10:10", "USER 10:0", "root, or a name"),
            ("USER 10:10", "USER app", "root, or a name"),
            ("HEALTHCHECK CMD [\"x\"]\n", "", "no HEALTHCHECK"),
            ("VOLUME /data\n", "", "no VOLUME"),
            ("ENTRYPOINT [\"x\"]", "ENTRYPOINT x", "in a shell"),
            ("RUN make", "ADD https://x /x", "COPY is enough"),
            ("debian:12", "debian", "has no tag"),
            ("debian:12", "debian:latest", "has no tag"),
            ("Cargo.lock", "Cargo.bolt", "no such file"),
            ("COPY core \\\n  ./core\n", "", "member 'core' is not copied"),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let found = flaws(&GOOD.replace(from, to));
            assert!(found.contains(words), "{to}: {found}");
        }
    }

    #[test]
    fn members_are_those_of_the_manifest() {
        assert_eq!(
            members("[workspace]\nmembers = [\n  \"core/*\",\n  \"client\",\n]\nx = [\"y\"]"),
            ["core", "client"]
        );
        assert!(members("").is_empty());
    }
}
