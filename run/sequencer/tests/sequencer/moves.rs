//! A manual clock that is moved far.

use crate::support::{SEGMENTS, START, founding};
use buttonwood_engine::identity::{BROWSER_AGE, Command as Identity, NewBrowser, NewUser, Peer, UserId};
use buttonwood_engine::{Body, Command, Founding, Schedule, TradingCommand};
use buttonwood_model::{GroupId, Role, Roles, SessionId, SymbolId, Time};
use buttonwood_sequencer::{Busy, Clock, Options, Stepped, recover, recover_stepped};
use std::pin::Pin;
use std::sync::Arc;
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

/// A user who has signed in; the session of the browser.
fn sign_in(stepped: &mut Stepped) -> SessionId {
    let user = NewUser {
        login: [1; 32],
        name: "ann".to_owned(),
        group: Some(GroupId(0)),
        roles: Roles::of(&[Role::Trader]),
        is_operator: false,
        is_disabled: false,
        credential: 1,
        factor: 1,
    };
    let browser = NewBrowser {
        user: UserId(0),
        credential: 1,
        cookie: [2; 32],
        peer: Peer([1; 16]),
        address: String::new(),
        agent: String::new(),
        is_full: true,
    };
    for command in [Identity::AddUser(Arc::new(user)), Identity::Open(Arc::new(browser))] {
        drop(
            stepped.exchange().submit(Command { caller: None, body: command.into() }).expect("there is room"),
        );
    }
    stepped.decide(Duration::ZERO);
    assert!(stepped.commit().expect("the disk takes it"));
    let state = stepped.state();
    state.identity().find_browser(&[2; 32], START).expect("it is open").0
}

/// A move that the full queue refuses extends no session; one that is made extends it by its own length.
#[test]
fn only_a_move_that_is_made_extends_sessions() {
    let dir = tempfile::tempdir().unwrap();
    let mut recovered = recover_stepped(dir.path(), SEGMENTS).unwrap();
    recovered.commit(START, founding()).unwrap();
    let mut stepped = Stepped::new(recovered, Clock::manual(START), Options::default());
    let session = sign_in(&mut stepped);
    let lives = |stepped: &Stepped, at: Time| stepped.state().identity().browser(session, at).is_some();
    let to = START.plus(BROWSER_AGE);
    let filler = || Command { caller: None, body: Body::Founding(Founding::MoveClock) };
    while stepped.exchange().submit(filler()).is_ok() {}
    assert_eq!(stepped.exchange().advance_with_browsers(to).err(), Some(Busy));
    stepped.decide(Duration::ZERO);
    while stepped.commit().unwrap() {
        stepped.decide(Duration::ZERO);
    }
    assert_eq!(stepped.exchange().now(), START);
    assert!(!lives(&stepped, to), "its end is where it was");
    let mut moved = stepped.exchange().advance_with_browsers(to).unwrap();
    while moved.try_recv().is_err() {
        stepped.decide(Duration::ZERO);
        stepped.commit().unwrap();
    }
    let end = to.plus(BROWSER_AGE);
    assert!(lives(&stepped, Time(end.0 - 1)) && !lives(&stepped, end));
    let state = stepped.state().clone();
    drop(stepped);
    assert_eq!(recover(dir.path(), SEGMENTS).unwrap().views().state(), &state);
}
