//! Commands that change nothing are answered and take no place in the journal.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{SEGMENTS, START, account, founding};
use buttonwood_engine::funds::bank::{Command as Banking, Settlement};
use buttonwood_engine::identity::Command as IdentityCommand;
use buttonwood_engine::{
    AccessCommand, Body, Caller, Command, Eid, FundsCommand, OrderRef, Reject, TradingCommand,
};
use buttonwood_model::{Nonce, OrderId, SessionId, Stamp};
use buttonwood_sequencer::{Clock, Options, Pending, Receipt, Stepped, recover_stepped};
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

fn stepped(dir: &Path) -> Stepped {
    let mut recovered = recover_stepped(dir, SEGMENTS).unwrap();
    recovered.commit(START, founding()).unwrap();
    Stepped::new(recovered, Clock::manual(START), Options { snapshot_every: 1_000_000 })
}

fn poll(pending: &mut Pending) -> Option<Receipt> {
    match Pin::new(pending).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(receipt) => Some(receipt.unwrap()),
        Poll::Pending => None,
    }
}

/// A command of the exchange itself that is refused.
fn refused() -> Command {
    let settlement = Settlement { eid: Eid(99), returned: false };
    Command { caller: None, body: FundsCommand::from(Banking::Settle(settlement)).into() }
}

fn by_key(nonce: &str, body: Body) -> Command {
    let nonce = Nonce::parse(nonce.as_bytes()).unwrap();
    let caller = Some(Caller { session: SessionId(0), account: Some(account(0)), nonce });
    Command { caller, body }
}

/// The number of the last command, and the highest nonce of the first session.
fn reached(stepped: &Stepped) -> (u64, Nonce) {
    let state = stepped.state();
    (state.stamp().seq.0, state.access().session(SessionId(0)).unwrap().highest_nonce())
}

/// A refused command of a caller without a key, and one that leaves all as it is, take no number. They are answered with the batch, after those
/// before them are durable.
#[test]
fn what_changes_nothing_is_not_journaled() {
    let dir = tempfile::tempdir().unwrap();
    let mut stepped = stepped(dir.path());
    let before = stepped.state().stamp();
    let group = Command { caller: None, body: Body::add_group("two".to_owned()) };
    let junk = Command { caller: None, body: IdentityCommand::Revoke(None, [7; 32]).into() };
    let exchange = stepped.exchange().clone();
    let mut pending = [refused(), group, junk].map(|command| exchange.submit(command).unwrap());
    stepped.decide(Duration::ZERO);
    assert!(pending.iter_mut().all(|pending| poll(pending).is_none()), "nothing is durable yet");
    assert!(stepped.commit().unwrap());
    let [refused, added, junk] = pending.each_mut().map(|pending| poll(pending).unwrap());
    assert!(matches!(refused.done(), Err(Reject::Funds(_))));
    let next = Stamp { seq: buttonwood_model::Seq(before.seq.0 + 1), ..before };
    let told = [refused, added, junk].map(|receipt| (receipt.stamp.seq, receipt.is_journaled));
    assert_eq!(told, [(before.seq, false), (next.seq, true), (next.seq, false)]);
    assert_eq!(stepped.state().stamp().seq, next.seq);
}

/// A cancel of nothing is answered at once, and its nonce is journaled with those of reads: within 50 ms, once for many.
#[test]
fn a_cancel_of_nothing_keeps_its_nonce_as_a_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut stepped = stepped(dir.path());
    // The first turn looks for silent sessions, and takes all nonces along.
    stepped.decide(Duration::ZERO);
    stepped.commit().unwrap();
    let before = reached(&stepped);
    let exchange = stepped.exchange().clone();
    let bodies: [TradingCommand; 3] = [
        TradingCommand::Cancel(OrderRef::Id(OrderId(77))),
        TradingCommand::CancelAll,
        TradingCommand::CancelSession,
    ];
    for (nonce, body) in ["5", "6", "7"].into_iter().zip(bodies) {
        let mut pending = exchange.submit(by_key(nonce, body.into())).unwrap();
        stepped.decide(Duration::ZERO);
        assert!(stepped.commit().unwrap());
        assert!(!poll(&mut pending).unwrap().is_journaled);
        assert_eq!(reached(&stepped), before);
    }
    stepped.decide(Duration::from_millis(50));
    assert!(stepped.commit().unwrap());
    assert_eq!(reached(&stepped), (before.0 + 1, Nonce::parse(b"7").unwrap()));
}

/// The nonce of a key's refused call is durable before its answer, as ever (D-08).
#[test]
fn a_refused_call_of_a_key_is_journaled() {
    let dir = tempfile::tempdir().unwrap();
    let mut stepped = stepped(dir.path());
    let before = reached(&stepped);
    let exchange = stepped.exchange().clone();
    let foreign = AccessCommand::AddGroup("three".to_owned().into());
    let mut pending = exchange.submit(by_key("5", foreign.into())).unwrap();
    stepped.decide(Duration::ZERO);
    assert!(stepped.commit().unwrap());
    let receipt = poll(&mut pending).unwrap();
    assert!(receipt.is_journaled && receipt.done().is_err());
    assert_eq!(reached(&stepped), (before.0 + 1, Nonce::parse(b"5").unwrap()));
}
