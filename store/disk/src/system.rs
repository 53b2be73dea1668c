//! The disk of the system the exchange runs on.

use crate::{Disk, Handle, LockMode, Open};
use rustix::fs::{Advice, FallocateFlags, OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

/// The files and folders that the operating system shows.
#[derive(Clone, Copy, Debug)]
pub struct System;

impl Disk for System {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            names.extend(entry?.file_name().into_string());
        }
        Ok(names)
    }

    fn open(&self, path: &Path, how: Open) -> io::Result<Arc<dyn Handle>> {
        let mut options = OpenOptions::new();
        options.read(true);
        if how != Open::Read {
            // Only the owner may read it, even in a folder that others may enter: it holds the orders and balances of
            // all accounts.
            options
                .write(true)
                .create(true)
                .truncate(how == Open::Truncate)
                .create_new(how == Open::New)
                .mode(0o600);
        }
        Ok(Arc::new(options.open(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::hard_link(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_names(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }

    fn free(&self, folder: &Path) -> io::Result<u64> {
        let space = rustix::fs::statvfs(folder)?;
        Ok(space.f_bavail.saturating_mul(space.f_frsize))
    }

    fn draw(&self) -> io::Result<[u8; 16]> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(bytes)
    }
}

impl Handle for File {
    fn read_at(&self, room: &mut [u8], offset: u64) -> io::Result<usize> {
        match FileExt::read_at(self, room, offset) {
            // A pipe has no offsets: it is read from its beginning to its end.
            Err(error) if error.raw_os_error() == Some(Errno::SPIPE.raw_os_error()) => {
                io::Read::read(&mut &*self, room)
            }
            read => read,
        }
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        FileExt::write_all_at(self, bytes, offset)
    }

    fn sync_data(&self) -> io::Result<()> {
        Self::sync_data(self)
    }

    fn sync_all(&self) -> io::Result<()> {
        Self::sync_all(self)
    }

    fn set_len(&self, bytes: u64) -> io::Result<()> {
        Self::set_len(self, bytes)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        match rustix::fs::fallocate(self, FallocateFlags::empty(), 0, bytes) {
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn drop_cache(&self) -> io::Result<()> {
        Ok(rustix::fs::fadvise(self, 0, None, Advice::DontNeed)?)
    }

    fn bypass_cache(&self, bypass: bool) -> io::Result<bool> {
        let flags = fcntl_getfl(self)?;
        let wanted = if bypass { flags | OFlags::DIRECT } else { flags - OFlags::DIRECT };
        match fcntl_setfl(self, wanted) {
            Ok(()) => Ok(true),
            Err(_) if bypass => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn try_lock(&self, hold: LockMode) -> io::Result<bool> {
        let outcome = match hold {
            LockMode::Exclusive => Self::try_lock(self),
            LockMode::Shared => Self::try_lock_shared(self),
        };
        match outcome {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Opening keeps or empties an existing file, as the mode says; a file opened for reading must exist.
    #[test]
    fn opens_as_it_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        assert_eq!(System.open(&path, Open::Read).unwrap_err().kind(), io::ErrorKind::NotFound);
        System.open(&path, Open::ReadWrite).unwrap().write_all_at(b"bytes", 0).unwrap();
        let kept = System.open(&path, Open::ReadWrite).unwrap();
        assert_eq!(kept.read_whole().unwrap(), b"bytes");
        let mut long = [0; 6];
        assert_eq!(kept.read_exact_at(&mut long, 0).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(System.open(&path, Open::Truncate).unwrap().is_empty().unwrap());
        assert_eq!(System.open(&path, Open::New).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert!(System.open(&dir.path().join("new"), Open::New).unwrap().is_empty().unwrap());
    }

    /// Only the owner may read a new file or enter a new folder, regardless of the parent's permissions.
    #[test]
    fn what_is_made_is_its_owners_alone() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("outer").join("inner");
        System.create_folder(&inner).unwrap();
        for folder in [inner.parent().unwrap(), &inner] {
            assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
        }
        for how in [Open::ReadWrite, Open::Truncate, Open::New] {
            let path = dir.path().join(format!("{how:?}"));
            System.open(&path, how).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    /// A lock has one exclusive holder or many shared ones, and dropping the handle releases it.
    #[test]
    fn locks_until_it_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let [first, second] = [(); 2].map(|()| System.open(&path, Open::ReadWrite).unwrap());
        assert!(first.try_lock(LockMode::Exclusive).unwrap());
        assert!(!second.try_lock(LockMode::Exclusive).unwrap());
        assert!(!second.try_lock(LockMode::Shared).unwrap());
        drop(first);
        assert!(second.try_lock(LockMode::Shared).unwrap());
        assert!(System.open(&path, Open::ReadWrite).unwrap().try_lock(LockMode::Shared).unwrap());
    }
}
