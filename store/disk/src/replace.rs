//! Small files that are either the old or the new one after any crash.

use crate::{Folder, Open};
use std::io;
use std::path::{Path, PathBuf};

/// The step of a [`replace`] that failed.
#[derive(Debug)]
pub struct ReplaceError {
    /// The action that failed: a verb.
    pub action: &'static str,
    /// On which file.
    pub path: PathBuf,
    /// The system's error.
    pub source: io::Error,
}

/// Puts `bytes` at `name` in a folder, readable by the owner alone: a new file, synced, renamed, and the folder synced
/// after it. A link in the place of the file is replaced, not followed.
///
/// # Errors
/// [`ReplaceError`]; the old file is still there, except when only the last sync failed.
pub fn replace(folder: impl Into<Folder>, name: &str, bytes: &[u8]) -> Result<(), ReplaceError> {
    let folder = folder.into();
    let path = folder.file(name);
    let fresh = folder.file(&format!("{name}.tmp"));
    // A crash may have left this file, and another program may have put anything there.
    folder.remove(&fresh).map_err(failed("remove", &fresh))?;
    let file = folder.open(&fresh, Open::New).map_err(failed("create", &fresh))?;
    file.write_all_at(bytes, 0).map_err(failed("write", &fresh))?;
    file.sync_all().map_err(failed("sync", &fresh))?;
    folder.rename(&fresh, &path).map_err(failed("replace", &path))?;
    folder.sync_names().map_err(failed("sync", folder.path()))
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ReplaceError {
    let path = path.to_owned();
    move |source| ReplaceError { action, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    /// The new file has its own permissions, regardless of earlier files under both names, and no link's target is
    /// written.
    #[test]
    fn replaces_links_and_foreign_modes() {
        let dir = tempfile::tempdir().unwrap();
        let [target, file, fresh] = ["target", "file", "file.tmp"].map(|name| dir.path().join(name));
        let check = || {
            replace(dir.path(), "file", b"new").unwrap();
            assert_eq!((fs::read(&file).unwrap(), mode(&file)), (b"new".to_vec(), 0o600));
            assert!(!file.is_symlink() && !fresh.exists());
        };
        for path in [&file, &fresh] {
            fs::write(path, "old").unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o666)).unwrap();
        }
        check();
        fs::write(&target, "precious").unwrap();
        for path in [&file, &fresh] {
            let _ = fs::remove_file(path);
            symlink(&target, path).unwrap();
        }
        check();
        assert_eq!(fs::read(&target).unwrap(), b"precious");
    }

    /// The error names the step and the file.
    #[test]
    fn names_what_failed() {
        let dir = tempfile::tempdir().unwrap();
        let fresh = dir.path().join("file.tmp");
        fs::create_dir(&fresh).unwrap();
        let error = replace(dir.path(), "file", b"new").unwrap_err();
        assert_eq!((error.action, error.path), ("remove", fresh));
    }
}
