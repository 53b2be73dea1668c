//! The calls that the exchange may make on a simulated disk.

use super::Faulty;
use super::content::Content;
use super::handle::Opened;
use super::naming::Naming;
use crate::dice;
use buttonwood_disk::{Disk, Handle, Open};
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::sync::Arc;

impl Disk for Faulty {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        // Folders are made once, before anything in them matters; here they are durable at once.
        self.lock().folders.extend(path.ancestors().map(Path::to_owned));
        Ok(())
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.lock().folders.contains(path)
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        // Compared as bytes: a life lists a folder of thousands of names thousands of times.
        let folder = folder.as_os_str().as_encoded_bytes();
        let inside = self.lock();
        Ok(inside.names.keys().filter_map(|path| name_in(folder, path)).collect())
    }

    fn open(&self, path: &Path, how: Open) -> io::Result<Arc<dyn Handle>> {
        let mut inside = self.lock();
        let known = inside.names.get(path.as_os_str()).copied();
        let file = match (known, how) {
            (Some(file), Open::Read | Open::ReadWrite) => file,
            (None, Open::Read) => return Err(io::ErrorKind::NotFound.into()),
            (Some(_), Open::New) => return Err(io::ErrorKind::AlreadyExists.into()),
            (Some(file), Open::Truncate) => {
                inside.call()?;
                if let Some(content) = inside.files.get_mut(&file) {
                    content.set_len(0);
                }
                file
            }
            (None, Open::ReadWrite | Open::Truncate | Open::New) => {
                inside.call()?;
                let file = inside.next_file;
                inside.next_file += 1;
                inside.files.insert(file, Content::default());
                inside.names.insert(path.into(), file);
                inside.unsynced.push(Naming::Linked(path.to_owned(), file));
                file
            }
        };
        let boot = inside.boot;
        drop(inside);
        Ok(Arc::new(Opened::new(self.clone(), file, boot)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut inside = self.lock();
        inside.call()?;
        let file = inside.names.remove(from.as_os_str()).ok_or(io::ErrorKind::NotFound)?;
        inside.names.insert(to.into(), file);
        inside.unsynced.push(Naming::Renamed(from.to_owned(), to.to_owned(), file));
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut inside = self.lock();
        if inside.names.contains_key(to.as_os_str()) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        inside.call()?;
        let file = inside.names.get(from.as_os_str()).copied().ok_or(io::ErrorKind::NotFound)?;
        inside.names.insert(to.into(), file);
        inside.unsynced.push(Naming::Linked(to.to_owned(), file));
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut inside = self.lock();
        if !inside.names.contains_key(path.as_os_str()) {
            return Err(io::ErrorKind::NotFound.into());
        }
        inside.call()?;
        let file = inside.names.remove(path.as_os_str());
        inside.unsynced.push(Naming::Removed(path.to_owned()));
        let has_another_name = inside.names.values().any(|other| Some(*other) == file);
        if let Some(content) = file.filter(|_| !has_another_name).and_then(|file| inside.files.get_mut(&file))
        {
            // Its space is free, even though a power cut may bring it back.
            content.give_back();
        }
        Ok(())
    }

    fn sync_names(&self, folder: &Path) -> io::Result<()> {
        let mut inside = self.lock();
        if inside.call()? {
            return Ok(());
        }
        let (synced, others): (Vec<_>, Vec<_>) = std::mem::take(&mut inside.unsynced)
            .into_iter()
            .partition(|naming| naming.folder() == Some(folder));
        inside.unsynced = others;
        for naming in synced {
            naming.apply(&mut inside.durable);
        }
        Ok(())
    }

    fn free(&self, _folder: &Path) -> io::Result<u64> {
        Ok(self.lock().free())
    }

    fn draw(&self) -> io::Result<[u8; 16]> {
        let mut inside = self.lock();
        inside.drawn = dice::mix(inside.drawn, 1);
        let low = u128::from(inside.drawn);
        let high = u128::from(dice::mix(inside.drawn, 2));
        Ok((high << 64 | low).to_le_bytes())
    }
}

/// The name of a file directly in a folder.
fn name_in(folder: &[u8], path: &OsStr) -> Option<String> {
    let name = path.as_encoded_bytes().strip_prefix(folder)?.strip_prefix(b"/")?;
    let name = std::str::from_utf8(name).ok()?;
    (!name.contains('/')).then(|| name.to_owned())
}
