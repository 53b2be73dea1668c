//! Events after one that a client knows, compared with a list of all events.

use super::rig::{KEY, Rig, Row, Step, TINY, append_all, step};
use super::{ALICE, BOB, told};
use crate::history::{Fault, History, Index, Look, NewsBound, OrderNews, Query, Resumed};
use crate::order_event::{AccountEvent, EventId, OrderEvent, Step as Kind};
use buttonwood_engine::OrderState;
use buttonwood_model::{AccountId, CancelReason, OrderId};
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use tempfile::tempdir;

/// The answer of a rig's history.
fn after(rig: &Rig, account: AccountId, after: EventId, most: usize) -> Resumed {
    told(&rig.history, |query| query.order_events_after(account, after, most, |order| rig.live(order)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Exactly the events after a known one come, and none after the newest. An event of another account, one that never was, and one
    /// that is too old are unknown.
    #[test]
    fn the_missed_events_come(steps in prop::collection::vec(step(), 0..200), most in 1_usize..40) {
        let directory = tempdir().unwrap();
        let mut rig = Rig::new(directory.path());
        rig.run(&steps);
        for account in (0..4).map(AccountId) {
            let events = rig.events(account);
            for (place, event) in events.iter().enumerate() {
                let missed = events[place + 1..].to_vec();
                prop_assert_eq!(after(&rig, account, event.id(), 1_000), Resumed::Missed(missed.clone()));
                let expected = if missed.len() < most { Resumed::Missed(missed) } else { Resumed::Unknown };
                prop_assert_eq!(after(&rig, account, event.id(), most), expected);
                // Only cancels take a second id.
                let beside = EventId(event.id().0 + 2);
                prop_assert_eq!(after(&rig, account, beside, 1_000), Resumed::Unknown);
                let other = AccountId((account.0 + 1) % 4);
                prop_assert_eq!(after(&rig, other, event.id(), 1_000), Resumed::Unknown);
            }
            prop_assert_eq!(after(&rig, account, EventId(u64::MAX), 1_000), Resumed::Unknown);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Several accounts together have their events in one order, and any of them can be the last known one.
    #[test]
    fn the_missed_events_of_several_accounts_come(
        steps in prop::collection::vec(step(), 0..150),
        most in 1_usize..40,
    ) {
        let directory = tempdir().unwrap();
        let mut rig = Rig::new(directory.path());
        rig.run(&steps);
        let accounts = [0, 2, 3].map(AccountId);
        let after = |after, most| {
            let live = |order| rig.live(order);
            told(&rig.history, |query| query.order_events_of_all_after(&accounts, after, most, live))
        };
        let mut events: Vec<AccountEvent> = accounts.iter().flat_map(|account| rig.events(*account)).collect();
        events.sort_by_key(AccountEvent::id);
        for (place, event) in events.iter().enumerate() {
            let missed = events[place + 1..].to_vec();
            let expected = if missed.len() < most { Resumed::Missed(missed) } else { Resumed::Unknown };
            prop_assert_eq!(after(event.id(), most), expected);
        }
        for event in rig.events(AccountId(1)) {
            prop_assert_eq!(after(event.id(), 1_000), Resumed::Unknown);
        }
    }
}

const ALL: NewsBound = NewsBound { accounts: 9, rows: 9_000, news: 9_000 };

fn news(rig: &Rig, accounts: &[AccountId], after: EventId, bound: NewsBound) -> OrderNews {
    told(&rig.history, |query| query.order_news(accounts, after, bound, |order| rig.live(order)))
}

/// The events that are news; a close is none.
fn only_news(events: impl IntoIterator<Item = OrderEvent>, after: EventId) -> Vec<OrderEvent> {
    let is_news = |event: &OrderEvent| match event.step {
        Kind::Filled(_) => true,
        Kind::Cancelled(reason) => reason != CancelReason::Requested,
        Kind::Accepted | Kind::Booked | Kind::CancelRejected | Kind::Closed => false,
    };
    let mut found: Vec<_> = events.into_iter().filter(|event| event.id > after && is_news(event)).collect();
    found.sort_by_key(|event| event.id);
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// News are the trades and the unrequested ends after an event; of fewer rows than there are, the newest, and the answer says so.
    #[test]
    fn news_are_the_trades_and_the_ends(steps in prop::collection::vec(step(), 0..150), rows in 1_usize..40) {
        let directory = tempdir().unwrap();
        let mut rig = Rig::new(directory.path());
        rig.run(&steps);
        let accounts = [0, 2, 3].map(AccountId);
        let of = |event| match event {
            AccountEvent::Order(event) => Some(event),
            AccountEvent::Refused(_) => None,
        };
        let own: Vec<AccountEvent> = accounts.iter().flat_map(|account| rig.events(*account)).collect();
        let last = own.iter().map(|event| event.id().0).max().unwrap_or(0);
        for after in own.iter().map(AccountEvent::id).chain([EventId(0)]) {
            let found = news(&rig, &accounts, after, ALL);
            prop_assert_eq!((found.last, found.is_whole), (last, true));
            prop_assert_eq!(only_news(found.events, after), only_news(own.iter().copied().filter_map(of), after));
        }
        for account in accounts {
            let all = only_news(rig.events(account).into_iter().filter_map(of), EventId(0));
            let found = news(&rig, &[account], EventId(0), NewsBound { rows, ..ALL });
            let part = only_news(found.events, EventId(0));
            prop_assert_eq!(&part[..], &all[all.len() - part.len()..]);
            prop_assert!(!found.is_whole || part.len() == all.len());
        }
        // The accounts that changed last come first, and those that are left out count.
        let found = news(&rig, &accounts, EventId(0), NewsBound { accounts: 1, ..ALL });
        // The first event of the rig has the id 0.
        let has_later = |account: &&AccountId| rig.events(**account).iter().any(|event| event.id() > EventId(0));
        let active = accounts.iter().filter(has_later).count();
        prop_assert_eq!((found.last, found.is_whole), (last, active < 2));
    }
}

/// A history to which rows are appended once a number of looks was made.
struct Closing {
    history: RefCell<History>,
    to_come: RefCell<Vec<Row>>,
    looks: Cell<usize>,
}

impl Look for Closing {
    fn look(&self, see: &mut dyn FnMut(&History)) {
        let left = self.looks.get();
        self.looks.set(left.saturating_sub(1));
        if left == 0 {
            append_all(&mut self.history.borrow_mut(), &self.to_come.take());
        }
        see(&self.history.borrow());
    }
}

/// An order that closes while its events are read has the facts of its closed row, and the answer ends where it began.
#[test]
fn an_order_that_closes_meanwhile_is_found() {
    let directory = tempdir().unwrap();
    let mut rig = Rig::new(directory.path());
    rig.step(Step::Place { account: 0, symbol: 0, client: Some(2) });
    for round in 0..30 {
        rig.step(Step::Trade { order: 5 * round, qty: 1, fee: 1 });
    }
    let events = rig.events(ALICE);
    let count = rig.rows.len();
    rig.step(Step::Close { order: 0, reason: Some(CancelReason::Requested) });
    for looks in 0..40 {
        let place = tempdir().unwrap();
        let mut history = History::open_with(place.path().into(), Index::new(KEY), TINY).unwrap();
        append_all(&mut history, &rig.rows[..count]);
        history.flush().unwrap();
        let to_come = RefCell::new(rig.rows[count..].to_vec());
        let closing = Closing { history: history.into(), to_come, looks: Cell::new(looks) };
        // The state closes the order with the history.
        let live = |order: OrderId| -> Option<OrderState> {
            closing.looks.set(0);
            closing.look(&mut |_| {});
            rig.live(order)
        };
        let resumed = Query::far(&closing).order_events_after(ALICE, events[0].id(), 1_000, live).unwrap();
        let Resumed::Missed(found) = resumed else { panic!("{resumed:?}") };
        let expected = if looks == 0 { rig.events(ALICE)[1..].to_vec() } else { events[1..].to_vec() };
        assert_eq!(found, expected, "{looks}");
    }
}

/// The query reads no more rows than it may: an old event is not searched for.
#[test]
fn an_old_event_is_not_searched_for() {
    let directory = tempdir().unwrap();
    let mut rig = Rig::new(directory.path());
    rig.step(Step::Place { account: 0, symbol: 0, client: None });
    for round in 0..3_000 {
        rig.step(Step::Trade { order: round, qty: 1, fee: 1 });
    }
    let events = rig.events(ALICE);
    let near =
        |after| Query::near(&rig.history).order_events_after(ALICE, after, 100, |order| rig.live(order));
    // Memory holds the newest rows.
    assert!(matches!(near(events[0].id()), Ok(Resumed::Unknown) | Err(Fault::Away)));
    assert_eq!(after(&rig, ALICE, events[0].id(), 100), Resumed::Unknown);
    assert_eq!(after(&rig, ALICE, events[2_900].id(), 100), Resumed::Missed(events[2_901..].to_vec()));
    assert_eq!(after(&rig, ALICE, events[2_899].id(), 100), Resumed::Unknown);
    assert_eq!(after(&rig, BOB, events[2_999].id(), 100), Resumed::Unknown);
}

/// A row of another account in the chain is damage, and is never shown.
#[test]
fn a_row_of_another_account_is_damage() {
    let directory = tempdir().unwrap();
    let mut rig = Rig::new(directory.path());
    rig.step(Step::Place { account: 0, symbol: 0, client: None });
    rig.step(Step::Trade { order: 0, qty: 1, fee: 1 });
    rig.step(Step::Trade { order: 0, qty: 1, fee: 1 });
    let events = rig.events(ALICE);
    let state = |order| rig.live(order).map(|live| OrderState { account: BOB, ..live });
    let whole = Query::whole(&rig.history);
    assert_eq!(
        whole.order_events_after(ALICE, events[0].id(), 9, |order| rig.live(order)).unwrap(),
        Resumed::Missed(vec![events[1]])
    );
    let fault = whole.order_events_after(ALICE, events[0].id(), 9, state).unwrap_err();
    assert!(matches!(fault, Fault::Damaged { .. }), "{fault}");
}
