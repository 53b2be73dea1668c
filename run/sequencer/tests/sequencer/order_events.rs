//! Order events over kills and starts: the missed ones are the same, whether they are in memory, in the files, or built again.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::{SEGMENTS, Trading, account, founded};
use buttonwood_sequencer::{recover, verify};
use buttonwood_views::history::{Lengths, Resumed};
use buttonwood_views::{AccountEvent, EventId};
use std::fs;
use std::path::Path;

/// The events of an account after one that it knows.
fn after(trading: &Trading, number: u32, after: EventId, most: usize) -> Resumed {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(trading.exchange.order_events_after(account(number), after, most)).unwrap()
}

/// All events of an account after its first one.
fn all(trading: &Trading, number: u32) -> Vec<AccountEvent> {
    let first = {
        let views = trading.exchange.views();
        let mut rows = views.history().after(Lengths::empty()).order_events;
        rows.find(|row| row.as_ref().unwrap().account == account(number)).unwrap().unwrap().first
    };
    match after(trading, number, first, usize::MAX) {
        Resumed::Missed(events) => events,
        Resumed::Unknown => panic!("the first event is known"),
    }
}

/// A directory as a kill leaves it: nothing is flushed, no snapshot is made.
fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copied(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn events_are_the_same_after_a_kill_and_a_start() {
    let dir = tempfile::tempdir().unwrap();
    let mut trading = Trading::start(founded(dir.path()), 40, 0);
    for step in 0..120 {
        trading.trade(step);
        if step.is_multiple_of(30) {
            trading.overreach();
        }
    }
    let kept = [0, 1].map(|number| all(&trading, number));
    assert!(kept.iter().all(|events| events.len() > 100), "{}", kept[0].len());
    let is_refused = |event: &AccountEvent| matches!(event, AccountEvent::Refused(_));
    assert!(kept.iter().all(|events| events.iter().any(is_refused)));
    let killed = tempfile::tempdir().unwrap();
    copied(dir.path(), killed.path());
    let newest = kept.clone().map(|events| events.last().unwrap().id());
    for step in 120..150 {
        trading.trade(step);
    }
    let later = [0, 1].map(|number| all(&trading, number));
    trading.running.stop().unwrap();
    verify(dir.path()).unwrap();

    let check = |path: &Path, expected: &[Vec<AccountEvent>; 2], missed: &[Vec<AccountEvent>; 2]| {
        let trading = Trading::start(recover(path, SEGMENTS).unwrap(), 1_000, 10_000);
        for (number, place) in [(0, 0_usize), (1, 1)] {
            assert_eq!(all(&trading, number), expected[place]);
            let from = newest[place];
            assert_eq!(after(&trading, number, from, 1_000), Resumed::Missed(missed[place].clone()));
            assert_eq!(after(&trading, 1 - number, from, 1_000), Resumed::Unknown);
        }
        trading.running.stop().unwrap();
    };
    check(killed.path(), &kept, &[Vec::new(), Vec::new()]);
    let missed = [0, 1].map(|number: usize| later[number][kept[number].len()..].to_vec());
    check(dir.path(), &later, &missed);
    fs::remove_dir_all(dir.path().join("history")).unwrap();
    check(dir.path(), &later, &missed);
    verify(dir.path()).unwrap();
}
