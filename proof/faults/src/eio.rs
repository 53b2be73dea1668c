//! A disk that fails and heals: while it fails, writes are lost for good; afterwards every sync succeeds.
//!
//! The kernel reports such a loss once and then returns the lost bytes from its cache. So the process must end at the
//! first error, without acknowledging anything of the failed batch, and recovery must read the disk.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::process::Signal;

use crate::disk::Disk;
use crate::round::Round;
use crate::sweep::Next;
use crate::volume::{Kind, Volume};

/// Number of failures of one disk.
const FAILURES: u64 = 6;

const BYTES: u64 = 96 * 1024 * 1024;

/// One disk, failed repeatedly.
pub fn round(round: &mut Round) -> Next {
    let disk = Disk::failing(&round.dir, BYTES);
    let mut volume = Volume::format(&round.dir, Kind::Ext4, disk.file());
    let data = volume.path().join("data");
    let mut x = round.start(&data);
    let mut load = round.load(&x);
    for _ in 0..if round.quick { 2 } else { FAILURES } {
        if round.is_told_to_stop() {
            break;
        }
        let moment = Duration::from_micros(round.draw.between(1_000, 200_000));
        let ran = load.run(&x, u64::MAX, |shared| {
            std::thread::sleep(moment);
            shared.disk_fails.store(true, Ordering::Relaxed);
            disk.fail();
            let status = x.wait_for_end(Duration::from_secs(20)).expect("it ends when its disk fails");
            assert_eq!(status.signal(), Some(Signal::ABORT.as_raw()), "aborts: {}", x.log());
            disk.heal();
        });
        let log = x.log();
        // A snapshot that is being written may fail too, before or after it.
        let mut errors = log.lines().filter(|line| line.contains(" ERROR "));
        let says_why = errors.any(|line| line.contains("stopping before anything more is acknowledged"));
        assert!(says_why, "says why: {log}");
        assert!(!log.contains("panicked"), "{log}");
        round.count("disk failures", 1);
        round.count("changes acknowledged", ran.acknowledged);
        drop(x);
        // The file system may have been hit by the failure too; then only a mount brings it back.
        if !is_writable(volume.path()) || round.draw.chance(50) {
            round.count("mounted again", 1);
            volume.unmount();
            volume.mount();
        }
        x = round.start_again(&data, &mut load);
    }
    round.finish(&mut load, &x);
    drop(x);
    volume.unmount();
    Next::More
}

fn is_writable(mount: &Path) -> bool {
    let probe = mount.join("probe");
    let synced = File::create(&probe).and_then(|file| file.sync_all());
    synced.and_then(|()| fs::remove_file(&probe)).is_ok()
}
