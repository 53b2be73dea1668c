//! Audits: laws are recomputed from the single balances and orders by a verification, by each snapshot and by a stop;
//! each replay is compared with the live run.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{SEGMENTS, START, Trading, account, founded};
use buttonwood_engine::{
    AccessEvent, Adjustment, Body, Broken, Caller, Command, ConvertInfrequent, ConvertQuote, Event,
    Infrequent, LedgerInfrequent, Place, QuoteId, State, TradingCommand, TradingEvent, Workspace, decide,
    decode_command, decode_events, encode,
};
use buttonwood_journal::{Buffer, Journal, Mark, Reader, snapshot};
use buttonwood_model::{Claim, CurrencyId, Nonce, OrderKind, Outbox, Seq, SessionId, Side, Stamp, SymbolId};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_sequencer::{
    Clock, Exchange, Fault, Options, Past, Stepped, recover, recover_stepped, verify, verify_stepped,
};
use std::path::Path;
use std::time::Duration;

/// A journal whose last command is an order with a hold that is too large by the given amount. All checksums and
/// fingerprints are those of a writer that did this, except for the flipped bits of the last fingerprint.
fn written(dir: &Path, more: Money, flipped: u64) {
    drop(founded(dir));
    let recovered = recover(dir, SEGMENTS).unwrap();
    let mut state = recovered.views().state().clone();
    drop(recovered);
    let place = Place {
        symbol: SymbolId(0),
        side: Side::Buy,
        claim: Claim::Yes,
        kind: OrderKind::Limit,
        option: None,
        price: Price::from_ticks(100),
        qty: Qty::from_hundredths(100_000),
        spend: Money::ZERO,
        client_id: None,
        stop: Price::default(),
        margin: false,
    };
    let nonce = Nonce::parse(b"1").unwrap();
    let caller = Some(Caller { session: SessionId(0), account: Some(account(0)), nonce });
    let command = Command { caller, body: Body::Trading(TradingCommand::Place(place)) };
    let stamp = Stamp { seq: Seq(state.stamp().seq.0 + 1), time: START };
    let mut work = Workspace::default();
    decide(&state, &command, stamp, &mut work);
    let rested = work.out.events.iter_mut().find_map(|event| match event {
        Event::Trading(TradingEvent::Rested { amount, .. }) => Some(amount),
        Event::Trading(_) | Event::Access(AccessEvent::NonceUsed(..)) | Event::Infrequent(_) => None,
    });
    *rested.unwrap() += more;
    state.apply(stamp, &work.out.events, &work.out.texts);

    let mut journal = Journal::open(&dir.join("journal"), SEGMENTS).unwrap();
    journal.replay(None, |_| Ok::<_, Fault>(())).unwrap();
    let mut batch = Buffer::new();
    let (events, texts) = (&work.out.events, &work.out.texts);
    batch.push(stamp.seq.0, |out| encode(stamp.time, &command, events, texts, out).unwrap());
    batch.set_fingerprint(state.fingerprint() ^ flipped);
    journal.into_writer().unwrap().append(&mut batch).unwrap();
}

/// The results of a verification, of the next snapshot and of a stop.
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

/// Each of them finds a hold that differs from what the live orders need, even by one unit (INV-LEDGER-5).
#[test]
fn a_hold_that_no_order_needs_is_found() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), Money::ZERO, 0);
    assert!(watched(dir.path()).iter().all(Result::is_ok));
    for more in [1, -1] {
        let dir = tempfile::tempdir().unwrap();
        written(dir.path(), Money::from_units(more), 0);
        for found in watched(dir.path()) {
            let Err(Fault::Law { law: Broken::Hold(owner, currency), .. }) = found else {
                panic!("{found:?}")
            };
            assert_eq!((owner, currency), (account(0), CurrencyId(1).into()));
        }
    }
}

/// A verification and a start, on one thread and on two, find a batch whose replay gives other balances than its writer
/// had (INV-LEDGER-7).
#[test]
fn other_balances_are_found() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), Money::ZERO, 1);
    let found = [
        verify(dir.path()).unwrap_err(),
        verify_stepped(dir.path()).unwrap_err(),
        recover(dir.path(), SEGMENTS).unwrap_err(),
        recover_stepped(dir.path(), SEGMENTS).unwrap_err(),
    ];
    for fault in found {
        assert!(matches!(fault, Fault::Diverged { .. }), "{fault}");
    }
}

/// Appends a batch with an event to a journal, and the fingerprint of a writer that applied `live` instead.
fn appended(dir: &Path, live: &Infrequent, journaled: &Infrequent) {
    let recovered = recover(dir, SEGMENTS).unwrap();
    let mut state = recovered.views().state().clone();
    drop(recovered);
    let stamp = Stamp { seq: Seq(state.stamp().seq.0 + 1), time: START };
    let [mut own, mut out] = [Outbox::<Event>::default(), Outbox::default()];
    live.push(&mut own);
    journaled.push(&mut out);
    let mut replayed = state.clone();
    state.apply(stamp, &own.events, &own.texts);
    replayed.apply(stamp, &out.events, &out.texts);
    let [balances, others] = [&state, &replayed].map(State::fingerprint_of_balances);
    assert_eq!(balances, others, "the balances alone do not tell");

    let command = Command { caller: None, body: Body::add_group("one".to_owned()) };
    let mut journal = Journal::open(&dir.join("journal"), SEGMENTS).unwrap();
    journal.replay(None, |_| Ok::<_, Fault>(())).unwrap();
    let mut batch = Buffer::new();
    batch.push(stamp.seq.0, |to| encode(stamp.time, &command, &out.events, &out.texts, to).unwrap());
    batch.set_fingerprint(state.fingerprint());
    journal.into_writer().unwrap().append(&mut batch).unwrap();
}

/// A verification and a start, on one thread and on two, find a batch whose replay gives the balances of its writer, but another quote
/// or another transfer (INV-LEDGER-7).
#[test]
fn other_rows_are_found() {
    let quoted = |price| {
        let quote = ConvertQuote {
            id: QuoteId(1),
            account: account(0),
            symbol: SymbolId(0),
            side: Side::Buy,
            qty: Qty::from_hundredths(100),
            price: Price::from_ticks(price),
            fee: Money::ZERO,
            time: START,
        };
        Infrequent::Convert(ConvertInfrequent::Quoted(quote))
    };
    let adjusted = |reference: &str| {
        let (currency, amount) = (CurrencyId(0), Money::from_units(5));
        let reference = reference.to_owned();
        let adjustment = Adjustment { account: account(0), currency, amount, reference };
        Infrequent::Ledger(LedgerInfrequent::Adjusted(adjustment))
    };
    for (live, journaled) in [(quoted(100), quoted(101)), (adjusted("wire"), adjusted("wired"))] {
        let dir = tempfile::tempdir().unwrap();
        drop(founded(dir.path()));
        appended(dir.path(), &live, &live);
        verify(dir.path()).unwrap();
        let dir = tempfile::tempdir().unwrap();
        drop(founded(dir.path()));
        appended(dir.path(), &live, &journaled);
        let found = [
            verify(dir.path()).unwrap_err(),
            verify_stepped(dir.path()).unwrap_err(),
            recover(dir.path(), SEGMENTS).unwrap_err(),
            recover_stepped(dir.path(), SEGMENTS).unwrap_err(),
        ];
        for fault in found {
            let text = fault.to_string();
            assert!(matches!(fault, Fault::Diverged { .. }), "{text}");
            assert!(text.contains("other rows of transfers, positions, debts or quotes"), "{text}");
        }
    }
}

/// Appends the order of [`written`] with its events twice, and a group after it: the events cannot be applied, as if the build that
/// wrote them had been wrong.
fn poisoned(dir: &Path) -> u64 {
    written(dir, Money::ZERO, 0);
    let mut reader = Reader::open(&dir.join("journal")).unwrap();
    let mut frame = None;
    let mut end = 0;
    reader
        .replay_durable(None, |batch| {
            for (seq, bytes) in batch.frames() {
                let mut out = Outbox::default();
                let (time, rest) = decode_events(bytes, &mut out).unwrap();
                (end, frame) = (seq, Some((time, decode_command(rest, &out).unwrap(), out)));
            }
            Ok::<_, Fault>(())
        })
        .unwrap();
    let (time, command, out) = frame.unwrap();
    let mut journal = Journal::open(&dir.join("journal"), SEGMENTS).unwrap();
    journal.replay(None, |_| Ok::<_, Fault>(())).unwrap();
    let mut writer = journal.into_writer().unwrap();
    let mut batch = Buffer::new();
    batch.push(end + 1, |to| encode(time, &command, &out.events, &out.texts, to).unwrap());
    writer.append(&mut batch).unwrap();
    let after = Command { caller: None, body: Body::add_group("after".to_owned()) };
    batch.clear();
    batch.push(end + 2, |to| encode(time, &after, &[], &[], to).unwrap());
    writer.append(&mut batch).unwrap();
    end + 1
}

/// A start, a verification and an export, on one thread and on two, name a command that cannot be applied: what it is, who sent
/// it, and why. None of them changes the journal, and each says the same again.
#[test]
fn a_command_that_cannot_be_applied_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let poison = poisoned(dir.path());
    let files = || {
        let mut files: Vec<_> = std::fs::read_dir(dir.path().join("journal"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (std::fs::read(&path).unwrap(), path))
            .collect();
        files.sort_by(|(_, one), (_, other)| one.cmp(other));
        files
    };
    let before = files();
    let found = |fault: Fault| {
        let Fault::Poison(poison) = fault else { panic!("{fault}") };
        *poison
    };
    for _ in 0..2 {
        let starts = [
            found(recover(dir.path(), SEGMENTS).unwrap_err()),
            found(recover_stepped(dir.path(), SEGMENTS).unwrap_err()),
            found(Past::open(dir.path()).unwrap_err()),
        ];
        let verified =
            [found(verify(dir.path()).unwrap_err()), found(verify_stepped(dir.path()).unwrap_err())];
        assert!(starts.iter().all(|found| found.following.is_none()));
        assert!(verified.iter().all(|found| found.following == Some(1)));
        for found in starts.iter().chain(&verified) {
            assert_eq!((found.stamp.seq.0, found.proven), (poison, Some(poison - 1)));
            assert_eq!(found.command.as_deref(), Some("Trading Place, account account-0 of one, session 0"));
            assert!(found.to_string().contains("cannot be applied: "), "{found}");
            assert!(!found.why.is_empty());
        }
        assert!(files() == before, "the journal stays as it is");
    }
}

/// A verification compares the newest snapshot with the journal: it finds a snapshot of another state, and one of a
/// place within a batch, even though each is whole (INV-JRN-2).
#[test]
fn a_snapshot_of_another_state_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let mut trading = Trading::start(founded(dir.path()), 1_000_000, 0);
    for step in 0..20 {
        trading.trade(step);
    }
    trading.running.stop().unwrap();
    let newest = snapshot::load_newest(&dir.path().join("journal"), &mut Vec::new()).unwrap();
    let (mark, payload) = newest.unwrap();
    let found = |dir: &Path, mark: &Mark, payload: &[u8]| {
        snapshot::write(&dir.join("journal"), mark, &[payload]).unwrap();
        verify(dir).map(|report| report.snapshot)
    };
    let differs =
        |found, mark: &Mark| matches!(found, Err(Fault::SnapshotDiffers { seq }) if seq == mark.seq);
    assert_eq!(found(dir.path(), &mark, &payload).unwrap(), Some(mark.seq));
    let name = b"account-key-1";
    let at = payload.windows(name.len()).position(|part| part == name).unwrap();
    let (front, rest) = payload.split_at(at);
    let renamed = [front, b"account-key-7", rest.split_at(name.len()).1].concat();
    assert!(differs(found(dir.path(), &mark, &renamed), &mark));
    // A founding is one batch: no state exists within it.
    let dir = tempfile::tempdir().unwrap();
    drop(founded(dir.path()));
    let end = Reader::open(&dir.path().join("journal")).unwrap().verify().unwrap().end;
    let within = Mark { seq: end.seq - 1, ..end };
    assert!(differs(found(dir.path(), &within, &payload), &within));
}
