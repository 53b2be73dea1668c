//! A disk in memory that loses, at a power cut, any part of what was not synced, sector by sector.

use super::Dice;
use buttonwood_disk::{Disk, Handle, LockMode, Open};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

const SECTOR: usize = 512;

#[derive(Clone, Debug, Default)]
struct Content {
    now: Vec<u8>,
    durable: Vec<u8>,
}

#[derive(Debug, Default)]
struct Inside {
    files: BTreeMap<PathBuf, Content>,
    durable_names: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
    /// Writes and syncs until one fails; `None`: none fails.
    left: Option<u32>,
}

/// A disk; clones are the same disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    inside: Arc<Mutex<Inside>>,
}

#[derive(Debug)]
struct File {
    disk: Memory,
    path: PathBuf,
}

impl Memory {
    /// The power goes, and comes back: every sector of unsynced bytes is there or not, as are lengths and names.
    pub(crate) fn cut_power(&self, dice: &mut Dice) {
        let mut inside = self.inside.lock().unwrap();
        inside.left = None;
        let names = inside.durable_names.clone();
        inside.files.retain(|path, _| names.contains(path) || dice.once_in(2));
        for content in inside.files.values_mut() {
            let len = if dice.once_in(2) { content.now.len() } else { content.durable.len() };
            let mut bytes = content.durable.clone();
            bytes.resize(len, 0);
            for start in (0..len).step_by(SECTOR) {
                let end = len.min(start + SECTOR).min(content.now.len());
                if start < end && dice.once_in(2) {
                    bytes[start..end].copy_from_slice(&content.now[start..end]);
                }
            }
            *content = Content { now: bytes.clone(), durable: bytes };
        }
    }

    /// The write or sync after `calls` of them fails, once.
    pub(crate) fn fail_after(&self, calls: u32) {
        self.inside.lock().unwrap().left = Some(calls);
    }
}

impl Inside {
    fn call(&mut self) -> io::Result<()> {
        let fails = self.left == Some(0);
        self.left = self.left.and_then(|left| left.checked_sub(1));
        if fails { Err(io::Error::other("the disk fails")) } else { Ok(()) }
    }
}

impl Disk for Memory {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.inside.lock().unwrap().folders.insert(path.to_owned());
        Ok(())
    }
    fn is_folder(&self, path: &Path) -> bool {
        self.inside.lock().unwrap().folders.contains(path)
    }
    fn names(&self, _: &Path) -> io::Result<Vec<String>> {
        Err(io::ErrorKind::Unsupported.into())
    }
    fn open(&self, path: &Path, _: Open) -> io::Result<Arc<dyn Handle>> {
        self.inside.lock().unwrap().files.entry(path.to_owned()).or_default();
        Ok(Arc::new(File { disk: self.clone(), path: path.to_owned() }))
    }
    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
    fn link(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
    fn remove(&self, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
    fn sync_names(&self, _: &Path) -> io::Result<()> {
        let mut inside = self.inside.lock().unwrap();
        inside.durable_names = inside.files.keys().cloned().collect();
        Ok(())
    }
    fn free(&self, _: &Path) -> io::Result<u64> {
        Ok(u64::MAX)
    }
    fn draw(&self) -> io::Result<[u8; 16]> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl File {
    fn with<T>(&self, act: impl FnOnce(&mut Content) -> T) -> io::Result<T> {
        let mut inside = self.disk.inside.lock().unwrap();
        inside.call()?;
        Ok(act(inside.files.get_mut(&self.path).unwrap()))
    }
}

impl Handle for File {
    fn read_at(&self, room: &mut [u8], offset: u64) -> io::Result<usize> {
        let inside = self.disk.inside.lock().unwrap();
        let bytes = &inside.files[&self.path].now;
        let start = usize::try_from(offset).unwrap().min(bytes.len());
        let count = room.len().min(bytes.len() - start);
        room[..count].copy_from_slice(&bytes[start..start + count]);
        Ok(count)
    }
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.with(|content| {
            let start = usize::try_from(offset).unwrap();
            content.now.resize(content.now.len().max(start + bytes.len()), 0);
            content.now[start..start + bytes.len()].copy_from_slice(bytes);
        })
    }
    fn sync_data(&self) -> io::Result<()> {
        self.with(|content| content.durable.clone_from(&content.now))
    }
    fn sync_all(&self) -> io::Result<()> {
        self.sync_data()
    }
    fn set_len(&self, bytes: u64) -> io::Result<()> {
        self.with(|content| content.now.resize(usize::try_from(bytes).unwrap(), 0))
    }
    fn len(&self) -> io::Result<u64> {
        Ok(u64::try_from(self.disk.inside.lock().unwrap().files[&self.path].now.len()).unwrap())
    }
    fn reserve(&self, _: u64) -> io::Result<()> {
        Ok(())
    }
    fn drop_cache(&self) -> io::Result<()> {
        Ok(())
    }
    fn bypass_cache(&self, _: bool) -> io::Result<bool> {
        Ok(false)
    }
    fn try_lock(&self, _: LockMode) -> io::Result<bool> {
        Ok(true)
    }
}
