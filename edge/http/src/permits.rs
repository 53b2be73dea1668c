//! Permits for open connections, counted from acceptance to end, over all threads and for each client address.
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
}

impl Permits {
    /// Permits for these places, and for `beyond` more connections that are about to close.
    pub(crate) fn new(places: Places, beyond: usize) -> Self {
        Self { taken: Arc::default(), all: places.all + beyond, of_address: places.of_address }
    }

    /// A permit for a connection of this address, or for one that is refused and counts for no address.
    pub(crate) fn take(&self, address: Option<IpAddr>) -> Result<Permit, NoPermit> {
        let mut taken = lock(&self.taken);
        if taken.all >= self.all {
            return Err(NoPermit::All);
        }
        if let Some(address) = address {
            let of_address = taken.by_address.entry(address).or_default();
            if *of_address >= self.of_address {
                return Err(NoPermit::OfAddress);
            }
            *of_address += 1;
        }
        taken.all += 1;
        Ok(Permit { taken: Arc::clone(&self.taken), address })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut taken = lock(&self.taken);
        taken.all -= 1;
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

    const ADDRESS: Option<IpAddr> = Some(IpAddr::V4(Ipv4Addr::LOCALHOST));
    const OTHER: Option<IpAddr> = Some(IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2)));

    /// No more permits are taken than there are, whichever thread holds them and gives them back.
    #[test]
    fn no_more_are_taken_than_there_are() {
        let permits = Permits::new(Places::new(1, 100), 1);
        let [first, second] = [ADDRESS, None].map(|address| permits.take(address).expect("there is one"));
        assert_eq!(permits.take(OTHER).err(), Some(NoPermit::All));
        std::thread::spawn(move || drop(first)).join().expect("it ends");
        let third = permits.take(OTHER);
        assert!(third.is_ok() && permits.take(None).is_err());
        drop((second, third));
        assert!(permits.take(ADDRESS).is_ok() && lock(&permits.taken).by_address.is_empty());
    }

    /// An address has its share, and leaves the others theirs.
    #[test]
    fn an_address_has_a_share() {
        let permits = Permits::new(Places::new(10, 80), 0);
        let mut held: Vec<_> = (0..8).map(|_| permits.take(ADDRESS).expect("of its share")).collect();
        assert_eq!(permits.take(ADDRESS).err(), Some(NoPermit::OfAddress));
        let other = permits.take(OTHER);
        assert!(other.is_ok() && permits.take(None).is_ok());
        held.pop();
        assert!(permits.take(ADDRESS).is_ok());
        assert_eq!(
            [(1, 1), (10, 1), (0, 100)].map(|(all, percent)| Places::new(all, percent).of_address),
            [1; 3]
        );
    }
}
