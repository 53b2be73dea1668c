//! The content of a file: as calls see it, as the disk itself has it, and the changes in between.

use crate::dice;
use buttonwood_oracle::Dice;
use std::sync::Arc;

/// The unit that a disk writes as a whole or not at all.
pub(crate) const SECTOR: usize = 512;

/// How much of the unsynced changes a power cut leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Survival {
    /// Nothing.
    None,
    /// Everything.
    All,
    /// Everything but the last write, of which the first sectors stay.
    TornLast,
    /// Each sector and name stays with this chance per thousand.
    Some(u64),
}

impl Survival {
    /// A random survival.
    pub fn drawn(dice: &mut Dice) -> Self {
        match dice.below(6) {
            0 => Self::None,
            1 => Self::All,
            2 => Self::TornLast,
            _ => Self::Some(dice.below(1_001)),
        }
    }

    /// Whether the change of a name stays.
    pub(super) fn name(&self, dice: &mut Dice) -> bool {
        match self {
            Self::None => false,
            Self::All | Self::TornLast => true,
            Self::Some(share) => dice.below(1_000) < *share,
        }
    }
}

/// A change that is not on the disk yet.
#[derive(Clone, Debug)]
enum Change {
    Written { offset: usize, bytes: Arc<[u8]> },
    Length(usize),
}

/// A file's content.
#[derive(Clone, Debug, Default)]
pub(super) struct Content {
    /// The content that reads return.
    cache: Arc<Vec<u8>>,
    /// The content on the disk.
    media: Arc<Vec<u8>>,
    unsynced: Vec<Change>,
    /// Bytes reserved for it.
    reserved: usize,
    /// Whether a sync has failed, so that reads return data that the disk will never have.
    is_lying: bool,
}

impl Content {
    pub(super) fn len(&self) -> usize {
        self.cache.len()
    }

    pub(super) fn reserved(&self) -> u64 {
        wide(self.reserved)
    }

    pub(super) fn media(&self) -> Arc<Vec<u8>> {
        Arc::clone(&self.media)
    }

    pub(super) fn is_settled(&self) -> bool {
        self.unsynced.is_empty() && !self.is_lying
    }

    /// Number of additional bytes needed to hold data up to `end`.
    pub(super) fn growth(&self, end: usize) -> u64 {
        wide(end.saturating_sub(self.reserved))
    }

    pub(super) fn read(&self, room: &mut [u8], offset: usize) -> usize {
        let rest = self.cache.get(offset..).unwrap_or_default();
        let count = rest.len().min(room.len());
        if let (Some(to), Some(from)) = (room.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        count
    }

    pub(super) fn write(&mut self, bytes: &[u8], offset: usize) {
        let change = Change::Written { offset, bytes: bytes.into() };
        apply(&change, &mut self.cache);
        self.unsynced.push(change);
        self.reserved = self.reserved.max(offset + bytes.len());
    }

    pub(super) fn set_len(&mut self, len: usize) {
        let change = Change::Length(len);
        apply(&change, &mut self.cache);
        self.unsynced.push(change);
        self.reserved = len;
    }

    /// Reserves zeros up to `len`.
    pub(super) fn reserve(&mut self, len: usize) {
        if len > self.len() {
            self.set_len(len);
        }
        self.reserved = self.reserved.max(len);
    }

    pub(super) fn give_back(&mut self) {
        self.reserved = 0;
    }

    pub(super) fn sync(&mut self) {
        if self.unsynced.is_empty() {
            return;
        }
        if !self.is_lying {
            // The cache is the disk's content with these changes; one copy serves both again.
            self.unsynced.clear();
            self.media = Arc::clone(&self.cache);
            return;
        }
        for change in self.unsynced.drain(..) {
            apply(&change, &mut self.media);
        }
    }

    /// A failed sync: the system drops what it could not write, and reads still return it.
    pub(super) fn fail_sync(&mut self) {
        self.is_lying |= !self.unsynced.is_empty();
        self.unsynced.clear();
    }

    /// Syncs, and makes reads see the disk itself.
    pub(super) fn drop_cache(&mut self) {
        self.sync();
        self.cache = Arc::clone(&self.media);
        self.is_lying = false;
    }

    /// Loses what a power cut loses; returns a number that identifies what was left.
    pub(super) fn lose(&mut self, survival: &Survival, dice: &mut Dice) -> u64 {
        let mut left = 0;
        let count = self.unsynced.len();
        for (at, change) in self.unsynced.drain(..).enumerate() {
            let is_last = at + 1 == count;
            match &change {
                Change::Length(_) => {
                    let stays = survival.name(dice);
                    left = dice::mix(left, u64::from(stays));
                    if stays {
                        apply(&change, &mut self.media);
                    }
                }
                Change::Written { offset, bytes } => {
                    let kept = keep(survival, is_last, bytes.len().div_ceil(SECTOR), dice);
                    for (sector, part) in bytes.chunks(SECTOR).enumerate() {
                        let stays = kept(sector, dice);
                        left = dice::mix(left, u64::from(stays));
                        if stays {
                            put(part, offset + sector * SECTOR, Arc::make_mut(&mut self.media));
                        }
                    }
                }
            }
        }
        self.cache = Arc::clone(&self.media);
        self.is_lying = false;
        self.reserved = self.media.len();
        left
    }

    /// Changes the content on the disk, and what reads return.
    pub(super) fn spoil(&mut self, change: impl FnOnce(&mut Vec<u8>)) {
        self.sync();
        change(Arc::make_mut(&mut self.media));
        self.cache = Arc::clone(&self.media);
    }
}

/// The sectors of a write that stay.
fn keep(
    survival: &Survival,
    is_last: bool,
    sectors: usize,
    dice: &mut Dice,
) -> impl Fn(usize, &mut Dice) -> bool + use<> {
    let survival = *survival;
    let first = usize::try_from(dice.below(wide(sectors) + 1)).unwrap_or(0);
    move |sector, dice| match survival {
        Survival::None => false,
        Survival::All => true,
        Survival::TornLast => !is_last || sector < first,
        Survival::Some(share) => dice.below(1_000) < share,
    }
}

fn apply(change: &Change, to: &mut Arc<Vec<u8>>) {
    match change {
        // Shared content stays shared: a restart cuts every file to its own length.
        Change::Length(len) if *len == to.len() => {}
        Change::Length(len) => Arc::make_mut(to).resize(*len, 0),
        Change::Written { offset, bytes } => put(bytes, *offset, Arc::make_mut(to)),
    }
}

fn put(bytes: &[u8], offset: usize, to: &mut Vec<u8>) {
    let end = offset + bytes.len();
    if to.len() < end {
        to.resize(end, 0);
    }
    if let Some(place) = to.get_mut(offset..end) {
        place.copy_from_slice(bytes);
    }
}

pub(super) fn wide(bytes: usize) -> u64 {
    u64::try_from(bytes).expect("a length fits in 64 bits")
}
