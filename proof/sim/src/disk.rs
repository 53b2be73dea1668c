//! A disk in memory that may lose and fail like a real one.
//!
//! Reads see what was written, as through a page cache. A power cut loses any part of what was not synced: sector by
//! sector (512 bytes), name by name, in any order. A failed sync returns one error. The data that it should have
//! written never reaches the disk, but reads still show it until the cache is dropped or the power goes. Space can
//! run out. A chosen call can fail, or be the last one before the end of the process.
//!
//! Not here: damage to data at rest, see `rot`.

mod calls;
mod content;
mod handle;
mod naming;

use crate::dice;
use buttonwood_disk::Folder;
use buttonwood_oracle::Dice;
use content::Content;
pub use content::Survival;
use naming::{Names, Naming};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The exchange's directory on every simulated disk.
const ROOT: &str = "/data";

/// The archive of its journal.
const ARCHIVE: &str = "/archive";

/// The exchange's reserve for a full disk, which it must release before a lack of room hinders it (J11).
const BALLAST: &str = "/data/journal/ballast";

/// A call that failed for lack of room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Bytes that it needed.
    pub asked: u64,
    /// Bytes that were free.
    pub free: u64,
    /// Bytes that the ballast held at that time.
    pub ballast: u64,
}

impl Refused {
    /// Whether the failure was inevitable: releasing the ballast would not have helped.
    pub fn is_excuse(&self) -> bool {
        self.free + self.ballast < self.asked
    }
}

/// The trouble at a chosen call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The process is killed: the call and everything before it has happened, and the page cache survives.
    Kill,
    /// The power goes.
    PowerCut,
    /// The call fails once with an input/output error.
    Error,
}

/// A simulated disk; clones are the same disk.
#[derive(Clone, Debug)]
pub struct Faulty {
    inside: Arc<Mutex<Inside>>,
}

/// The content of a disk. A copy is another disk with the same past; contents are shared, not copied.
#[derive(Clone, Debug)]
struct Inside {
    files: BTreeMap<u64, Content>,
    /// Names as calls see them.
    names: Names,
    folders: BTreeSet<PathBuf>,
    /// The names that a power cut leaves, and the changes since.
    durable: Names,
    unsynced: Vec<Naming>,
    locks: BTreeMap<u64, i32>,
    next_file: u64,
    /// Number of processes that have ended; their handles are dead.
    boot: u64,
    calls: u64,
    fuse: Option<(u64, Trouble)>,
    blown: Option<Trouble>,
    capacity: Option<u64>,
    /// The last call of this process that failed for lack of room.
    refused: Option<Refused>,
    drawn: u64,
    /// The disk before each changing call, if recorded.
    past: Option<Vec<Self>>,
}

impl Faulty {
    /// An empty disk; `seed` seeds its random draws.
    pub fn new(seed: u64) -> Self {
        let inside = Inside {
            files: BTreeMap::new(),
            names: Names::new(),
            folders: BTreeSet::from([PathBuf::from("/")]),
            durable: Names::new(),
            unsynced: Vec::new(),
            locks: BTreeMap::new(),
            next_file: 1,
            boot: 0,
            calls: 0,
            fuse: None,
            blown: None,
            capacity: None,
            refused: None,
            drawn: seed,
            past: None,
        };
        Self::of(inside)
    }

    fn of(inside: Inside) -> Self {
        Self { inside: Arc::new(Mutex::new(inside)) }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The exchange's directory.
    pub fn folder(&self) -> Folder {
        Folder::new(Arc::new(self.clone()), ROOT)
    }

    /// The archive of the exchange's journal.
    pub fn archive(&self) -> Folder {
        Folder::new(Arc::new(self.clone()), ARCHIVE)
    }

    /// Another disk with the same past, for a new process.
    #[must_use]
    pub fn fork(&self) -> Self {
        let mut inside = Inside { past: None, ..self.lock().clone() };
        inside.end_process();
        Self::of(inside)
    }

    /// Makes the `after`-th changing call from now on (0 is the next) run into `trouble`.
    pub fn arm(&self, after: u64, trouble: Trouble) {
        let mut inside = self.lock();
        inside.fuse = Some((inside.calls + after, trouble));
    }

    /// The trouble that has occurred, if any. All further calls of a killed process fail.
    pub fn blown(&self) -> Option<Trouble> {
        self.lock().blown
    }

    /// Number of changing calls so far.
    pub fn calls(&self) -> u64 {
        self.lock().calls
    }

    /// Limits the disk to this many bytes from now on; `None` for no limit.
    pub fn limit(&self, bytes: Option<u64>) {
        self.lock().capacity = bytes;
    }

    /// Whether the disk is limited.
    pub fn is_limited(&self) -> bool {
        self.lock().capacity.is_some()
    }

    /// The last call of this process that failed for lack of room, if any.
    pub fn refused(&self) -> Option<Refused> {
        self.lock().refused
    }

    /// Bytes in use.
    pub fn held(&self) -> u64 {
        self.lock().held()
    }

    /// Ends the process: its locks are released, its handles are dead, the page cache stays.
    pub fn kill(&self) {
        self.lock().end_process();
    }

    /// Ends the process and cuts the power; `dice` decides what is left of the unsynced changes.
    pub fn cut_power(&self, dice: &mut Dice) {
        let mut inside = self.lock();
        let survival = Survival::drawn(dice);
        inside.lose(&survival, dice);
        inside.end_process();
    }

    /// Records the disk before every changing call from now on.
    pub fn record(&self) {
        self.lock().past = Some(Vec::new());
    }

    /// The recorded disks, each as it was before a changing call, and the current one.
    pub fn recorded(&self) -> Vec<Self> {
        let mut inside = self.lock();
        let mut past = inside.past.take().unwrap_or_default();
        past.push(inside.clone());
        past.into_iter().map(Self::of).collect()
    }

    /// The disk after a power cut with this survival, and a number that identifies what was left of it.
    #[must_use]
    pub fn after_power_cut(&self, dice: &mut Dice, survival: &Survival) -> (Self, u64) {
        let mut inside = Inside { past: None, ..self.lock().clone() };
        let left = inside.lose(survival, dice);
        inside.end_process();
        (Self::of(inside), left)
    }

    /// Whether a power cut now would change nothing.
    pub fn is_settled(&self) -> bool {
        let inside = self.lock();
        inside.unsynced.is_empty() && inside.files.values().all(Content::is_settled)
    }

    /// All files, with their content on the disk itself.
    pub fn files(&self) -> Vec<(PathBuf, Arc<Vec<u8>>)> {
        let inside = self.lock();
        inside
            .names
            .iter()
            .filter_map(|(path, id)| Some((path.into(), inside.files.get(id)?.media())))
            .collect()
    }

    /// Changes the content of a file on the disk itself, unnoticed by the process.
    pub fn spoil(&self, path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
        let mut inside = self.lock();
        let id = inside.names.get(path.as_os_str()).copied();
        if let Some(file) = id.and_then(|id| inside.files.get_mut(&id)) {
            file.spoil(change);
        }
    }
}

impl Inside {
    fn end_process(&mut self) {
        self.locks.clear();
        self.boot += 1;
        self.fuse = None;
        self.blown = None;
        self.refused = None;
    }

    fn held(&self) -> u64 {
        self.files.values().map(Content::reserved).sum()
    }

    /// Bytes of free space.
    fn free(&self) -> u64 {
        self.capacity.map_or(u64::MAX, |capacity| capacity.saturating_sub(self.held()))
    }

    /// Whether `more` bytes still fit; if not, the call is recorded as refused.
    fn has_room(&mut self, more: u64) -> bool {
        let free = self.free();
        if more > free {
            let ballast = self.names.get(OsStr::new(BALLAST)).and_then(|file| self.files.get(file));
            let ballast = ballast.map_or(0, Content::reserved);
            self.refused = Some(Refused { asked: more, free, ballast });
        }
        more <= free
    }

    /// Counts a changing call. `Ok(true)`: this is the last one that happens.
    fn call(&mut self) -> io::Result<bool> {
        if self.blown.is_some_and(|trouble| trouble != Trouble::Error) {
            return Err(io::Error::other("the process has ended"));
        }
        if let Some(past) = self.past.take() {
            let mut past = past;
            past.push(self.clone());
            self.past = Some(past);
        }
        let now = self.calls;
        self.calls += 1;
        match self.fuse.take_if(|(at, _)| *at == now) {
            Some((_, trouble @ Trouble::Error)) => {
                self.blown = Some(trouble);
                Err(io::Error::from_raw_os_error(5))
            }
            Some((_, trouble)) => {
                self.blown = Some(trouble);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Removes what a power cut loses; returns a number that identifies what was left.
    fn lose(&mut self, survival: &Survival, dice: &mut Dice) -> u64 {
        let mut left = 0;
        let mut lost: Vec<Naming> = Vec::new();
        for naming in std::mem::take(&mut self.unsynced) {
            // A change that depends on a lost one is lost too; the system journals the others in any order.
            let stays = survival.name(dice) && !lost.iter().any(|before| before.meets(&naming));
            left = dice::mix(left, u64::from(stays));
            if stays {
                naming.apply(&mut self.durable);
            } else {
                lost.push(naming);
            }
        }
        self.names.clone_from(&self.durable);
        let named: BTreeSet<u64> = self.names.values().copied().collect();
        self.files.retain(|id, _| named.contains(id));
        for content in self.files.values_mut() {
            left = dice::mix(left, content.lose(survival, dice));
        }
        left
    }
}
