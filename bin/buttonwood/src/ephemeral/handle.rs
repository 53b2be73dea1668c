//! An open directory: its entries are reached through the handle, and no symbolic link is followed.

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, openat, renameat, statat, unlinkat,
};
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// An open directory and what the system knew of it when it was opened.
#[derive(Debug)]
pub(super) struct Handle {
    fd: OwnedFd,
    stat: Stat,
}

impl Handle {
    /// Opens the directory that a user names. This is the only call that follows a link.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Self::of(openat(CWD, path, flags, Mode::empty())?)
    }

    /// Opens a subdirectory.
    ///
    /// # Errors
    /// Also when the entry is a link or no directory.
    pub(super) fn dir(&self, name: &CStr) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Self::of(openat(&self.fd, name, flags, Mode::empty())?)
    }

    fn of(fd: OwnedFd) -> io::Result<Self> {
        let stat = fstat(&fd)?;
        Ok(Self { fd, stat })
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// Also when the entry is anything else: opening a pipe or a device may block or have effects.
    pub(super) fn file(&self, name: &CStr) -> io::Result<File> {
        if self.kind(name)? != FileType::RegularFile {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(openat(&self.fd, name, flags, Mode::empty())?.into())
    }

    /// Creates a file that only its owner may read and write.
    pub(super) fn create(&self, name: &CStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.fd, name, flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    /// Renames an entry.
    pub(super) fn rename(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        Ok(renameat(&self.fd, from, &self.fd, to)?)
    }

    /// Removes an entry that is no directory.
    pub(super) fn remove_file(&self, name: &CStr) -> io::Result<()> {
        Ok(unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Removes an empty subdirectory.
    pub(super) fn remove_dir(&self, name: &CStr) -> io::Result<()> {
        Ok(unlinkat(&self.fd, name, AtFlags::REMOVEDIR)?)
    }

    /// Removes every entry but `kept`, subdirectories with all they hold.
    pub(super) fn clear(&self, kept: Option<&CStr>) -> io::Result<()> {
        for name in self.names()?.iter().map(CString::as_c_str).filter(|name| Some(*name) != kept) {
            if self.kind(name)? == FileType::Directory {
                self.dir(name)?.clear(None)?;
                self.remove_dir(name)?;
            } else {
                self.remove_file(name)?;
            }
        }
        Ok(())
    }

    /// The names of its entries.
    pub(super) fn names(&self) -> io::Result<Vec<CString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.fd)? {
            let entry = entry?;
            if ![c".", c".."].contains(&entry.file_name()) {
                names.push(entry.file_name().to_owned());
            }
        }
        Ok(names)
    }

    /// Whether the entry `name` is the directory that `other` holds open.
    pub(super) fn leads_to(&self, name: &CStr, other: &Self) -> bool {
        statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|found| (found.st_dev, found.st_ino) == (other.stat.st_dev, other.stat.st_ino))
    }

    /// The user id of its owner.
    pub(super) fn owner(&self) -> u32 {
        self.stat.st_uid
    }

    /// Whether users other than its owner may rename or replace the entries of its owner.
    pub(super) fn is_open_to_others(&self) -> bool {
        let mode = Mode::from_raw_mode(self.stat.st_mode);
        mode.intersects(Mode::WGRP | Mode::WOTH) && !mode.contains(Mode::SVTX)
    }

    /// Whether only its owner may list, enter and write it.
    pub(super) fn is_private(&self) -> bool {
        Mode::from_raw_mode(self.stat.st_mode) == Mode::RWXU
    }

    /// How long ago an entry was last made or removed in it, or it was made itself.
    pub(super) fn age(&self) -> Duration {
        let modified = u64::try_from(self.stat.st_mtime).unwrap_or_default();
        let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(modified);
        SystemTime::now().duration_since(modified).unwrap_or_default()
    }

    fn kind(&self, name: &CStr) -> io::Result<FileType> {
        let found = statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(FileType::from_raw_mode(found.st_mode))
    }
}
