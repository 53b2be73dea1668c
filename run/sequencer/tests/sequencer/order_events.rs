//! Order events over kills and starts: the missed ones are the same, whether they are in memory, in the files, or built again.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::{SEGMENTS, START, Trading, account, founded, limit};
use buttonwood_engine::{Account, Body, Command, NewSession, Owner, TradingCommand};
use buttonwood_model::{CurrencyId, GroupId, Role, Roles, Side};
use buttonwood_num::Money;
use buttonwood_sequencer::{recover, verify};
use buttonwood_views::history::{Lengths, Resumed};
use buttonwood_views::{AccountEvent, EventId};
use std::fs;
use std::future::poll_fn;
use std::path::Path;
use std::pin::pin;
use std::sync::mpsc;
use std::task::Poll;
use std::thread;

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

/// Opens a third account of the group, with a key that places an order; then an older account has one more event.
fn open_and_trade(trading: &mut Trading) {
    let mut opened = Account::house(START);
    (opened.group, opened.short_name) = (Some(GroupId(0)), "account-2".to_owned());
    let key = NewSession {
        owner: Owner::Account(account(2)),
        roles: Roles::of(&[Role::Trader]),
        require_heartbeat: false,
        time_based_nonce: false,
        api_key: "account-key-2".to_owned(),
        name: "key-2".to_owned(),
        addresses: Vec::new(),
    };
    let plenty = vec![(CurrencyId(1), Money::from_units(1_000_000 * Money::ONE.units()))];
    for body in [Body::open_account(opened), Body::add_session(key), Body::credit(account(2), plenty)] {
        trading.exchange.execute(Command { caller: None, body }).unwrap();
    }
    let order = limit(Side::Buy, 90_000, 100_000);
    trading.call_with(2, 1, Body::Trading(TradingCommand::Place(order)));
    trading.trade(60);
}

/// An account that is opened while a resume of its group waits for the files is read too: its event is older than the newest that is returned,
/// and clients skip the live events up to that one.
#[test]
fn an_account_that_opens_meanwhile_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let mut trading = Trading::start(founded(dir.path()), 40, 0);
    for step in 0..60 {
        trading.trade(step);
    }
    let known = all(&trading, 0).first().unwrap().id();
    trading.running.stop().unwrap();
    let mut trading = Trading::start(recover(dir.path(), SEGMENTS).unwrap(), 1_000, 10_000);
    let exchange = trading.exchange.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
    let found = runtime.block_on(async {
        let (open, gate) = mpsc::channel::<()>();
        let gate = tokio::task::spawn_blocking(move || gate.recv());
        let mut query = pin!(exchange.order_events_of_group_after(GroupId(0), known, 1_000));
        let waits = poll_fn(|context| Poll::Ready(query.as_mut().poll(context).is_pending())).await;
        assert!(waits, "its rows are in the files, and the thread that reads them is taken");
        thread::scope(|scope| scope.spawn(|| open_and_trade(&mut trading)).join().unwrap());
        open.send(()).unwrap();
        gate.await.unwrap().unwrap();
        query.await.unwrap()
    });
    let Resumed::Missed(events) = found else { panic!("{found:?}") };
    let place = events.iter().position(|event| event.account() == account(2)).expect("its event is there");
    assert!(place + 1 < events.len() && events.is_sorted_by_key(AccountEvent::id));
    trading.running.stop().unwrap();
}
