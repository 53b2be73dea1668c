//! Files that are either the old or the new one, whatever happens in between.

use crate::Fault;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The whole file, or `None` when there is none.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, Fault> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Fault::io("read", path)(error)),
    }
}

/// Puts `bytes` at `dir`/`name`: a temporary file, synced, renamed, and the directory synced after it.
pub(crate) fn replace(dir: &Path, name: &str, mode: u32, bytes: &[u8]) -> Result<(), Fault> {
    let path = dir.join(name);
    let fresh = dir.join(format!("{name}.tmp"));
    // What a crash left behind may carry another mode.
    if let Err(error) = fs::remove_file(&fresh)
        && error.kind() != ErrorKind::NotFound
    {
        return Err(Fault::io("remove", &fresh)(error));
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(&fresh)
        .map_err(Fault::io("create", &fresh))?;
    file.write_all(bytes).map_err(Fault::io("write", &fresh))?;
    file.sync_all().map_err(Fault::io("sync", &fresh))?;
    fs::rename(&fresh, &path).map_err(Fault::io("replace", &path))?;
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(Fault::io("sync", dir))
}
