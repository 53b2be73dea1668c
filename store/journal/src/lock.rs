//! One writer per journal: an advisory lock on a file of its directory (J12). The system releases it when the process
//! ends, even after a crash.

use std::sync::Arc;

use buttonwood_disk::{Folder, Handle, LockMode, Open};
use rustix::process::{Pid, test_kill_process};

use crate::fault::{Fault, io};
use crate::files;

/// Held until this value is dropped.
#[derive(Debug)]
pub struct Lock {
    file: Arc<dyn Handle>,
}

impl Lock {
    /// Locks the journal's directory for this process alone.
    ///
    /// # Errors
    /// [`Fault::Locked`] when another process holds the lock, or a failed call of the system.
    pub fn exclusive(dir: &Folder) -> Result<Self, Fault> {
        let path = dir.file(files::LOCK);
        let file = dir.open(&path, Open::ReadWrite).map_err(io("open the lock file", &path))?;
        if file.try_lock(LockMode::Exclusive).map_err(io("lock", &path))? {
            Ok(Self { file })
        } else {
            Err(locked(dir, &*file))
        }
    }

    /// Records the process id for the error message of a second process. Call it after recovery, since a refused
    /// start changes nothing.
    pub(crate) fn sign(&self) {
        // The id is informative only: a full disk must not prevent the start (J11).
        let id = std::process::id().to_string();
        let _ = self.file.set_len(0).and_then(|()| self.file.write_all_at(id.as_bytes(), 0));
    }

    /// Keeps writers away while the whole journal is read; `None` if a writer holds the lock.
    pub(crate) fn shared(dir: &Folder) -> Result<Option<Self>, Fault> {
        let path = dir.file(files::LOCK);
        let file = dir.open(&path, Open::Read).map_err(io("open the lock file", &path))?;
        Ok(file.try_lock(LockMode::Shared).map_err(io("lock", &path))?.then_some(Self { file }))
    }
}

fn locked(dir: &Folder, file: &dyn Handle) -> Fault {
    let text = file.read_whole().ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let pid = text.and_then(|text| Pid::from_raw(text.parse().ok()?));
    // A holder that has not signed yet leaves the id of the previous process, which has ended.
    let holder = pid.filter(|pid| test_kill_process(*pid).is_ok());
    let holder = holder.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
    Fault::Locked { dir: dir.path().to_owned(), holder }
}
