//! A disk in memory with only the operations of a fuzzed recovery. Its identity is always the same, so that an input
//! has the same meaning everywhere.

use buttonwood_disk::{Disk, Folder, Handle, LockMode, Open};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// A disk whose files can be read and replaced directly.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory(Arc<Mutex<BTreeMap<PathBuf, Arc<Content>>>>);

#[derive(Debug, Default)]
struct Content(Mutex<Vec<u8>>);

impl Memory {
    /// The only folder.
    pub(crate) fn folder(&self) -> Folder {
        Folder::new(Arc::new(self.clone()), "memory")
    }

    /// The content of a file, if it exists.
    pub(crate) fn get(&self, name: &str) -> Option<Vec<u8>> {
        let content = self.files().get(&Path::new("memory").join(name)).cloned();
        content.map(|content| content.bytes().clone())
    }

    /// Writes or removes a file.
    pub(crate) fn set(&self, name: &str, bytes: Option<&[u8]>) {
        let path = Path::new("memory").join(name);
        match bytes {
            Some(bytes) => self.files().insert(path, Arc::new(Content(Mutex::new(bytes.to_vec())))),
            None => self.files().remove(&path),
        };
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Arc<Content>>> {
        self.0.lock().expect("nothing panics in here")
    }
}

impl Content {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().expect("nothing panics in here")
    }
}

impl Disk for Memory {
    fn create_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn is_folder(&self, _: &Path) -> bool {
        true
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let files = self.files();
        let inside = files.keys().filter_map(|path| path.strip_prefix(folder).ok()?.to_str());
        Ok(inside.map(str::to_owned).collect())
    }

    fn open(&self, path: &Path, how: Open) -> io::Result<Arc<dyn Handle>> {
        let mut files = self.files();
        let content = match (files.get(path), how) {
            (Some(content), Open::Read | Open::ReadWrite) => Arc::clone(content),
            (None, Open::Read) => return Err(io::ErrorKind::NotFound.into()),
            (Some(_), Open::New) => return Err(io::ErrorKind::AlreadyExists.into()),
            (_, Open::Truncate | Open::ReadWrite | Open::New) => {
                let content = Arc::<Content>::default();
                files.insert(path.to_owned(), Arc::clone(&content));
                content
            }
        };
        Ok(content)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut files = self.files();
        let content = files.remove(from).ok_or(io::ErrorKind::NotFound)?;
        files.insert(to.to_owned(), content);
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut files = self.files();
        let content = files.get(from).cloned().ok_or(io::ErrorKind::NotFound)?;
        files.insert(to.to_owned(), content);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.files().remove(path).map(|_| ()).ok_or(io::ErrorKind::NotFound.into())
    }

    fn sync_names(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn free(&self, _: &Path) -> io::Result<u64> {
        Ok(u64::MAX)
    }

    fn draw(&self) -> io::Result<[u8; 16]> {
        Ok(*b"sixteen bytes id")
    }
}

impl Handle for Content {
    fn read_at(&self, room: &mut [u8], offset: u64) -> io::Result<usize> {
        let bytes = self.bytes();
        let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
        let count = rest.len().min(room.len());
        room[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut content = self.bytes();
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        let end = start + bytes.len();
        if content.len() < end {
            content.resize(end, 0);
        }
        content[start..end].copy_from_slice(bytes);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn sync_all(&self) -> io::Result<()> {
        Ok(())
    }

    fn set_len(&self, bytes: u64) -> io::Result<()> {
        self.bytes().resize(usize::try_from(bytes).map_err(io::Error::other)?, 0);
        Ok(())
    }

    fn len(&self) -> io::Result<u64> {
        u64::try_from(self.bytes().len()).map_err(io::Error::other)
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
