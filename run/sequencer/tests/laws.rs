//! Laws are recomputed from the single balances and orders: by a verification, by each snapshot, by a stop.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use buttonwood_engine::{Body, Broken, Caller, Command, Event, Place, SpotEvent, Workspace, decide, encode};
use buttonwood_journal::{Buffer, Journal};
use buttonwood_model::{CurrencyId, Nonce, OrderKind, Seq, SessionId, Side, Stamp, SymbolId};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_sequencer::{Clock, Exchange, Fault, Options, Stepped, recover, recover_stepped, verify};
use std::path::Path;
use std::time::Duration;
use support::{SEGMENTS, START, account, founded};

/// A journal whose last command is an order that has so much more on hold than it needs. All checksums and fingerprints are
/// those of a writer that did just this.
fn written(dir: &Path, more: Money) {
    drop(founded(dir));
    let recovered = recover(dir, SEGMENTS).unwrap();
    let mut state = recovered.views().state().clone();
    drop(recovered);
    let place = Place {
        symbol: SymbolId(0),
        side: Side::Buy,
        kind: OrderKind::Limit,
        option: None,
        price: Price::from_ticks(100),
        qty: Qty::from_hundredths(100_000),
        spend: Money::ZERO,
        client_id: None,
    };
    let nonce = Nonce::parse(b"1").unwrap();
    let caller = Some(Caller { session: SessionId(0), account: Some(account(0)), nonce });
    let command = Command { caller, body: Body::Place(place) };
    let stamp = Stamp { seq: Seq(state.stamp().seq.0 + 1), time: START };
    let mut work = Workspace::default();
    decide(&state, &command, stamp, &mut work);
    let rested = work.out.events.iter_mut().find_map(|event| match event {
        Event::Spot(SpotEvent::Rested { amount, .. }) => Some(amount),
        Event::Spot(_) | Event::NonceUsed(..) | Event::Rare(_) => None,
    });
    *rested.unwrap() += more;
    state.apply(stamp, &work.out.events, &work.out.texts);

    let mut journal = Journal::open(&dir.join("journal"), SEGMENTS).unwrap();
    journal.replay(None, |_| Ok::<_, Fault>(())).unwrap();
    let mut batch = Buffer::new();
    let (events, texts) = (&work.out.events, &work.out.texts);
    batch.push(stamp.seq.0, |out| encode(stamp.time, &command, events, texts, out).unwrap());
    batch.set_fingerprint(state.fingerprint());
    journal.into_writer().unwrap().append(&mut batch).unwrap();
}

/// What a verification says, what the next snapshot does, and what a stop does.
fn watched(dir: &Path) -> [Result<(), Fault>; 3] {
    let verified = verify(dir).map(|_| ());
    let recovered = recover_stepped(dir, SEGMENTS).unwrap();
    let mut stepped = Stepped::new(recovered, Clock::manual(START), Options { snapshot_every: 1 });
    let command = Command { caller: None, body: Body::add_group("more".to_owned()) };
    drop(stepped.exchange().submit(command).unwrap());
    stepped.decide(Duration::ZERO);
    assert!(stepped.commit().unwrap());
    let snapshot = stepped.checkpoint().map(|seq| assert!(seq.is_some(), "one is due"));
    drop(stepped);
    let recovered = recover(dir, SEGMENTS).unwrap();
    let running = Exchange::start(recovered, Clock::manual(START), Options::default()).unwrap();
    [verified, snapshot, running.stop()]
}

/// A hold that is not what the live orders need is found by each of them, and by a unit already (INV-LEDGER-5).
#[test]
fn a_hold_that_no_order_needs_is_found() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), Money::ZERO);
    assert!(watched(dir.path()).iter().all(Result::is_ok));
    for more in [1, -1] {
        let dir = tempfile::tempdir().unwrap();
        written(dir.path(), Money::from_units(more));
        for found in watched(dir.path()) {
            let Err(Fault::Law { law: Broken::Hold(owner, currency), .. }) = found else {
                panic!("{found:?}")
            };
            assert_eq!((owner, currency), (account(0), CurrencyId(1)));
        }
    }
}
