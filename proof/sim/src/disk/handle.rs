//! An open file of a simulated disk.

use super::content::{Content, wide};
use super::{Faulty, Inside};
use buttonwood_disk::{Handle, LockMode};
use std::io;
use std::sync::Mutex;

/// The lock count of a file with an exclusive holder.
const ALONE: i32 = -1;

#[derive(Debug)]
pub(super) struct Opened {
    disk: Faulty,
    file: u64,
    boot: u64,
    held: Mutex<Option<LockMode>>,
}

impl Opened {
    pub(super) fn new(disk: Faulty, file: u64, boot: u64) -> Self {
        Self { disk, file, boot, held: Mutex::new(None) }
    }

    fn alive<T>(&self, work: impl FnOnce(&mut Inside) -> io::Result<T>) -> io::Result<T> {
        let mut inside = self.disk.lock();
        if inside.boot != self.boot {
            return Err(io::Error::other("the process has ended"));
        }
        work(&mut inside)
    }

    fn content<T>(&self, work: impl FnOnce(&mut Content) -> T) -> io::Result<T> {
        self.alive(|inside| inside.files.get_mut(&self.file).map(work).ok_or(io::ErrorKind::NotFound.into()))
    }

    /// A call that changes the file, if `growth` more bytes fit.
    fn change(
        &self,
        growth: impl FnOnce(&Content) -> u64,
        work: impl FnOnce(&mut Content),
    ) -> io::Result<()> {
        self.alive(|inside| {
            inside.call()?;
            let more = inside.files.get(&self.file).map(growth).ok_or(io::ErrorKind::NotFound)?;
            if more > 0 && !inside.has_room(more) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            inside.files.get_mut(&self.file).map(work).ok_or(io::ErrorKind::NotFound.into())
        })
    }

    fn sync(&self) -> io::Result<()> {
        self.alive(|inside| {
            let outcome = inside.call();
            let content = inside.files.get_mut(&self.file).ok_or(io::ErrorKind::NotFound)?;
            match outcome {
                Ok(false) => content.sync(),
                // The last call does not complete.
                Ok(true) => {}
                Err(error) => {
                    content.fail_sync();
                    return Err(error);
                }
            }
            Ok(())
        })
    }
}

impl Handle for Opened {
    fn read_at(&self, room: &mut [u8], offset: u64) -> io::Result<usize> {
        self.content(|content| content.read(room, narrow(offset)))
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let offset = narrow(offset);
        self.change(|content| content.growth(offset + bytes.len()), |content| content.write(bytes, offset))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.sync()
    }

    fn sync_all(&self) -> io::Result<()> {
        self.sync()
    }

    fn set_len(&self, bytes: u64) -> io::Result<()> {
        self.change(|_| 0, |content| content.set_len(narrow(bytes)))
    }

    fn len(&self) -> io::Result<u64> {
        self.content(|content| wide(content.len()))
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        let bytes = narrow(bytes);
        self.change(|content| content.growth(bytes), |content| content.reserve(bytes))
    }

    fn drop_cache(&self) -> io::Result<()> {
        self.content(Content::drop_cache)
    }

    fn bypass_cache(&self, _bypass: bool) -> io::Result<bool> {
        Ok(true)
    }

    fn try_lock(&self, hold: LockMode) -> io::Result<bool> {
        let file = self.file;
        let taken = self.alive(|inside| {
            let holders = inside.locks.entry(file).or_default();
            let is_free = match hold {
                LockMode::Exclusive => *holders == 0,
                LockMode::Shared => *holders >= 0,
            };
            if is_free {
                *holders = if hold == LockMode::Exclusive { ALONE } else { *holders + 1 };
            }
            Ok(is_free)
        })?;
        if taken {
            *self.held.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(hold);
        }
        Ok(taken)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        let held = self.held.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some(hold) = held {
            // The locks of an ended process are already released.
            let _ = self.alive(|inside| {
                let holders = inside.locks.entry(self.file).or_default();
                *holders = if hold == LockMode::Exclusive { 0 } else { *holders - 1 };
                Ok(())
            });
        }
    }
}

fn narrow(offset: u64) -> usize {
    usize::try_from(offset).expect("a simulated file fits in memory")
}
