//! File names of a journal directory, and the few system calls every other file here shares.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::Advice;

use crate::fault::{Fault, io};

pub(crate) const LOCK: &str = "lock";
pub(crate) const IDENTITY: &str = "identity";
pub(crate) const WATERMARK: &str = "watermark";
pub(crate) const BALLAST: &str = "ballast";

const SEGMENT_SUFFIX: &str = ".segment";
const SNAPSHOT_PREFIX: &str = "snapshot-";
const SNAPSHOT_SUFFIX: &str = ".snap";

/// Every unfinished file ends so, and recovery removes it.
pub(crate) const UNFINISHED: &str = ".tmp";

pub(crate) fn segment(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number:010}{SEGMENT_SUFFIX}"))
}

pub(crate) fn snapshot(dir: &Path, seq: u64) -> PathBuf {
    dir.join(format!("{SNAPSHOT_PREFIX}{seq:020}{SNAPSHOT_SUFFIX}"))
}

/// The numbers of all segment files, ascending.
pub(crate) fn segments(dir: &Path) -> Result<Vec<u64>, Fault> {
    numbered(dir, "", SEGMENT_SUFFIX)
}

/// The sequences of all snapshot files, ascending.
pub(crate) fn snapshots(dir: &Path) -> Result<Vec<u64>, Fault> {
    numbered(dir, SNAPSHOT_PREFIX, SNAPSHOT_SUFFIX)
}

fn numbered(dir: &Path, prefix: &str, suffix: &str) -> Result<Vec<u64>, Fault> {
    let mut numbers: Vec<u64> = names(dir)?
        .iter()
        .filter_map(|name| name.strip_prefix(prefix)?.strip_suffix(suffix)?.parse().ok())
        .collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// The names in `dir`, without those that are not text: they are not ours.
pub(crate) fn names(dir: &Path) -> Result<Vec<String>, Fault> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(io("list", dir))? {
        names.extend(entry.map_err(io("list", dir))?.file_name().into_string());
    }
    Ok(names)
}

/// Makes created, renamed and removed names durable (J5).
pub(crate) fn sync_dir(dir: &Path) -> Result<(), Fault> {
    File::open(dir).and_then(|handle| handle.sync_all()).map_err(io("sync the directory", dir))
}

/// Moves a finished, synced file to its name and makes that durable (J5).
pub(crate) fn publish(unfinished: &Path, name: &Path, dir: &Path) -> Result<(), Fault> {
    fs::rename(unfinished, name).map_err(io("rename to", name))?;
    sync_dir(dir)
}

/// Removes a file if it is there; `true` when it was.
pub(crate) fn remove(path: &Path) -> Result<bool, Fault> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(io("remove", path)(source)),
    }
}

/// Makes the next reads of `file` come from the disk: what is dirty is flushed, what is cached is dropped.
/// A cache may show bytes whose write-back failed (J2).
pub(crate) fn distrust_cache(file: &File) -> io::Result<()> {
    file.sync_all()?;
    Ok(rustix::fs::fadvise(file, 0, None, Advice::DontNeed)?)
}
