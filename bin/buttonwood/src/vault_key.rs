//! Where the vault's key comes from, and where it may lie.

use crate::cli::{Common, VaultKey};
use crate::ownership;
use crate::trouble::Trouble;
use buttonwood_vault::KeySource;
use std::path::{Path, PathBuf};

/// The source of a sandbox's key: without a flag `vault.key` in its data directory.
pub(crate) fn of_sandbox(common: &Common) -> KeySource {
    named(&common.vault_key).unwrap_or(KeySource::Own)
}

/// The source of a venue's key, which a flag must name.
pub(crate) fn of_venue(common: &Common) -> Result<KeySource, Trouble> {
    named(&common.vault_key).ok_or_else(|| {
        Trouble::Flag(
            "serve needs --vault-key-file FILE or --vault-key-command COMMAND: a venue keeps the key of its vault outside \
             its data directory"
                .to_owned(),
        )
    })
}

/// The source that the flags name.
pub(crate) fn named(flags: &VaultKey) -> Option<KeySource> {
    let command = || flags.vault_key_command.clone().map(KeySource::Command);
    flags.vault_key_file.clone().map(KeySource::File).or_else(command)
}

/// Refuses a key file that other users own or may write, and, for a venue, one inside its data directory. A file that is
/// missing is refused when it is read.
///
/// # Errors
/// [`Trouble::Flag`].
pub(crate) fn check(source: &KeySource, data: &Path, is_venue: bool) -> Result<(), Trouble> {
    let KeySource::File(path) = source else { return Ok(()) };
    if is_venue {
        check_outside("--vault-key-file", path, data)?;
    }
    ownership::check_key(path)
}

/// Warns of a key file that every user may read: some stores of secrets mount files so.
pub(crate) fn warn(source: &KeySource) {
    if let KeySource::File(path) = source
        && ownership::is_open_to_everyone(path)
    {
        tracing::warn!("every user may read the vault key {}: chmod o-r", path.display());
    }
}

/// Refuses a path inside the data directory, links resolved: a copy of the directory would hold the key too.
pub(crate) fn check_outside(flag: &str, path: &Path, data: &Path) -> Result<(), Trouble> {
    if !is_inside(path, data) {
        return Ok(());
    }
    Err(Trouble::Flag(format!(
        "{flag} {}: it lies in the data directory {}, and a copy of that would hold the key too; keep it elsewhere",
        path.display(),
        data.display()
    )))
}

/// Whether a file, or the link that leads to it, lies in a directory.
pub(crate) fn is_inside(path: &Path, data: &Path) -> bool {
    let Ok(data) = data.canonicalize() else { return false };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let named: Option<PathBuf> = parent.canonicalize().ok();
    let real = path.canonicalize().ok();
    named.into_iter().chain(real).any(|path| path.starts_with(&data))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// Neither a link in the directory nor a link to it hides that the key lies inside.
    #[test]
    fn a_path_inside_is_recognised() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::create_dir_all(at("data/deep")).unwrap();
        fs::create_dir(at("data-too")).unwrap();
        for file in ["data/key", "data/deep/key", "key", "data-too/key"] {
            fs::write(at(file), "").unwrap();
        }
        symlink(at("data"), at("alias")).unwrap();
        symlink(at("data/key"), at("inward")).unwrap();
        symlink(at("key"), at("data/outward")).unwrap();
        for inside in [
            "data/key",
            "data/deep/key",
            "alias/key",
            "inward",
            "data/outward",
            "data/new",
            "data/../data/key",
        ] {
            assert!(is_inside(&at(inside), &at("data")) && is_inside(&at(inside), &at("alias")), "{inside}");
        }
        for outside in ["key", "data-too/key", "data/../key", "new"] {
            assert!(!is_inside(&at(outside), &at("data")), "{outside}");
        }
        assert!(!is_inside(&at("key"), &at("nowhere")));
    }
}
