//! Admission, deciding on serving threads, and their answers.

use super::*;
use crate::shared::GATHERED;
use crate::writer::batch::COMMANDS_MAX;
use crate::{Stepped, recover, recover_stepped};
use buttonwood_engine::{Body, FeeSchedule, Founding, Mode, Opening};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::task::{LocalSet, yield_now};

/// A command that is journaled although it changes nothing but the time.
fn command() -> Command {
    Command { caller: None, body: Body::Founding(Founding::MoveClock) }
}

fn segments() -> journal::Options {
    journal::Options { first_segment_bytes: 65_536, segment_bytes: 65_536, ballast_bytes: 0 }
}

/// With many commands in flight orders are not admitted; other commands are queued all the same.
#[test]
fn there_is_no_room_while_much_is_on_its_way() {
    let dir = tempfile::tempdir().unwrap();
    let recovered = recover_stepped(dir.path(), segments()).unwrap();
    let mut stepped = Stepped::new(recovered, Clock::manual(Time(1)), Options::default());
    let mut pending = Vec::new();
    while stepped.exchange().has_room() {
        pending.push(stepped.exchange().submit(command()).unwrap());
    }
    assert_eq!(pending.len(), 2_000);
    pending.push(stepped.exchange().submit(command()).unwrap());
    stepped.decide(Duration::ZERO);
    assert!(!stepped.exchange().has_room());
    assert!(stepped.commit().unwrap());
    assert!(stepped.exchange().has_room());
}

/// A serving thread that deferred commands is woken after the sync, even if no answer of its own came with it.
#[test]
fn what_was_left_during_a_sync_is_not_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let running = running(dir.path());
    serve(&running.exchange());
    running.stop().unwrap();
}

/// A running exchange with one command, whose writer's thread has taken its turn and waits.
fn running(dir: &std::path::Path) -> Running {
    let running =
        Exchange::start(recover(dir, segments()).unwrap(), Clock::manual(Time(1)), Options::default());
    let running = running.unwrap();
    running.exchange().execute(command()).unwrap();
    running
}

/// Waits until a condition holds, with a limit.
fn wait_until(holds: impl Fn() -> bool) {
    let patience = Instant::now() + Duration::from_mins(1);
    while !holds() {
        assert!(Instant::now() < patience, "it does not come to that");
        std::thread::yield_now();
    }
}

/// Runs a serving thread.
fn as_a_server<F: Future>(exchange: &Exchange, work: impl FnOnce() -> F + Send) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let local = LocalSet::new();
            local.spawn_local(exchange.open_mailbox());
            local.block_on(&runtime, work());
        });
    });
}

/// A serving thread whose one command arrives while another thread's batch is in flight.
fn serve(exchange: &Exchange) {
    let shared = Arc::clone(&exchange.shared);
    as_a_server(exchange, || async {
        shared.is_syncing.store(true, Ordering::SeqCst);
        let answer = exchange.submit(command()).unwrap();
        while shared.deferred.lock().is_empty() {
            yield_now().await;
        }
        assert_eq!(shared.queue.len(), 1, "nobody has told the writer");
        let mut to_wake = Vec::new();
        shared.synced(&mut to_wake);
        for mailbox in to_wake {
            mailbox.wake();
        }
        let patience = Duration::from_mins(1);
        tokio::time::timeout(patience, answer).await.expect("the writer is told").unwrap();
    });
}

/// A serving thread decides its own commands while no other thread holds the writer; here there is no other thread.
#[test]
fn a_serving_thread_decides_what_it_brings() {
    let dir = tempfile::tempdir().unwrap();
    let recovered = recover_stepped(dir.path(), segments()).unwrap();
    let mut stepped = Stepped::new(recovered, Clock::manual(Time(1)), Options::default());
    let exchange = stepped.exchange().clone();
    as_a_server(&exchange, || async {
        let answer = exchange.submit(command()).unwrap();
        for _ in 0..100 {
            yield_now().await;
        }
        assert_eq!(stepped.state().stamp().seq.0, 1, "it was decided");
        assert!(exchange.shared.queue.is_empty());
        assert_eq!(exchange.views().state().stamp().seq.0, 0, "what is not durable is not shown");
        assert!(stepped.commit().unwrap());
        assert_eq!(answer.await.unwrap().stamp.seq.0, 1);
    });
}

/// Many commands at once are decided in parts, so that the disk does not wait for the last.
#[test]
fn a_serving_thread_decides_once_many_have_gathered() {
    let dir = tempfile::tempdir().unwrap();
    let recovered = recover_stepped(dir.path(), segments()).unwrap();
    let stepped = Stepped::new(recovered, Clock::manual(Time(1)), Options::default());
    let exchange = stepped.exchange().clone();
    as_a_server(&exchange, || async {
        let answers: Vec<_> = (0..=GATHERED).map(|_| exchange.submit(command()).unwrap()).collect();
        assert_eq!(answers.len() - exchange.shared.queue.len(), GATHERED);
        assert_eq!(exchange.shared.writer.lock().state.stamp().seq.0, 48);
    });
}

/// A prefetched command that found no place in a full batch is the first of the next one.
#[test]
fn what_a_full_batch_leaves_is_decided_in_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let recovered = recover_stepped(dir.path(), segments()).unwrap();
    let mut stepped = Stepped::new(recovered, Clock::manual(Time(1)), Options::default());
    let exchange = stepped.exchange().clone();
    let mut answers: Vec<_> = (0..COMMANDS_MAX + 5).map(|_| exchange.submit(command()).unwrap()).collect();
    for decided in [COMMANDS_MAX, COMMANDS_MAX + 5] {
        stepped.decide(Duration::ZERO);
        assert!(exchange.shared.queue.is_empty());
        assert_eq!(stepped.state().stamp().seq.0, u64::try_from(decided).unwrap());
        stepped.decide(Duration::ZERO);
        assert_eq!(
            stepped.state().stamp().seq.0,
            u64::try_from(decided).unwrap(),
            "a full batch takes no more"
        );
        assert!(stepped.commit().unwrap());
    }
    let mut context = Context::from_waker(Waker::noop());
    for (number, answer) in (1..).zip(&mut answers) {
        let Poll::Ready(Ok(receipt)) = Pin::new(answer).poll(&mut context) else {
            panic!("no answer {number}")
        };
        assert_eq!(receipt.stamp.seq.0, number);
    }
}

/// While another thread decides, a serving thread leaves its commands to the writer's own thread.
#[test]
fn what_comes_while_another_decides_is_not_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let running = running(dir.path());
    let exchange = running.exchange();
    let shared = Arc::clone(&exchange.shared);
    let (holds, held) = std::sync::mpsc::channel();
    let (release, released) = std::sync::mpsc::channel();
    let other = std::thread::spawn(move || {
        let writer = shared.writer.lock();
        holds.send(()).unwrap();
        released.recv().unwrap();
        drop(writer);
    });
    held.recv().unwrap();
    as_a_server(&exchange, || async {
        let answer = exchange.submit(command()).unwrap();
        for _ in 0..100 {
            yield_now().await;
        }
        assert_eq!(exchange.shared.queue.len(), 1);
        release.send(()).unwrap();
        let patience = Duration::from_mins(1);
        tokio::time::timeout(patience, answer).await.expect("the writer's own thread takes it").unwrap();
    });
    other.join().unwrap();
    running.stop().unwrap();
}

/// A serving thread may take the stop or the nonces of reads off the queue: the writer's own thread is woken for both,
/// before its next tick, which never comes in a test.
#[test]
fn what_a_serving_thread_cannot_see_to_is_passed_on() {
    let dir = tempfile::tempdir().unwrap();
    let running = running(dir.path());
    let exchange = running.exchange();
    as_a_server(&exchange, || async {
        exchange.note_nonce(SessionId(1), Nonce::parse(b"7").unwrap());
        let patience = Duration::from_mins(1);
        let journaled = async {
            while exchange.views().state().stamp().seq.0 < 2 {
                yield_now().await;
            }
        };
        tokio::time::timeout(patience, journaled).await.expect("nonces of reads are journaled soon");
        exchange.shared.send(Submission::Stop).unwrap();
        while !exchange.shared.queue.is_empty() {
            yield_now().await;
        }
    });
    wait_until(|| running.writer.is_finished());
    running.stop().unwrap();
}

/// Views whose balances differ from the state's are never shown: the process must end.
#[test]
fn views_that_differ_are_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let recovered = recover_stepped(dir.path(), segments()).unwrap();
    let mut stepped = Stepped::new(recovered, Clock::manual(Time(1)), Options::default());
    let open =
        Body::open(Opening { mode: Mode::Sandbox, seed: 1, hash_key: 2, fees: FeeSchedule::default() });
    for (is_same, body) in [(true, open), (false, Body::add_group("one".to_owned()))] {
        let mut answer = stepped.exchange().submit(Command { caller: None, body }).unwrap();
        stepped.decide(Duration::ZERO);
        if is_same {
            assert!(stepped.commit().unwrap());
            continue;
        }
        stepped.exchange().shared.handoff.lock().batch.fingerprint ^= 1;
        let fault = stepped.commit().unwrap_err();
        assert!(matches!(fault, Fault::Diverged { seq: 2 }), "{fault}");
        let mut context = Context::from_waker(Waker::noop());
        assert!(Pin::new(&mut answer).poll(&mut context).is_pending(), "nobody is told anything");
        assert!(stepped.exchange().shared.views.try_read().is_none(), "and nobody reads");
    }
}

/// On a nearly full disk a client that reads once a second does not use up the space kept for cancels: its nonces are
/// journaled soon at first, then ever more rarely, down to every ten minutes.
#[test]
fn nonces_of_reads_spare_a_full_disk() {
    let dir = tempfile::tempdir().unwrap();
    let recovered = recover_stepped(dir.path(), segments()).unwrap();
    let mut stepped = Stepped::new(recovered, Clock::manual(Time(1)), Options::default());
    let mut journaled_in = |hour: u64| {
        let mut batches = 0;
        for second in 3_600 * hour..3_600 * (hour + 1) {
            let exchange = stepped.exchange();
            exchange.shared.low_space.store(true, Ordering::Relaxed);
            exchange.note_nonce(SessionId(0), Nonce::parse((second + 1).to_string().as_bytes()).unwrap());
            stepped.decide(Duration::from_secs(second));
            batches += u32::from(stepped.commit().unwrap());
        }
        batches
    };
    let first = journaled_in(0);
    assert!((60..330).contains(&first), "{first}");
    for hour in 1..10 {
        journaled_in(hour);
    }
    assert_eq!(journaled_in(10), 6);
}
