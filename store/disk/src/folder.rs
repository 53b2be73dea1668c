//! A folder of a disk, through which the journal and the history open their files.

use crate::{Disk, Handle, Open, System};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder and the disk it lies on; cheap to clone.
#[derive(Clone)]
pub struct Folder {
    disk: Arc<dyn Disk>,
    path: Arc<Path>,
}

impl Folder {
    /// A folder of a disk, which need not exist yet.
    pub fn new(disk: Arc<dyn Disk>, path: impl Into<PathBuf>) -> Self {
        Self { disk, path: path.into().into() }
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A folder in this one.
    #[must_use]
    pub fn folder(&self, name: &str) -> Self {
        Self::new(Arc::clone(&self.disk), self.path.join(name))
    }

    /// Another folder of the same disk.
    #[must_use]
    pub fn elsewhere(&self, path: &Path) -> Self {
        Self::new(Arc::clone(&self.disk), path)
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Creates it if it is not there, and makes its name durable.
    pub fn create(&self) -> io::Result<()> {
        if self.disk.is_folder(&self.path) {
            return Ok(());
        }
        self.disk.create_folder(&self.path)?;
        match self.path.parent() {
            Some(parent) if parent != Path::new("") => self.disk.sync_names(parent),
            Some(_) | None => self.disk.sync_names(Path::new(".")),
        }
    }

    /// The names in it.
    pub fn names(&self) -> io::Result<Vec<String>> {
        self.disk.names(&self.path)
    }

    /// Opens a file of this disk.
    pub fn open(&self, path: &Path, how: Open) -> io::Result<Arc<dyn Handle>> {
        self.disk.open(path, how)
    }

    /// Reads a small file of this disk; `None` if it is not there.
    pub fn read(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        match self.disk.open(path, Open::Read).and_then(|file| file.read_whole()) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives a file of this disk another name.
    pub fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    /// Gives a file of this disk a second name.
    pub fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk.link(from, to)
    }

    /// Removes a file of this disk if it is there; `true` when it was.
    pub fn remove(&self, path: &Path) -> io::Result<bool> {
        match self.disk.remove(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Makes created, renamed and removed names durable.
    pub fn sync_names(&self) -> io::Result<()> {
        self.disk.sync_names(&self.path)
    }

    /// Bytes that could still be written in it.
    pub fn free(&self) -> io::Result<u64> {
        self.disk.free(&self.path)
    }

    /// Sixteen random bytes, unique and impossible to guess.
    pub fn draw(&self) -> io::Result<[u8; 16]> {
        self.disk.draw()
    }
}

impl fmt::Debug for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Folder({})", self.path.display())
    }
}

/// A folder of the system's own disk.
impl From<&Path> for Folder {
    fn from(path: &Path) -> Self {
        Self::new(Arc::new(System), path)
    }
}

/// A folder of the system's own disk.
impl From<&PathBuf> for Folder {
    fn from(path: &PathBuf) -> Self {
        path.as_path().into()
    }
}

impl From<&Self> for Folder {
    fn from(folder: &Self) -> Self {
        folder.clone()
    }
}
