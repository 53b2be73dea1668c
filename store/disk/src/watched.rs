//! The system's disk with intercepted calls, for tests of events that no real disk produces on demand. Reads, writes,
//! syncs, reservations, renames, links and removals are intercepted; other calls, such as opening and listing, pass.

use crate::{Disk, Handle, LockMode, Open, System};
use std::fmt::Debug;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// An intercepted call on a file or a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call<'a> {
    /// Reads bytes.
    Read,
    /// Writes bytes.
    Write,
    /// Makes written bytes durable.
    Sync,
    /// Reserves this many bytes.
    Reserve(u64),
    /// Renames the file to this path.
    Rename(&'a Path),
    /// Gives the file this second name.
    Link(&'a Path),
    /// Removes the file.
    Remove,
    /// Makes the names of the folder durable.
    SyncNames,
}

/// Intercepts the calls of a [`Watched`] disk.
pub trait Warden: Debug + Send + Sync {
    /// Runs in place of each call; `act` makes the call. It may make the call, delay it, or refuse it.
    ///
    /// # Errors
    /// The error that the caller gets.
    fn around(&self, path: &Path, call: Call<'_>, act: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()>;

    /// Bytes that could still be written in a folder.
    ///
    /// # Errors
    /// As [`Disk::free`].
    fn free(&self, folder: &Path) -> io::Result<u64> {
        System.free(folder)
    }
}

/// The system's disk with intercepted calls.
#[derive(Clone, Debug)]
pub struct Watched(Arc<dyn Warden>);

impl Watched {
    /// The system's disk, with its calls intercepted by `warden`.
    pub fn by(warden: impl Warden + 'static) -> Self {
        Self(Arc::new(warden))
    }
}

impl Disk for Watched {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        System.create_folder(path)
    }

    fn is_folder(&self, path: &Path) -> bool {
        System.is_folder(path)
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        System.names(folder)
    }

    fn open(&self, path: &Path, how: Open) -> io::Result<Arc<dyn Handle>> {
        let inner = System.open(path, how)?;
        Ok(Arc::new(File { inner, path: path.into(), warden: Arc::clone(&self.0) }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.around(from, Call::Rename(to), &mut || System.rename(from, to))
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.around(from, Call::Link(to), &mut || System.link(from, to))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.around(path, Call::Remove, &mut || System.remove(path))
    }

    fn sync_names(&self, folder: &Path) -> io::Result<()> {
        self.0.around(folder, Call::SyncNames, &mut || System.sync_names(folder))
    }

    fn free(&self, folder: &Path) -> io::Result<u64> {
        self.0.free(folder)
    }

    fn draw(&self) -> io::Result<[u8; 16]> {
        System.draw()
    }
}

#[derive(Debug)]
struct File {
    inner: Arc<dyn Handle>,
    path: Box<Path>,
    warden: Arc<dyn Warden>,
}

impl File {
    fn around(&self, call: Call<'_>, act: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()> {
        self.warden.around(&self.path, call, act)
    }
}

impl Handle for File {
    fn read_at(&self, room: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut read = 0;
        let mut act = || self.inner.read_at(room, offset).map(|count| read = count);
        self.around(Call::Read, &mut act)?;
        Ok(read)
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.around(Call::Write, &mut || self.inner.write_all_at(bytes, offset))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.around(Call::Sync, &mut || self.inner.sync_data())
    }

    fn sync_all(&self) -> io::Result<()> {
        self.around(Call::Sync, &mut || self.inner.sync_all())
    }

    fn set_len(&self, bytes: u64) -> io::Result<()> {
        self.inner.set_len(bytes)
    }

    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.around(Call::Reserve(bytes), &mut || self.inner.reserve(bytes))
    }

    fn drop_cache(&self) -> io::Result<()> {
        self.inner.drop_cache()
    }

    fn bypass_cache(&self, bypass: bool) -> io::Result<bool> {
        self.inner.bypass_cache(bypass)
    }

    fn try_lock(&self, hold: LockMode) -> io::Result<bool> {
        self.inner.try_lock(hold)
    }
}
