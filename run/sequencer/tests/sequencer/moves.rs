//! A manual clock that is moved far.

use crate::support::{SEGMENTS, START, founding};
use buttonwood_engine::{Body, Command, Schedule, TradingCommand};
use buttonwood_model::{SymbolId, Time};
use buttonwood_sequencer::{Clock, Options, Stepped, recover, recover_stepped};
use std::pin::Pin;
use std::task::{Context, Waker};
use std::time::Duration;

/// A year of auctions a minute apart exceeds a batch of the journal, and a century of them would take hours: a move
/// runs a limited number at their times, in several batches, and misses the rest. The move is answered only when all of
/// it is done.
#[test]
fn a_move_over_any_number_of_auctions_ends() {
    let dir = tempfile::tempdir().unwrap();
    let mut recovered = recover_stepped(dir.path(), SEGMENTS).unwrap();
    recovered.commit(START, founding()).unwrap();
    let mut stepped = Stepped::new(recovered, Clock::manual(START), Options::default());
    let schedule = Schedule {
        time: START.plus(Schedule::EVERY_MIN),
        every: Schedule::EVERY_MIN,
        opens: Schedule::ALWAYS,
        indicates: 0,
        indicates_every: 0,
        last_cancel: 0,
    };
    let body = Body::Trading(TradingCommand::ScheduleAuctions(SymbolId(0), Some(schedule)));
    drop(stepped.exchange().submit(Command { caller: None, body }).unwrap());
    let to = START.plus(365 * 86_400 * Time::SECOND);
    let mut moved = stepped.exchange().advance(to).unwrap();
    let later = Command { caller: None, body: Body::add_group("later".to_owned()) };
    let mut later = stepped.exchange().submit(later).unwrap();
    let (mut batches, mut before) = (0, stepped.state().stamp().seq.0);
    loop {
        stepped.decide(Duration::ZERO);
        let (decided, is_moved) = (stepped.state().stamp(), stepped.exchange().now() == to);
        assert!(decided.seq.0 - before < 70_000, "a batch has a bound");
        before = decided.seq.0;
        assert!(stepped.commit().unwrap());
        batches += 1;
        if is_moved {
            break;
        }
        assert!(moved.try_recv().is_err(), "it is not moved all the way");
    }
    assert_eq!(moved.try_recv(), Ok(to));
    let told = Pin::new(&mut later).poll(&mut Context::from_waker(Waker::noop()));
    assert!(told.is_ready(), "who came behind has a turn as soon as it is");
    assert!(batches > 1);
    let state = stepped.state().clone();
    let auctions = state.auctions(SymbolId(0)).unwrap();
    assert_eq!(auctions.number(), 100_002, "those at their times, and the one at the end for all the others");
    assert_eq!(auctions.next(), Some(to.plus(Schedule::EVERY_MIN)));
    drop(stepped);
    assert_eq!(recover(dir.path(), SEGMENTS).unwrap().views().state(), &state);
}
