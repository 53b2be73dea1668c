//! How a vault works on its files: it reads base and log, appends, and folds both into a new base.

use super::{Inner, Vault};
use crate::Fault;
use crate::file::{self, Head, Records, Stamp, VAULT_FILE};
use crate::key::{self, KEY_FILE, KeySource};
use crate::log::{self, Change, LOG_FILE, Scanned, Tail};
use crate::opened::Opened;
use crate::seal::Seal;
use buttonwood_disk::Folder;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{MutexGuard, PoisonError};

/// Bytes by which the log of a running exchange may outgrow its base.
const LOG_ROOM: u64 = 1024 * 1024;

/// All that a change needs to know of a vault.
struct Known {
    seal: Seal,
    origin: Vec<u8>,
    recorded: Vec<u8>,
    tail: Tail,
}

impl From<Opened> for Known {
    fn from(opened: Opened) -> Self {
        let Opened { seal, origin, recorded, tail, .. } = opened;
        Self { seal, origin, recorded, tail }
    }
}

impl Inner {
    /// Makes durable changes to the sealed records in memory, if these are those before them.
    fn follow(
        &mut self,
        seal: &Seal,
        before: &Tail,
        after: &Tail,
        changes: Vec<Change>,
    ) -> Result<(), Fault> {
        if let Some((end, records)) = self.sealed.as_mut().filter(|(end, _)| end == before) {
            log::apply(seal, records, changes)?;
            *end = after.clone();
        }
        Ok(())
    }
}

impl Vault {
    /// Appends changes to the log. Only the heads of both files are read, unless the end of the log is not known yet.
    pub(super) fn change(&self, make: impl FnOnce(&Seal) -> Result<Vec<Change>, Fault>) -> Result<(), Fault> {
        let mut inner = self.lock();
        let Known { seal, origin, recorded, tail } = match self.known(&mut inner)? {
            Some(known) => known,
            None => self.read(&mut inner)?.into(),
        };
        let changes = make(&seal)?;
        if changes.is_empty() {
            return Ok(());
        }
        let before = tail.clone();
        let tail = self.append(&mut inner, &seal, tail, &changes)?;
        inner.follow(&seal, &before, &tail, changes)?;
        if origin != recorded || tail.end > tail.base.length.saturating_add(LOG_ROOM) {
            // The change is durable; a fold that fails is tried again after the next one.
            let folded = self.read_under(&mut inner, seal, origin);
            let _ = folded.and_then(|mut opened| {
                let origin = opened.origin.clone();
                self.fold(&mut inner, &mut opened, origin)
            });
        }
        Ok(())
    }

    /// The key, once the sealed records in memory are those of the files.
    pub(super) fn sealed(&self, inner: &mut Inner) -> Result<Seal, Fault> {
        let known = self.known(inner)?;
        let is_current = |tail: &Tail| inner.sealed.as_ref().is_some_and(|(end, _)| end == tail);
        match known {
            Some(known) if is_current(&known.tail) => Ok(known.seal),
            Some(_) | None => {
                inner.sealed = None;
                let opened = self.read(inner)?;
                inner.sealed = Some((opened.tail, opened.records));
                Ok(opened.seal)
            }
        }
    }

    /// As [`Vault::change`], in an open vault.
    pub(super) fn change_opened(&self, opened: &mut Opened, changes: Vec<Change>) -> Result<(), Fault> {
        if changes.is_empty() {
            return Ok(());
        }
        let mut inner = self.lock();
        if inner.tail.as_ref() != Some(&opened.tail) {
            // A change has failed since it was opened.
            *opened = self.read(&mut inner)?;
        }
        opened.tail = self.append(&mut inner, &opened.seal, opened.tail.clone(), &changes)?;
        opened.outdated += log::apply(&opened.seal, &mut opened.records, changes)?;
        if opened.origin != opened.recorded {
            // As in `change`.
            let origin = opened.origin.clone();
            let _ = self.fold(&mut inner, opened, origin);
        }
        Ok(())
    }

    /// Appends changes, if there are any, and returns the new end.
    fn append(&self, inner: &mut Inner, seal: &Seal, tail: Tail, changes: &[Change]) -> Result<Tail, Fault> {
        if changes.is_empty() {
            return Ok(tail);
        }
        inner.tail = None;
        let next = log::append(&self.folder, seal, &tail, changes)?;
        inner.tail = Some(next.clone());
        Ok(next)
    }

    /// Replaces base and log by a base with all records. The log goes last; one that stays belongs to no base and counts for nothing.
    pub(super) fn fold(&self, inner: &mut Inner, opened: &mut Opened, origin: Vec<u8>) -> Result<(), Fault> {
        inner.tail = None;
        inner.sealed = None;
        opened.tail = Tail::of(self.write(&opened.seal, &origin, &opened.records)?);
        opened.recorded = origin;
        opened.outdated = 0;
        opened.is_stale = false;
        inner.tail = Some(opened.tail.clone());
        self.drop_log();
        Ok(())
    }

    /// Takes away the log of an earlier base. The next start tries again where this fails.
    pub(super) fn drop_log(&self) {
        let _ = self.folder.remove(&self.folder.file(LOG_FILE));
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The key and the end of the log; `None` if the end is not known, or the files are not those that it was read from.
    fn known(&self, inner: &mut Inner) -> Result<Option<Known>, Fault> {
        let Some(tail) = inner.tail.clone() else { return Ok(None) };
        let front = file::front(&self.folder)?.unwrap_or_default();
        let head = file::head(&front).filter(|_| file::link(&front) == Some(tail.base.link));
        let Some(head) = head.filter(|_| matches!(log::stands(&self.folder, &tail), Ok(true))) else {
            inner.tail = None;
            return Ok(None);
        };
        let (seal, origin) = self.unlock(&inner.source, &head)?;
        Ok(Some(Known { seal, origin, recorded: head.origin, tail }))
    }

    /// Reads base and log.
    pub(super) fn read(&self, inner: &mut Inner) -> Result<Opened, Fault> {
        let path = self.folder.file(VAULT_FILE);
        let Some(content) = file::read(&self.folder)? else {
            inner.tail = None;
            if file::opened(&self.folder, LOG_FILE)?.is_some() {
                return Err(Fault::BaseMissing { path, log: self.folder.file(LOG_FILE) });
            }
            let (seal, origin) = self.key(&inner.source, None)?;
            let tail = Tail::of(self.write(&seal, &origin, &Records::new())?);
            inner.tail = Some(tail.clone());
            let (records, recorded) = (Records::new(), origin.clone());
            return Ok(Opened { seal, origin, recorded, records, tail, outdated: 0, is_stale: false });
        };
        let head = file::head(&content).ok_or(Fault::Damaged { path })?;
        let (seal, origin) = self.unlock(&inner.source, &head)?;
        self.decode(inner, seal, origin, &content)
    }

    /// As [`Vault::read`], with a key that was read before.
    fn read_under(&self, inner: &mut Inner, seal: Seal, origin: Vec<u8>) -> Result<Opened, Fault> {
        let content = file::read(&self.folder)?.unwrap_or_default();
        self.decode(inner, seal, origin, &content)
    }

    /// The records of a base and its log. An end of the log is known only while the names of both are durable: a power cut could else
    /// leave the base before this one, with a log that does not belong to it.
    fn decode(&self, inner: &mut Inner, seal: Seal, origin: Vec<u8>, base: &[u8]) -> Result<Opened, Fault> {
        let known = inner.tail.take();
        let damaged = |name: &str| Fault::Damaged { path: self.folder.file(name) };
        let (mut records, stamp) = file::decode(&seal, base).ok_or_else(|| damaged(VAULT_FILE))?;
        let recorded = file::head(base).map(|head| head.origin).unwrap_or_default();
        let log = log::read(&self.folder, known.is_none())?;
        let none = || Some(Scanned { tail: Tail::of(stamp), changes: Vec::new(), is_stale: false });
        let scanned = log.map_or_else(none, |log| log::scan(&seal, stamp, &log));
        let Scanned { tail, changes, is_stale } = scanned.ok_or_else(|| damaged(LOG_FILE))?;
        let outdated = log::apply(&seal, &mut records, changes)?;
        inner.tail = Some(tail.clone());
        Ok(Opened { seal, origin, recorded, records, tail, outdated, is_stale })
    }

    /// The key of a vault with this head, and its origin.
    fn unlock(&self, source: &KeySource, head: &Head) -> Result<(Seal, Vec<u8>), Fault> {
        let (seal, origin) = self.key(source, Some(head))?;
        if seal.id() != head.id {
            let (path, sealed_under) = (self.folder.file(VAULT_FILE), self.shown(&head.origin));
            return Err(Fault::OtherKey { path, origin: self.shown(&origin), sealed_under });
        }
        Ok((seal, origin))
    }

    /// The key, for a vault with this head or for a new one; and its origin.
    pub(super) fn key(&self, source: &KeySource, head: Option<&Head>) -> Result<(Seal, Vec<u8>), Fault> {
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

    /// Replaces the base.
    pub(super) fn write(&self, seal: &Seal, origin: &[u8], records: &Records) -> Result<Stamp, Fault> {
        let (bytes, stamp) = file::encode(seal, origin, records)?;
        file::replace(&self.folder, VAULT_FILE, &bytes).map(|()| stamp)
    }

    pub(super) fn shown(&self, origin: &[u8]) -> String {
        match origin {
            [] => KeySource::Command(String::new()).shown(),
            _ => KeySource::File(located(&self.folder, origin)).shown(),
        }
    }
}

/// The path of a key file as a vault records it: relative to the vault if it lies beside it, since a data directory may
/// be moved.
pub(super) fn recorded(folder: &Folder, path: &Path) -> Vec<u8> {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let path = whole(path);
    let beside = path.strip_prefix(whole(folder.path())).unwrap_or(&path);
    beside.as_os_str().as_bytes().to_vec()
}

/// The path of a recorded key file.
pub(super) fn located(folder: &Folder, origin: &[u8]) -> PathBuf {
    folder.path().join(OsStr::from_bytes(origin))
}
