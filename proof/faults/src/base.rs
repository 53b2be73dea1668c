//! A stopped directory to damage, copies of it, and their content.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _};
use std::path::{Path, PathBuf};

use crate::load::Load;
use crate::oracle::Scope;
use crate::round::{Round, verified};

/// A stopped directory, and the facts that its load knows.
pub struct Base {
    /// The directory itself.
    pub data: PathBuf,
    /// The load and the answers it got.
    pub load: Load,
    /// A copy from the middle of the last run, with the exchange idle; its newest segment grew after that.
    pub old: PathBuf,
    /// Another exchange's directory, stopped.
    pub other: PathBuf,
}

impl Base {
    /// Founds the exchange, loads it, stops it, continues, and stops or kills it.
    pub fn make(round: &mut Round) -> Self {
        let (data, old, other) = (round.data(), round.dir.join("old"), round.dir.join("other"));
        let x = round.start(&other);
        round.load(&x).run_out(&x, 12);
        x.stop();
        let x = round.start(&data);
        let mut load = round.load(&x);
        load.run_out(&x, 15);
        x.stop();
        drop(x);
        let x = round.start(&data);
        load.run_out(&x, 2);
        copy(&data, &old);
        load.run_out(&x, 4);
        if round.draw.chance(50) {
            x.stop();
        } else {
            x.kill9();
        }
        drop(x);
        verified(&data);
        let mut base = Self { data, load, old, other };
        base.settle(round);
        base
    }

    /// Resolves on a copy what the kill left uncertain; the directory itself stays as the kill left it.
    fn settle(&mut self, round: &mut Round) {
        let copied = round.dir.join("settled");
        copy(&self.data, &copied);
        let x = round.start(&copied);
        let compared = self.load.check(&x, Scope::All);
        round.count("orders compared", compared);
        x.kill9();
        fs::remove_dir_all(&copied).expect("a directory can be removed");
    }

    /// A fresh copy to damage.
    pub fn copy(&self, round: &Round) -> PathBuf {
        let copied = round.dir.join("damaged");
        let _ = fs::remove_dir_all(&copied);
        copy(&self.data, &copied);
        copied
    }
}

/// The offset after the last non-zero byte.
pub fn held(path: &Path) -> usize {
    let bytes = fs::read(path).expect("a file can be read");
    bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
}

/// All files below a folder, by their relative paths, sorted.
pub fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(dir.join(&folder)).expect("a directory can be read") {
            let entry = entry.expect("an entry can be read");
            let path = folder.join(entry.file_name());
            // The socket of a process that was killed is no file.
            match entry.file_type().expect("an entry has a type") {
                kind if kind.is_dir() => folders.push(path),
                kind if kind.is_socket() => {}
                _ => found.push(path),
            }
        }
    }
    found.sort();
    found
}

/// All files that a refused start must leave unchanged. History and unfinished files are rebuilt from the journal, so
/// they may be cut and removed.
pub fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let read = |file: PathBuf| {
        let bytes = fs::read(dir.join(&file)).expect("a file can be read");
        (file, bytes)
    };
    let is_derived = |file: &PathBuf| {
        file.starts_with("history") || file.extension().is_some_and(|ending| ending == "tmp")
    };
    files(dir).into_iter().filter(|file| !is_derived(file)).map(read).collect()
}

/// Files that are only in one, or differ.
pub fn differ(before: &BTreeMap<PathBuf, Vec<u8>>, after: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<PathBuf> {
    let all = before.keys().chain(after.keys());
    let mut changed: Vec<PathBuf> =
        all.filter(|file| before.get(*file) != after.get(*file)).cloned().collect();
    changed.dedup();
    changed
}

/// Copies a whole directory.
pub fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let target = to.join(&file);
        // A data directory that other users may write is refused.
        let folders = target.parent().expect("a file lies in a folder");
        DirBuilder::new().recursive(true).mode(0o700).create(folders).expect("a folder can be made");
        fs::copy(from.join(&file), &target).expect("a file can be copied");
    }
}
