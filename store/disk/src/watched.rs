//! The system's disk with somebody at its door: for tests of what no real disk does on demand. Opening, listing and
//! measuring pass unasked.

use crate::{Disk, Handle, Hold, Open, System};
use std::fmt::Debug;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// What is asked of a file or a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call<'a> {
    /// Its bytes.
    Read,
    /// To hold bytes.
    Write,
    /// To make what was written durable.
    Sync,
    /// To have so many bytes to itself.
    Reserve(u64),
    /// To have this name instead.
    Rename(&'a Path),
    /// To be gone.
    Remove,
    /// To make its names durable.
    SyncNames,
}

/// Who stands there.
pub trait Warden: Debug + Send + Sync {
    /// Is told of a call before it is made, and may let it be made, or not.
    ///
    /// # Errors
    /// Whatever the caller is to be told.
    fn around(&self, path: &Path, call: Call<'_>, act: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()>;

    /// Bytes that could still be written in a folder.
    ///
    /// # Errors
    /// As [`Disk::free`].
    fn free(&self, folder: &Path) -> io::Result<u64> {
        System.free(folder)
    }
}

/// The disk.
#[derive(Clone, Debug)]
pub struct Watched(Arc<dyn Warden>);

impl Watched {
    /// The system's disk, watched by somebody.
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

    fn try_lock(&self, hold: Hold) -> io::Result<bool> {
        self.inner.try_lock(hold)
    }
}
