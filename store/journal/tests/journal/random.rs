//! Random batches, kills and single damage: recovery returns everything acknowledged, or refuses to start.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{append, expected, recover, recover_from, writer};
use buttonwood_journal::snapshot;
use proptest::prelude::*;
use proptest::sample::Index;

/// Damage to one file.
#[derive(Clone, Debug)]
enum Damage {
    Flip(u8),
    ZeroSector,
    GarbleSector(u8),
    Truncate,
    Remove,
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        (0..8_u8).prop_map(|bit| Damage::Flip(1 << bit)),
        Just(Damage::ZeroSector),
        any::<u8>().prop_map(Damage::GarbleSector),
        Just(Damage::Truncate),
        Just(Damage::Remove),
    ]
}

/// Damages the file at `at`; with `early`, only within its first blocks, which are not all zeros.
#[expect(clippy::indexing_slicing, reason = "places are drawn within the file")]
fn apply(path: &Path, at: Index, early: bool, damage: &Damage) -> std::io::Result<()> {
    let mut bytes = fs::read(path)?;
    if bytes.is_empty() {
        return Ok(());
    }
    let at = at.index(if early { bytes.len().min(24 * 1024) } else { bytes.len() });
    let from = at / 512 * 512;
    let sector = from..(from + 512).min(bytes.len());
    match damage {
        Damage::Flip(mask) => bytes[at] ^= mask,
        Damage::ZeroSector => bytes[sector].fill(0),
        Damage::GarbleSector(seed) => {
            bytes[sector].iter_mut().for_each(|byte| *byte = byte.wrapping_mul(31) ^ seed);
        }
        Damage::Truncate => bytes.truncate(at),
        Damage::Remove => return fs::remove_file(path),
    }
    fs::write(path, bytes)
}

/// The files of `dir` in a fixed order.
fn files(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// All batches of any number of runs, each ended without a shutdown, come back. Proves INV-ACK-2.
    #[test]
    fn killed_runs_lose_nothing(runs in prop::collection::vec(prop::collection::vec(1..120_u64, 0..8), 1..6)) {
        let dir = tempfile::tempdir().unwrap();
        let mut last = 0;
        for counts in &runs {
            let mut writer = writer(dir.path());
            prop_assert_eq!(writer.mark().seq, last);
            for count in counts {
                last = append(&mut writer, *count).seq;
            }
        }
        let (_, content, end) = recover(dir.path()).unwrap();
        prop_assert_eq!(end.seq, last);
        prop_assert!(content == expected(last));
    }

    /// After any damage to one file, the journal returns everything acknowledged, or refuses to start.
    #[test]
    fn single_damage_never_alters_history(file: Index, at: Index, early: bool, damage in damage()) {
        let dir = tempfile::tempdir().unwrap();
        let mut last = 0;
        for _ in 0..3 {
            let mut writer = writer(dir.path());
            for count in [2, 30, 7] {
                last = append(&mut writer, count).seq;
            }
            let mark = writer.mark();
            snapshot::write(dir.path(), &mark, &[&mark.seq.to_le_bytes()]).unwrap();
        }
        append(&mut writer(dir.path()), 5);
        last += 5;

        let paths = files(dir.path()).unwrap();
        let path = &paths[file.index(paths.len())];
        apply(path, at, early, &damage).unwrap();

        match recover(dir.path()) {
            Ok((_, content, _)) => prop_assert!(content == expected(last), "{path:?} {damage:?}"),
            Err(fault) => prop_assert!(!fault.to_string().contains('\n')),
        }
        let mut notes = Vec::new();
        if let Ok(Some((mark, payload))) = snapshot::load_newest(dir.path(), &mut notes) {
            prop_assert_eq!(&payload, &mark.seq.to_le_bytes());
            if let Ok((_, content, end)) = recover_from(dir.path(), Some(&mark)) {
                prop_assert_eq!(end.seq, last);
                prop_assert!(content == expected(last).split_off(usize::try_from(mark.seq).unwrap()));
            }
        }
    }
}
