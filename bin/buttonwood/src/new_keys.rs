//! The one folder in which `vault rotate` makes new keys (D-184).
//!
//! An operator names a file in it; the process may have more rights than the operator, so nothing else is written, and no link is
//! followed: the folder is opened part by part from the root, and the file is made through the open folder.

use crate::ownership;
use crate::trouble::Trouble;
use crate::vault_key::check_outside;
use rustix::fs::{CWD, Mode, OFlags, fstat, openat};
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

/// Where new keys may be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewKeys {
    /// The folder, without links at the time of the start; none where no setting names one.
    folder: Option<PathBuf>,
}

/// A place for a new key.
#[derive(Debug)]
pub(crate) struct Place {
    /// Its folder.
    folder: OwnedFd,
    /// Its name there.
    name: PathBuf,
}

impl Place {
    /// The way to the file while the folder is open.
    pub(crate) fn at(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.folder.as_raw_fd())).join(&self.name)
    }
}

impl NewKeys {
    /// The folder that `--vault-new-keys` names, else that of the key file.
    ///
    /// # Errors
    /// [`Trouble::Flag`] for a folder that is none, that others may write, or that lies in the data directory of a venue.
    pub(crate) fn of(
        named: Option<&Path>,
        key_file: Option<&Path>,
        data: &Path,
        is_venue: bool,
    ) -> Result<Self, Trouble> {
        const FLAG: &str = "--vault-new-keys";
        let Some(named) = named else { return Ok(Self::beside(key_file)) };
        let fault = |why: &dyn std::fmt::Display| Trouble::Flag(format!("{FLAG} {}: {why}", named.display()));
        let folder = named.canonicalize().map_err(|error| fault(&error))?;
        if is_venue {
            check_outside(FLAG, &folder.join("key"), data)?;
        }
        open(&folder).and_then(|opened| owned(&opened)).map_err(|why| fault(&why))?;
        Ok(Self { folder: Some(folder) })
    }

    /// The folder of a key file.
    pub(crate) fn beside(key_file: Option<&Path>) -> Self {
        let parent = key_file.and_then(Path::parent).map(|parent| {
            let here = parent.as_os_str().is_empty();
            if here { Path::new(".") } else { parent }
        });
        Self { folder: parent.and_then(|parent| parent.canonicalize().ok()) }
    }

    /// The place for a new key, which is not there yet.
    ///
    /// # Errors
    /// Why the key cannot be made there, in a line.
    pub(crate) fn place(&self, to: &Path) -> Result<Place, String> {
        let given = to.display();
        let Some(folder) = &self.folder else {
            return Err(format!(
                "Field 'to' names no file that may be made, since neither vault_new_keys nor vault_key_file is set: {given}"
            ));
        };
        let shown = folder.display();
        let name = name_in(folder, to).ok_or_else(|| {
            format!("Field 'to' must be a new file in the folder {shown}, and in none below it: {given}")
        })?;
        let opened =
            open(folder).map_err(|why| format!("The folder of new keys {shown} cannot be used: {why}"))?;
        owned(&opened).map_err(|why| format!("The folder of new keys {shown} cannot be used: {why}"))?;
        let place = Place { folder: opened, name: name.into() };
        if place.at().symlink_metadata().is_ok() {
            return Err(format!("Field 'to' must be a file that is not there yet: {given}"));
        }
        Ok(place)
    }
}

/// The name of a file that lies in a folder by the text of its path.
fn name_in<'a>(folder: &Path, to: &'a Path) -> Option<&'a OsStr> {
    let is_plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
    let fits = to.components().all(is_plain) && to.parent() == Some(folder);
    // A path that ends in a slash or in a dot would name the folder.
    to.file_name().filter(|name| fits && to.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes()))
}

/// Opens a folder without following a link at any part of its path.
fn open(folder: &Path) -> Result<OwnedFd, String> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let step = |at: OwnedFd, part: Component<'_>| match part {
        Component::RootDir => Ok(at),
        Component::Normal(_) | Component::Prefix(_) | Component::CurDir | Component::ParentDir => {
            openat(&at, part.as_os_str(), flags, Mode::empty()).map_err(io::Error::from)
        }
    };
    let root = openat(CWD, "/", flags, Mode::empty()).map_err(io::Error::from);
    let opened = root.and_then(|root| folder.components().try_fold(root, step));
    opened.map_err(|error| error.to_string())
}

/// Refuses a folder that another user owns or may write.
fn owned(folder: &OwnedFd) -> Result<(), String> {
    let found = fstat(folder).map_err(|error| error.to_string())?;
    ownership::flaw_of(found.st_uid, found.st_mode).map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn line(keys: &NewKeys, to: &Path) -> String {
        keys.place(to).expect_err("it is refused")
    }

    /// A new key lies in the folder and nowhere else, by no detour and through no link.
    #[test]
    fn a_key_is_made_in_one_folder() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().canonicalize().unwrap().join(name);
        for folder in ["keys", "keys/deep", "data", "elsewhere"] {
            fs::create_dir(at(folder)).unwrap();
            fs::set_permissions(at(folder), Permissions::from_mode(0o700)).unwrap();
        }
        fs::write(at("keys/old"), "").unwrap();
        symlink(at("elsewhere/target"), at("keys/dangling")).unwrap();
        symlink(at("keys"), at("alias")).unwrap();
        let keys = NewKeys::of(Some(&at("alias")), None, &at("data"), true).unwrap();
        let place = keys.place(&at("keys/new")).unwrap();
        fs::write(place.at(), "key").unwrap();
        assert_eq!(fs::read(at("keys/new")).unwrap(), b"key");
        for outside in [
            "new",
            "elsewhere/new",
            "keys/deep/new",
            "keys/../elsewhere/new",
            "keys/.",
            "keys/new/",
            "alias/new",
            "keys",
        ] {
            let line = line(&keys, &at(outside));
            assert!(line.contains("'to' must be a new file in the folder"), "{outside}: {line}");
        }
        for there in ["keys/old", "keys/dangling", "keys/deep"] {
            assert!(line(&keys, &at(there)).contains("not there yet"), "{there}");
        }
        assert!(line(&keys, Path::new("new")).contains("'to' must be"));
        fs::rename(at("keys"), at("moved")).unwrap();
        symlink(at("elsewhere"), at("keys")).unwrap();
        assert!(line(&keys, &at("keys/new")).contains("cannot be used"), "the folder has become a link");
    }

    /// Without the setting it is the folder of the key file, and with neither none; others may not write it.
    #[test]
    fn the_folder_is_the_key_file_s_or_none() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().canonicalize().unwrap().join(name);
        fs::set_permissions(home.path(), Permissions::from_mode(0o700)).unwrap();
        let beside = NewKeys::of(None, Some(&at("key")), &at("data"), true).unwrap();
        assert!(beside.place(&at("new")).is_ok() && beside.place(&at("else/new")).is_err());
        assert!(
            line(&NewKeys::beside(None), &at("new"))
                .contains("neither vault_new_keys nor vault_key_file is set")
        );
        for folder in ["data", "open"] {
            fs::create_dir(at(folder)).unwrap();
        }
        fs::set_permissions(at("open"), Permissions::from_mode(0o770)).unwrap();
        for (folder, words) in [
            ("open", "other users may write it"),
            ("data", "lies in the data directory"),
            ("nowhere", "No such file"),
        ] {
            let refused = NewKeys::of(Some(&at(folder)), None, &at("data"), true).unwrap_err().to_string();
            assert!(refused.contains("--vault-new-keys") && refused.contains(words), "{refused}");
        }
        fs::set_permissions(home.path(), Permissions::from_mode(0o777)).unwrap();
        assert!(line(&beside, &at("new")).contains("other users may write it"));
    }
}
