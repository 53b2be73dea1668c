//! Data directories that nobody looks for again: removed at a clean exit, and after any other by the next start of their kind.
//!
//! What is removed must be beyond doubt such a directory, and nobody's any more: it has the name, the owner and the mark, nothing lies
//! in it that does not belong there, and neither its mark nor its journal is locked.

use buttonwood_sequencer::JOURNAL_DIR;
use std::fs::{self, DirEntry, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;

/// What their names begin with; some letters follow.
const PREFIX: &str = "buttonwood-";
const LETTERS: usize = 6;
/// A file in each of them, locked for as long as its process lives: under this name it always is.
const MARK: &str = "ephemeral";
/// What is in it.
const MARKED: &[u8] = b"made by buttonwood --ephemeral, which removes it\n";
/// What belongs in such a directory, whole or as `.tmp` still in the making.
const PARTS: [&str; 6] = [MARK, JOURNAL_DIR, "history", "vault", "vault.key", "credentials.json"];

/// A fresh directory, removed when dropped.
#[derive(Debug)]
pub(crate) struct Ephemeral {
    dir: PathBuf,
    _alive: File,
}

/// One that no process uses, and what keeps any from using it.
struct Leftover {
    dir: PathBuf,
    _locks: (File, Option<File>),
}

impl Ephemeral {
    /// Makes one in `parent`. Those whose processes have ended are removed meanwhile: that may take longer than a start.
    pub(crate) fn make(parent: &Path) -> io::Result<Self> {
        let private = Permissions::from_mode(0o700);
        let dir = tempfile::Builder::new()
            .prefix(PREFIX)
            .rand_bytes(LETTERS)
            .permissions(private)
            .tempdir_in(parent)?;
        let unnamed = dir.path().join("ephemeral.tmp");
        let mut alive = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unnamed)?;
        alive.write_all(MARKED)?;
        // Where there are no locks, nobody can tell whether it is used, and nobody removes it.
        if alive.lock().is_ok() {
            fs::rename(&unnamed, dir.path().join(MARK))?;
        }
        let (parent, owner) = (parent.to_owned(), alive.metadata()?.uid());
        // What cannot be removed now, a later start may.
        let _ = thread::Builder::new()
            .name("leftovers".to_owned())
            .spawn(move || remove_leftovers(&parent, owner));
        Ok(Self { dir: dir.keep(), _alive: alive })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.dir
    }
}

impl Drop for Ephemeral {
    fn drop(&mut self) {
        // What is left of it, a later start removes.
        let _ = remove(&self.dir);
    }
}

/// Makes a directory that somebody names his own: it may be what a killed process left, and is not to be removed any more.
pub(crate) fn adopt(data: &Path) {
    if is_marked(data) {
        let _ = fs::remove_file(data.join(MARK));
    }
}

fn remove_leftovers(parent: &Path, owner: u32) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if let Some(leftover) = leftover(&entry, owner) {
            let _ = remove(&leftover.dir);
        }
    }
}

/// Whether the owner's directory is one that no process uses.
fn leftover(entry: &DirEntry, owner: u32) -> Option<Leftover> {
    let name = entry.file_name();
    let is_named = name.to_str()?.strip_prefix(PREFIX)?.len() == LETTERS;
    // A link that leads elsewhere is none.
    let found = entry.metadata().ok()?;
    let dir = entry.path();
    if !is_named || !found.is_dir() || found.uid() != owner || !is_marked(&dir) || !has_only_parts(&dir) {
        return None;
    }
    let mark = File::open(dir.join(MARK)).ok()?;
    mark.try_lock().ok()?;
    let journal = match File::open(dir.join(JOURNAL_DIR).join("lock")) {
        Ok(lock) => {
            lock.try_lock().ok()?;
            Some(lock)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(_) => return None,
    };
    Some(Leftover { dir, _locks: (mark, journal) })
}

/// Whether the mark is there, and ours.
fn is_marked(dir: &Path) -> bool {
    let mark = dir.join(MARK);
    // Not opened before it is known to be a file: to open some other things takes for ever.
    if !fs::symlink_metadata(&mark).is_ok_and(|found| found.is_file()) {
        return false;
    }
    let mut marked = Vec::new();
    let read = File::open(mark).and_then(|file| file.take(1_000).read_to_end(&mut marked));
    read.is_ok() && marked == MARKED
}

fn has_only_parts(dir: &Path) -> bool {
    let Ok(mut entries) = fs::read_dir(dir) else { return false };
    entries.all(|entry| entry.is_ok_and(|entry| entry.file_name().to_str().is_some_and(is_part)))
}

fn is_part(name: &str) -> bool {
    PARTS.contains(&name.strip_suffix(".tmp").unwrap_or(name))
}

/// Removes one; what tells that it is one goes last, should this be interrupted.
fn remove(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if entry.file_name() != MARK {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir_all(dir)
}
