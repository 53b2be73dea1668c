//! The system clock jumps, only for the product: while it serves, and between a stop and a start.
//!
//! Times in answers never go back; every lane checks this. A temporary jump has no lasting effect: the directory's
//! times do not follow it. A clock behind a directory's last command is refused, and the error shows both times.

use std::fs;
use std::path::Path;
use std::time::Duration;

use buttonwood_accept::{Exchange, Setup};

use crate::base::contents;
use crate::calls::one_line;
use crate::oracle::Scope;
use crate::round::{Round, verified};
use crate::sweep::Next;
use crate::tools::FAKETIME;

/// Jumps in seconds, of sizes that occur on real machines. The smallest are accepted at once.
const JUMPS: [i64; 8] = [-86_400, -3_600, -61, -1, 1, 61, 3_600, 86_400];

/// A start with a clock ahead of the right time, several jumps under load, a kill, a start when the clock is right,
/// another when it has passed the accepted time.
pub fn round(round: &mut Round) -> Next {
    let data = round.data();
    let now = round.dir.join("now");
    // If ahead at all, then by an hour or more: the clock continues while the first start's journal is verified.
    let ahead = *round.draw.pick(&[0, 3_600, 86_400]);
    set(&now, ahead);
    let x = faked(round, &now).start_in(&data);
    let mut load = round.load(&x);
    let jumps: Vec<i64> = (0..if round.quick { 3 } else { 8 }).map(|_| *round.draw.pick(&JUMPS)).collect();
    let ran = load.run(&x, u64::MAX, |_| {
        for jump in &jumps {
            set(&now, ahead + jump);
            std::thread::sleep(Duration::from_millis(60));
        }
        x.kill9();
    });
    assert!(ran.acknowledged > 0, "nothing was done while the clock jumped");
    round.count("jumps", u64::try_from(jumps.len()).expect("a count is a number"));
    round.count("changes acknowledged", ran.acknowledged);
    drop(x);
    verified(&data);
    if ahead > 0 {
        refused(round, &now, 0, &data);
    }
    set(&now, ahead + 5);
    let x = faked(round, &now).start_in(&data);
    round.compare(&mut load, &x, Scope::All);
    let ran = load.run_out(&x, 10);
    round.count("changes acknowledged", ran.acknowledged);
    round.finish(&mut load, &x);
    Next::More
}

/// A start with a clock behind the directory: one line, exit code 2, nothing changed.
fn refused(round: &mut Round, now: &Path, offset: i64, data: &Path) {
    set(now, offset);
    let before = contents(data);
    let ended = faked(round, now).try_start_in(data).map(|_: Exchange| ()).expect_err("time would go back");
    assert_eq!(ended.status.and_then(|status| status.code()), Some(2), "{}", ended.stderr);
    let line = one_line(&ended.stderr);
    assert!(line.contains("the system's clock shows") && line.contains("last command is of"), "{line}");
    assert!(before == contents(data), "a refused start changed the directory");
    round.count("starts behind the directory refused", 1);
}

fn faked(round: &Round, now: &Path) -> Setup {
    let now = now.display().to_string();
    round
        .setup()
        .env("LD_PRELOAD", FAKETIME)
        .env("FAKETIME_TIMESTAMP_FILE", &now)
        .env("FAKETIME_NO_CACHE", "1")
        // Only the time of day: pauses and time-outs use the monotonic clock, which no operator sets.
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
}

/// Sets the clock off by this many seconds. The file is replaced as a whole, since it may be read at any moment.
fn set(now: &Path, seconds: i64) {
    let fresh = now.with_extension("new");
    fs::write(&fresh, format!("{seconds:+}s\n")).expect("a file can be written");
    fs::rename(&fresh, now).expect("a file can be renamed");
}
