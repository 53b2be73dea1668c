//! A crash image taken at any quiet moment recovers to what the live exchange had: state, books, history, nonces, with
//! and without snapshots in between.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{SEGMENTS, START, Trading, account, founded, founding};
use buttonwood_disk::Folder;
use buttonwood_disk::watched::{Call, Warden, Watched};
use buttonwood_engine::{AccessReject, Body, Command, OrderRef, Outcome, Reject, TradingCommand, encode};
use buttonwood_journal::{Buffer, Journal, snapshot};
use buttonwood_model::{Seq, Stamp};
use buttonwood_sequencer::{Clock, Options, Stepped, recover, recover_stepped, verify};
use buttonwood_views::history::{Limit, Query};
use buttonwood_views::{Found, Views};
use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Copies the files that kill -9 would leave: nothing waits for a sync, since every call was answered.
fn crash_image(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            crash_image(&entry.path(), &target);
        } else if std::fs::copy(entry.path(), &target).is_err() {
            // A background thread renamed or removed the file since.
        }
    }
}

/// Proves ORD-081, SES-007.
#[test]
fn a_crash_image_recovers_to_what_the_live_exchange_had() {
    for snapshot_every in [40, 1_000_000] {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("live");
        let mut trading = Trading::start(founded(&dir), snapshot_every, 0);
        let mut orders = Vec::new();
        for round in 0..6u64 {
            orders.extend((round * 50..round * 50 + 50).filter_map(|step| trading.trade(step)));
            let image = home.path().join(format!("image-{round}"));
            crash_image(&dir, &image);
            let recovered = recover(&image, SEGMENTS).unwrap();
            let (live, back) = (trading.exchange.views(), recovered.views());
            assert_eq!(live.state(), back.state());
            assert_eq!(live.fold(), back.fold());
            assert_eq!(live.depth(), back.depth());
            assert_eq!(live.history().index(), back.history().index());
            for owner in [account(0), account(1)] {
                let rows = |views: &Views| {
                    Query::whole(views.history())
                        .trades(owner, None, Some(0), Limit { rows: 10_000, most: 10_000 })
                        .unwrap()
                };
                assert_eq!(rows(&live), rows(back));
                for id in &orders {
                    let found = |views: &Views| {
                        let order = OrderRef::Id(*id);
                        let (live, history) = (views.find_live(owner, &order), Query::whole(views.history()));
                        Found::last_placed(live, history, owner, &order).unwrap()
                    };
                    assert_eq!(found(&live), found(back), "order {id:?}");
                }
            }
            drop(live);
            drop(recovered);
            verify(&image).unwrap();
            let again = Trading::start(recover(&image, SEGMENTS).unwrap(), snapshot_every, 0);
            for (session, used) in (0..).zip(trading.used) {
                let answer = again.call_with(session, used, Body::Trading(TradingCommand::CancelAll));
                assert_eq!(answer, Outcome::Rejected(Reject::Access(AccessReject::NonceUsed)));
            }
            again.running.stop().unwrap();
        }
        trading.running.stop().unwrap();
        let report = verify(&dir).unwrap();
        assert!(report.snapshot.is_some(), "a clean stop leaves a snapshot");
    }
}

/// A restart replays only what came after its snapshot.
#[test]
fn a_restart_replays_only_what_came_after_the_snapshot() {
    let home = tempfile::tempdir().unwrap();
    let mut trading = Trading::start(founded(home.path()), 1_000_000, 0);
    for step in 0..100 {
        trading.trade(step);
    }
    trading.running.stop().unwrap();
    let recovered = recover(home.path(), SEGMENTS).unwrap();
    assert_eq!(recovered.replayed(), 0);
    let mut trading = Trading::start(recovered, 1_000_000, 1_000);
    let before = trading.exchange.views().state().stamp().seq.0;
    for step in 0..7 {
        trading.trade(step);
    }
    let image = home.path().join("image");
    for part in ["journal", "history"] {
        crash_image(&home.path().join(part), &image.join(part));
    }
    let recovered = recover(&image, SEGMENTS).unwrap();
    assert_eq!(recovered.replayed(), recovered.views().state().stamp().seq.0 - before);
    drop(recovered);
    trading.running.stop().unwrap();
}

/// A refused founding leaves no trace.
#[test]
fn a_refused_founding_is_not_durable() {
    let home = tempfile::tempdir().unwrap();
    let mut recovered = recover(home.path(), SEGMENTS).unwrap();
    let mut twice = founding();
    twice.extend(founding());
    assert!(recovered.commit(START, twice).is_err());
    drop(recovered);
    let recovered = recover(home.path(), SEGMENTS).unwrap();
    assert_eq!(recovered.views().state().opening(), None);
}

/// A start reads events alone; a verification reads commands too, and names one that only a newer build knows.
#[test]
fn a_command_of_a_newer_build_is_named() {
    let home = tempfile::tempdir().unwrap();
    let mut state = founded(home.path()).views().state().clone();
    state.advance(Stamp { seq: Seq(state.stamp().seq.0 + 1), time: START });
    let seq = state.stamp().seq.0;
    let mut buffer = Buffer::new();
    buffer.push(seq, |out| {
        let command = Command { caller: None, body: Body::Trading(TradingCommand::CancelAll) };
        encode(START, &command, &[], &[], out).unwrap();
        let known = b"trading.cancel_all";
        let at = out.windows(known.len()).position(|bytes| bytes == known).unwrap();
        out[at..at + known.len()].copy_from_slice(b"trading.cancel_few");
    });
    buffer.set_fingerprint(state.fingerprint());
    let mut journal = Journal::open(home.path().join("journal").as_path(), SEGMENTS).unwrap();
    journal.replay(None, |_| Ok::<_, Infallible>(())).unwrap();
    journal.into_writer().unwrap().append(&mut buffer).unwrap();
    let refused = verify(home.path()).unwrap_err().to_string();
    assert_eq!(
        refused,
        format!(
            "journal: command {seq}: frame cannot be read: record 'trading.cancel_few' is unknown to this build: \
             a newer one wrote it"
        )
    );
    assert_eq!(recover(home.path(), SEGMENTS).unwrap().views().state(), &state);
}

/// A snapshot of this version that cannot be decoded stands in the way of nothing: a start and the next snapshot take the
/// journal instead, and a verification says so.
#[test]
fn a_snapshot_that_cannot_be_decoded_is_none() {
    let home = tempfile::tempdir().unwrap();
    drop(founded(home.path()));
    let start = || {
        let recovered = recover_stepped(home.path(), SEGMENTS).unwrap();
        let notes = recovered.notes.join("\n");
        (Stepped::new(recovered, Clock::manual(START), Options { snapshot_every: 1 }), notes)
    };
    let (mut exchange, _) = start();
    let seq = go_on(&mut exchange, "sooner");
    drop(exchange);
    let journal = home.path().join("journal");
    let (mark, payload) = snapshot::load_newest(journal.as_path(), &mut Vec::new()).unwrap().unwrap();
    assert_eq!(mark.seq, seq);
    let half = payload.get(..payload.len() / 2).unwrap();
    snapshot::write(journal.as_path(), &mark, &[half]).unwrap();
    let said = format!("snapshot of command {seq} cannot be read or written: ");
    let report = verify(home.path()).unwrap();
    assert_eq!((report.snapshot, report.notes.len()), (None, 1));
    assert!(report.notes.iter().all(|note| note.starts_with(&said)), "{:?}", report.notes);
    let (mut exchange, notes) = start();
    assert!(notes.contains(&said), "{notes}");
    assert_eq!(go_on(&mut exchange, "later"), seq + 1);
    drop(exchange);
    let report = verify(home.path()).unwrap();
    assert_eq!((report.snapshot, report.notes.len()), (Some(seq + 1), 0));
}

/// A history without its journal is refused by start and verification, and no new journal is made (rule J7).
#[test]
fn a_journal_that_is_gone_is_noticed() {
    let home = tempfile::tempdir().unwrap();
    let mut trading = Trading::start(founded(home.path()), 1_000_000, 0);
    trading.trade(0);
    trading.running.stop().unwrap();
    let (journal, away) = (home.path().join("journal"), home.path().join("away"));
    std::fs::rename(&journal, &away).unwrap();
    let refused = recover(home.path(), SEGMENTS).unwrap_err().to_string();
    assert!(
        refused.contains("journal is gone") && refused.contains("history/reached shows that seq"),
        "{refused}"
    );
    assert_eq!(verify(home.path()).unwrap_err().to_string(), refused);
    assert!(!journal.exists());
    std::fs::rename(&away, &journal).unwrap();
    recover(home.path(), SEGMENTS).unwrap();
}

/// An older journal under a newer history is refused by start and verification: the history knows how far it had come
/// (rule J7). Its own newer one is taken again.
#[test]
fn an_older_journal_is_noticed() {
    let home = tempfile::tempdir().unwrap();
    let mut trading = Trading::start(founded(home.path()), 1_000_000, 0);
    trading.trade(0);
    trading.running.stop().unwrap();
    let (journal, older, newer) =
        (home.path().join("journal"), home.path().join("older"), home.path().join("newer"));
    crash_image(&journal, &older);
    let mut trading = Trading::start(recover(home.path(), SEGMENTS).unwrap(), 1_000_000, 1_000);
    for step in 0..20 {
        trading.trade(step);
    }
    trading.running.stop().unwrap();

    std::fs::rename(&journal, &newer).unwrap();
    std::fs::rename(&older, &journal).unwrap();
    let refused = recover(home.path(), SEGMENTS).unwrap_err().to_string();
    assert!(refused.contains("history/reached shows that seq"), "{refused}");
    assert_eq!(verify(home.path()).unwrap_err().to_string(), refused);
    std::fs::remove_dir_all(&journal).unwrap();
    std::fs::rename(&newer, &journal).unwrap();
    recover(home.path(), SEGMENTS).unwrap();
}

/// An exchange that continues and makes a snapshot as soon as a segment of its journal is read.
struct Busy(Mutex<Option<Stepped>>);

impl std::fmt::Debug for Busy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Busy")
    }
}

impl Warden for Busy {
    fn around(&self, path: &Path, call: Call<'_>, act: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()> {
        let is_segment = path.extension().is_some_and(|extension| extension == "segment");
        if call == Call::Read
            && is_segment
            && let Some(mut exchange) = self.0.lock().unwrap().take()
        {
            go_on(&mut exchange, "later");
        }
        act()
    }
}

/// One command and a snapshot of it; returns the command's number.
fn go_on(exchange: &mut Stepped, group: &str) -> u64 {
    let command = Command { caller: None, body: Body::add_group(group.to_owned()) };
    drop(exchange.exchange().submit(command).unwrap());
    exchange.decide(Duration::ZERO);
    assert!(exchange.commit().unwrap());
    exchange.checkpoint().unwrap().expect("one is due after every command")
}

/// A verification of a running exchange sees the journal as of its own beginning: a snapshot made during it refers to a
/// later part and is not reported as wrong.
#[test]
fn a_snapshot_made_during_a_verification_is_none_of_its_business() {
    let home = tempfile::tempdir().unwrap();
    drop(founded(home.path()));
    let recovered = recover_stepped(home.path(), SEGMENTS).unwrap();
    let mut exchange = Stepped::new(recovered, Clock::manual(START), Options { snapshot_every: 1 });
    let seq = go_on(&mut exchange, "sooner");
    let disk = Watched::by(Busy(Mutex::new(Some(exchange))));
    let report = verify(Folder::new(Arc::new(disk), home.path())).unwrap();
    assert_eq!((report.commands, report.snapshot), (seq, Some(seq)));
    assert_eq!(verify(home.path()).unwrap().snapshot, Some(seq + 1));
}
