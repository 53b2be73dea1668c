//! Small files of a journal, and damage to them according to the input bytes.
//!
//! Damage is a list of steps of six bytes: kind, file, place (two bytes), and two values. A step that corrects the
//! checksums is a forgery: no crash and no bad disk does that.

use crate::memory::Memory;
use sha2::{Digest, Sha256};

const BLOCK: usize = 4096;
const SECTOR: usize = 512;
/// Bytes of a batch's header, and of header and hash together.
const HEADER: usize = 128;
const FRONT: usize = HEADER + 32;
/// The place in a batch's header of the length of its frames.
const BODY_BYTES: usize = 64;
/// Bytes of a step.
const STEP: usize = 6;
/// Most steps.
const STEPS: usize = 12;

/// The content of some files; `None` for an absent one.
pub(crate) type Image = Vec<Option<Vec<u8>>>;

/// Files on a disk, restored after each case.
pub(crate) struct Files {
    disk: Memory,
    names: &'static [&'static str],
    /// As they were written.
    pub(crate) original: Image,
    /// As they are on the disk now.
    current: Image,
}

impl Files {
    /// Takes over the files of these names, including absent ones.
    pub(crate) fn of(disk: Memory, names: &'static [&'static str]) -> Self {
        let original: Image = names.iter().map(|name| disk.get(name)).collect();
        Self { disk, names, current: original.clone(), original }
    }

    /// Sets the files on the disk to `image`.
    pub(crate) fn show(&mut self, image: &Image) {
        for ((name, current), wanted) in self.names.iter().zip(&mut self.current).zip(image) {
            if current != wanted {
                self.disk.set(name, wanted.as_deref());
                current.clone_from(wanted);
            }
        }
    }
}

/// Applies the damage described by the bytes to `image`. Returns whether anything was forged.
pub(crate) fn damage(image: &mut Image, bytes: &[u8]) -> bool {
    let (steps, _) = bytes.as_chunks::<STEP>();
    let mut forged = false;
    for &[what, file, low, high, one, other] in steps.iter().take(STEPS) {
        let (files, file) = (image.len(), usize::from(file) % image.len());
        let second = usize::from(one) % files;
        if what % 12 == 10 {
            image.swap(file, second);
            continue;
        }
        if what % 12 == 11 {
            image[file] = image[second].clone();
            continue;
        }
        let Some(content) = &mut image[file] else { continue };
        let at = usize::from(u16::from_le_bytes([low, high]));
        if what % 12 == 9 {
            content.truncate(at);
        } else if at < content.len() {
            forged |= change(content, what % 12, at, [one, other]);
        }
    }
    forged
}

fn change(content: &mut [u8], what: u8, at: usize, [one, other]: [u8; 2]) -> bool {
    let block = at / BLOCK * BLOCK;
    let sector = at / SECTOR * SECTOR;
    let len = content.len();
    let to = |start: usize, bytes: usize| len.min(start + bytes);
    match what {
        0 => content[at] ^= one.max(1),
        1 => content[sector..to(sector, SECTOR)].fill(one),
        2 => content[sector..to(sector, SECTOR)].fill(0),
        3 => content[block..to(block, BLOCK)].fill(0),
        4 | 5 => {
            let size = if what == 4 { BLOCK } else { SECTOR };
            let (from, start) = (usize::from(one) * size % len, at / size * size);
            let bytes = size.min(len - from).min(len - start);
            content.copy_within(from..from + bytes, start);
        }
        6 => {
            let value =
                [0, 1, 2, 0x7fff_ffff, u64::MAX, 1 << 32, 4096, u64::from(other)][usize::from(one % 8)];
            let bytes = 8.min(len - at);
            content[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        }
        7 => {
            seal(&mut content[block..to(block, BLOCK)]);
            return true;
        }
        _ => {
            forge(&mut content[block..]);
            return true;
        }
    }
    false
}

/// Sets the CRC of a full block, or of a shorter file.
pub(crate) fn seal(bytes: &mut [u8]) {
    let Some(end) = bytes.len().checked_sub(4) else { return };
    let crc = crc32c::crc32c(&bytes[..end]);
    bytes[end..].copy_from_slice(&crc.to_le_bytes());
}

/// Corrects the CRC and the hash of the batch that begins here.
fn forge(batch: &mut [u8]) {
    if batch.len() < FRONT {
        return;
    }
    seal(&mut batch[..HEADER]);
    let body = batch[BODY_BYTES..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let end = batch.len().min(FRONT.saturating_add(usize::try_from(body).unwrap_or(usize::MAX)));
    let hash = Sha256::new().chain_update(&batch[..HEADER]).chain_update(&batch[FRONT..end]).finalize();
    batch[HEADER..FRONT].copy_from_slice(&hash);
}
