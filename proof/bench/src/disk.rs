//! The time that this disk takes for a sync, measured along with a comparison.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use crate::figures::quantile;

/// Microseconds of an fdatasync of 4 KiB in a zero-filled file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sync {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

/// Measures `times` syncs in a directory.
pub(crate) fn measure(dir: &Path, times: usize) -> Sync {
    const MIB: usize = 1 << 20;
    const BLOCK: usize = 4096;
    let path = dir.join("sync-probe");
    let file = File::create(&path).expect("the directory takes files");
    let zeros = vec![0u8; MIB];
    let bytes = (times * BLOCK).next_multiple_of(MIB);
    for at in (0..bytes).step_by(MIB) {
        file.write_all_at(&zeros, at as u64).expect("the directory takes files");
    }
    file.sync_all().expect("the disk syncs");
    drop(file);
    let file = OpenOptions::new().write(true).open(&path).expect("the probe is there");
    let block = [7u8; BLOCK];
    let mut nanos: Vec<u64> = (0..times)
        .map(|at| {
            let start = Instant::now();
            file.write_all_at(&block, (at * BLOCK) as u64).expect("the disk takes blocks");
            file.sync_data().expect("the disk syncs");
            start.elapsed().as_nanos() as u64
        })
        .collect();
    std::fs::remove_file(&path).expect("the probe is there");
    nanos.sort_unstable();
    let micros = |share| quantile(&nanos, share) as f64 / 1e3;
    Sync { p50: micros(0.5), p99: micros(0.99) }
}
