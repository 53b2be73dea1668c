//! Commits, trees and files, as git stores them.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::Commit;
use crate::Done;
use crate::repo::Repo;

/// The letters before a commit and after its message in the log; no message has them.
const START: char = '\u{1}';
const END: char = '\u{2}';

/// Whether the clone has this commit, and one that it is at.
pub(super) fn is_known(repo: &Repo, id: &str) -> bool {
    repo.step("git", ["cat-file", "-e", &format!("{id}^{{commit}}")]).works()
        && repo.step("git", ["rev-parse", "--verify", "HEAD"]).works()
}

/// The commits after one, oldest first. It is an error if that one is not in their history.
pub(super) fn after(repo: &Repo, from: &str) -> Result<Vec<Commit>, String> {
    if !repo.step("git", ["merge-base", "--is-ancestor", from, "HEAD"]).works() {
        return Err(format!(
            "{from} is not in the history of HEAD: {} has to name a commit that is",
            super::FROM
        ));
    }
    let format = format!("--format={START}%H%n%B{END}");
    let range = format!("{from}..HEAD");
    let words = ["log", "--reverse", "--no-merges", "--no-color", "--numstat", "-M", &format, &range];
    Ok(commits(&repo.step("git", words).stdout()?))
}

/// The commits of a log.
fn commits(log: &str) -> Vec<Commit> {
    log.split(START).filter_map(commit).collect()
}

fn commit(text: &str) -> Option<Commit> {
    let (head, lines) = text.split_once(END)?;
    let (id, message) = head.split_once('\n')?;
    let changed = lines.lines().filter_map(change).collect();
    Some(Commit { id: id.to_owned(), message: message.to_owned(), changed })
}

/// A file and its changed lines; a file of bytes has none.
fn change(line: &str) -> Option<(String, usize)> {
    let mut words = line.splitn(3, '\t');
    let (added, removed, file) = (words.next()?, words.next()?, words.next()?);
    let count = |text: &str| text.parse::<usize>().unwrap_or(0);
    Some((file.to_owned(), count(added) + count(removed)))
}

/// The files of a commit's tree, each with the id of its bytes.
pub(super) fn files(repo: &Repo, commit: &str) -> Result<BTreeMap<String, String>, String> {
    let listing = repo.step("git", ["ls-tree", "-r", "-z", commit]).stdout()?;
    Ok(listing.split('\0').filter_map(entry).collect())
}

/// The path and the id of an entry: `MODE TYPE ID<tab>PATH`.
fn entry(line: &str) -> Option<(String, String)> {
    let (head, path) = line.split_once('\t')?;
    Some((path.to_owned(), head.rsplit(' ').next()?.to_owned()))
}

/// A running git that reads files by their ids.
pub(super) struct Reader {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Reader {
    pub(super) fn new(repo: &Repo) -> Result<Self, String> {
        let mut command = repo.step("git", ["cat-file", "--batch"]).into_command();
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| format!("git cat-file: {error}"))?;
        let input = child.stdin.take().ok_or("git cat-file has no input")?;
        let output = child.stdout.take().ok_or("git cat-file has no output")?;
        Ok(Self { child, input, output: BufReader::new(output) })
    }

    /// The text of a file; invalid UTF-8 is replaced.
    pub(super) fn read(&mut self, id: &str) -> Result<String, String> {
        let bytes = self.bytes(id).map_err(|error| format!("git cat-file: {id}: {error}"))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn bytes(&mut self, id: &str) -> std::io::Result<Vec<u8>> {
        writeln!(self.input, "{id}")?;
        self.input.flush()?;
        let mut head = String::new();
        self.output.read_line(&mut head)?;
        let size = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<usize>().ok());
        let size = size.ok_or_else(|| std::io::Error::other(head.trim_end().to_owned()))?;
        // A newline follows the bytes.
        let mut bytes = vec![0; size + 1];
        self.output.read_exact(&mut bytes)?;
        bytes.pop();
        Ok(bytes)
    }
}

impl Drop for Reader {
    /// It would end with its input in any case; this waits for it, so that no process is left.
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Puts a commit into a worktree, which is made if it is missing.
pub(super) fn put_worktree(repo: &Repo, folder: &str, commit: &str) -> Done {
    if repo.path(folder).join(".git").exists() {
        return repo.step("git", ["-C", folder, "checkout", "--quiet", "--force", "--detach", commit]).run();
    }
    repo.step("git", ["worktree", "add", "--quiet", "--force", "--detach", folder, commit]).run()
}

/// Removes the worktree, if there is one.
pub(super) fn remove_worktree(repo: &Repo, folder: &str) -> Done {
    if repo.path(folder).exists() {
        return repo.step("git", ["worktree", "remove", "--force", folder]).run();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_taken_apart() {
        let log = "\u{1}a1\none: do it\n\nBecause.\n\u{2}\n\n3\t4\ta.rs\n-\t-\tb.webp\n\u{1}b2\ntwo: do it\n\u{2}\n";
        let one = Commit {
            id: "a1".to_owned(),
            message: "one: do it\n\nBecause.\n".to_owned(),
            changed: BTreeMap::from([("a.rs".to_owned(), 7), ("b.webp".to_owned(), 0)]),
        };
        let two = Commit { id: "b2".to_owned(), message: "two: do it\n".to_owned(), ..Commit::default() };
        assert_eq!(commits(log), [one, two]);
        assert!(commits("").is_empty());
    }

    /// Commits, trees, files and a worktree of a real repository.
    #[test]
    fn a_repository_is_read() {
        let home = std::env::temp_dir().join(format!("buttonwood-commits-{}", std::process::id()));
        std::fs::create_dir(&home).unwrap();
        let repo = Repo::at(home.clone());
        let git = |words: &[&str]| {
            let identity = ["-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgsign=false"];
            repo.step("git", identity.iter().chain(words)).stdout().unwrap()
        };
        git(&["init", "--quiet"]);
        assert!(!is_known(&repo, "HEAD"));
        for (name, text) in [("a.rs", "one\n"), ("b.rs", "two\nthree\n")] {
            std::fs::write(home.join(name), text).unwrap();
            git(&["add", name]);
            git(&["commit", "--quiet", "--message", &format!("a: add {name}")]);
        }
        let id = |name: &str| git(&["rev-parse", name]).trim().to_owned();
        let (first, last) = (id("HEAD~1"), id("HEAD"));
        assert!(is_known(&repo, &first) && !is_known(&repo, &"0".repeat(40)));

        let commits = after(&repo, &first).unwrap();
        let changed = BTreeMap::from([("b.rs".to_owned(), 2)]);
        assert_eq!(commits, [Commit { id: last.clone(), message: "a: add b.rs\n".to_owned(), changed }]);
        git(&["checkout", "--quiet", &first]);
        assert!(after(&repo, &last).is_err());

        let files = files(&repo, &last).unwrap();
        let mut reader = Reader::new(&repo).unwrap();
        let texts: Vec<String> = files.values().map(|id| reader.read(id).unwrap()).collect();
        assert_eq!(texts, ["one\n", "two\nthree\n"]);
        assert!(reader.read(&"0".repeat(40)).is_err());

        for (commit, has_second) in [(&first, false), (&last, true)] {
            put_worktree(&repo, "tree", commit).unwrap();
            assert_eq!(home.join("tree/b.rs").exists(), has_second);
        }
        for _ in 0..2 {
            remove_worktree(&repo, "tree").unwrap();
            assert!(!home.join("tree").exists());
        }
        std::fs::remove_dir_all(&home).unwrap();
    }

    #[test]
    fn an_entry_has_its_path_and_id() {
        assert_eq!(entry("100644 blob 12ab\ta b.rs"), Some(("a b.rs".to_owned(), "12ab".to_owned())));
        assert_eq!(entry(""), None);
    }
}
