//! The list of all directories: a line for each, with the hash of its text and its files. A directory that was removed, changed
//! or made anew no longer fits its line.

use crate::{directories, names};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the list is.
pub const LIST: &str = "proof/corpus/directories.sha256";

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("directories.sha256")
}

/// The lines of the list, sorted by name.
///
/// # Panics
/// When the list cannot be read.
pub fn listed() -> Vec<String> {
    fs::read_to_string(path()).expect("the list can be read").lines().map(str::to_owned).collect()
}

/// The list as it should be.
///
/// # Panics
/// When a file cannot be read.
pub fn found() -> Vec<String> {
    names().iter().map(|name| line(name)).collect()
}

/// Whether the list has a directory of this name.
pub(crate) fn has(name: &str) -> bool {
    listed().iter().any(|line| named(line) == name)
}

/// Adds the line of a directory. The other lines stay as they are.
pub(crate) fn add(name: &str) {
    let mut lines = listed();
    let at = lines.partition_point(|line| named(line) < name);
    lines.insert(at, line(name));
    fs::write(path(), lines.join("\n") + "\n").expect("the list can be written");
}

fn named(line: &str) -> &str {
    line.split_once("  ").map_or("", |(_, name)| name)
}

fn line(name: &str) -> String {
    let home = directories();
    let text = format!("{name}.txt");
    let mut files = vec![home.join(text)];
    add_files(&home.join(name), &mut files);
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        let bytes = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let below = file.strip_prefix(&home).expect("a file of the corpus").to_str().expect("a plain name");
        // With their lengths, so that no bytes pass from one file to the next.
        hash.update(format!("{below} {}\n", bytes.len()));
        hash.update(bytes);
    }
    let digits = hash.finalize().iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    });
    format!("{digits}  {name}")
}

fn add_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            add_files(&path, files);
        } else {
            files.push(path);
        }
    }
}
