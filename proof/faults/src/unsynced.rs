//! Tests the sweep itself with a product whose syncs never reach the disk.
//!
//! A sweep that passes such a product proves nothing. This needs the disk that forgets unflushed data; the others
//! keep a write past the page cache and would not notice. (A missing sync of names alone is not noticed here either:
//! ext4 makes names durable with the next sync of any file.)

use std::time::Duration;

use crate::disk::Disk;
use crate::oracle::Scope;
use crate::round::{Round, complains, verified};
use crate::sweep::Next;
use crate::volume::{Kind, Volume};

const BYTES: u64 = 128 * 1024 * 1024;

/// Number of cuts within which such a bug must show.
const CUTS: u64 = 10;

/// One bug per round, in turn: without the sync of batches, or without any sync.
pub fn round(round: &mut Round) -> Next {
    let skipped = if round.number % 2 == 1 { "fdatasync" } else { "fdatasync,fsync" };
    let noticed = (1..=CUTS).find(|_| is_noticed(round, skipped));
    assert!(noticed.is_some(), "{CUTS} power cuts, and nobody noticed that {skipped} is left out");
    round.count(&format!("no {skipped}, noticed"), 1);
    Next::More
}

/// Runs a product without this call on a forgetful disk, cuts the disk off, and checks whether anything is wrong.
fn is_noticed(round: &mut Round, skipped: &str) -> bool {
    let mut disk = Disk::forgetful(&round.dir, BYTES);
    let mut volume = Volume::format(&round.dir, Kind::Ext4, disk.file());
    let data = volume.path().join("data");
    round.start(&data).stop();
    let (trace, inject) = (format!("trace={skipped}"), format!("inject={skipped}:retval=0"));
    let tracer = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
    let x = round.setup().through(&tracer).start_in(&data);
    let mut load = round.load(&x);
    load.run(&x, u64::MAX, |shared| {
        std::thread::sleep(Duration::from_millis(200));
        shared.disk_fails.store(true, std::sync::atomic::Ordering::Relaxed);
        disk.cut();
        x.kill9();
    });
    drop(x);
    volume.unmount();
    drop(disk);
    disk = Disk::forgetful(&round.dir, BYTES);
    volume.mount();
    let setup = round.setup();
    let noticed = complains(|| {
        verified(&data);
        load.check(&setup.start_in(&data), Scope::Touched)
    });
    volume.unmount();
    drop(disk);
    noticed
}
