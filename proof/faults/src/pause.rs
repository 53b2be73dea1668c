//! SIGSTOP and SIGCONT under load: a process that is suspended for a while loses nothing and skips nothing.

use std::time::Duration;

use rustix::process::{Signal, kill_process};

use crate::oracle::Scope;
use crate::round::{Round, verified};
use crate::sweep::Next;

/// Suspends it several times, then kills it, sometimes while it is suspended.
pub fn round(round: &mut Round) -> Next {
    let data = round.data();
    let x = round.start(&data);
    let mut load = round.load(&x);
    let mut pauses = Vec::new();
    for _ in 0..if round.quick { 3 } else { 8 } {
        pauses.push((round.draw.between(1, 60), *round.draw.pick(&[1, 20, 300, 2_000])));
    }
    let stopped_at_the_end = round.draw.chance(50);
    let signal = |signal| kill_process(x.pid(), signal).expect("our own child can be signalled");
    let ran = load.run(&x, u64::MAX, |_| {
        for (running, standing) in &pauses {
            std::thread::sleep(Duration::from_millis(*running));
            signal(Signal::STOP);
            std::thread::sleep(Duration::from_millis(*standing));
            signal(Signal::CONT);
        }
        std::thread::sleep(Duration::from_millis(30));
        if stopped_at_the_end {
            signal(Signal::STOP);
        }
        x.kill9();
    });
    round.count("pauses", u64::try_from(pauses.len()).expect("a count is a number"));
    round.count("changes acknowledged", ran.acknowledged);
    drop(x);
    verified(&data);
    let x = round.start(&data);
    let compared = load.check(&x, Scope::Touched) + load.finish(&x);
    round.count("orders compared", compared);
    Next::More
}
