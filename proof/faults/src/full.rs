//! Full disks: a small file system filled under load and freed again, and starts with a little more room each.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use buttonwood_accept::{Exchange, NewOrder};

use crate::calls::one_line;
use crate::oracle::Scope;
use crate::round::{Round, verified};
use crate::sweep::Next;
use crate::volume::{Kind, Volume};

const KIB: u64 = 1024;

/// A file that fills the disk to the last block and can shrink again.
struct Filler(File);

impl Filler {
    fn new(mount: &Path) -> Self {
        let path = mount.join("filler");
        Self(OpenOptions::new().create(true).append(true).open(path).expect("a filler can be made"))
    }

    /// Takes everything but about this many bytes.
    fn leave(&mut self, bytes: u64, mount: &Path) {
        let piece = vec![1; 64 * 1024];
        loop {
            let more = free(mount).saturating_sub(bytes);
            let len = usize::try_from(more).map_or(piece.len(), |more| more.min(piece.len()));
            // The file system reserves some space, so the last bytes cannot be used.
            let written = self
                .0
                .write(&piece[..len])
                .and_then(|_| if len < piece.len() { self.0.sync_all() } else { Ok(()) });
            if more < 4096 || written.is_err() {
                return;
            }
        }
    }

    fn free(&mut self) {
        self.0.set_len(0).expect("a filler can be cut");
    }
}

fn free(mount: &Path) -> u64 {
    let space = rustix::fs::statvfs(mount).expect("free space can be asked for");
    space.f_bavail * space.f_frsize
}

/// Filled under load until orders are refused while cancels are still accepted; freed until all orders are accepted
/// again; killed.
pub fn under_load(round: &mut Round) -> Next {
    let mut volume = Volume::create(&round.dir, Kind::Ext4, 24 * KIB * KIB);
    let mount = volume.path().to_owned();
    let data = mount.join("data");
    let mut x = round.start(&data);
    let mut load = round.load(&x);
    let mut filler = Filler::new(&mount);
    for _ in 0..if round.quick { 1 } else { 4 } {
        if round.is_told_to_stop() {
            break;
        }
        let left = round.draw.between(0, 3_000) * KIB;
        let ran = load.run(&x, u64::MAX, |shared| {
            filler.leave(left, &mount);
            let deadline = Instant::now() + Duration::from_secs(30);
            while shared.refused.load(Ordering::Relaxed) < 50 && x.wait_for_end(Duration::ZERO).is_none() {
                assert!(Instant::now() < deadline, "the disk never runs full: {} bytes left", free(&mount));
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        assert!(!ran.gone, "a full disk ends nothing:\n{}", x.log());
        round.count("disks filled", 1);
        round.count("changes acknowledged", ran.acknowledged);
        round.count("changes refused", ran.refused);
        let killed_full = round.draw.chance(50);
        if killed_full {
            x.kill9();
            drop(x);
            verified(&data);
            filler.free();
            x = round.start(&data);
        } else {
            filler.free();
            takes_orders_again(&x);
        }
        round.compare(&mut load, &x, Scope::Touched);
    }
    x.kill9();
    drop(x);
    verified(&data);
    let x = round.start(&data);
    round.finish(&mut load, &x);
    drop((x, filler));
    volume.unmount();
    Next::More
}

/// With room again, no restart is needed.
fn takes_orders_again(x: &Exchange) {
    let deadline = Instant::now() + Duration::from_secs(20);
    let order = NewOrder::limit("btcusd", "buy", "0.001", "100").params();
    while x.as_("trader").call("/v1/order/new", order.clone()).status() != 200 {
        assert!(Instant::now() < deadline, "there is room again, but orders are refused:\n{}", x.log());
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Starts of an empty and of a killed directory, each with a little more room than the last.
pub fn starts(round: &mut Round) -> Next {
    let mut volume = Volume::create(&round.dir, Kind::Ext4, 24 * KIB * KIB);
    let mount = volume.path().to_owned();
    let (data, fresh) = (mount.join("data"), mount.join("fresh"));
    let x = round.start(&data);
    let mut load = round.load(&x);
    load.run_out(&x, 20);
    x.kill9();
    drop(x);
    let mut filler = Filler::new(&mount);
    let step = if round.quick { 200 } else { 24 };
    let mut room = round.draw.between(0, step);
    while room < 1_400 && !round.is_told_to_stop() {
        filler.leave(room * KIB, &mount);
        for (path, is_old) in [(&data, true), (&fresh, false)] {
            match round.setup().try_start_in(path) {
                Ok(x) => {
                    round.count("served", 1);
                    if is_old {
                        load.run_out(&x, 1);
                    }
                    x.kill9();
                }
                Err(ended) => {
                    let status = ended.status.expect("a start without room comes to an end");
                    if let Some(code) = status.code() {
                        assert_ne!(code, 0);
                        one_line(&ended.stderr);
                        round.count("refused", 1);
                    } else {
                        panic!("a start without room ended with {status}: {}", ended.stderr);
                    }
                }
            }
        }
        // Files left by a start without room must not hinder the next.
        filler.free();
        let x = round.start(&data);
        round.compare(&mut load, &x, Scope::Touched);
        x.kill9();
        drop(x);
        round.start(&fresh).kill9();
        verified(&fresh);
        fs::remove_dir_all(&fresh).expect("a directory can be removed");
        room += step;
    }
    let x = round.start(&data);
    round.finish(&mut load, &x);
    drop((x, filler));
    volume.unmount();
    Next::More
}
