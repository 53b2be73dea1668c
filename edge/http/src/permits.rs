//! Permits for open connections, counted from acceptance to end, over all threads, for each thread and for each client
//! address.
//!
//! Each thread counts the connections that it serves, but a connection in its queue is an open file too. In a flood, a
//! thread that is busy for some milliseconds gets hundreds of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many connections may be open.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The limit for all clients. Further connections take the place of idle ones, so that the process never runs out
    /// of files.
    pub all: usize,
    /// The limit for one client address.
    pub of_address: usize,
}

impl Places {
    /// Places for `all` connections, of which one address may have `percent`.
    pub fn new(all: usize, percent: usize) -> Self {
        Self { all, of_address: (all.saturating_mul(percent) / 100).clamp(1, all.max(1)) }
    }
}

/// The permits of a server.
#[derive(Debug)]
pub(crate) struct Permits {
    taken: Arc<Mutex<Taken>>,
    all: usize,
    of_address: usize,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
    by_thread: Vec<usize>,
    /// The thread of the last permit.
    turn: usize,
}

impl Taken {
    /// The thread with the fewest connections; of several, the next in turn.
    fn next_thread(&mut self) -> usize {
        let counts = self.by_thread.iter().enumerate();
        let count = self.by_thread.len();
        let turns = counts.map(|(thread, taken)| (taken, (thread + count - self.turn - 1) % count, thread));
        self.turn = turns.min().map_or(0, |(_, _, thread)| thread);
        self.turn
    }
}

/// The purpose of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Its requests are served. It takes of the share of this client, if there is one.
    Serve(Option<IpAddr>),
    /// It is refused with an answer, and counts for no client and no thread.
    TurnAway,
}

/// Why there is no permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoPermit {
    /// All are taken.
    All,
    /// The address has used its share.
    OfAddress,
}

/// A permit, given back when it is dropped. It comes before its stream in every tuple
/// and argument list, so that the stream is dropped, and closed, first.
#[derive(Debug)]
pub(crate) struct Permit {
    taken: Arc<Mutex<Taken>>,
    address: Option<IpAddr>,
    thread: Option<usize>,
}

/// The number of open connections.
#[derive(Clone, Debug)]
pub struct OpenConnections(Arc<Mutex<Taken>>);

impl OpenConnections {
    /// How many connections are open now.
    pub fn count(&self) -> usize {
        lock(&self.0).all
    }

    /// The most that one client address has.
    pub(crate) fn most_of_address(&self) -> usize {
        lock(&self.0).by_address.values().copied().max().unwrap_or(0)
    }
}

impl Permits {
    /// Shows how many are taken.
    pub(crate) fn open(&self) -> OpenConnections {
        OpenConnections(Arc::clone(&self.taken))
    }

    /// Permits for these places of so many threads, and for `beyond` more connections of each that are about to close.
    pub(crate) fn new(places: Places, threads: usize, beyond: usize) -> Self {
        let taken = Taken { by_thread: vec![0; threads], ..Taken::default() };
        let all = places.all + threads * beyond;
        Self { taken: Arc::new(Mutex::new(taken)), all, of_address: places.of_address }
    }

    /// A permit for a connection.
    pub(crate) fn take(&self, purpose: Purpose) -> Result<Permit, NoPermit> {
        let mut taken = lock(&self.taken);
        if taken.all >= self.all {
            return Err(NoPermit::All);
        }
        let address = match purpose {
            Purpose::Serve(sharer) => sharer,
            Purpose::TurnAway => None,
        };
        if let Some(address) = address {
            let of_address = taken.by_address.entry(address).or_default();
            if *of_address >= self.of_address {
                return Err(NoPermit::OfAddress);
            }
            *of_address += 1;
        }
        taken.all += 1;
        let thread = matches!(purpose, Purpose::Serve(_)).then(|| taken.next_thread());
        if let Some(of_thread) = thread.and_then(|thread| taken.by_thread.get_mut(thread)) {
            *of_thread += 1;
        }
        Ok(Permit { taken: Arc::clone(&self.taken), address, thread })
    }
}

impl Permit {
    /// The thread that serves the connection, counted from 0; that of a refused one is any.
    pub(crate) fn thread(&self) -> usize {
        self.thread.unwrap_or(0)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut taken = lock(&self.taken);
        taken.all -= 1;
        if let Some(of_thread) = self.thread.and_then(|thread| taken.by_thread.get_mut(thread)) {
            *of_thread -= 1;
        }
        let Some(address) = self.address else { return };
        if let Some(of_address) = taken.by_address.get_mut(&address) {
            *of_address -= 1;
            if *of_address == 0 {
                taken.by_address.remove(&address);
            }
        }
    }
}

fn lock(taken: &Mutex<Taken>) -> MutexGuard<'_, Taken> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    const ADDRESS: Purpose = Purpose::Serve(Some(IpAddr::V4(Ipv4Addr::LOCALHOST)));
    const OTHER: Purpose = Purpose::Serve(Some(IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2))));
    const PROXY: Purpose = Purpose::Serve(None);

    /// No more permits are taken than there are, whichever thread holds them and gives them back.
    #[test]
    fn no_more_are_taken_than_there_are() {
        let permits = Permits::new(Places::new(1, 100), 1, 1);
        let [first, second] =
            [ADDRESS, Purpose::TurnAway].map(|purpose| permits.take(purpose).expect("there is one"));
        assert_eq!(permits.take(OTHER).err(), Some(NoPermit::All));
        std::thread::spawn(move || drop(first)).join().expect("it ends");
        let third = permits.take(OTHER);
        assert!(third.is_ok() && permits.take(Purpose::TurnAway).is_err());
        drop((second, third));
        assert!(permits.take(ADDRESS).is_ok() && lock(&permits.taken).by_address.is_empty());
    }

    /// Threads have equally many, however one address opens and closes its own.
    #[test]
    fn the_thread_with_the_fewest_is_next() {
        let permits = Permits::new(Places::new(100, 100), 3, 0);
        let take = |purpose| permits.take(purpose).expect("there is one");
        let held: Vec<_> = (0..6).map(|_| take(OTHER)).collect();
        assert_eq!(held.iter().map(Permit::thread).collect::<Vec<_>>(), [1, 2, 0, 1, 2, 0], "in turn");
        let mut kept = Vec::new();
        for _ in 0..10 {
            kept.push(take(ADDRESS));
            drop((take(Purpose::TurnAway), take(ADDRESS), take(ADDRESS)));
        }
        let counts = lock(&permits.taken).by_thread.clone();
        assert!(counts.iter().all(|count| (5..=6).contains(count)), "{counts:?}");
        drop((held, kept));
        assert_eq!(lock(&permits.taken).by_thread, [0; 3]);
    }

    /// A trusted proxy has no share, and its connections are spread over the threads like all others.
    #[test]
    fn a_proxy_may_take_all() {
        let permits = Permits::new(Places::new(10, 20), 2, 0);
        let held: Vec<_> = (0..10).map(|_| permits.take(PROXY).expect("there is one")).collect();
        assert_eq!(permits.take(PROXY).err(), Some(NoPermit::All));
        assert_eq!(lock(&permits.taken).by_thread, [5; 2]);
        drop(held);
        assert_eq!(lock(&permits.taken).by_thread, [0; 2]);
    }

    /// An address has its share, and leaves the others theirs.
    #[test]
    fn an_address_has_a_share() {
        let permits = Permits::new(Places::new(10, 80), 1, 0);
        let mut held: Vec<_> = (0..8).map(|_| permits.take(ADDRESS).expect("of its share")).collect();
        assert_eq!(permits.take(ADDRESS).err(), Some(NoPermit::OfAddress));
        let other = permits.take(OTHER);
        assert!(other.is_ok() && permits.take(Purpose::TurnAway).is_ok());
        held.pop();
        assert!(permits.take(ADDRESS).is_ok());
        assert_eq!(
            [(1, 1), (10, 1), (0, 100)].map(|(all, percent)| Places::new(all, percent).of_address),
            [1; 3]
        );
    }
}
