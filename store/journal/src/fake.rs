//! A file in memory that records its calls and fails on demand, for cases that no real disk produces on request.

use std::collections::VecDeque;
use std::io;
use std::sync::Mutex;

use buttonwood_disk::{Handle, LockMode};

/// A recorded call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// Offset, and the length of the reader's buffer.
    Read(u64, usize),
    /// Offset and number of bytes.
    Write(u64, usize),
    Reserve(u64),
    Bypass(bool),
    SyncData,
    SyncAll,
}

/// The fake file.
#[derive(Debug, Default)]
pub(crate) struct Fake {
    pub(crate) bytes: Mutex<Vec<u8>>,
    pub(crate) calls: Mutex<Vec<Call>>,
    /// Outcomes of the next reads and writes, in order: an error, or `None` for success.
    pub(crate) errors: Mutex<VecDeque<Option<io::ErrorKind>>>,
    /// The most bytes that one read returns; 0 for no limit.
    pub(crate) sip: usize,
}

impl Fake {
    pub(crate) fn failing(errors: impl IntoIterator<Item = Option<io::ErrorKind>>) -> Self {
        Self { errors: Mutex::new(errors.into_iter().collect()), ..Self::default() }
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    fn note(&self, call: Call) {
        self.calls.lock().unwrap().push(call);
    }

    fn fail(&self) -> io::Result<()> {
        let error = self.errors.lock().unwrap().pop_front().flatten();
        error.map_or(Ok(()), |kind| Err(kind.into()))
    }
}

impl Handle for Fake {
    fn read_at(&self, room: &mut [u8], offset: u64) -> io::Result<usize> {
        self.note(Call::Read(offset, room.len()));
        self.fail()?;
        let bytes = self.bytes.lock().unwrap();
        let rest = bytes.get(usize::try_from(offset).unwrap()..).unwrap_or_default();
        let most = if self.sip == 0 { usize::MAX } else { self.sip };
        let len = rest.len().min(room.len()).min(most);
        room[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }

    fn write_all_at(&self, piece: &[u8], offset: u64) -> io::Result<()> {
        self.note(Call::Write(offset, piece.len()));
        self.fail()?;
        let mut bytes = self.bytes.lock().unwrap();
        let from = usize::try_from(offset).unwrap();
        let end = bytes.len().max(from + piece.len());
        bytes.resize(end, 0);
        bytes[from..from + piece.len()].copy_from_slice(piece);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.note(Call::SyncData);
        Ok(())
    }

    fn sync_all(&self) -> io::Result<()> {
        self.note(Call::SyncAll);
        Ok(())
    }

    fn set_len(&self, bytes: u64) -> io::Result<()> {
        self.bytes.lock().unwrap().resize(usize::try_from(bytes).unwrap(), 0);
        Ok(())
    }

    fn len(&self) -> io::Result<u64> {
        Ok(u64::try_from(self.bytes.lock().unwrap().len()).unwrap())
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.note(Call::Reserve(bytes));
        Ok(())
    }

    fn drop_cache(&self) -> io::Result<()> {
        Ok(())
    }

    fn bypass_cache(&self, bypass: bool) -> io::Result<bool> {
        self.note(Call::Bypass(bypass));
        Ok(true)
    }

    fn try_lock(&self, _: LockMode) -> io::Result<bool> {
        Ok(true)
    }
}
