//! Tests of the threads that hash passwords.

use super::*;
use std::net::Ipv4Addr;
use std::sync::mpsc;

fn address(last: u8) -> IpAddr {
    Ipv4Addr::new(192, 0, 2, last).into()
}

fn put(queue: &mut Queue, last: u8) -> Result<u64, NoPlace> {
    queue.put(peer(address(last)), Box::new(|| ()))
}

/// The addresses of the next works, each of which ends before the next begins.
fn order(queue: &mut Queue) -> Vec<u8> {
    let next = || {
        let (peer, work) = queue.take()?;
        work();
        queue.end(peer);
        peer.0.last().copied()
    };
    std::iter::from_fn(next).collect()
}

/// An address has its share of the places, addresses take turns, and nothing is left of them.
#[test]
fn addresses_take_turns() {
    let mut queue = Queue::default();
    for _ in 0..QUEUE_OF_PEER {
        assert!(put(&mut queue, 1).is_ok());
    }
    assert_eq!(put(&mut queue, 1), Err(NoPlace::OfPeer));
    assert!(put(&mut queue, 2).is_ok() && put(&mut queue, 3).is_ok() && put(&mut queue, 2).is_ok());
    assert_eq!(order(&mut queue), [1, 2, 3, 1, 2, 1, 1, 1, 1, 1, 1]);
    assert!(queue.peers.is_empty() && queue.turns.is_empty() && queue.waiting == 0);
    for last in 0..8 {
        assert!((0..QUEUE_OF_PEER).all(|_| put(&mut queue, last).is_ok()));
    }
    assert_eq!(put(&mut queue, 9), Err(NoPlace::All));
}

/// One address never holds all threads.
#[test]
fn a_thread_is_left_for_others() {
    let mut queue = Queue::default();
    assert!(put(&mut queue, 1).is_ok() && put(&mut queue, 1).is_ok());
    let (first, _) = queue.take().unwrap();
    assert!(queue.take().is_none(), "the second waits for the first");
    assert!(put(&mut queue, 2).is_ok());
    let (other, _) = queue.take().unwrap();
    assert_ne!(other, first);
    queue.end(first);
    assert_eq!(queue.take().map(|(peer, _)| peer), Some(first));
}

/// A work whose caller has gone gives its place back; one that had begun ends, and its result is noted.
#[test]
fn a_work_without_a_caller() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let hasher = Hasher::start().unwrap();
    let ((begun, has_begun), (go, may_end)) = (mpsc::channel(), mpsc::channel());
    let ((noted, results), (ran, runs)) = (mpsc::channel(), mpsc::channel());
    runtime.block_on(async {
        let first = hasher.run_and_note(
            address(1),
            move || {
                begun.send(()).unwrap();
                may_end.recv().unwrap()
            },
            move |result: u8| noted.send(result).unwrap(),
        );
        let second = hasher.run(address(1), move || ran.send(()).unwrap());
        let (mut first, mut second) = (Box::pin(first), Box::pin(second));
        assert!(futures_pending(first.as_mut()).await && futures_pending(second.as_mut()).await);
        has_begun.recv().unwrap();
        assert_eq!(hasher.0.queue.lock().waiting, 1);
        drop((first, second));
        assert_eq!(hasher.0.queue.lock().waiting, 0);
    });
    go.send(7).unwrap();
    assert_eq!(results.recv(), Ok(7));
    assert!(runs.recv().is_err(), "its work was dropped");
}

/// Whether a future waits after its first poll.
async fn futures_pending<F: Future + ?Sized>(mut future: std::pin::Pin<&mut F>) -> bool {
    std::future::poll_fn(|context| std::task::Poll::Ready(future.as_mut().poll(context).is_pending())).await
}

/// A work that panics leaves its thread and its place.
#[test]
fn a_work_that_panics() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let hasher = Hasher::start().unwrap();
    runtime.block_on(async {
        for _ in 0..=THREADS {
            let failed = hasher.run(address(1), || panic!("on purpose")).await;
            assert_eq!(failed.map_err(|refusal| refusal.status), Err::<(), _>(500));
        }
        assert_eq!(hasher.run(address(1), || 1).await, Ok(1));
    });
}
