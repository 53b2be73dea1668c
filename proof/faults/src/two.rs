//! Two processes on one directory: exactly one serves, in any order of starts.

use std::path::Path;

use buttonwood_accept::{Ended, Exchange};

use crate::calls::one_line;
use crate::oracle::Scope;
use crate::round::{Round, verified};
use crate::sweep::Next;

/// Most processes started at the same instant.
const RIVALS: u64 = 4;

/// Starts at the same instant on an empty directory; one after the other under load; at the same instant after a
/// kill.
pub fn round(round: &mut Round) -> Next {
    let data = round.data();
    let x = race(round, &data);
    let mut load = round.load(&x);
    let setup = round.setup();
    let mut late = 0;
    let ran = load.run(&x, 400, |_| {
        for _ in 0..3 {
            let ended = setup.clone().try_start_in(&data).expect_err("it is in use");
            refused_as_in_use(&ended, &data);
            late += 1;
        }
    });
    assert!(!ran.gone, "the first one serves on:\n{}", x.log());
    round.count("second processes refused", late);
    round.count("changes acknowledged", ran.acknowledged);
    x.kill9();
    drop(x);
    verified(&data);
    for _ in 0..if round.quick { 1 } else { 5 } {
        let x = race(round, &data);
        round.compare(&mut load, &x, Scope::Touched);
        load.run_out(&x, 5);
        x.kill9();
    }
    let x = race(round, &data);
    round.finish(&mut load, &x);
    Next::More
}

/// Starts several at once; returns the one that serves.
fn race(round: &mut Round, data: &Path) -> Exchange {
    let rivals = round.draw.between(2, RIVALS);
    // A started exchange stays with the thread that started it, so the threads only start them and the processes
    // race.
    let mut started: Vec<Result<Exchange, Ended>> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..rivals)
            .map(|number| {
                let setup = round.setup().log_at(&round.dir.join(format!("rival-{number}.log")));
                scope.spawn(move || setup.try_start_in(data))
            })
            .collect();
        starts.into_iter().map(|start| start.join().expect("a start ends")).collect()
    });
    let winner = started.iter().position(Result::is_ok).expect("one of them serves");
    let x = started.remove(winner).expect("the winner serves");
    for ended in started {
        match ended {
            Ok(other) => panic!("two serve one directory: {} and {}", x.base_url(), other.base_url()),
            Err(ended) => refused_as_in_use(&ended, data),
        }
    }
    round.count("races", 1);
    round.count("rivals refused", rivals - 1);
    x
}

fn refused_as_in_use(ended: &Ended, data: &Path) {
    let code = ended.status.and_then(|status| status.code());
    assert_eq!(code, Some(2), "{}", ended.stderr);
    let line = one_line(&ended.stderr);
    assert!(line.contains("in use") && line.contains(&data.display().to_string()), "{line}");
}
