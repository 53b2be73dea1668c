//! File names of a journal directory, and the disk calls that several files of this crate share.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use buttonwood_disk::{Folder, Open};

use crate::fault::{Fault, io};

pub(crate) const LOCK: &str = "lock";
pub(crate) const IDENTITY: &str = "identity";
pub(crate) const WATERMARK: &str = "watermark";
pub(crate) const BALLAST: &str = "ballast";
/// The record of archived segments.
pub(crate) const ARCHIVED: &str = "archived";
/// The record of deleted segments, which are archived nowhere.
pub(crate) const DELETED: &str = "deleted";
/// Locked while segments are moved, or must not be.
pub(crate) const HOLD: &str = "hold";

const SEGMENT_SUFFIX: &str = ".segment";
const SNAPSHOT_PREFIX: &str = "snapshot-";
const SNAPSHOT_SUFFIX: &str = ".snap";

/// The suffix of every unfinished file; recovery removes such files.
pub(crate) const UNFINISHED: &str = ".tmp";

pub(crate) fn segment(dir: &Folder, number: u64) -> PathBuf {
    dir.file(&format!("{number:010}{SEGMENT_SUFFIX}"))
}

pub(crate) fn snapshot(dir: &Folder, seq: u64) -> PathBuf {
    dir.file(&format!("{SNAPSHOT_PREFIX}{seq:020}{SNAPSHOT_SUFFIX}"))
}

/// The numbers of all segment files, ascending.
pub(crate) fn segments(dir: &Folder) -> Result<Vec<u64>, Fault> {
    numbered(dir, "", SEGMENT_SUFFIX)
}

/// The sequences of all snapshot files, ascending.
pub(crate) fn snapshots(dir: &Folder) -> Result<Vec<u64>, Fault> {
    numbered(dir, SNAPSHOT_PREFIX, SNAPSHOT_SUFFIX)
}

fn numbered(dir: &Folder, prefix: &str, suffix: &str) -> Result<Vec<u64>, Fault> {
    let mut numbers: Vec<u64> = names(dir)?
        .iter()
        .filter_map(|name| name.strip_prefix(prefix)?.strip_suffix(suffix)?.parse().ok())
        .collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// The names in `dir`.
pub(crate) fn names(dir: &Folder) -> Result<Vec<String>, Fault> {
    dir.names().map_err(io("list", dir.path()))
}

/// Whether the file exists.
pub(crate) fn is_there(dir: &Folder, path: &Path) -> Result<bool, Fault> {
    match dir.open(path, Open::Read) {
        Ok(_) => Ok(true),
        Err(source) if source.kind() == ErrorKind::NotFound => Ok(false),
        Err(source) => Err(io("open", path)(source)),
    }
}

/// Makes the creation, renaming and removal of files durable (J5).
pub(crate) fn sync_dir(dir: &Folder) -> Result<(), Fault> {
    dir.sync_names().map_err(io("sync the directory", dir.path()))
}

/// Renames a finished, synced file and makes the new name durable (J5).
pub(crate) fn publish(unfinished: &Path, name: &Path, dir: &Folder) -> Result<(), Fault> {
    dir.rename(unfinished, name).map_err(io("rename to", name))?;
    sync_dir(dir)
}

/// Removes a file; `false` if it did not exist.
pub(crate) fn remove(dir: &Folder, path: &Path) -> Result<bool, Fault> {
    dir.remove(path).map_err(io("remove", path))
}
