//! The system's disk with counted bytes, which fails at a chosen call.

use buttonwood_disk::{Disk, Folder, Handle, LockMode, Open, System};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The event at the chosen call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It fails, a write after half of its bytes; so does every later one, as in a process that was killed.
    Kill,
    /// It fails once, a write after half of its bytes.
    Error,
    /// It is made, and then fails once.
    Late,
}

#[derive(Debug, Default)]
struct Meter {
    read: usize,
    written: usize,
    calls: usize,
    fuse: Option<(usize, Trouble)>,
    is_dead: bool,
}

/// The disk; clones are the same one.
#[derive(Clone, Debug, Default)]
pub(super) struct Metered(Arc<Mutex<Meter>>);

/// The end of a call.
enum Fate {
    Made,
    Half,
    Late,
    Never,
}

impl Metered {
    pub(super) fn folder(&self, path: &Path) -> Folder {
        Folder::new(Arc::new(self.clone()), path)
    }

    /// Lets the `after`-th changing call from now on (0 is the next) meet trouble.
    pub(super) fn arm(&self, after: usize, trouble: Trouble) {
        let mut meter = self.0.lock().unwrap();
        meter.fuse = Some((meter.calls + after, trouble));
    }

    /// Whether the trouble has come; there is none afterwards.
    pub(super) fn disarm(&self) -> bool {
        let mut meter = self.0.lock().unwrap();
        meter.is_dead = false;
        meter.fuse.take().is_none()
    }

    /// Bytes that were read and written since the last call of this.
    pub(super) fn bytes(&self) -> [usize; 2] {
        let mut meter = self.0.lock().unwrap();
        [std::mem::take(&mut meter.read), std::mem::take(&mut meter.written)]
    }

    fn fate(&self) -> Fate {
        let mut meter = self.0.lock().unwrap();
        let now = meter.calls;
        meter.calls += 1;
        if meter.is_dead {
            return Fate::Never;
        }
        match meter.fuse.take_if(|(at, _)| *at == now) {
            None => Fate::Made,
            Some((_, Trouble::Kill)) => {
                meter.is_dead = true;
                Fate::Half
            }
            Some((_, Trouble::Error)) => Fate::Half,
            Some((_, Trouble::Late)) => Fate::Late,
        }
    }

    fn change(&self, act: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        match self.fate() {
            Fate::Made => act(),
            Fate::Half | Fate::Never => Err(broken()),
            Fate::Late => act().and_then(|()| Err(broken())),
        }
    }
}

fn broken() -> io::Error {
    io::Error::from_raw_os_error(5)
}

impl Disk for Metered {
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
        if how != Open::Read {
            self.change(|| Ok(()))?;
        }
        Ok(Arc::new(File { inner: System.open(path, how)?, disk: self.clone() }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.change(|| System.rename(from, to))
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.change(|| System.link(from, to))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.change(|| System.remove(path))
    }

    fn sync_names(&self, folder: &Path) -> io::Result<()> {
        self.change(|| System.sync_names(folder))
    }

    fn free(&self, folder: &Path) -> io::Result<u64> {
        System.free(folder)
    }

    fn draw(&self) -> io::Result<[u8; 16]> {
        System.draw()
    }
}

#[derive(Debug)]
struct File {
    inner: Arc<dyn Handle>,
    disk: Metered,
}

impl Handle for File {
    fn read_at(&self, room: &mut [u8], offset: u64) -> io::Result<usize> {
        if self.disk.0.lock().unwrap().is_dead {
            return Err(broken());
        }
        let count = self.inner.read_at(room, offset)?;
        self.disk.0.lock().unwrap().read += count;
        Ok(count)
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.disk.0.lock().unwrap().written += bytes.len();
        match self.disk.fate() {
            Fate::Made => self.inner.write_all_at(bytes, offset),
            Fate::Half => {
                self.inner.write_all_at(&bytes[..bytes.len() / 2], offset).and_then(|()| Err(broken()))
            }
            Fate::Late => self.inner.write_all_at(bytes, offset).and_then(|()| Err(broken())),
            Fate::Never => Err(broken()),
        }
    }

    fn sync_data(&self) -> io::Result<()> {
        self.disk.change(|| self.inner.sync_data())
    }

    fn sync_all(&self) -> io::Result<()> {
        self.disk.change(|| self.inner.sync_all())
    }

    fn set_len(&self, bytes: u64) -> io::Result<()> {
        self.disk.change(|| self.inner.set_len(bytes))
    }

    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.inner.reserve(bytes)
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
