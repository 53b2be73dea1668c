//! The exchange's interface to a disk: the few calls that the journal and the history make, each as narrow as its use.
//!
//! There are two disks: [`System`], and the simulator's, which loses, tears and reorders what was not synced. The rooms
//! above cannot distinguish them, so code that survives the simulator's disk survives the system's. Tests also
//! intercept the calls to the system's disk. Small files that are only ever replaced whole, such as the vault's base, are
//! written with [`replace`].
//!
//! Not here: when to sync, and what to do when a call fails (`store/journal`).

mod copy;
mod folder;
mod replace;
mod system;
#[cfg(feature = "watched")]
pub mod watched;

pub use copy::copy_start;
pub use folder::Folder;
pub use replace::{ReplaceError, replace};
pub use system::System;

use std::fmt::Debug;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// For reading; it must be there.
    Read,
    /// For reading and writing, as it is; created if it is not there.
    ReadWrite,
    /// For reading and writing, empty; created if it is not there.
    Truncate,
    /// For reading and writing; it must not be there yet, not even as a link.
    New,
}

/// Which other handles may hold the lock of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockMode {
    /// None.
    Exclusive,
    /// Those that hold it shared too.
    Shared,
}

/// A disk: names of files and folders, as of the calls so far. Names become durable with [`Disk::sync_names`].
pub trait Disk: Debug + Send + Sync {
    /// Creates a folder and those above it.
    fn create_folder(&self, path: &Path) -> io::Result<()>;

    /// Whether there is a folder.
    fn is_folder(&self, path: &Path) -> bool;

    /// The names in a folder. Names that are not text are left out, since the exchange makes none.
    fn names(&self, folder: &Path) -> io::Result<Vec<String>>;

    /// Opens a file.
    fn open(&self, path: &Path, how: Open) -> io::Result<Arc<dyn Handle>>;

    /// Renames a file. A file that has the new name is replaced.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Gives a file a second name, in another folder too. A name that is taken is refused.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file's name.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes created, renamed and removed names of a folder durable.
    fn sync_names(&self, folder: &Path) -> io::Result<()>;

    /// Bytes that could still be written in a folder.
    fn free(&self, folder: &Path) -> io::Result<u64>;

    /// Sixteen random bytes, unique and impossible to guess.
    fn draw(&self) -> io::Result<[u8; 16]>;
}

/// An open file. Its content becomes durable with [`Handle::sync_data`] or [`Handle::sync_all`].
pub trait Handle: Debug + Send + Sync {
    /// Reads into `room` and returns the number of bytes; 0 only at the end of the file.
    fn read_at(&self, room: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes all bytes; the file grows if it must.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Makes content and length durable.
    fn sync_data(&self) -> io::Result<()>;

    /// As [`Handle::sync_data`], with all other metadata of the file.
    fn sync_all(&self) -> io::Result<()>;

    /// Cuts the file, or lengthens it with zeros.
    fn set_len(&self, bytes: u64) -> io::Result<()>;

    /// Length in bytes.
    fn len(&self) -> io::Result<u64>;

    /// Whether the file holds nothing.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Reserves this many bytes for the file, where the file system can; new ones are zero.
    fn reserve(&self, bytes: u64) -> io::Result<()>;

    /// Drops cached bytes of the file that the disk already has.
    fn drop_cache(&self) -> io::Result<()>;

    /// Makes the next reads come from the disk: flushes dirty bytes, and drops cached ones. A cache may show bytes
    /// whose write-back failed.
    ///
    /// # Errors
    /// An error that a second sync repeats. The first sync may report a write that failed before this process started;
    /// such an error is reported once, and means only that the cache must be dropped.
    fn distrust_cache(&self) -> io::Result<()> {
        self.sync_all().or_else(|_| self.sync_all())?;
        self.drop_cache()
    }

    /// Lets writes bypass the page cache, or no longer; `false` where the file system cannot. Such writes begin and end
    /// at a multiple of 4 KiB, in the file and in memory.
    fn bypass_cache(&self, bypass: bool) -> io::Result<bool>;

    /// Takes the file's lock until the handle is dropped; `false` if another handle has it.
    fn try_lock(&self, hold: LockMode) -> io::Result<bool>;

    /// Fills all of `room`.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if the file ends earlier; any error of [`Handle::read_at`].
    fn read_exact_at(&self, mut room: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !room.is_empty() {
            match self.read_at(room, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    room = room.get_mut(count..).unwrap_or_default();
                    offset += u64::try_from(count).expect("a length fits in 64 bits");
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads a file that is known to be small.
    ///
    /// # Errors
    /// As [`Handle::read_exact_at`].
    fn read_whole(&self) -> io::Result<Vec<u8>> {
        let len = usize::try_from(self.len()?).map_err(io::Error::other)?;
        let mut bytes = vec![0; len];
        self.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }
}
