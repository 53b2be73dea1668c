//! Whether other users may change a data directory or its vault key.

use crate::trouble::Trouble;
use buttonwood_vault::KEY_FILE;
use rustix::process::geteuid;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Who may write besides the owner: group and others.
const OTHERS_WRITE: u32 = 0o022;
/// How a key file is called.
const KEY: &str = "the vault key";
/// Users beside the owner and the group may read.
const EVERYONE_READS: u32 = 0o004;

/// Refuses a directory, or a `vault.key` in it, that another user owns or may write: that user could replace the journal or
/// the secrets. Root may own both, since root can write them in any case.
///
/// # Errors
/// [`Trouble::Flag`], with what is wrong and what helps.
pub(crate) fn check(data: &Path) -> Result<(), Trouble> {
    check_one(data, data, "the data directory")?;
    check_one(data, &data.join(KEY_FILE), KEY)
}

/// Refuses a key file that another user owns or may write.
///
/// # Errors
/// [`Trouble::Flag`], with what is wrong and what helps.
pub(crate) fn check_key(path: &Path) -> Result<(), Trouble> {
    check_one(path, path, KEY)
}

/// The flaw of a file of this owner and mode for this process, if it has one.
pub(crate) fn flaw_of(owner: u32, mode: u32) -> Option<String> {
    flaw(owner, mode, geteuid().as_raw())
}

/// Whether every user may read a file.
pub(crate) fn is_open_to_everyone(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.mode() & EVERYONE_READS != 0)
}

fn check_one(data: &Path, path: &Path, what: &str) -> Result<(), Trouble> {
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) if what == KEY => {
            return Err(Trouble::Flag(format!("cannot read {what} {}: {error}", path.display())));
        }
        Err(error) => return Err(Trouble::Data(data.to_owned(), error)),
    };
    match flaw(found.uid(), found.mode(), geteuid().as_raw()) {
        None => Ok(()),
        Some(flaw) => Err(Trouble::Flag(format!("{what} {} {flaw}", path.display()))),
    }
}

/// The flaw of a file of `owner` and `mode` for a process of `user`, if it has one. Root owns every file anyway.
fn flaw(owner: u32, mode: u32, user: u32) -> Option<String> {
    if owner != user && owner != 0 {
        return Some(format!(
            "belongs to user {owner}, and this process runs as user {user}: run it as the owner, or change the owner"
        ));
    }
    let open = mode & OTHERS_WRITE != 0;
    open.then(|| format!("has mode {:04o}, so other users may write it: chmod go-w", mode & 0o7777))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The owner and root may own it, and only the owner may write it.
    #[test]
    fn only_the_owner_writes() {
        for (owner, mode) in [(7, 0o755), (7, 0o700), (7, 0o400), (0, 0o755)] {
            assert_eq!(flaw(owner, mode, 7), None, "{owner} {mode:o}");
        }
        for (owner, mode, words) in [
            (8, 0o700, "belongs to user 8, and this process runs as user 7"),
            (7, 0o777, "mode 0777"),
            (7, 0o1777, "mode 1777"),
            (7, 0o770, "chmod go-w"),
            (0, 0o702, "other users may write it"),
        ] {
            let line = flaw(owner, mode, 7).expect("it is refused");
            assert!(line.contains(words), "{line}");
        }
        assert!(flaw(7, 0o700, 0).is_some(), "root does not serve another user's directory");
    }
}
