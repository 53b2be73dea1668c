//! Data directories that nobody looks for again: removed at a clean exit, and after any other by the next start of their kind.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use tempfile::TempDir;

/// What their names begin with.
const PREFIX: &str = "buttonwood-";
/// A file in each of them, locked for as long as its process lives: under this name it always is.
const ALIVE: &str = "ephemeral";

/// A fresh directory, removed when dropped.
#[derive(Debug)]
pub(crate) struct Ephemeral {
    dir: TempDir,
    _alive: File,
}

impl Ephemeral {
    /// Makes one in `parent`. Those whose processes have ended are removed meanwhile: that may take longer than a start.
    pub(crate) fn make(parent: &Path) -> io::Result<Self> {
        let dir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let unnamed = dir.path().join("ephemeral.tmp");
        let alive = File::create_new(&unnamed)?;
        // Where there are no locks, nobody can tell whether it is used, and nobody removes it.
        if alive.lock().is_ok() {
            fs::rename(&unnamed, dir.path().join(ALIVE))?;
        }
        let (parent, owner) = (parent.to_owned(), alive.metadata()?.uid());
        // What cannot be removed now, a later start may.
        let _ = thread::Builder::new()
            .name("leftovers".to_owned())
            .spawn(move || leftovers(&parent, owner).for_each(|dir| drop(remove(&dir))));
        Ok(Self { dir, _alive: alive })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// The owner's directories of this kind that no process uses.
fn leftovers(parent: &Path, owner: u32) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    // A link that leads elsewhere is none.
    let own =
        named.filter(move |entry| entry.metadata().is_ok_and(|found| found.is_dir() && found.uid() == owner));
    own.map(|entry| entry.path()).filter(|dir| {
        let alive = File::open(dir.join(ALIVE));
        alive.is_ok_and(|alive| alive.try_lock().is_ok())
    })
}

/// Removes one; what tells that it is one goes last, should this be interrupted.
fn remove(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if entry.file_name() != ALIVE {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir_all(dir)
}
