//! Damage to data at rest: rotten sectors, misdirected or lost writes, truncated or exchanged files.

use crate::disk::Faulty;
use buttonwood_oracle::Dice;

const SECTOR: usize = 512;

/// Damages one thing on the disk and describes it; `None` if there was nothing to damage.
pub(crate) fn spoil(disk: &Faulty, dice: &mut Dice) -> Option<String> {
    let mut files = disk.files();
    files.retain(|(_, bytes)| !bytes.is_empty());
    if files.is_empty() {
        return None;
    }
    let newest = files.iter().rposition(|(path, _)| path.extension().is_some_and(|kind| kind == "segment"));
    let (at, within) = match newest {
        // At the end of the history, damage is hardest to distinguish from a crash.
        Some(newest) if dice.once_in(2) => (newest, used(&files.get(newest)?.1)),
        _ => {
            let at = pick(dice, files.len());
            (at, files.get(at)?.1.len())
        }
    };
    let (path, bytes) = files.get(at)?;
    let sector = pick(dice, within.div_ceil(SECTOR)) * SECTOR;
    let end = (sector + SECTOR).min(bytes.len());
    let shown = path.display();
    Some(match dice.below(5) {
        0 | 1 => {
            let (byte, bit) = (pick(dice, within), dice.below(8));
            disk.spoil(path, |bytes| flip(bytes, byte, bit));
            format!("bit {bit} of byte {byte} of {shown} flipped")
        }
        2 => {
            disk.spoil(path, |bytes| bytes.get_mut(sector..end).unwrap_or_default().fill(0));
            format!("sector at {sector} of {shown} blank")
        }
        3 => {
            let from = pick(dice, files.len());
            let (other, source) = files.get(from)?;
            let start = pick(dice, source.len().div_ceil(SECTOR)) * SECTOR;
            let stray = source.get(start..(start + SECTOR).min(source.len())).unwrap_or_default().to_vec();
            disk.spoil(path, |bytes| {
                for (to, from) in bytes.get_mut(sector..end).unwrap_or_default().iter_mut().zip(&stray) {
                    *to = *from;
                }
            });
            format!("sector at {start} of {} also at {sector} of {shown}", other.display())
        }
        _ => {
            let len = pick(dice, bytes.len());
            disk.spoil(path, |bytes| bytes.truncate(len));
            format!("{shown} cut to {len} bytes")
        }
    })
}

/// The number of bytes up to the last non-zero one.
fn used(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte != 0).map_or(1, |last| last + 1)
}

fn flip(bytes: &mut [u8], at: usize, bit: u64) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << bit;
    }
}

fn pick(dice: &mut Dice, of: usize) -> usize {
    usize::try_from(dice.below(u64::try_from(of).expect("a length fits in 64 bits"))).expect("below a length")
}
