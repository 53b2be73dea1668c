//! Copies the files, next to a running exchange that appends to them.

use super::fault::Fault;
use super::kinds::{FILES, Lengths};
use super::scan::usable;
use buttonwood_disk::{Folder, Open, copy_start};
use std::io;
use std::path::Path;

/// Copies the rows before these lengths, which a checkpoint relies on and which therefore never change. `false` if a file
/// is one that a start would not use: it builds the history from the journal then, and nothing was copied.
///
/// # Errors
/// [`Fault::Io`] if a file cannot be read or written.
pub fn copy(from: &Folder, to: &Folder, lengths: Lengths) -> Result<bool, Fault> {
    let mut found = Vec::new();
    for ((name, magic), bytes) in FILES.zip(lengths) {
        let path = from.file(name);
        match usable(from, &path, magic, bytes).map_err(fault("open", &path))? {
            Some(file) => found.push((name, file, bytes)),
            None => return Ok(false),
        }
    }
    for (name, file, bytes) in found {
        let path = to.file(name);
        let copied = to.open(&path, Open::Truncate).and_then(|copied| copy_start(&*file, &*copied, bytes));
        copied.map_err(fault("copy to", &path))?;
    }
    to.sync_names().map_err(fault("sync", to.path()))?;
    Ok(true)
}

fn fault(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Fault {
    let path = path.to_owned();
    move |source| Fault::Io { action, path, source }
}
