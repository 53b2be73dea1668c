//! What the exchange asks of a disk: the few calls that the journal and the history make, each as narrow as its use.
//!
//! There are two disks: [`System`], and the simulator's, which loses, tears and reorders what was not synced. Nothing
//! above this room can tell them apart, so what survives the one survives the other. Tests also watch the system's.
//! Small files that the simulator has no part in, such as the vault's, are put on the system's disk with [`replace`].
//!
//! Not here: when to sync, and what to do when a call fails (`store/journal`).

mod folder;
mod replace;
mod system;
#[cfg(feature = "watched")]
pub mod watched;

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
    Keep,
    /// For reading and writing, empty; created if it is not there.
    Fresh,
}

/// Who else may hold the lock of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Nobody.
    Alone,
    /// Whoever only reads.
    Shared,
}

/// A disk: names of files and folders, as of the calls so far. Names become durable with [`Disk::sync_names`].
pub trait Disk: Debug + Send + Sync {
    /// Creates a folder and those above it.
    fn create_folder(&self, path: &Path) -> io::Result<()>;

    /// Whether there is a folder.
    fn is_folder(&self, path: &Path) -> bool;

    /// The names in a folder, without those that are not text: they are not ours.
    fn names(&self, folder: &Path) -> io::Result<Vec<String>>;

    /// Opens a file.
    fn open(&self, path: &Path, how: Open) -> io::Result<Arc<dyn Handle>>;

    /// Gives a file another name, in place of whatever had it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file's name.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes created, renamed and removed names of a folder durable.
    fn sync_names(&self, folder: &Path) -> io::Result<()>;

    /// Bytes that could still be written in a folder.
    fn free(&self, folder: &Path) -> io::Result<u64>;

    /// Sixteen bytes that nobody else has or can guess.
    fn draw(&self) -> io::Result<[u8; 16]>;
}

/// An open file. Its content becomes durable with [`Handle::sync_data`] or [`Handle::sync_all`].
pub trait Handle: Debug + Send + Sync {
    /// Reads up to as many bytes as there is room for; 0 only at the end of the file.
    fn read_at(&self, room: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes all bytes; the file grows if it must.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Makes content and length durable.
    fn sync_data(&self) -> io::Result<()>;

    /// As [`Handle::sync_data`], with everything else that is known of the file.
    fn sync_all(&self) -> io::Result<()>;

    /// Cuts the file, or lengthens it with zeros.
    fn set_len(&self, bytes: u64) -> io::Result<()>;

    /// Length in bytes.
    fn len(&self) -> io::Result<u64>;

    /// Whether the file holds nothing.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Reserves so many bytes for the file, where the file system can; new ones are zero.
    fn reserve(&self, bytes: u64) -> io::Result<()>;

    /// Drops what is cached of the file, as far as the disk has it.
    fn drop_cache(&self) -> io::Result<()>;

    /// Makes the next reads come from the disk: what is dirty is flushed, what is cached is dropped. A cache may show
    /// bytes whose write-back failed.
    ///
    /// # Errors
    /// Whatever the disk says twice. A sync may tell of a write that failed before this process was there: such an error
    /// is told once, and means no more than that the cache must go.
    fn distrust_cache(&self) -> io::Result<()> {
        self.sync_all().or_else(|_| self.sync_all())?;
        self.drop_cache()
    }

    /// Lets writes pass the page cache, or no longer; `false` where the file system cannot. Such writes begin and end on
    /// a block of 4 KiB, in the file and in memory.
    fn bypass_cache(&self, bypass: bool) -> io::Result<bool>;

    /// Takes the file's lock until the handle is dropped; `false` when somebody else has it.
    fn try_lock(&self, hold: Hold) -> io::Result<bool>;

    /// Reads exactly as many bytes as there is room for.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] when the file ends before; whatever [`Handle::read_at`] says.
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
