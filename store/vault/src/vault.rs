//! The vault of one data directory: sealed records by name, in a base file and a log of the changes since.
//!
//! A change is appended to the log and never reads the records that are there; a start, or a log that outgrows its base, folds
//! both into a new base. The base is replaced first, so a crash leaves a log that names a base that is gone, and nothing of it is missing.
//!
//! [`Vault`] itself holds neither key nor secret. Each call gets the key from its source and wipes it again, so a
//! running exchange has neither in memory. [`Opened`] is what a start reads the secrets from.

use crate::file::{self, Record, Records, VAULT_FILE};
use crate::key::{self, KEY_FILE, KeySource};
use crate::log::{Change, LOG_FILE, Tail};
use crate::opened::{Opened, get};
use crate::seal::Seal;
use crate::{Fault, Secret};
use buttonwood_disk::Folder;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

mod work;

use work::{located, recorded};

/// Bytes of a name or a secret at most: an address has 254, a password's hash about 100, drawn secrets are shorter still.
const PART_MAX: usize = 1024;

/// One secret to put.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name of its record, which lies there in the clear: for a key its text, which never changes. A record opens only under
    /// its name.
    pub name: String,
    /// The secret.
    pub secret: Secret,
}

/// The vault of one data directory, closed.
#[derive(Debug)]
pub struct Vault {
    folder: Folder,
    /// Held during every change of the files.
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    source: KeySource,
    /// The end of the log; `None` until it was read, and after a failed change.
    tail: Option<Tail>,
    /// The sealed records as of an end of the log, for [`Vault::read_many`]; they count while the log ends there.
    sealed: Option<(Tail, Records)>,
}

/// Where the key of a vault is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SealedUnder {
    /// A command prints it.
    Command,
    /// In this file below the vault's directory, and relative to it.
    Inside(PathBuf),
    /// In this file elsewhere; a relative path begins at the vault's directory.
    Outside(PathBuf),
}

/// The outcome of a rotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotated {
    /// How many records are sealed under the new key.
    pub records: usize,
    /// Where the key before was.
    pub before: String,
}

impl Vault {
    /// The vault of a data directory, whose key comes from `source`. Nothing is read yet.
    pub fn new(folder: impl Into<Folder>, source: KeySource) -> Self {
        Self { folder: folder.into(), inner: Mutex::new(Inner { source, tail: None, sealed: None }) }
    }

    /// Whether a directory has a vault already. A caller that needs its secrets checks this first, since
    /// [`Vault::open`] would create an empty one.
    pub fn is_in(dir: &Path) -> bool {
        dir.join(VAULT_FILE).exists()
    }

    /// The key file that the vault of a directory was sealed under last; `None` for a command, or without a vault of
    /// this build.
    ///
    /// # Errors
    /// [`Fault::Io`].
    pub fn recorded_key_file(folder: impl Into<Folder>) -> Result<Option<PathBuf>, Fault> {
        let folder = folder.into();
        let head = file::front(&folder)?.and_then(|front| file::head(&front));
        Ok(head.filter(|head| !head.origin.is_empty()).map(|head| located(&folder, &head.origin)))
    }

    /// Where the key is that the vault of a directory is sealed under; `None` without a vault, or with a damaged one.
    ///
    /// # Errors
    /// [`Fault::Io`].
    pub fn sealed_under(folder: impl Into<Folder>) -> Result<Option<SealedUnder>, Fault> {
        let Some(front) = file::front(&folder.into())? else { return Ok(None) };
        if file::is_earlier(&front) {
            return Ok(Some(SealedUnder::Inside(KEY_FILE.into())));
        }
        Ok(file::head(&front).map(|head| {
            let path = Path::new(OsStr::from_bytes(&head.origin));
            let is_below = path.components().all(|part| matches!(part, Component::Normal(_)));
            match path {
                _ if head.origin.is_empty() => SealedUnder::Command,
                path if is_below => SealedUnder::Inside(path.to_owned()),
                path => SealedUnder::Outside(path.to_owned()),
            }
        }))
    }

    /// The names of the files of a vault, which belong together: the base, then the log, which need not be there.
    pub const FILES: [&'static str; 2] = [VAULT_FILE, LOG_FILE];

    /// Whether the vaults of two directories have the same base file. If so after the base and then the log of a vault in use were
    /// copied, the copies belong together.
    ///
    /// # Errors
    /// [`Fault::Io`].
    pub fn is_same_base(one: impl Into<Folder>, other: impl Into<Folder>) -> Result<bool, Fault> {
        let link = |folder: Folder| Ok(file::front(&folder)?.and_then(|front| file::link(&front)));
        Ok(link(one.into())? == link(other.into())?)
    }

    /// Opens the vault, or creates it where there is none; with [`KeySource::Own`] its key too. An interrupted change at the end of
    /// the log is passed over.
    ///
    /// # Errors
    /// A [`Fault`]: unreadable or unwritable files, no key, another vault's key, a damaged vault.
    pub fn open(&self) -> Result<Opened, Fault> {
        self.read(&mut self.lock())
    }

    /// The secrets of these records, `None` for one that the vault does not hold. Only these records are opened: their sealed form
    /// stays in memory, and the heads of both files show whether it is that of the files still. Otherwise, as at the first call, the
    /// whole vault is read and checked.
    ///
    /// # Errors
    /// As [`Vault::open`]; [`Fault::Record`] when a record does not open.
    pub fn read_many(&self, names: &[&str]) -> Result<Vec<Option<Secret>>, Fault> {
        let mut inner = self.lock();
        let seal = self.sealed(&mut inner)?;
        let records = inner.sealed.as_ref().map(|(_, records)| records);
        names.iter().map(|name| records.map_or(Ok(None), |records| get(records, &seal, name))).collect()
    }

    /// Folds the log into a new base if the log is longer than half of it or if either holds sealed secrets that were replaced or
    /// removed, and takes away a log that a crash left. For a start that has checked that this is its vault: nothing else may have
    /// changed the vault since it was opened.
    ///
    /// # Errors
    /// A [`Fault`]; the vault holds the same secrets in any case.
    pub fn tidy(&self, opened: &mut Opened) -> Result<(), Fault> {
        let mut inner = self.lock();
        if opened.outdated > 0 || opened.tail.end > opened.tail.base.length / 2 {
            let recorded = opened.recorded.clone();
            return self.fold(&mut inner, opened, recorded);
        }
        if opened.is_stale && opened.tail.end == 0 {
            let path = self.folder.file(LOG_FILE);
            self.folder.remove(&path).map_err(Fault::io("remove", &path))?;
        }
        opened.is_stale = false;
        Ok(())
    }

    /// Files the secrets of an earlier build's vault by names, the sessions' in the order of their numbers. Any other
    /// vault stays as it is. Returns the number of records that belong to no session, which are left out.
    ///
    /// # Errors
    /// A [`Fault`]; the vault is then as it was.
    pub fn upgrade(&self, names: &[&str]) -> Result<usize, Fault> {
        let mut inner = self.lock();
        let path = self.folder.file(VAULT_FILE);
        if !file::front(&self.folder)?.is_some_and(|front| file::is_earlier(&front)) {
            return Ok(0);
        }
        let content = file::read(&self.folder)?.unwrap_or_default();
        let key_path = self.folder.file(KEY_FILE);
        let key = key::read(&self.folder, &key_path)?;
        let key = key.ok_or_else(|| Fault::KeyMissing { path: key_path.clone(), sealed: true })?;
        let own = || Seal::new(&key).expect("a key has a key's length");
        let before = own();
        let sealed = file::decode_earlier(&before, &content);
        let sealed = sealed.ok_or_else(|| Fault::Damaged { path: path.clone() })?;
        let (seal, origin) = match &inner.source {
            KeySource::Own => (own(), KEY_FILE.as_bytes().to_vec()),
            KeySource::File(_) | KeySource::Command(_) => self.key(&inner.source, None)?,
        };
        let mut records = Records::new();
        for (session, name) in (0u32..).zip(names) {
            let found = sealed.get(&session);
            let found =
                found.ok_or_else(|| Fault::Missing { path: path.clone(), name: (*name).to_owned() })?;
            let secret = file::open_earlier(&before, found, session, name);
            let secret = secret.ok_or_else(|| Fault::Record { name: (*name).to_owned() })?;
            records.insert((*name).to_owned(), Record::close(&seal, name, &secret)?);
        }
        let left_out = sealed.len() - records.len();
        inner.tail = None;
        self.write(&seal, &origin, &records)?;
        if inner.source != KeySource::Own {
            // The old key seals nothing any more, and a venue's directory holds no key.
            self.folder.remove(&key_path).map_err(Fault::io("remove", &key_path))?;
        }
        Ok(left_out)
    }

    /// Puts one secret; durable when it returns. See [`Vault::put_all`].
    ///
    /// # Errors
    /// A [`Fault`]; the vault is then as it was.
    pub fn put(&self, name: &str, secret: &Secret) -> Result<(), Fault> {
        self.put_all(&[Entry { name: name.to_owned(), secret: secret.clone() }])
    }

    /// Puts many secrets with one append to the log: all of them or none.
    ///
    /// # Errors
    /// A [`Fault`]; the vault is then as it was, unless only the last sync failed, in which case it may hold them.
    pub fn put_all(&self, entries: &[Entry]) -> Result<(), Fault> {
        self.change(|seal| sealed(seal, entries))
    }

    /// As [`Vault::put_all`], into a vault that is open already, so that its key is not read again. Nothing else may
    /// have changed the vault since it was opened.
    ///
    /// # Errors
    /// As [`Vault::put_all`].
    pub fn add(&self, opened: &mut Opened, entries: &[Entry]) -> Result<(), Fault> {
        let changes = sealed(&opened.seal, entries)?;
        self.change_opened(opened, changes)
    }

    /// Removes the secrets of sessions that have ended, by their names; durable when it returns. Their records stay without a secret, so
    /// that a lost record shows. Names without a secret change nothing. The sealed bytes stay in the files until the next start.
    ///
    /// # Errors
    /// As [`Vault::put_all`].
    pub fn forget(&self, names: &[&str]) -> Result<(), Fault> {
        self.change(|_| named(names, Change::Forget))
    }

    /// As [`Vault::forget`], in a vault that is open already. Nothing else may have changed the vault since it was opened.
    ///
    /// # Errors
    /// As [`Vault::put_all`].
    pub fn remove(&self, opened: &mut Opened, names: &[&str]) -> Result<(), Fault> {
        let holds = |name: &&&str| opened.records.get(**name).is_some_and(|record| !record.is_emptied());
        let held: Vec<&str> = names.iter().filter(holds).copied().collect();
        self.change_opened(opened, named(&held, Change::Forget)?)
    }

    /// Removes whole records, by their names, for secrets that are not those of keys: nothing shows that they were there. Durable when
    /// it returns. Names without a record change nothing. The sealed bytes stay in the files until the next start.
    ///
    /// # Errors
    /// As [`Vault::put_all`].
    pub fn remove_all(&self, names: &[&str]) -> Result<(), Fault> {
        self.change(|_| named(names, Change::Remove))
    }

    /// As [`Vault::remove_all`], in a vault that is open already. Nothing else may have changed the vault since it was opened.
    ///
    /// # Errors
    /// As [`Vault::put_all`].
    pub fn remove_all_in(&self, opened: &mut Opened, names: &[&str]) -> Result<(), Fault> {
        let held: Vec<&str> =
            names.iter().filter(|name| opened.records.contains_key(**name)).copied().collect();
        self.change_opened(opened, named(&held, Change::Remove)?)
    }

    /// Makes a key in the new file `to` and seals the vault under it; from then on `to` is the source of the key. After
    /// a crash the vault is sealed under the key before or under the new one, and a start under the wrong one names the
    /// right one.
    ///
    /// # Errors
    /// A [`Fault`]; the vault is then as it was, and `to` is not there, unless the fault is [`Fault::Unsynced`].
    pub fn rotate(&self, to: &Path) -> Result<Rotated, Fault> {
        self.rotate_through(to, to)
    }

    /// As [`Vault::rotate`]; the file is made at `at`, which leads to `to` as long as its folder is open, even if the folder is
    /// renamed.
    ///
    /// # Errors
    /// As [`Vault::rotate`].
    pub fn rotate_through(&self, to: &Path, at: &Path) -> Result<Rotated, Fault> {
        let mut inner = self.lock();
        let opened = self.read(&mut inner)?;
        let before = self.shown(&opened.origin);
        let key = key::make_file(&self.folder, to, at, &before)?;
        let seal = Seal::new(&key).expect("a fresh key has a key's length");
        let origin = recorded(&self.folder, to);
        let rewrapped = opened
            .records
            .iter()
            .map(|(name, record)| Ok((name.clone(), record.rewrap(&opened.seal, &seal, name)?)));
        let written = rewrapped
            .collect::<Result<Records, Fault>>()
            .and_then(|records| self.write(&seal, &origin, &records));
        inner.tail = None;
        let is_new =
            || matches!(file::read(&self.folder), Ok(Some(now)) if file::decode(&seal, &now).is_some());
        match written {
            Ok(stamp) => inner.tail = Some(Tail::of(stamp)),
            Err(Fault::Io { source: error, .. }) if is_new() => {
                inner.source = KeySource::File(to.to_owned());
                return Err(Fault::Unsynced { before, after: to.to_owned(), source: error });
            }
            Err(fault) => {
                let _ = self.folder.remove(at);
                return Err(fault);
            }
        }
        inner.source = KeySource::File(to.to_owned());
        self.drop_log();
        Ok(Rotated { records: opened.len(), before })
    }
}

/// The changes that put these secrets.
fn sealed(seal: &Seal, entries: &[Entry]) -> Result<Vec<Change>, Fault> {
    let put = |Entry { name, secret }: &Entry| {
        check_length(name, secret.expose().len())?;
        Ok(Change::Put(name.clone(), Record::close(seal, name, secret)?))
    };
    entries.iter().map(put).collect()
}

/// A change of each of these names.
fn named(names: &[&str], change: fn(String) -> Change) -> Result<Vec<Change>, Fault> {
    names.iter().map(|name| check_length(name, 0).map(|()| change((*name).to_owned()))).collect()
}

fn check_length(name: &str, secret: usize) -> Result<(), Fault> {
    if name.len().max(secret) > PART_MAX {
        return Err(Fault::TooLong { name: name.to_owned(), max: PART_MAX });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
