//! The threads that hash passwords: a few, with short queues, so that a flood of sign-ins takes neither memory nor the processors of orders.
//!
//! Each client address has a share of the places in the queue, and addresses take turns: a flood from one of them fills its own share,
//! and another client waits for one work at most.

use crate::people::peer;
use buttonwood_engine::identity::Peer;
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::client_left;
use buttonwood_wire::field::{busy, failed};
use parking_lot::{Condvar, Mutex};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tokio::sync::oneshot;

/// Threads; each takes 19 MiB while it works.
const THREADS: usize = 2;
/// Threads that one address may hold at once: another client finds one that is free.
const THREADS_OF_PEER: usize = THREADS - 1;
/// Works that wait at most: at some 30 ms each, the last one waits for about a second.
const QUEUE: usize = 64;
/// Works of one address that wait at most.
const QUEUE_OF_PEER: usize = 8;

/// The lowest priority: where processors are short, orders come first.
const NICENESS: i32 = 19;

/// A piece of work. It does nothing if its caller has gone before it begins.
type Work = Box<dyn FnOnce() + Send>;

/// The works of one address.
#[derive(Default)]
struct OfPeer {
    works: VecDeque<(u64, Work)>,
    running: usize,
}

/// The works that wait, by address.
#[derive(Default)]
struct Queue {
    peers: BTreeMap<Peer, OfPeer>,
    /// The addresses with works that may begin, by the turn of each.
    turns: BTreeSet<(u64, Peer)>,
    waiting: usize,
    last: u64,
    is_closed: bool,
}

/// Why a work has no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoPlace {
    /// The address has used its share.
    OfPeer,
    /// All places are taken.
    All,
}

impl Queue {
    /// Adds a work; returns its number.
    fn put(&mut self, peer: Peer, work: Work) -> Result<u64, NoPlace> {
        let of_peer = self.peers.get(&peer).map_or(0, |of_peer| of_peer.works.len());
        if of_peer >= QUEUE_OF_PEER {
            return Err(NoPlace::OfPeer);
        }
        if self.waiting >= QUEUE {
            return Err(NoPlace::All);
        }
        self.last += 1;
        let number = self.last;
        let entry = self.peers.entry(peer).or_default();
        entry.works.push_back((number, work));
        self.waiting += 1;
        if entry.works.len() == 1 && entry.running < THREADS_OF_PEER {
            self.turns.insert((number, peer));
        }
        Ok(number)
    }

    /// Removes a work that has not begun.
    fn drop_work(&mut self, peer: Peer, number: u64) {
        let Some(of_peer) = self.peers.get_mut(&peer) else { return };
        let before = of_peer.works.len();
        of_peer.works.retain(|(waiting, _)| *waiting != number);
        self.waiting -= before - of_peer.works.len();
        if of_peer.works.is_empty() {
            self.turns.retain(|(_, waiting)| *waiting != peer);
            if of_peer.running == 0 {
                self.peers.remove(&peer);
            }
        }
    }

    /// The next work, of the address whose turn it is.
    fn take(&mut self) -> Option<(Peer, Work)> {
        let (_, peer) = self.turns.pop_first()?;
        let of_peer = self.peers.get_mut(&peer)?;
        let (_, work) = of_peer.works.pop_front()?;
        of_peer.running += 1;
        self.waiting -= 1;
        self.give_turn(peer);
        Some((peer, work))
    }

    /// Notes that a work of an address has ended.
    fn end(&mut self, peer: Peer) {
        let Some(of_peer) = self.peers.get_mut(&peer) else { return };
        of_peer.running -= 1;
        if of_peer.running == 0 && of_peer.works.is_empty() {
            self.peers.remove(&peer);
        } else {
            self.give_turn(peer);
        }
    }

    /// Puts an address behind all others that have a turn, if it has a work that may begin.
    fn give_turn(&mut self, peer: Peer) {
        let may_begin = |of_peer: &OfPeer| !of_peer.works.is_empty() && of_peer.running < THREADS_OF_PEER;
        if self.peers.get(&peer).is_some_and(may_begin) {
            self.last += 1;
            self.turns.insert((self.last, peer));
        }
    }
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

/// Hashes passwords on threads of its own.
pub(crate) struct Hasher(Arc<Shared>);

impl Hasher {
    /// Starts the threads. They end with the hasher.
    pub(crate) fn start() -> std::io::Result<Self> {
        let hasher = Self(Arc::default());
        for number in 0..THREADS {
            let shared = Arc::clone(&hasher.0);
            std::thread::Builder::new().name(format!("passwords-{number}")).spawn(move || run(&shared))?;
        }
        Ok(hasher)
    }

    /// Does a piece of work for a client on one of the threads. A work whose client leaves before it begins is dropped.
    ///
    /// # Errors
    /// 429 when too much of this client's waits, 503 when too much waits at all.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        client: IpAddr,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        self.run_and_note(client, work, |_| ()).await
    }

    /// The same for a work whose result has to be noted even if nothing waits for it any more: a password that was wrong counts.
    ///
    /// # Errors
    /// As [`Hasher::run`].
    pub(crate) async fn run_and_note<T: Send + 'static>(
        &self,
        client: IpAddr,
        work: impl FnOnce() -> T + Send + 'static,
        note: impl FnOnce(T) + Send + 'static,
    ) -> Result<T, Refusal> {
        let peer = peer(client);
        let (reply, done) = oneshot::channel();
        let work = move || {
            if !reply.is_closed()
                && let Err(unheard) = reply.send(work())
            {
                note(unheard);
            }
        };
        let put = self.0.queue.lock().put(peer, Box::new(work));
        let number = put.map_err(refused)?;
        let _place = Place { shared: &self.0, peer, number };
        self.0.changed.notify_one();
        tokio::select! {
            biased;
            done = done => done.map_err(|_| failed()),
            () = client_left() => Err(busy("The client has closed the connection")),
        }
    }
}

/// A work's place in the queue, which is free again when its caller leaves.
struct Place<'a> {
    shared: &'a Shared,
    peer: Peer,
    number: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.shared.queue.lock().drop_work(self.peer, self.number);
    }
}

impl Drop for Hasher {
    fn drop(&mut self) {
        self.0.queue.lock().is_closed = true;
        self.0.changed.notify_all();
    }
}

fn refused(why: NoPlace) -> Refusal {
    match why {
        NoPlace::OfPeer => {
            let message = format!(
                "{QUEUE_OF_PEER} passwords of this address wait to be checked: wait before the next one"
            );
            Refusal { retry_after: Some(1), ..Refusal::new(Reason::RateLimit, message) }
        }
        NoPlace::All => busy("Too many people sign in at once"),
    }
}

fn run(shared: &Shared) {
    // On Linux this is for the calling thread alone. A system that refuses it has slower orders during a flood, and nothing else.
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!("the threads of passwords have no low priority: {error}");
    }
    let mut queue = shared.queue.lock();
    while !queue.is_closed {
        let Some((peer, work)) = queue.take() else {
            shared.changed.wait(&mut queue);
            continue;
        };
        drop(queue);
        // A work that panics is answered with `System`, and the thread goes on with the next one.
        drop(catch_unwind(AssertUnwindSafe(work)));
        queue = shared.queue.lock();
        queue.end(peer);
    }
}

#[cfg(test)]
mod tests;
