//! `buttonwood backup`: a consistent copy of a data directory, running or stopped.
//!
//! The copy is made in place, so that the target may be the root of an empty disk. A file that marks it as unfinished is
//! made first and removed last; servers and tools refuse a directory with it.

use crate::cli::Backup;
use crate::directory::named_dir;
use crate::flags::is_inside;
use crate::run::CHAINS;
use crate::trouble::Trouble;
use crate::verify::check_directory;
use buttonwood_disk::{Disk as _, Folder, Open, System, copy_start};
use buttonwood_engine::Mode;
use buttonwood_sequencer::backup;
use buttonwood_vault::{SealedUnder, Vault};
use rustix::process::nice;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// The file that shows that a backup has not come to its end.
const UNFINISHED: &str = "backup-unfinished";
/// How often the vault is copied at most: it is replaced as a whole only when its log outgrows it and when its key is rotated.
const TRIES: u32 = 10;
/// The secrets for a sandbox's users.
const CREDENTIALS: &str = "credentials.json";

/// Makes the copy and prints what it holds.
pub(crate) fn run(flags: &Backup) -> Result<(), Trouble> {
    check_directory(&flags.data)?;
    let (from, to) = (&flags.data, &flags.to);
    check_target(from, to)?;
    // Orders come first on a busy machine.
    let _ = nice(10);
    let unfinished = to.join(UNFINISHED);
    let marked = System.open(&unfinished, Open::Truncate).and_then(|file| file.sync_all());
    let mut key = CopiedKey::NoVault;
    let copied = marked.and_then(|()| sync(to)).map_err(failed(to)).and_then(|()| {
        backup(from, to, |mode| {
            key = copy_rest(from, to, mode)?;
            Ok(())
        })
    });
    let copied = match copied {
        Ok(copied) => copied,
        Err(trouble) => {
            clear(to);
            return Err(trouble);
        }
    };
    // A copy whose end may not be on the disk is none.
    if let Err(error) = fs::remove_file(&unfinished).and_then(|()| sync(to)) {
        clear(to);
        return Err(failed(to)(error));
    }
    let (files, bytes) = contents(to).map_err(failed(to))?;
    println!("{{\"seq\":{},\"files\":{files},\"bytes\":{bytes}}}", copied.seq);
    crate::say(format_args!("note: {}", about_key(copied.mode, &key)));
    Ok(())
}

/// Refuses a directory that is an unfinished backup.
pub(crate) fn check_finished(data: &Path) -> Result<(), Trouble> {
    if !data.join(UNFINISHED).exists() {
        return Ok(());
    }
    Err(Trouble::Flag(format!(
        "--data {}: this is a backup that did not come to its end, as its file {UNFINISHED} shows: remove it and back up again",
        data.display()
    )))
}

/// Creates the target, and refuses one that is not empty or lies in the directory.
fn check_target(from: &Path, to: &Path) -> Result<(), Trouble> {
    let refused = |what: &str| Err(Trouble::Flag(format!("--to {}: {what}", to.display())));
    if is_inside(to, from) {
        return refused("lies in the data directory: a backup belongs outside, best on another disk");
    }
    match fs::read_dir(to) {
        Ok(mut names) => {
            if names.next().is_some() {
                return refused("the folder is not empty, and a backup replaces nothing");
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) if error.kind() == ErrorKind::NotADirectory => return refused("is no folder"),
        Err(error) => return Err(failed(to)(error)),
    }
    named_dir(to)
        .map_err(|trouble| if let Trouble::Data(_, error) = trouble { failed(to)(error) } else { trouble })
}

/// Where the key is that the vault of a copy is sealed under.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CopiedKey {
    /// There is no vault, or it cannot be read.
    NoVault,
    /// In this file of the copy.
    Copied(PathBuf),
    /// In this file, which is not in the copy.
    LeftOut(PathBuf),
    /// A command prints it.
    Command,
}

/// Copies the small files next to journal and history.
fn copy_rest(from: &Path, to: &Path, mode: Mode) -> Result<CopiedKey, Trouble> {
    let copy = |name: &Path| copy_one(&from.join(name), &to.join(name)).map_err(failed(&to.join(name)));
    copy_vault(from, to)?;
    if mode == Mode::Sandbox {
        copy(Path::new(CREDENTIALS))?;
        copy_chains(&from.join(CHAINS), &to.join(CHAINS))?;
    }
    // The vault may be sealed under another key meanwhile. The copied one says which key it needs, and no rotation changes or
    // removes a key file.
    let under = Vault::sealed_under(to)?;
    Ok(match under {
        None => CopiedKey::NoVault,
        Some(SealedUnder::Command) => CopiedKey::Command,
        Some(SealedUnder::Inside(key)) if mode == Mode::Sandbox => {
            let folder = to.join(&key).parent().map(Path::to_owned).unwrap_or_default();
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed(&folder))?;
            let is_copied = copy(&key)?;
            sync(&folder).map_err(failed(&folder))?;
            if is_copied { CopiedKey::Copied(key) } else { CopiedKey::LeftOut(from.join(key)) }
        }
        Some(SealedUnder::Inside(key) | SealedUnder::Outside(key)) => CopiedKey::LeftOut(from.join(key)),
    })
}

/// Copies the vault: base and log, which belong together if the base is the same afterwards. The log only grows until the base is
/// replaced, and a start passes over a change that was not whole.
fn copy_vault(from: &Path, to: &Path) -> Result<(), Trouble> {
    for _ in 0..TRIES {
        for name in Vault::FILES {
            let copied = to.join(name);
            if !copy_one(&from.join(name), &copied).map_err(failed(&copied))? {
                // A try before may have found one.
                Folder::from(to).remove(&copied).map_err(failed(&copied))?;
            }
        }
        if Vault::is_same_base(from, to)? {
            return Ok(());
        }
    }
    Err(failed(to)(io::Error::other("the vault was replaced again and again while it was copied")))
}

/// Copies the simulated chains. They are read after the journal, so that a copy has all of a chain that its exchange knows; a
/// chain's file only grows, and a start cuts a record that was not whole.
fn copy_chains(from: &Path, to: &Path) -> Result<(), Trouble> {
    let names: Vec<_> = match fs::read_dir(from) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries
            .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.file_name())).collect())
            .map_err(failed(from))?,
    };
    fs::DirBuilder::new().recursive(true).mode(0o700).create(to).map_err(failed(to))?;
    for name in names {
        copy_one(&from.join(&name), &to.join(&name)).map_err(failed(to))?;
    }
    sync(to).map_err(failed(to))
}

/// Copies a small file with its permissions; whether it is there. Such files are replaced as a whole or only grow.
fn copy_one(from: &Path, to: &Path) -> io::Result<bool> {
    let source = match System.open(from, Open::Read) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        source => source?,
    };
    let copied = System.open(to, Open::Truncate)?;
    copy_start(&*source, &*copied, source.len()?)?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    copied.sync_all()?;
    Ok(true)
}

/// Removes what a failed backup left, so that it takes no space; the mark of an unfinished one last.
fn clear(to: &Path) {
    let remove = |path: PathBuf| {
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
    };
    let names = fs::read_dir(to).into_iter().flatten().flatten().map(|entry| entry.path());
    let (marks, rest): (Vec<_>, Vec<_>) = names.partition(|path| path.ends_with(UNFINISHED));
    // Files that cannot be removed stay, and so does the mark.
    let _ = rest.into_iter().try_for_each(remove).and_then(|()| marks.into_iter().try_for_each(remove));
}

/// The number of files below a folder, and their bytes.
fn contents(folder: &Path) -> io::Result<(u64, u64)> {
    let mut found = (0, 0);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (files, bytes) =
            if entry.file_type()?.is_dir() { contents(&entry.path())? } else { (1, entry.metadata()?.len()) };
        found = (found.0 + files, found.1 + bytes);
    }
    Ok(found)
}

fn sync(folder: &Path) -> io::Result<()> {
    Folder::from(folder).sync_names()
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> Trouble {
    let path = path.display().to_string();
    move |error| Trouble::System(format!("backup: cannot write {path}: {error}"))
}

/// The note to the owner of the copy about the key that its secrets are sealed under.
fn about_key(mode: Mode, key: &CopiedKey) -> String {
    let elsewhere = match key {
        CopiedKey::Copied(file) => {
            return format!(
                "the copy of a sandbox holds its {} and {CREDENTIALS}: keep it as secret as the sandbox",
                file.display()
            );
        }
        CopiedKey::NoVault => "the key-encryption key is not in the copy".to_owned(),
        CopiedKey::LeftOut(file) => format!(
            "the key-encryption key is not in the copy: it is in {}, which --vault-key-file names",
            file.display()
        ),
        CopiedKey::Command => "the key-encryption key is not in the copy: the command prints it that \
                               --vault-key-command names"
            .to_owned(),
    };
    let kept = "keep it elsewhere, since without it nobody can open the copy's secrets";
    match mode {
        Mode::Venue => format!("{elsewhere}; {kept}"),
        Mode::Sandbox => {
            format!("{elsewhere}; {kept}, and keep the copy secret, since it holds {CREDENTIALS}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A failed backup leaves an empty folder, and the mark of an unfinished one only with something else.
    #[test]
    fn a_failed_backup_is_removed() {
        let home = tempfile::tempdir().unwrap();
        for name in [UNFINISHED, "vault", "vault.log"] {
            fs::write(home.path().join(name), "x").unwrap();
        }
        fs::create_dir(home.path().join("journal")).unwrap();
        fs::write(home.path().join("journal").join("identity"), "x").unwrap();
        assert_eq!(contents(home.path()).unwrap(), (4, 4));
        assert!(check_finished(home.path()).is_err());
        clear(home.path());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
        assert!(check_finished(home.path()).is_ok());
    }
}
