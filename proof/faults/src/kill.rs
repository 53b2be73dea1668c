//! kill -9 at random moments under load, without a tracer that slows the process down. In half of the rounds old segments
//! move to an archive.

use std::time::Duration;

use crate::oracle::Scope;
use crate::round::{Round, verified};
use crate::sweep::Next;

/// Number of kills of one directory.
const KILLS: u64 = 20;

/// One directory, killed repeatedly; sometimes stopped cleanly, or killed during its start.
pub fn round(round: &mut Round) -> Next {
    let data = round.data();
    round.archives = round.draw.chance(50);
    let mut x = round.start(&data);
    let mut load = round.load(&x);
    for _ in 0..if round.quick { 5 } else { KILLS } {
        if round.is_told_to_stop() {
            break;
        }
        let moment = Duration::from_micros(round.draw.between(1, 160_000));
        let ran = load.run(&x, u64::MAX, |_| {
            std::thread::sleep(moment);
            assert!(x.wait_for_end(Duration::ZERO).is_none(), "it ended before it was killed:\n{}", x.log());
            x.kill9();
        });
        round.count("kill -9 under load", 1);
        round.count("changes acknowledged", ran.acknowledged);
        drop(x);
        verified(&data);
        if round.draw.chance(15) {
            kill_a_start(round);
        }
        x = round.start(&data);
        round.compare(&mut load, &x, Scope::Touched);
        if round.draw.chance(10) {
            x.stop();
            drop(x);
            x = round.start(&data);
        }
    }
    round.finish(&mut load, &x);
    Next::More
}

/// Starts the exchange and kills it during the recovery, or just after.
fn kill_a_start(round: &mut Round) {
    let moment = round.draw.between(1, 60).to_string();
    // A shell that becomes the binary, and another that kills it without waiting for the ready line.
    let killer = format!("(sleep 0.0{moment:0>2}; kill -9 $$) & exec \"$@\"");
    let setup = round.setup().through(&["sh", "-c", &killer, "sh"]);
    match setup.try_start_in(&round.data()) {
        Ok(x) => drop(x.wait_for_end(Duration::from_secs(5))),
        Err(ended) => {
            let code = ended.status.and_then(|status| status.code());
            assert_eq!(code, None, "it was killed, and said {}", ended.stderr);
        }
    }
    round.count("kill -9 during a start", 1);
}
