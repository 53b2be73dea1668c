//! The vault of one data directory: records of secrets by the names of their sessions, in one small file.
//!
//! [`Vault`] itself holds neither key nor secret. Each call gets the key from its source and wipes it again, so a
//! running exchange has neither in memory. [`Opened`] is what a start reads the secrets from.

use crate::file::{self, Head, Record, Records, VAULT_FILE};
use crate::key::{self, KEY_FILE, KeySource};
use crate::seal::Seal;
use crate::{Fault, Secret};
use buttonwood_disk::Folder;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of a name or a secret at most; drawn ones are far shorter.
const PART_MAX: usize = 1024;

/// One secret to put.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name of its session: the text of its API key, which never changes. A record opens only under its name.
    pub name: String,
    /// The secret.
    pub secret: Secret,
}

/// The vault of one data directory, closed.
#[derive(Debug)]
pub struct Vault {
    folder: Folder,
    /// Held during every change of the file.
    source: Mutex<KeySource>,
}

/// A vault that is open for reading; its key is wiped when it is dropped.
pub struct Opened {
    seal: Seal,
    /// Where the key came from, as the file records it.
    origin: Vec<u8>,
    records: Records,
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
        Self { folder: folder.into(), source: Mutex::new(source) }
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
        let head = file::read(&folder)?.and_then(|content| file::head(&content));
        Ok(head.filter(|head| !head.origin.is_empty()).map(|head| located(&folder, &head.origin)))
    }

    /// Where the key is that the vault of a directory is sealed under; `None` without a vault, or with a damaged one.
    ///
    /// # Errors
    /// [`Fault::Io`].
    pub fn sealed_under(folder: impl Into<Folder>) -> Result<Option<SealedUnder>, Fault> {
        let Some(content) = file::read(&folder.into())? else { return Ok(None) };
        if file::is_earlier(&content) {
            return Ok(Some(SealedUnder::Inside(KEY_FILE.into())));
        }
        Ok(file::head(&content).map(|head| {
            let path = Path::new(OsStr::from_bytes(&head.origin));
            let is_below = path.components().all(|part| matches!(part, Component::Normal(_)));
            match path {
                _ if head.origin.is_empty() => SealedUnder::Command,
                path if is_below => SealedUnder::Inside(path.to_owned()),
                path => SealedUnder::Outside(path.to_owned()),
            }
        }))
    }

    /// Opens the vault, or creates it where there is none; with [`KeySource::Own`] its key too.
    ///
    /// # Errors
    /// A [`Fault`]: unreadable or unwritable files, no key, another vault's key, a damaged vault.
    pub fn open(&self) -> Result<Opened, Fault> {
        self.read(&self.lock())
    }

    /// Files the secrets of an earlier build's vault by names, the sessions' in the order of their numbers. Any other
    /// vault stays as it is. Returns the number of records that belong to no session, which are left out.
    ///
    /// # Errors
    /// A [`Fault`]; the vault is then as it was.
    pub fn upgrade(&self, names: &[&str]) -> Result<usize, Fault> {
        let source = self.lock();
        let path = self.folder.file(VAULT_FILE);
        let Some(content) = file::read(&self.folder)?.filter(|content| file::is_earlier(content)) else {
            return Ok(0);
        };
        let key_path = self.folder.file(KEY_FILE);
        let key = key::read(&self.folder, &key_path)?;
        let key = key.ok_or_else(|| Fault::KeyMissing { path: key_path.clone(), sealed: true })?;
        let own = || Seal::new(&key).expect("a key has a key's length");
        let before = own();
        let sealed = file::decode_earlier(&before, &content);
        let sealed = sealed.ok_or_else(|| Fault::Damaged { path: path.clone() })?;
        let (seal, origin) = match &*source {
            KeySource::Own => (own(), KEY_FILE.as_bytes().to_vec()),
            KeySource::File(_) | KeySource::Command(_) => self.key(&source, None)?,
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
        self.write(&seal, &origin, &records)?;
        if *source != KeySource::Own {
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

    /// Puts many secrets with one rewrite of the file: all of them or none.
    ///
    /// # Errors
    /// A [`Fault`]; the vault is then as it was.
    pub fn put_all(&self, entries: &[Entry]) -> Result<(), Fault> {
        let source = self.lock();
        self.extend(&mut self.read(&source)?, entries)
    }

    /// As [`Vault::put_all`], into a vault that is open already, so that its key is not read again. Nothing else may
    /// have changed the vault since it was opened.
    ///
    /// # Errors
    /// A [`Fault`]; the vault is then as it was.
    pub fn add(&self, opened: &mut Opened, entries: &[Entry]) -> Result<(), Fault> {
        let _source = self.lock();
        self.extend(opened, entries)
    }

    /// Removes the secrets of sessions that have ended, by their names; durable when it returns. Their records stay without a secret, so
    /// that a lost record shows. Names without a secret change nothing.
    ///
    /// # Errors
    /// A [`Fault`]; the vault is then as it was.
    pub fn forget(&self, names: &[&str]) -> Result<(), Fault> {
        let source = self.lock();
        self.empty(&mut self.read(&source)?, names)
    }

    /// As [`Vault::forget`], in a vault that is open already. Nothing else may have changed the vault since it was opened.
    ///
    /// # Errors
    /// A [`Fault`]; the vault is then as it was.
    pub fn remove(&self, opened: &mut Opened, names: &[&str]) -> Result<(), Fault> {
        let _source = self.lock();
        self.empty(opened, names)
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
        let mut source = self.lock();
        let opened = self.read(&source)?;
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
        let is_new =
            || matches!(file::read(&self.folder), Ok(Some(now)) if file::decode(&seal, &now).is_some());
        match written {
            Ok(()) => {}
            Err(Fault::Io { source: error, .. }) if is_new() => {
                *source = KeySource::File(to.to_owned());
                return Err(Fault::Unsynced { before, after: to.to_owned(), source: error });
            }
            Err(fault) => {
                let _ = self.folder.remove(at);
                return Err(fault);
            }
        }
        *source = KeySource::File(to.to_owned());
        Ok(Rotated { records: opened.len(), before })
    }

    fn extend(&self, opened: &mut Opened, entries: &[Entry]) -> Result<(), Fault> {
        let mut next = opened.records.clone();
        for Entry { name, secret } in entries {
            if name.len().max(secret.expose().len()) > PART_MAX {
                return Err(Fault::TooLong { name: name.clone(), max: PART_MAX });
            }
            next.insert(name.clone(), Record::close(&opened.seal, name, secret)?);
        }
        self.write(&opened.seal, &opened.origin, &next)?;
        opened.records = next;
        Ok(())
    }

    fn empty(&self, opened: &mut Opened, names: &[&str]) -> Result<(), Fault> {
        let holds = |name: &&&str| opened.records.get(**name).is_some_and(|record| !record.is_emptied());
        let held: Vec<&str> = names.iter().filter(holds).copied().collect();
        if held.is_empty() {
            return Ok(());
        }
        let mut next = opened.records.clone();
        for name in held {
            next.insert(name.to_owned(), Record::emptied(&opened.seal, name)?);
        }
        self.write(&opened.seal, &opened.origin, &next)?;
        opened.records = next;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, KeySource> {
        self.source.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, source: &KeySource) -> Result<Opened, Fault> {
        let path = self.folder.file(VAULT_FILE);
        let Some(content) = file::read(&self.folder)? else {
            let (seal, origin) = self.key(source, None)?;
            self.write(&seal, &origin, &Records::new())?;
            return Ok(Opened { seal, origin, records: Records::new() });
        };
        let head = file::head(&content).ok_or_else(|| Fault::Damaged { path: path.clone() })?;
        let (seal, origin) = self.key(source, Some(&head))?;
        if seal.id() != head.id {
            let sealed_under = self.shown(&head.origin);
            return Err(Fault::OtherKey { path, origin: self.shown(&origin), sealed_under });
        }
        let records = file::decode(&seal, &content).ok_or(Fault::Damaged { path })?;
        Ok(Opened { seal, origin, records })
    }

    /// The key, for a vault with this head or for a new one; and its origin.
    fn key(&self, source: &KeySource, head: Option<&Head>) -> Result<(Seal, Vec<u8>), Fault> {
        let sealed = head.is_some();
        let (key, origin) = match (source, head) {
            (KeySource::Command(command), _) => (key::run(command)?, Vec::new()),
            (KeySource::File(path), _) => {
                let key = key::read(&self.folder, path)?;
                let key = key.ok_or_else(|| Fault::KeyMissing { path: path.clone(), sealed })?;
                (key, recorded(&self.folder, path))
            }
            (KeySource::Own, None) => {
                let key = key::read(&self.folder, &self.folder.file(KEY_FILE))?;
                let key = key.map_or_else(|| key::make_own(&self.folder), Ok)?;
                (key, KEY_FILE.as_bytes().to_vec())
            }
            (KeySource::Own, Some(head)) if head.origin.is_empty() => {
                return Err(Fault::NeedsCommand { path: self.folder.file(VAULT_FILE) });
            }
            (KeySource::Own, Some(head)) => {
                let path = located(&self.folder, &head.origin);
                let key = key::read(&self.folder, &path)?;
                (key.ok_or(Fault::KeyMissing { path, sealed })?, head.origin.clone())
            }
        };
        Ok((Seal::new(&key).expect("a key has a key's length"), origin))
    }

    fn write(&self, seal: &Seal, origin: &[u8], records: &Records) -> Result<(), Fault> {
        file::replace(&self.folder, VAULT_FILE, &file::encode(seal, origin, records)?)
    }

    fn shown(&self, origin: &[u8]) -> String {
        match origin {
            [] => KeySource::Command(String::new()).shown(),
            _ => KeySource::File(located(&self.folder, origin)).shown(),
        }
    }
}

impl Opened {
    /// The secret of a session, or `None` when the vault holds none.
    ///
    /// # Errors
    /// [`Fault::Record`] when its record does not open.
    pub fn get(&self, name: &str) -> Result<Option<Secret>, Fault> {
        let Some(record) = self.records.get(name).filter(|record| !record.is_emptied()) else {
            return Ok(None);
        };
        record.open(&self.seal, name).map(Some).ok_or_else(|| Fault::Record { name: name.to_owned() })
    }

    /// Whether the secret of a session was removed, since it has ended.
    pub fn is_forgotten(&self, name: &str) -> bool {
        self.records.get(name).is_some_and(Record::is_emptied)
    }

    /// How many secrets the vault holds.
    pub fn len(&self) -> usize {
        self.records.values().filter(|record| !record.is_emptied()).count()
    }

    /// Whether the vault holds no secret.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl core::fmt::Debug for Opened {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Opened").field("secrets", &self.len()).finish_non_exhaustive()
    }
}

/// The path of a key file as a vault records it: relative to the vault if it lies beside it, since a data directory may
/// be moved.
fn recorded(folder: &Folder, path: &Path) -> Vec<u8> {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let path = whole(path);
    let beside = path.strip_prefix(whole(folder.path())).unwrap_or(&path);
    beside.as_os_str().as_bytes().to_vec()
}

/// The path of a recorded key file.
fn located(folder: &Folder, origin: &[u8]) -> PathBuf {
    folder.path().join(OsStr::from_bytes(origin))
}

#[cfg(test)]
mod tests;
