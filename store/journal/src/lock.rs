//! One writer to a journal: an advisory lock on a file of its directory (J12). The system releases it when the
//! process ends, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

use rustix::process::{Pid, test_kill_process};

use crate::fault::{Fault, io};
use crate::files;

/// Held for as long as this value lives.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the directory for this process alone.
    pub(crate) fn exclusive(dir: &Path) -> Result<Self, Fault> {
        let path = dir.join(files::LOCK);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(io("open the lock file", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(locked(dir, &mut file)),
            Err(TryLockError::Error(source)) => return Err(io("lock", &path)(source)),
        }
        Ok(Self { file })
    }

    /// Leaves the process id for whoever comes second; not before recovery, since a refused start changes nothing.
    pub(crate) fn sign(&mut self) {
        // Only a courtesy: a full disk must not prevent the start (J11).
        let _ = self.file.set_len(0).and_then(|()| write!(self.file, "{}", std::process::id()));
    }

    /// Keeps writers away while a whole journal is read; `None` when one is at work.
    pub(crate) fn shared(dir: &Path) -> Result<Option<Self>, Fault> {
        let path = dir.join(files::LOCK);
        let file = File::open(&path).map_err(io("open the lock file", &path))?;
        match file.try_lock_shared() {
            Ok(()) => Ok(Some(Self { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(io("lock", &path)(source)),
        }
    }
}

fn locked(dir: &Path, file: &mut File) -> Fault {
    let mut text = String::new();
    let pid = file.read_to_string(&mut text).ok().and_then(|_| Pid::from_raw(text.parse().ok()?));
    // A holder that has not signed yet leaves the id of the one before, who has ended.
    let holder = pid.filter(|pid| test_kill_process(*pid).is_ok());
    let holder = holder.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
    Fault::Locked { dir: dir.to_owned(), holder }
}
