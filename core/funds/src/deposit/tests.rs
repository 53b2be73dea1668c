//! Payments as the watchers report them, in every order.

use super::*;
use crate::address::{self, NewAddress};
use crate::rig::{BTC, Rig, micro};
use crate::{Eid, Scope};
use alloc::vec;
use buttonwood_num::Money;

fn key(tx: &str) -> OutputKey {
    OutputKey { network: "bitcoin".into(), tx: tx.into(), index: 0 }
}

fn block(height: u64, hash: &str) -> ChainBlock {
    ChainBlock { height, hash: hash.into() }
}

fn seen(tx: &str) -> Seen {
    let origin =
        Origin { address: "bc1qx".into(), canonical: "bc1qx".into(), memo: String::new(), spends: vec![1] };
    Seen { key: key(tx), origin, currency: BTC, amount: micro(500_000) }
}

fn apply(rig: &mut Rig, events: impl IntoIterator<Item = Event>) -> usize {
    let mut count = 0;
    for event in events {
        rig.apply(|books| evolve(books, event));
        count += 1;
    }
    count
}

/// Issues Ann's address, if she has none yet.
fn issue(rig: &mut Rig) {
    if rig.funds.addresses().is_empty() {
        let address = NewAddress {
            account: rig.ann,
            network: "bitcoin".into(),
            number: 1,
            text: "bc1qx".into(),
            canonical: "bc1qx".into(),
            memo: String::new(),
            label: String::new(),
        };
        rig.apply(|books| address::evolve(books, address::Event::AddressIssued(address)));
    }
}

/// Shows a payment to Ann's address; how many events follow. A memo means nothing on this network.
fn see(rig: &mut Rig, tx: &str) -> usize {
    issue(rig);
    let mut seen = seen(tx);
    seen.origin.memo = "77".into();
    let events = observe::see(&rig.context(), &seen).unwrap();
    apply(rig, events)
}

fn confirm(rig: &mut Rig, tx: &str, at: &ChainBlock, confirmations: u32) -> usize {
    let events = observe::confirm(&rig.context(), &key(tx), at, confirmations).unwrap();
    apply(rig, events)
}

fn reorganise(rig: &mut Rig, tx: &str, at: &ChainBlock) -> usize {
    let events = observe::reorganise(&rig.context(), &key(tx), at).unwrap();
    apply(rig, events)
}

fn status(rig: &Rig, tx: &str) -> (Status, u32) {
    let deposit = rig.funds.deposits().get(&key(tx)).unwrap();
    let row = &rig.funds.transfer(deposit.eid).unwrap().row;
    (row.status, row.chain().unwrap().confirmations)
}

fn available(rig: &Rig) -> Money {
    rig.balance(rig.ann, BTC).available
}

/// Pending from the first sight, complete at the required confirmations, credited once, whatever is repeated. Proves XFER-010.
#[test]
fn a_deposit_is_credited_once() {
    let mut rig = Rig::new();
    let (before, at) = (available(&rig), block(5, "a"));
    assert_eq!(see(&mut rig, "t"), 1);
    assert_eq!(see(&mut rig, "t"), 0);
    assert_eq!(status(&rig, "t"), (Status::Pending, 0));
    for confirmations in 1..=2 {
        confirm(&mut rig, "t", &at, confirmations);
        assert_eq!((status(&rig, "t"), available(&rig)), ((Status::Pending, confirmations), before));
    }
    assert_eq!(confirm(&mut rig, "t", &at, 3), 2);
    let after = before + micro(500_000);
    for _ in 0..3 {
        assert_eq!(confirm(&mut rig, "t", &at, 3), 0);
        assert_eq!(see(&mut rig, "t"), 0);
    }
    assert_eq!((status(&rig, "t"), available(&rig)), ((Status::Complete, 3), after));
    assert_eq!(rig.funds.next_eid(), Eid(2), "one row");
}

/// A payment that was lost waits from the start if it comes back: the confirmations of a block that is gone do not count, so the end of
/// a halt does not credit it.
///
/// Part of INV-DEP-1.
#[test]
fn a_lost_deposit_comes_back_without_confirmations() {
    let mut rig = Rig::new();
    let (before, at) = (available(&rig), block(5, "a"));
    rig.apply(|books| books.room.halts.halt_asset(BTC));
    see(&mut rig, "t");
    confirm(&mut rig, "t", &at, 3);
    let events = observe::lose(&rig.context(), &key("t")).unwrap();
    apply(&mut rig, events);
    see(&mut rig, "t");
    assert_eq!(status(&rig, "t"), (Status::Pending, 0));
    assert!(observe::final_of(&rig.context(), BTC).is_empty(), "nothing is final");
    assert_eq!(available(&rig), before);
}

/// A reorganisation before that makes it wait again, in the same row; nothing is credited on the way.
#[test]
fn a_removed_block_makes_a_deposit_wait_again() {
    let mut rig = Rig::new();
    let before = available(&rig);
    see(&mut rig, "t");
    confirm(&mut rig, "t", &block(5, "a"), 2);
    assert_eq!(reorganise(&mut rig, "t", &block(5, "other")), 0, "another block than its own");
    assert_eq!(reorganise(&mut rig, "t", &block(5, "a")), 1);
    assert_eq!(reorganise(&mut rig, "t", &block(5, "a")), 0);
    assert_eq!((status(&rig, "t"), available(&rig)), ((Status::Pending, 0), before));
    assert!(!rig.funds.halts().has(Scope::Asset(BTC)));
    confirm(&mut rig, "t", &block(6, "b"), 3);
    assert_eq!(available(&rig), before + micro(500_000));
}

/// One that cannot confirm any more ends; seen again, it is the same row.
#[test]
fn a_lost_deposit_ends_and_may_come_back() {
    let mut rig = Rig::new();
    let before = available(&rig);
    see(&mut rig, "t");
    let lost = observe::lose(&rig.context(), &key("t")).unwrap();
    apply(&mut rig, lost);
    assert_eq!((status(&rig, "t").0, rig.funds.deposits().live("bitcoin").count()), (Status::Voided, 0));
    assert_eq!(observe::lose(&rig.context(), &key("t")), Ok(None));
    assert_eq!(see(&mut rig, "t"), 1);
    assert_eq!((status(&rig, "t").0, rig.funds.deposits().live("bitcoin").count()), (Status::Pending, 1));
    let lost = observe::lose(&rig.context(), &key("t")).unwrap();
    apply(&mut rig, lost);
    confirm(&mut rig, "t", &block(5, "a"), 3);
    assert_eq!((status(&rig, "t").0, available(&rig)), (Status::Complete, before + micro(500_000)));
    assert_eq!(rig.funds.next_eid(), Eid(2), "one row");
}

/// A lost deposit whose owner was closed since is the house's when it comes back, by either report. It is assigned like any other.
#[test]
fn a_lost_deposit_of_a_closed_account_is_unclaimed() {
    for is_seen in [true, false] {
        let mut rig = Rig::new();
        let before = available(&rig);
        see(&mut rig, "t");
        let lost = observe::lose(&rig.context(), &key("t")).unwrap();
        apply(&mut rig, lost);
        let ann = rig.ann;
        let closed = buttonwood_access::Infrequent::AccountClosed(ann);
        let now = rig.time;
        buttonwood_access::evolve(&mut rig.access, now, closed);
        if is_seen {
            see(&mut rig, "t");
            assert_eq!(rig.funds.deposits().unclaimed().count(), 1);
        }
        confirm(&mut rig, "t", &block(5, "a"), 3);
        assert_eq!((rig.house("unclaimed", BTC), available(&rig)), (micro(500_000), before));
        assert_eq!(status(&rig, "t"), (Status::Complete, 3));
        assert_eq!(rig.funds.open_of(ann).count(), 0);
        assert_eq!(assign::decide(&rig.context(), &key("t"), ann), Err(Reject::Closed));
        let assigned = assign::decide(&rig.context(), &key("t"), rig.vault).unwrap();
        apply(&mut rig, [assigned]);
        assert_eq!(rig.house("unclaimed", BTC), Money::ZERO);
        assert_eq!(rig.funds.deposits().unclaimed().count(), 0);
    }
}

/// Assigning what is credited already is a credit: a halt of the asset stops it.
#[test]
fn a_halted_asset_is_not_assigned() {
    let mut rig = Rig::new();
    let events = observe::see(&rig.context(), &seen("t")).unwrap();
    apply(&mut rig, events);
    confirm(&mut rig, "t", &block(5, "a"), 3);
    rig.apply(|books| books.room.halts.halt_asset(BTC));
    assert_eq!(assign::decide(&rig.context(), &key("t"), rig.ann), Err(Reject::Halted));
}

/// A reorganisation after the credit halts the asset: its credits stop, this one stays, and the output is never credited
/// again. Resuming credits what has become final meanwhile.
#[test]
fn a_removed_final_block_halts_the_asset() {
    let mut rig = Rig::new();
    see(&mut rig, "t");
    confirm(&mut rig, "t", &block(5, "a"), 3);
    let credited = available(&rig);
    assert_eq!(reorganise(&mut rig, "t", &block(5, "a")), 1);
    assert!(rig.funds.halts().has(Scope::Asset(BTC)));
    assert_eq!(observe::lose(&rig.context(), &key("t")), Ok(None), "the credit stays");
    see(&mut rig, "u");
    confirm(&mut rig, "t", &block(6, "b"), 3);
    confirm(&mut rig, "u", &block(6, "b"), 3);
    assert_eq!((status(&rig, "u"), available(&rig)), ((Status::Pending, 3), credited));
    let due = observe::final_of(&rig.context(), BTC);
    assert_eq!(due, [key("u")]);
    apply(&mut rig, due.into_iter().map(Event::Credited));
    assert_eq!(available(&rig), credited + micro(500_000));
    assert_eq!(observe::final_of(&rig.context(), BTC), []);
}

/// A deposit that fits no account goes to the house, and is assigned once, before or after its credit.
#[test]
fn an_unclaimed_deposit_is_assigned_once() {
    for is_final in [false, true] {
        let mut rig = Rig::new();
        let before = available(&rig);
        let events = observe::see(&rig.context(), &seen("t")).unwrap();
        apply(&mut rig, events);
        assert_eq!(rig.funds.deposits().unclaimed().count(), 1);
        if is_final {
            confirm(&mut rig, "t", &block(5, "a"), 3);
            assert_eq!((rig.house("unclaimed", BTC), available(&rig)), (micro(500_000), before));
        }
        let house = rig.ledger.house("unclaimed").unwrap();
        assert_eq!(assign::decide(&rig.context(), &key("t"), house), Err(Reject::NoAccount));
        assert_eq!(assign::decide(&rig.context(), &key("x"), rig.ann), Err(Reject::Unknown));
        let assigned = assign::decide(&rig.context(), &key("t"), rig.ann).unwrap();
        apply(&mut rig, [assigned]);
        assert_eq!(assign::decide(&rig.context(), &key("t"), rig.ann), Err(Reject::Owned));
        confirm(&mut rig, "t", &block(5, "a"), 3);
        assert_eq!((rig.house("unclaimed", BTC), available(&rig)), (Money::ZERO, before + micro(500_000)));
        assert_eq!(rig.funds.transfers_of(rig.ann).count(), 1);
        assert_eq!(status(&rig, "t"), (Status::Complete, 3));
    }
}

/// Nonsense changes nothing: unknown assets, no money, payments that were never seen.
#[test]
fn wrong_reports_are_refused() {
    let rig = Rig::new();
    let elsewhere = Seen { key: OutputKey { network: "mars".into(), ..key("t") }, ..seen("t") };
    assert_eq!(observe::see(&rig.context(), &elsewhere), Err(Reject::Unacceptable));
    for amount in [Money::ZERO, -micro(1)] {
        assert_eq!(observe::see(&rig.context(), &Seen { amount, ..seen("t") }), Err(Reject::Unacceptable));
    }
    assert_eq!(observe::confirm(&rig.context(), &key("t"), &block(1, "a"), 3), Err(Reject::Unknown));
    assert_eq!(observe::reorganise(&rig.context(), &key("t"), &block(1, "a")), Err(Reject::Unknown));
    assert_eq!(observe::lose(&rig.context(), &key("t")), Err(Reject::Unknown));
}

/// The newest blocks are kept; what only payments in removable blocks need is forgotten with the blocks.
#[test]
fn blocks_and_what_they_held_are_forgotten() {
    let mut rig = Rig::new();
    see(&mut rig, "t");
    let follow = |rig: &mut Rig, above, heights: core::ops::Range<u64>, branch: &str| {
        let blocks = heights.map(|height| block(height, branch)).collect();
        apply(rig, [Event::Followed("bitcoin".into(), above, blocks)]);
    };
    follow(&mut rig, None, 1..6, "a");
    confirm(&mut rig, "t", &block(5, "a"), 3);
    follow(&mut rig, Some(3), 4..9, "b");
    let blocks: vec::Vec<_> = rig.funds.deposits().blocks("bitcoin").cloned().collect();
    assert_eq!((blocks.len(), &blocks[2], &blocks[3]), (8, &block(3, "a"), &block(4, "b")));
    follow(&mut rig, None, 4..9, "b");
    assert_eq!(rig.funds.deposits().blocks("bitcoin").count(), 8, "a report that came twice");
    assert_eq!(rig.funds.deposits().live("bitcoin").count(), 1);
    follow(&mut rig, None, 9..70, "b");
    assert_eq!(rig.funds.deposits().blocks("bitcoin").next(), Some(&block(6, "b")));
    assert_eq!(rig.funds.deposits().live("bitcoin").count(), 0);
    assert_eq!(rig.funds.deposits().get(&key("t")).unwrap().spends, []);
    assert_eq!(confirm(&mut rig, "t", &block(5, "a"), 3), 1, "known, and not credited again");
    assert_eq!(rig.funds.next_eid(), Eid(2));
}
