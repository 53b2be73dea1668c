//! The vault's files, read and replaced whole.

use crate::Fault;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// The whole file, or `None` when there is none.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, Fault> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Fault::io("read", path)(error)),
    }
}

/// Puts `bytes` at `dir`/`name`; see [`buttonwood_disk::replace`].
pub(crate) fn replace(dir: &Path, name: &str, mode: u32, bytes: &[u8]) -> Result<(), Fault> {
    buttonwood_disk::replace(dir, name, mode, bytes)
        .map_err(|failed| Fault::io(failed.action, &failed.path)(failed.source))
}
