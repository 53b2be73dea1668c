//! Power cuts. A real file system is shut down under load, so that nothing more reaches its disk and everything
//! unsynced is lost. Then it is mounted again, which replays its own journal, and the exchange must be whole.
//!
//! The image under such a file system keeps all data that reached it, synced or not, so a write past the page cache
//! survives the cut. Therefore a disk that forgets unflushed data is cut off too: there, only a sync preserves
//! anything.

use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::disk::Disk;
use crate::round::Round;
use crate::sweep::Next;
use crate::volume::{Kind, Volume};

/// Number of power cuts of one file system.
const CUTS: u64 = 10;

/// XFS requires at least this size.
const BYTES: u64 = 320 * 1024 * 1024;

/// Cuts of ext4.
pub fn ext4(round: &mut Round) -> Next {
    cuts(round, Kind::Ext4)
}

/// Cuts of XFS.
pub fn xfs(round: &mut Round) -> Next {
    cuts(round, Kind::Xfs)
}

fn cuts(round: &mut Round, kind: Kind) -> Next {
    let mut volume = Volume::create(&round.dir, kind, BYTES);
    let data = volume.path().join("data");
    if round.draw.chance(50) {
        cut_a_founding(round, &mut volume);
    }
    let mut x = round.start(&data);
    let mut load = round.load(&x);
    for _ in 0..if round.quick { 3 } else { CUTS } {
        if round.is_told_to_stop() {
            break;
        }
        let moment = Duration::from_micros(round.draw.between(1, 250_000));
        // A power cut also ends the process. Sometimes it survives its disk for a while, and must not answer from
        // memory then.
        let outlives = round.draw.chance(50);
        let ran = load.run(&x, u64::MAX, |shared| {
            std::thread::sleep(moment);
            shared.disk_fails.store(true, Ordering::Relaxed);
            volume.shut_down();
            if outlives {
                x.wait_for_end(Duration::from_millis(200));
            }
            if x.is_running() {
                x.kill9();
            }
        });
        round.count("power cuts", 1);
        round.count("changes acknowledged", ran.acknowledged);
        drop(x);
        volume.unmount();
        volume.mount();
        if round.draw.chance(10) {
            volume.unmount();
            volume.check();
            volume.mount();
        }
        x = round.start_again(&data, &mut load);
    }
    round.finish(&mut load, &x);
    drop(x);
    volume.unmount();
    Next::More
}

/// A cut during the founding of a directory: the next start must complete it to a whole exchange.
fn cut_a_founding(round: &mut Round, volume: &mut Volume) {
    let data = volume.path().join("data");
    let moment = Duration::from_micros(round.draw.between(1, 120_000));
    let setup = round.setup();
    std::thread::scope(|scope| {
        let start = scope.spawn(|| {
            if let Ok(x) = setup.try_start_in(&data) {
                // It notices that its disk is gone at the latest with its next write.
                x.kill9();
            }
        });
        std::thread::sleep(moment);
        volume.shut_down();
        start.join().expect("a start ends");
    });
    round.count("power cuts of a founding", 1);
    volume.unmount();
    volume.mount();
}

/// Cuts of a disk that forgets unflushed data.
pub fn cache(round: &mut Round) -> Next {
    let mut disk = Disk::forgetful(&round.dir, BYTES);
    let kind = *round.draw.pick(&[Kind::Ext4, Kind::Xfs]);
    let mut volume = Volume::format(&round.dir, kind, disk.file());
    let data = volume.path().join("data");
    let mut x = round.start(&data);
    let mut load = round.load(&x);
    for _ in 0..if round.quick { 2 } else { CUTS } {
        if round.is_told_to_stop() {
            break;
        }
        let moment = Duration::from_micros(round.draw.between(1, 250_000));
        let ran = load.run(&x, u64::MAX, |shared| {
            std::thread::sleep(moment);
            shared.disk_fails.store(true, Ordering::Relaxed);
            disk.cut();
            x.kill9();
        });
        round.count("power cuts with the cache lost", 1);
        round.count("changes acknowledged", ran.acknowledged);
        drop(x);
        volume.unmount();
        drop(disk);
        disk = Disk::forgetful(&round.dir, BYTES);
        volume.mount();
        x = round.start_again(&data, &mut load);
    }
    round.finish(&mut load, &x);
    drop(x);
    volume.unmount();
    Next::More
}
