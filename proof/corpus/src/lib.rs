//! The corpus of data directories: whole ones, as earlier builds left them, which every later build must read to the same
//! state.
//!
//! `directories/NAME` is a directory; `directories/NAME.txt` holds the fingerprint and the text dump of its state. The test
//! `replay` compares both, with the directory's snapshots and without them. A directory is never changed once it is committed:
//! `cargo xtask corpus NAME` makes a new one, and adds its line to `directories.sha256`.

mod dump;
mod list;
mod make;

pub use dump::dump;
pub use list::{LIST, found, listed};
pub use make::{RECIPES, described, make};

use std::fs::Permissions;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt};
use std::path::{Path, PathBuf};

/// Where the directories lie.
pub fn directories() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("directories")
}

/// The names of all directories, sorted.
///
/// # Panics
/// When the folder cannot be read.
pub fn names() -> Vec<String> {
    let entries = std::fs::read_dir(directories()).expect("the corpus can be read");
    let folders = entries.map(|entry| entry.expect("an entry")).filter(|entry| entry.path().is_dir());
    let mut names: Vec<_> =
        folders.map(|entry| entry.file_name().into_string().expect("a plain name")).collect();
    names.sort();
    names
}

/// Copies a directory, for its owner alone. The ballast, sockets and files that were never finished are left out.
///
/// # Panics
/// When a file cannot be read or written.
pub fn copy(from: &Path, to: &Path) {
    let own =
        |path: &Path, mode| std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
    std::fs::create_dir_all(to).expect("a folder");
    own(to, 0o700);
    for entry in std::fs::read_dir(from).expect("a folder to copy") {
        let entry = entry.expect("an entry");
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let is_socket = entry.file_type().expect("an entry has a type").is_socket();
        if is_socket {
            continue;
        }
        if path.is_dir() {
            copy(&path, &target);
        } else if path.extension().is_none_or(|ending| ending != "tmp") && entry.file_name() != "ballast" {
            std::fs::copy(&path, &target).expect("a copy");
            own(&target, 0o600);
        }
    }
}
