//! Ephemeral data directories: removed at a clean exit, or by the next start of their kind after any other exit.
//!
//! A directory is removed only if it certainly is one that no process uses: it has the name, the owner and the mark, it holds
//! nothing that does not belong there, and neither its mark nor its journal is locked. One that was made and never marked has
//! been so for some time, has the mode too, and holds at most the unlocked beginning of its mark. All of this is checked on the
//! directory's own handle, and its content is removed through that handle, so that no link leads elsewhere.

mod handle;

use crate::trouble::Trouble;
use buttonwood_operate::SOCKET;
use buttonwood_sequencer::JOURNAL_DIR;
use handle::Handle;
use rustix::process::geteuid;
use std::ffi::{CStr, CString};
use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The beginning of their names; random letters follow.
const PREFIX: &str = "buttonwood-";
const LETTERS: usize = 6;
/// The file in each of them that is locked for as long as its process lives.
const MARK: &CStr = c"ephemeral";
/// The mark before it is locked.
const UNLOCKED_MARK: &CStr = c"ephemeral.tmp";
/// The content of the mark.
const MARKED: &[u8] = b"made by buttonwood --ephemeral, which removes it\n";
/// The age from which a directory without a mark will get none: a start writes it at once.
const UNMARKED_FOR: Duration = Duration::from_mins(10);
/// The entries that belong in such a directory.
const PARTS: [&str; 9] = [
    "ephemeral",
    "chains",
    JOURNAL_DIR,
    "history",
    "vault",
    "vault.log",
    "vault.key",
    "credentials.json",
    SOCKET,
];
/// The endings of a part whose writing was interrupted; earlier builds used the second.
const UNFINISHED: [&str; 2] = [".tmp", ".new"];

/// A fresh directory, removed when dropped.
#[derive(Debug)]
pub(crate) struct Ephemeral {
    path: PathBuf,
    place: Place,
    _alive: File,
}

/// An open directory and the name it has in its parent.
#[derive(Debug)]
struct Place {
    parent: Arc<Handle>,
    name: CString,
    dir: Handle,
}

/// A directory that no process uses, and the locks that keep it so.
struct Leftover {
    place: Place,
    _locks: Vec<File>,
}

impl Ephemeral {
    /// Creates a directory in `parent`. A thread removes the directories of ended processes, which may take longer than
    /// a start.
    pub(crate) fn make(parent: &Path) -> Result<Self, Trouble> {
        let trouble = |error| Trouble::Data(parent.to_owned(), error);
        let open = Arc::new(Handle::open(parent).map_err(trouble)?);
        if open.is_open_to_others() {
            return Err(Trouble::Flag(format!(
                "--ephemeral: other users may replace files in {}, which they may write and which is not sticky; \
                 set TMPDIR to a directory of your own",
                parent.display()
            )));
        }
        let made = Self::make_in(parent, Arc::clone(&open)).map_err(trouble)?;
        // A later start removes what this thread cannot.
        let _ = thread::Builder::new().name("leftovers".to_owned()).spawn(move || remove_leftovers(&open));
        Ok(made)
    }

    fn make_in(parent: &Path, open: Arc<Handle>) -> io::Result<Self> {
        let private = Permissions::from_mode(0o700);
        let made = tempfile::Builder::new()
            .prefix(PREFIX)
            .rand_bytes(LETTERS)
            .permissions(private)
            .tempdir_in(parent)?;
        let name = made.path().file_name().unwrap_or_default();
        let place = Place::open(open, CString::new(name.as_bytes())?)?;
        let mut alive = place.dir.create(UNLOCKED_MARK)?;
        alive.write_all(MARKED)?;
        // Without locks no start can see whether the directory is used, so it gets no mark and no start removes it.
        if alive.lock().is_ok() {
            place.dir.rename(UNLOCKED_MARK, MARK)?;
        }
        Ok(Self { path: made.keep(), place, _alive: alive })
    }

    /// The path of the directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Ephemeral {
    fn drop(&mut self) {
        if let Err(error) = self.place.remove() {
            tracing::warn!("the ephemeral directory {} is not removed: {error}", self.path.display());
        }
    }
}

impl Place {
    /// Opens an entry of `parent` that must be a directory of this user.
    fn open(parent: Arc<Handle>, name: CString) -> io::Result<Self> {
        let dir = parent.dir(&name)?;
        if dir.owner() != geteuid().as_raw() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user"));
        }
        Ok(Self { parent, name, dir })
    }

    /// Removes the directory; the mark goes last, so that a later start recognises what an interrupted removal leaves.
    fn remove(&self) -> io::Result<()> {
        if !self.parent.leads_to(&self.name, &self.dir) {
            return Err(io::Error::other("it was moved, or something else has its name"));
        }
        self.dir.clear(Some(MARK))?;
        match self.dir.remove_file(MARK) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        self.parent.remove_dir(&self.name)
    }
}

/// Keeps a directory that the user names with `--data`: one that a killed process left is no longer removed.
pub(crate) fn adopt(data: &Path) {
    if let Ok(dir) = Handle::open(data)
        && mark_of(&dir).is_some()
    {
        let _ = dir.remove_file(MARK);
    }
}

fn remove_leftovers(parent: &Arc<Handle>) {
    for name in parent.names().unwrap_or_default() {
        if let Some(leftover) = leftover(parent, name) {
            let _ = leftover.place.remove();
        }
    }
}

/// The entry `name`, if it is an ephemeral directory that no process uses.
fn leftover(parent: &Arc<Handle>, name: CString) -> Option<Leftover> {
    if name.to_str().ok()?.strip_prefix(PREFIX)?.len() != LETTERS {
        return None;
    }
    let place = Place::open(Arc::clone(parent), name).ok()?;
    if !has_only_parts(&place.dir) {
        return None;
    }
    let mut locks = match mark_of(&place.dir) {
        Some(mark) => vec![mark],
        None => beginning_of_mark(&place.dir)?,
    };
    let journal = CString::new(JOURNAL_DIR).ok()?;
    match place.dir.dir(&journal).and_then(|journal| journal.file(c"lock")) {
        Ok(lock) => locks.push(lock),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(_) => return None,
    }
    locks.iter().try_for_each(File::try_lock).ok()?;
    Some(Leftover { place, _locks: locks })
}

/// The mark of a directory, if it has one.
fn mark_of(dir: &Handle) -> Option<File> {
    let mark = dir.file(MARK).ok()?;
    (content(&mark)? == MARKED).then_some(mark)
}

/// The bytes of the mark, perhaps none, in a directory whose making was interrupted; none if it is no such directory.
fn beginning_of_mark(dir: &Handle) -> Option<Vec<File>> {
    if !dir.is_private() || dir.age() < UNMARKED_FOR {
        return None;
    }
    match dir.names().ok()?.as_slice() {
        [] => Some(Vec::new()),
        [name] if name.as_c_str() == UNLOCKED_MARK => {
            let begun = dir.file(UNLOCKED_MARK).ok()?;
            MARKED.starts_with(&content(&begun)?).then(|| vec![begun])
        }
        _ => None,
    }
}

fn content(file: &File) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    file.take(1_000).read_to_end(&mut content).ok()?;
    Some(content)
}

fn has_only_parts(dir: &Handle) -> bool {
    dir.names().is_ok_and(|names| names.iter().all(|name| name.to_str().is_ok_and(is_part)))
}

fn is_part(name: &str) -> bool {
    let whole = UNFINISHED.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    PARTS.contains(&whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::time::SystemTime;

    /// A parent with a leftover `buttonwood-abcdef` and with a directory `precious`.
    fn parent() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let parent = tempfile::tempdir().unwrap();
        let (left, precious) = (parent.path().join("buttonwood-abcdef"), parent.path().join("precious"));
        for folder in [left.join("journal"), precious.clone()] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(left.join("ephemeral"), MARKED).unwrap();
        fs::write(precious.join("thesis.txt"), "precious").unwrap();
        (parent, left, precious)
    }

    /// A link inside is removed itself, and its target stays.
    #[test]
    fn removal_follows_no_link_inside() {
        let (parent, left, precious) = parent();
        symlink(&precious, left.join("history")).unwrap();
        symlink(&precious, left.join("journal/more")).unwrap();
        remove_leftovers(&Arc::new(Handle::open(parent.path()).unwrap()));
        assert!(!left.exists());
        assert!(precious.join("thesis.txt").exists());
    }

    /// A directory whose process was killed before it had written the mark is removed once it is old. One with another
    /// mode, with other content or with a locked mark stays.
    #[test]
    fn what_was_never_marked_is_removed_once_it_is_old() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: &str, mode: u32, file: Option<(&str, &[u8])>| {
            let path = parent.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            if let Some((file, content)) = file {
                fs::write(path.join(file), content).unwrap();
            }
            path
        };
        let age = |path: &Path, minutes| {
            let time = SystemTime::now() - Duration::from_mins(minutes);
            File::open(path).unwrap().set_modified(time).unwrap();
        };
        let gone = [
            make("buttonwood-empty1", 0o700, None),
            make("buttonwood-begun1", 0o700, Some(("ephemeral.tmp", b""))),
            make("buttonwood-begun2", 0o700, Some(("ephemeral.tmp", MARKED))),
        ];
        let locked = make("buttonwood-locked", 0o700, Some(("ephemeral.tmp", MARKED)));
        let lock = File::open(locked.join("ephemeral.tmp")).unwrap();
        lock.lock().unwrap();
        let kept = [
            make("buttonwood-public", 0o755, None),
            make("buttonwood-others", 0o700, Some(("ephemeral.tmp", b"other"))),
            make("buttonwood-vaults", 0o700, Some(("vault", b""))),
            make("buttonwood-longer-name", 0o700, None),
            locked,
        ];
        let remove = || remove_leftovers(&Arc::new(Handle::open(parent.path()).unwrap()));
        for path in &gone {
            age(path, 9);
        }
        remove();
        assert!(gone.iter().all(|path| path.exists()), "they may get their mark yet");
        for path in gone.iter().chain(&kept) {
            age(path, 11);
        }
        remove();
        assert!(!gone.iter().any(|path| path.exists()) && kept.iter().all(|path| path.exists()));
    }

    /// An entry that takes a directory's name after the checks is not removed, nor is the directory that was moved.
    #[test]
    fn removal_follows_no_link_in_its_place() {
        let (parent, left, precious) = parent();
        let open = Arc::new(Handle::open(parent.path()).unwrap());
        let found = leftover(&open, c"buttonwood-abcdef".to_owned()).expect("it is one");
        let moved = parent.path().join("moved");
        fs::rename(&left, &moved).unwrap();
        symlink(&precious, &left).unwrap();
        assert!(found.place.remove().is_err());
        assert!(precious.join("thesis.txt").exists() && moved.join("journal").exists());
        assert!(leftover(&open, c"buttonwood-abcdef".to_owned()).is_none(), "a link is no leftover");
    }
}
